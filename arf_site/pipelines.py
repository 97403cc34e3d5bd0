"""Every pipeline in full. Read this first: a query passes the stages from top to bottom."""

from retrieval.cross_encoding import CrossEncoderReranker
from retrieval.fusion import Fuse
from retrieval.pipeline import Pipeline
from retrieval.reranking import LearnedReranker
from retrieval.retrievers import CitationRetriever, DenseRetriever, LexicalRetriever, PrivateRetriever
from retrieval.stages import EmbedQuery, ResolveCitations
from retrieval.suggesting import SuggestQuestions
from retrieval.verification import LLMVerifier
from rules.respelling import Respell
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

NAMES = (
    "default", "verified", "learned", "learned_verified", "gated", "pool", "cited", "fusion", "dense", "lexical",
)  # fmt: skip
PUBLIC = ("default", "verified")

# The question understood: what it cites, its domains' thresholds, its English.
UNDERSTOOD = (ResolveCitations(), ReadThresholds(), Translate())

# Where candidates come from.
LEGS = (
    CitationRetriever(weight=3.0),
    AliasRetriever(weight=2.0),
    NearestAliasRetriever(k=50, least=0.4, weight=2.0),
    LexicalAliasRetriever(k=50, weight=1.0),
    DenseRetriever(k=100),
    LexicalRetriever(k=100),
    PrivateRetriever(k=100, weight=2.0),
)

# How they are judged, whatever brought them.
GATED = (Calibrate(), Gates())
RANKED = (CrossEncoderReranker(depth=30), *GATED, LearnedReranker(depth=100))


def default() -> Pipeline:
    """What people get: an answer in the learned order, or an abstention where it probably holds none. It asks no
    language model, so that it is fast, costs nothing, and is the same for staff as for everybody.
    """
    return Pipeline(*answered(), ApplyPins())


def verified() -> Pipeline:
    """The default, with what the reranker is unsure of put to a language model if one is configured and the caller may
    ask it; the same as the default for everybody else. Clients whose key may ask get it unless they name another.
    """
    return Pipeline(*answered(), LLMVerifier(calls=3, depth=20), ApplyPins())


def answered() -> tuple:
    """All but the last stages of what people get. Curators' rules come before anything is searched, and after
    everything is ranked, so that nothing undoes them.
    """
    return (
        *UNDERSTOOD,
        ApplyRewrites(),
        Respell(),
        EmbedQuery(),
        EachRule(Fuse(*LEGS, RuleRetriever(weight=2.0), k=60)),
        *RANKED,
        Abstain(),
        SuggestQuestions(most=3),
    )


# -- What is measured and learned from: no rules, no abstention. Each adds one thing to the one below it.


def learned_verified() -> Pipeline:
    """The learned order, with what the reranker is unsure of put to a language model."""
    return Pipeline(*learned().stages, LLMVerifier(calls=3, depth=20))


def learned() -> Pipeline:
    """In the order which the deployed reranker learned from judgments."""
    return Pipeline(*UNDERSTOOD, Respell(), EmbedQuery(), Fuse(*LEGS, k=60), *RANKED)


def gated() -> Pipeline:
    """The pool without what a curator's thresholds let drop."""
    return Pipeline(*pool().stages, *GATED)


def pool() -> Pipeline:
    """What there is to choose from: everything up to the gates. The reranker is trained on it."""
    return Pipeline(*UNDERSTOOD, Respell(), EmbedQuery(), Fuse(*LEGS, k=60), CrossEncoderReranker(depth=30))


def cited() -> Pipeline:
    """Fusion with citations: what can be had without anything that curators or judges wrote."""
    return Pipeline(
        ResolveCitations(),
        Translate(),
        EmbedQuery(),
        Fuse(CitationRetriever(weight=3.0), DenseRetriever(k=100), LexicalRetriever(k=100), k=60),
    )


def fusion() -> Pipeline:
    """Dense and lexical alone: what everything else is compared with."""
    return Pipeline(Translate(), EmbedQuery(), Fuse(DenseRetriever(k=100), LexicalRetriever(k=100), k=60))


def dense() -> Pipeline:
    return Pipeline(Translate(), EmbedQuery(), Fuse(DenseRetriever(k=100), k=60))


def lexical() -> Pipeline:
    return Pipeline(Translate(), Fuse(LexicalRetriever(k=100), k=60))


def ablation_steps() -> list[tuple[str, str]]:
    """(label, name) of the pipelines that `manage.py ablate` compares, each adding one thing to the one before.

    None of them abstains: what that costs and gains is measured by risk and coverage (`manage.py tune_thresholds`).
    """
    return [
        ("dense", "dense"),
        ("+ lexical", "fusion"),
        ("+ citations", "cited"),
        ("+ aliases", "pool"),
        ("+ gates", "gated"),
        ("+ MLP", "learned"),
        ("+ LLM", "learned_verified"),
    ]
