"""What is told instead of an answer, or above one, in the language of the question. Pure."""

from dataclasses import replace

from django.utils.functional import Promise
from django.utils.translation import override

from retrieval.ranking import Notice, Ranking


def noticed(ranking: Ranking, code: str, text: str | Promise) -> Ranking:
    """Tells it above what is found."""
    with override(ranking.query.language or "en"):
        told = str(text)
    return replace(ranking, notice=Notice(code, told)).noting(code, **ranking.details)


def ended(ranking: Ranking) -> Ranking:
    """Nothing more is searched: what is told is all there is."""
    return replace(ranking, notice=replace(ranking.notice, searched=False), abstained=True)
