"""Every pipeline in full. Read this first: a query passes the stages from top to bottom."""

from retrieval.cross_encoding import CrossEncoderReranker
from retrieval.fusion import Fuse
from retrieval.pipeline import Pipeline
from retrieval.reranking import LearnedReranker
from retrieval.retrievers import CitationRetriever, DenseRetriever, LexicalRetriever, PrivateRetriever
from retrieval.stages import EmbedQuery, ResolveCitations
from retrieval.verification import LLMVerifier
from rules.rule_stages import ApplyPins, ApplyRewrites, EachRule, RuleRetriever
from rules.stages import (
    Abstain,
    AliasRetriever,
    Calibrate,
    Gates,
    LexicalAliasRetriever,
    NearestAliasRetriever,
    ReadThresholds,
    Translate,
)

NAMES = ("default", "verified", "gated", "pool", "learned", "learned_verified", "fusion", "dense", "lexical")
PUBLIC = ("default", "verified")


def ablation_steps() -> list[tuple[str, str]]:
    """(label, name) of the pipelines that `manage.py ablate` compares, each adding one thing to the one before.

    None of them abstains: what that costs and gains is measured by risk and coverage (`manage.py tune_thresholds`).
    """
    return [
        ("dense", "dense"),
        ("+ lexical", "fusion"),
        ("+ citations and aliases", "pool"),
        ("+ gates", "gated"),
        ("+ MLP", "learned"),
        ("+ LLM", "learned_verified"),
    ]


def legs() -> list:
    return [
        CitationRetriever(weight=3.0),
        AliasRetriever(weight=2.0),
        NearestAliasRetriever(k=50, least=0.4, weight=2.0),
        LexicalAliasRetriever(k=50, weight=1.0),
        DenseRetriever(k=100),
        LexicalRetriever(k=100),
        PrivateRetriever(k=100, weight=2.0),
    ]


def pool() -> Pipeline:
    """What there is to choose from: everything up to the gates. The reranker is trained on it."""
    return Pipeline(
        ReadThresholds(),
        ResolveCitations(),
        Translate(),
        EmbedQuery(),
        Fuse(*legs(), k=60),
        CrossEncoderReranker(depth=30),
    )


def gated() -> Pipeline:
    """The pool without what a curator's thresholds let drop."""
    return Pipeline(*pool().stages, Calibrate(), Gates())


def learned() -> Pipeline:
    """That in the order which the deployed reranker learned from judgments; it never abstains."""
    return Pipeline(*gated().stages, LearnedReranker(depth=100))


def default() -> Pipeline:
    """What people get: the pool, gated, in the learned order, or an abstention where it probably holds no answer. It
    asks no language model, so that it is fast, costs nothing, and is the same for staff as for everybody.
    """
    return Pipeline(*curated(), ApplyPins())


def curated() -> list:
    """The stages of what people get, but for the last. Curators' rules come before anything is searched, and after
    everything is ranked, so that nothing undoes them.
    """
    return [
        ResolveCitations(),
        ReadThresholds(),
        Translate(),
        ApplyRewrites(),
        EmbedQuery(),
        EachRule(Fuse(*legs(), RuleRetriever(weight=2.0), k=60)),
        CrossEncoderReranker(depth=30),
        Calibrate(),
        Gates(),
        LearnedReranker(depth=100),
        Abstain(),
    ]


def learned_verified() -> Pipeline:
    """The learned order, with what the reranker is unsure of put to a language model; it never abstains."""
    return Pipeline(*learned().stages, LLMVerifier(calls=3, depth=20))


def verified() -> Pipeline:
    """The default, with what the reranker is unsure of put to a language model if one is configured and the caller may
    ask it; the same as the default for everybody else. Clients whose key may ask get it unless they name another.
    """
    return Pipeline(*curated(), LLMVerifier(calls=3, depth=20), ApplyPins())


def fusion() -> Pipeline:
    """Dense and lexical alone: what everything else is compared with."""
    return Pipeline(Translate(), EmbedQuery(), Fuse(DenseRetriever(k=100), LexicalRetriever(k=100), k=60))


def dense() -> Pipeline:
    return Pipeline(Translate(), EmbedQuery(), Fuse(DenseRetriever(k=100), k=60))


def lexical() -> Pipeline:
    return Pipeline(Translate(), Fuse(LexicalRetriever(k=100), k=60))
