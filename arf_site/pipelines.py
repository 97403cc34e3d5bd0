"""Every pipeline in full. Read this first: a query passes the stages from top to bottom."""

from retrieval.fusion import Fuse
from retrieval.pipeline import Pipeline
from retrieval.reranking import LearnedReranker
from retrieval.retrievers import CitationRetriever, DenseRetriever, LexicalRetriever, PrivateRetriever
from retrieval.stages import EmbedQuery, ResolveCitations
from rules.stages import (
    Abstain,
    AliasRetriever,
    Calibrate,
    Gates,
    NearestAliasRetriever,
    ReadThresholds,
    Translate,
)

NAMES = ("default", "gated", "pool", "learned", "fusion", "dense", "lexical")
PUBLIC = ("default",)


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
    ]


def pool() -> Pipeline:
    """What there is to choose from: everything up to the gates. The reranker is trained on it."""
    return Pipeline(
        ResolveCitations(),
        Translate(),
        EmbedQuery(),
        Fuse(
            CitationRetriever(weight=3.0),
            AliasRetriever(weight=2.0),
            NearestAliasRetriever(k=50, least=0.4, weight=2.0),
            DenseRetriever(k=100),
            LexicalRetriever(k=100),
            PrivateRetriever(k=100, weight=2.0),
            k=60,
        ),
    )


def gated() -> Pipeline:
    """The pool without what a curator's thresholds let drop."""
    return Pipeline(*pool().stages, ReadThresholds(), Calibrate(), Gates())


def learned() -> Pipeline:
    """That in the order which the deployed reranker learned from judgments; it never abstains."""
    return Pipeline(*gated().stages, LearnedReranker(depth=100))


def default() -> Pipeline:
    """What people get: the pool, gated; an abstention where it holds no answer; else the learned order."""
    return Pipeline(*gated().stages, Abstain(), LearnedReranker(depth=100))


def fusion() -> Pipeline:
    """Dense and lexical alone: what everything else is compared with."""
    return Pipeline(Translate(), EmbedQuery(), Fuse(DenseRetriever(k=100), LexicalRetriever(k=100), k=60))


def dense() -> Pipeline:
    return Pipeline(Translate(), EmbedQuery(), Fuse(DenseRetriever(k=100), k=60))


def lexical() -> Pipeline:
    return Pipeline(Translate(), Fuse(LexicalRetriever(k=100), k=60))
