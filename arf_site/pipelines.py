"""Every pipeline in full. Read this first: a query passes the stages from top to bottom."""

from retrieval.fusion import Fuse
from retrieval.pipeline import Pipeline
from retrieval.retrievers import CitationRetriever, DenseRetriever, LexicalRetriever, PrivateRetriever
from retrieval.stages import EmbedQuery, ResolveCitations
from rules.stages import Abstain, AliasRetriever, Calibrate, NearestAliasRetriever, Translate

NAMES = ("default", "fusion", "dense", "lexical")
PUBLIC = ("default",)


def default() -> Pipeline:
    """What people get."""
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
        Calibrate(),
        Abstain(),
    )


def fusion() -> Pipeline:
    """Dense and lexical alone: what everything else is compared with."""
    return Pipeline(Translate(), EmbedQuery(), Fuse(DenseRetriever(k=100), LexicalRetriever(k=100), k=60))


def dense() -> Pipeline:
    return Pipeline(Translate(), EmbedQuery(), Fuse(DenseRetriever(k=100), k=60))


def lexical() -> Pipeline:
    return Pipeline(Translate(), Fuse(LexicalRetriever(k=100), k=60))
