"""Where in the sources a claim is said: the clauses that share most of its words, rare ones counting more. Pure."""

import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

from retrieval.proof.types import Source
from retrieval.proof.vocabulary import EXCEPTIONS, meaning
from retrieval.text.analyzer import words
from retrieval.text.sentences import sentences
from retrieval.text.snippets import function_stems

LONGEST_WINDOW = 3  # clauses
LONGER = 0.03  # what each clause more costs, so that of windows that say the same the shortest is taken
UNION = {("united", "states"), ("estados", "unidos")}  # not one of the States
_CLAUSE = re.compile(r"[;:](?=\s)\s*|\n+")


class Token(NamedTuple):
    """A word in its place. `term` is what it means: a stem, or one name for words that mean the same in law; it is ""
    for words that only bind others.
    """

    word: str
    term: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Clause:
    """`sentence` numbers the sentence it is in, `terms` are what its words say."""

    source: int
    sentence: int
    start: int
    end: int
    tokens: tuple[Token, ...]
    terms: frozenset[str]


@dataclass(frozen=True, slots=True)
class Alignment:
    """The best window: neighbouring clauses of one source. `coverage` is the weight of the claim's words found in it
    over that of all its words, 0 to 1; `elsewhere` the best coverage in another source.
    """

    source: int
    start: int
    end: int
    coverage: float
    elsewhere: float


def tokens(text: str, language: str) -> tuple[Token, ...]:
    binding = function_stems(language)
    found: list[Token] = []
    for word in words(text, language):
        for stem in word.stems[:1]:
            said = text[word.start : word.end].lower()
            term = "" if stem in binding else meaning(stem, language)
            if found and (found[-1].word, said) in UNION:
                found[-1], term = found[-1]._replace(term=""), "union"
            found.append(Token(said, term, word.start, word.end))
    return tuple(found)


def clauses(source: Source, number: int = 0) -> list[Clause]:
    """In reading order, together the whole text."""
    return list(_clauses(source, number))


def _clauses(source: Source, number: int) -> Iterator[Clause]:
    found = tokens(source.text, source.language)
    at = 0
    for sentence, (start, end) in enumerate(sentences(source.text)):
        cuts = [start, *(place.end() for place in _CLAUSE.finditer(source.text, start, end)), end]
        for first, last in pairwise(cuts):
            begun = at
            while at < len(found) and found[at].start < last:
                at += 1
            held = found[begun:at]
            if held:
                yield Clause(number, sentence, first, last, held, frozenset(t.term for t in held if t.term))


def in_window(clause: Clause, place: "Alignment") -> bool:
    return clause.source == place.source and place.start <= clause.start < place.end


def weights(every: Sequence[Clause]) -> dict[str, float]:
    """Of each term in the sources: rarer ones weigh more."""
    counts: dict[str, int] = {}
    for clause in every:
        for term in clause.terms:
            counts[term] = counts.get(term, 0) + 1
    return {term: math.log(1 + len(every) / count) for term, count in counts.items()}


def align(terms: Iterable[str], every: Sequence[Clause], weight: Mapping[str, float]) -> Alignment | None:
    """The window that says most of the claim; None where no word of it is in any source."""
    most = math.log(1 + len(every))  # what a word weighs that no source has
    wanted = {term: weight.get(term, most) for term in terms if term}
    total = sum(wanted.values())
    best: dict[int, tuple[float, int, int, float]] = {}
    for first, clause in enumerate(every):
        held: set[str] = set()
        for more, last in enumerate(every[first : first + LONGEST_WINDOW]):
            if last.source != clause.source:
                break
            held |= last.terms & wanted.keys()
            coverage = sum(wanted[term] for term in held) / total if total else 0.0
            score = coverage - LONGER * more
            if held and score > best.get(clause.source, (0.0,))[0]:
                best[clause.source] = score, clause.start, last.end, coverage
    if not best:
        return None
    source = max(best, key=lambda number: (best[number][0], -number))
    _, start, end, coverage = best[source]
    end = _with_exception(every, source, end)
    others = [found[3] for number, found in best.items() if number != source]
    return Alignment(source, start, end, coverage, max(others, default=0.0))


def _with_exception(every: Sequence[Clause], source: int, end: int) -> int:
    """The window's end, or that of the exception which follows in its sentence: "...; unless", ": Provided, That"."""
    last, following = None, None
    for clause in every:
        if clause.source == source and clause.end == end:
            last = clause
        elif last and clause.source == source and clause.start == end:
            following = clause
    if last and following and following.sentence == last.sentence and following.tokens[0].word in EXCEPTIONS:
        return following.end
    return end
