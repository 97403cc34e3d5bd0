"""What a question's own letters decide: words that it puts in quotes must be there, side by side; and a private section
whose heading it is comes first.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import reduce
from operator import or_

from django.db.models import Q

from retrieval.corpus.filters import worded
from retrieval.models import Section
from retrieval.pipeline import unless_final
from retrieval.ranking import EXACT, Candidate, Query, Ranking, Reason
from retrieval.text.analyzer import tokens
from retrieval.text.quotes import quoted

HEADED = "headed"
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
            return replace(ranking, missing_words=tuple(dict.fromkeys(phrases))).noting("nothing has the quoted words")
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
    either = zip(map(worded, phrases), map(worded, others), strict=True)
    for patterns in {frozenset(pair) for pair in either}:
        found = found.filter(has_any(patterns))
    return set(found.values_list("pk", flat=True))


def has_any(patterns: Iterable[str]) -> Q:
    return reduce(or_, (Q(**{f"{field}__regex": words}) for words in patterns for field in SHOWN))


@dataclass(frozen=True)
class HeadedFirst:
    """Puts sections of private documents first whose heading has the question's words and no others: "confidentiality";
    what is cited stays before them. Scores stay with their places.
    """

    @unless_final
    def __call__(self, ranking: Ranking) -> Ranking:
        query = ranking.query
        private = {domain.id for domain in query.domains if domain.private}
        among = [c.section_id for c in ranking.candidates if c.domain_id in private]
        asked = {words_of(text) for text in (query.original, query.text)} - {()}
        if not among:
            return ranking.noting("no private documents", skipped=True)
        headings = Section.objects.readable(query.caller, query.as_of).filter(pk__in=among)
        named = {pk: heading for pk, heading in headings.values_list("pk", "heading") if words_of(heading) in asked}
        reasons = {pk: Reason(HEADED, {"heading": heading}) for pk, heading in named.items()}
        told = [
            one.but(reasons=(*one.reasons, reasons[one.section_id])) if one.section_id in reasons else one
            for one in ranking.candidates
        ]
        places = zip(sorted(told, key=order_of), ranking.candidates, strict=True)
        ordered = tuple(one.but(score=place.score) for one, place in places)
        return replace(ranking, candidates=ordered).noting(f"{len(named)} have this heading")


def order_of(candidate: Candidate) -> int:
    """What is cited or put there by a rule, then what is headed so, then all others; each as they were."""
    if any(reason.code in EXACT for reason in candidate.reasons):
        return 0
    return 1 if is_headed(candidate) else 2


def words_of(heading: str) -> tuple[str, ...]:
    """Without its number: "8. Confidentiality"."""
    words = tokens(heading)
    return tuple(words[1:] if words and words[0].isdigit() else words)


def is_headed(candidate: Candidate) -> bool:
    return any(reason.code == HEADED for reason in candidate.reasons)
