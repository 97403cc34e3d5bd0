"""Words that a question puts in quotes must be there, side by side."""

from dataclasses import dataclass, replace

from django.db.models import Q

from retrieval.corpus.filters import worded
from retrieval.indexes.lexical import quoted
from retrieval.models import Section
from retrieval.pipeline import unless_final
from retrieval.ranking import Query, Ranking, Reason
from retrieval.text.analyzer import tokens

SHOWN = ("text", "heading", "heading_es", "plain_name", "plain_name_es")


@dataclass(frozen=True)
class KeepQuoted:
    """Keeps what has all that stands in quotes, as typed or as translated. Where nothing found has it, everything
    stays and the answer says so.
    """

    @unless_final
    def __call__(self, ranking: Ranking) -> Ranking:
        query = ranking.query
        phrases = quoted_words(query.original)
        if not phrases:
            return ranking.noting("nothing is quoted", skipped=True)
        having = sections_having(query, [c.section_id for c in ranking.candidates], phrases)
        if not having:
            return replace(ranking, missing_words=tuple(phrases)).noting("nothing has the quoted words")
        reason = Reason("without_quoted")
        gone = {c.section_id: reason for c in ranking.candidates if c.section_id not in having}
        return ranking.drop(gone, type(self)).noting(f"{len(having)} have the quoted words")


def quoted_words(text: str) -> list[str]:
    return [phrase.strip() for phrase in quoted(text) if tokens(phrase)]


def sections_having(query: Query, sections: list[int], phrases: list[str]) -> set[int]:
    """Those of the sections whose text or headings have every phrase, blind to case and accents."""
    translated = quoted_words(query.text)
    others = translated if len(translated) == len(phrases) else phrases
    found = Section.objects.readable(query.caller, query.as_of).filter(pk__in=sections)
    for phrase, other in zip(phrases, others, strict=True):
        found = found.filter(has_words(phrase) | has_words(other))
    return set(found.values_list("pk", flat=True))


def has_words(phrase: str) -> Q:
    words = worded(phrase)
    condition = Q()
    for field in SHOWN:
        condition |= Q(**{f"{field}__regex": words})
    return condition
