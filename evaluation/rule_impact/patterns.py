"""Where the answers to questions of one category stand, learned from judgments: under which headings, on which pages.

Pure, and the same for the same judgments. A pattern counts by the documents in which it leads to an answer and by the
share of answers in what it leads to; how small that share may be is chosen by cross-validation over documents.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from retrieval.text.analyzer import stem, stop_stems, tokens

LONGEST = 3  # words of a heading's pattern
FRONT = 3  # pages that may make a pattern: documents differ in length, so no later page means the same in all
DOCUMENTS = 3  # in which a pattern must lead to an answer: two may be chance
MOST = 5  # patterns of a category
SHARES = (0.05, 0.1, 0.15, 0.2, 0.25)  # of answers in what a pattern leads to
FOLDS = 4
TOP = 5
FACTOR = 6.0  # lifts the last of a pool of two legs by rank fusion over the first of both: (2 / 61) / (1 / 160) is 5.2


class Pattern(NamedTuple):
    """“heading” with its words, or “pages” with the last of those from the first on."""

    kind: str
    value: str | int

    @property
    def target(self) -> dict[str, str]:
        if self.kind == "heading":
            return {"kind": "heading", "value": str(self.value)}
        return {"kind": "pages", "pages": "1" if self.value == 1 else f"1-{self.value}"}


@dataclass(frozen=True)
class Place:
    """A section: its own heading and those above it below the document's title, and the page it begins on."""

    locator: str
    document: str
    headings: tuple[str, ...]
    page: int | None

    @cached_property
    def patterns(self) -> frozenset[Pattern]:
        front = range(self.page, FRONT + 1) if self.page else ()
        return frozenset(
            (
                *(Pattern("heading", phrase) for heading in self.headings for phrase in phrases(heading)),
                *(Pattern("pages", page) for page in front),
            )
        )


def phrases(heading: str) -> Iterable[str]:
    """Runs of its words that neither begin nor end with a function word or a number."""
    words = tokens(heading)
    for length in range(1, LONGEST + 1):
        for start in range(len(words) - length + 1):
            run = words[start : start + length]
            if says_something(run[0]) and says_something(run[-1]):
                yield " ".join(run)


def says_something(word: str) -> bool:
    return len(word) > 2 and not word.isdigit() and stem(word, "en") not in stop_stems("en")


@dataclass(frozen=True, slots=True)
class Case:
    """A judged question of a category: the documents it was asked of, the locators judged relevant, and the ranking
    without any learned rule, (locator, score), best first, ties as everywhere by section.
    """

    topic: str
    category: str
    documents: frozenset[str]
    relevant: frozenset[str]
    ranking: tuple[tuple[str, float], ...]


class Corpus:
    """Which sections of a document each pattern leads to."""

    def __init__(self, places: Iterable[Place]):
        self.led: dict[str, dict[Pattern, set[str]]] = defaultdict(lambda: defaultdict(set))
        for place in places:
            for pattern in place.patterns:
                self.led[place.document][pattern].add(place.locator)

    def to(self, patterns: Iterable[Pattern], documents: Iterable[str]) -> set[str]:
        found = (self.led[document].get(p, ()) for document in documents for p in patterns)
        return set().union(*found)

    def of(self, case: Case) -> set[Pattern]:
        """Those that lead to an answer."""
        return {
            pattern
            for document in case.documents
            for pattern, led in self.led[document].items()
            if led & case.relevant
        }


Learned = Mapping[str, tuple[Pattern, ...]]  # by category


def learn(cases: Sequence[Case], corpus: Corpus) -> Learned:
    """Patterns by category; a category without any that lifts its own questions is left out."""
    return learned(cases, corpus, chosen_share(cases, corpus))


def learned(cases: Sequence[Case], corpus: Corpus, share: float) -> Learned:
    found = {category: patterns_for(own, corpus, share) for category, own in by_category(cases).items()}
    own = by_category(cases)
    return {
        category: patterns
        for category, patterns in found.items()
        if patterns and sum(gain(case, patterns, corpus) for case in own[category]) > 0
    }


def by_category(cases: Iterable[Case]) -> dict[str, list[Case]]:
    grouped: dict[str, list[Case]] = defaultdict(list)
    for case in cases:
        grouped[case.category].append(case)
    return dict(sorted(grouped.items()))


def patterns_for(cases: Sequence[Case], corpus: Corpus, share: float) -> tuple[Pattern, ...]:
    """Greedily those that lead to an answer in most documents where none yet does; then the surer, the longer."""
    leading = {p: documents_led(p, cases, corpus) for case in cases for p in corpus.of(case)}
    able = {
        pattern: (documents, sure)
        for pattern, documents in leading.items()
        if len(documents) >= DOCUMENTS and (sure := precision(pattern, cases, corpus)) >= share
    }
    chosen: list[Pattern] = []
    covered: set[str] = set()
    while able and len(chosen) < MOST:
        best = max(able, key=lambda p: (len(able[p][0] - covered), able[p][1], len(str(p.value)), str(p)))
        documents, _ = able.pop(best)
        if documents <= covered:
            break
        chosen.append(best)
        covered |= documents
    return tuple(chosen)


def documents_led(pattern: Pattern, cases: Iterable[Case], corpus: Corpus) -> set[str]:
    """Documents in which the pattern leads to an answer."""
    return {
        document
        for case in cases
        for document in case.documents
        if corpus.led[document].get(pattern, set()) & case.relevant
    }


def precision(pattern: Pattern, cases: Iterable[Case], corpus: Corpus) -> float:
    """The share of answers in what the pattern leads to, over all questions of a category."""
    led = [(case, corpus.to([pattern], case.documents)) for case in cases]
    return sum(len(found & case.relevant) for case, found in led) / sum(len(found) for _, found in led)


def chosen_share(cases: Sequence[Case], corpus: Corpus) -> float:
    """The least share of answers that gains most where documents are held out in turn; of equals the strictest."""
    documents = sorted({document for case in cases for document in case.documents})
    folds = [set(documents[n::FOLDS]) for n in range(FOLDS)]
    return max(SHARES, key=lambda share: (round(held_out(cases, corpus, share, folds), 6), share))


def held_out(cases: Sequence[Case], corpus: Corpus, share: float, folds: Iterable[Collection[str]]) -> float:
    """The summed gain of each fold under what is learned from the others."""
    total = 0.0
    for fold in folds:
        rules = learned([case for case in cases if case.documents.isdisjoint(fold)], corpus, share)
        unseen = [case for case in cases if not case.documents.isdisjoint(fold)]
        total += sum(gain(case, rules.get(case.category, ()), corpus) for case in unseen)
    return total


# -- What a boost of the patterns does


def gain(case: Case, patterns: Sequence[Pattern], corpus: Corpus) -> float:
    """By how much recall@5 rises."""
    before = [locator for locator, _ in case.ranking]
    return recall(boosted(case, patterns, corpus), case.relevant) - recall(before, case.relevant)


def boosted(case: Case, patterns: Sequence[Pattern], corpus: Corpus) -> list[str]:
    """The ranking as a rule that boosts the patterns leaves it: boosting comes after all that ranks."""
    led = corpus.to(patterns, case.documents)
    scored = [(locator, score * (FACTOR if locator in led else 1.0)) for locator, score in case.ranking]
    return [locator for locator, _ in sorted(scored, key=lambda row: -row[1])]


def recall(ranking: Sequence[str], relevant: Collection[str]) -> float:
    """recall@5."""
    return len(set(ranking[:TOP]) & set(relevant)) / len(relevant)
