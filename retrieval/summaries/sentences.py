"""The sentences of a provision that tell most of what it says, each a place in its text. Pure.

A sentence tells much where it has the words that the provision uses often and is headed by, and stands early. No item
of a list is chosen, which says nothing without the words before the list.
"""

import math
import re
from collections import Counter
from dataclasses import dataclass

from retrieval.answers.units import MARKED, Span, Unit, units
from retrieval.text.analyzer import LANGUAGES, stems, stop_stems
from retrieval.text.sentences import sentences

MOST = 3  # sentences of one provision
READ = 20_000  # characters of a long provision, which says first what it is about
SHORTEST, EASY, LONGEST = 40, 500, 900  # characters of a sentence that is chosen; to be read easily
HEADED = 4.0  # a word of the heading counts as if the text had it so many times more often
REPEATED = 0.3  # of its weight a word has left once a chosen sentence says it
EARLY = 0.7  # what the first sentence has before the last
ASIDE = 0.6  # what is taken from a sentence that only defines, names or dates
LEANS = 0.2  # and from one that is understood only with another, or is long
TELLS_LITTLE = re.compile(
    r"may be cited as|[“\"][^”\"]{1,80}[”\"],? (?:means?|includes?|has the meaning|significa)"
    r"|\b(?:takes?|shall take) effect|entrará en vigor|\b(?:was|were) (?:amended|repealed|redesignated)"
    r"|\bnote below|\bso in original",
    re.IGNORECASE,
)
# As no caption does: "Limitations; exemptions; “operating costs” defined".
ENDS = re.compile(r"[.;?!][)\]”\"’']*$")
LEANING = re.compile(
    r"\b(?:sub)?(?:section|paragraph|clause)s? \(|\bthis (?:sub\w+|paragraph|clause)\b|^(?:in )?such\b",
    re.IGNORECASE,
)
CAPTION = re.compile(r"\.\s*[—-]+\s*$")  # "In general.—" before what is no list


@dataclass(frozen=True, slots=True)
class Sentence:
    place: Span
    words: frozenset[str]
    merit: float  # what does not rest on its words


def telling(text: str, heading: str, language: str) -> list[Span]:
    """Where they stand, the most telling first; one at least of any words."""
    known = language if language in LANGUAGES else "en"
    read = text[:READ]
    possible = [sentence_of(read, place, known) for place in places(read)]
    said = Counter(stem for sentence in possible for stem in sentence.words)
    said.update(dict.fromkeys(set(stems(heading, known)) - stop_stems(known), HEADED))
    weights = {stem: math.log1p(count) for stem, count in said.items()}
    chosen: list[Span] = []
    left = {n: one for n, one in enumerate(possible)}
    while left and len(chosen) < MOST:
        best = max(left, key=lambda n: merit(left[n], weights) + EARLY / (1 + n / 2))
        sentence = left.pop(best)
        chosen.append(sentence.place)
        weights |= {stem: weights[stem] * REPEATED for stem in sentence.words}
    return chosen


def merit(sentence: Sentence, weights: dict[str, float]) -> float:
    """By the weights of its words, of which a long sentence has more and is forgiven some."""
    return sum(weights[stem] for stem in sentence.words) / (4 + len(sentence.words)) + sentence.merit


def sentence_of(text: str, place: Span, language: str) -> Sentence:
    words = frozenset(stems(text[slice(*place)], language)) - stop_stems(language)
    little, leans = (pattern.search(text[slice(*place)]) is not None for pattern in (TELLS_LITTLE, LEANING))
    is_long = place[1] - place[0] > EASY
    return Sentence(place, words, -ASIDE * little - LEANS * (leans + is_long))


def places(text: str) -> list[Span]:
    """Of sentences that can be read alone and are neither short nor long; where there are none, of the first that does
    not break off before a list, or goes on without one.
    """
    every = [unit for unit in units(text) if not CAPTION.search(text, unit.start, unit.end)]
    alone = [unit for unit in every if all(CAPTION.search(text, *stem) for stem in unit.stems)]
    whole = [place for place in (around(text, unit) for unit in alone) if not text[place[0]].islower()]
    easy = [
        place for place in whole if SHORTEST <= place[1] - place[0] <= LONGEST and ENDS.search(text, *place)
    ]
    if easy or not (rest := whole or sentences(text)):
        return easy
    going_on = [
        (unit.stems[0][0], unit.end)
        for unit in every
        if unit.stems and not MARKED.match(text, unit.start, unit.end)[0]
    ]
    trimmed = (
        (start, start + len(text[start:end].rstrip()))
        for start, end in (*rest, *going_on)
        if text[start:end].strip()
    )
    return [place for place in trimmed if complete(text, place) or place[1] == len(text.rstrip())][:1]


def around(text: str, unit: Unit) -> Span:
    """With what follows of it, an exception or the items of its list; without its number."""
    return MARKED.match(text, unit.start).end(), max(end for _, end in unit.spans)


def complete(text: str, place: Span) -> bool:
    """Whether it does not break off before a list."""
    return text[place[1] - 1] not in "—:-"
