"""The curated names of a domain as a process keeps them to find them word for word in a question."""

from array import array
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from hashlib import blake2b
from itertools import groupby
from operator import itemgetter

import numpy as np

from retrieval.text.analyzer import stems, tokens
from retrieval.text.capitals import may_mean
from rules.aliases.texts import GrowingTexts, Texts, in_blocks

FACTOR = 0x9E3779B97F4A7C15  # odd, so that no bit of the words before is lost: 2^64 divided by the golden ratio

Named = tuple[int, str, str, str]  # id of a name, text, locator, language


@dataclass(frozen=True, slots=True)
class AliasMatch:
    """An alias found in a question. `words` is its length, `shared` how many provisions it names."""

    text: str
    locator: str
    words: int
    shared: int


@dataclass(frozen=True, eq=False)
class AliasTable:
    """Phrases of stems, found on word boundaries in one pass over the question. Of a phrase 63 bits are kept: words of
    a question have those of another phrase once in millions of millions of searches.
    """

    ids: np.ndarray  # (names,) int64, rising
    texts: Texts
    places: Sequence[tuple[str, str]]  # each locator and language once
    owners: np.ndarray  # (names,) int32: which of these is each name's
    phrases: np.ndarray  # (names,) int64: of each
    longest: int  # stems of a phrase, or of one that there was
    words: Mapping[str, Mapping[str, int]]  # by language, how often each folded word stands in the names

    @classmethod
    def of(cls, rows: Iterable[Named]) -> "AliasTable":
        """By their ids; without those that have no stems."""
        ids, phrases, longest = array("q"), array("q"), 0
        texts, places, owners = GrowingTexts(), {}, array("i")
        words: defaultdict[str, Counter[str]] = defaultdict(Counter)
        for block in in_blocks(rows):
            found = [(row, its) for row in block if (its := stems(row[1], row[3]))]
            named = [row for row, _ in found]
            ids.extend(row[0] for row in named)
            texts.add(row[1] for row in named)
            owners.extend(places.setdefault(row[2:], len(places)) for row in named)
            phrases.extend(last(keys_of(row[3], its)) for row, its in found)
            longest = max([longest, *(len(its) for _, its in found)])
            for language, counts in counted((row[3], row[1]) for row in named).items():
                words[language].update(counts)
        return cls(
            np.array(ids, np.int64),
            texts.texts(),
            [*places],
            np.array(owners, np.int32),
            np.array(phrases, np.int64),
            longest,
            dict(words),
        )

    def again(self, changed: Collection[str], rows: Iterable[Named]) -> "AliasTable":
        """With these rows for all that the changed locators had."""
        came = AliasTable.of(rows)
        goes = np.fromiter((locator in changed for locator, _ in self.places), bool, len(self.places))[self.owners]
        gone = counted((self.places[self.owners[n]][1], self.texts[n]) for n in np.flatnonzero(goes))
        words = {
            language: Counter(self.words.get(language)) + came.words.get(language, none) - gone.get(language, none)
            for none in [Counter()]
            for language in self.words.keys() | came.words.keys()
        }
        left = np.concatenate([np.flatnonzero(~goes), len(self.ids) + np.arange(len(came.ids))])
        ids = np.concatenate([self.ids, came.ids])
        left = left[np.argsort(ids[left], kind="stable")]
        every = [*map(tuple, self.places), *came.places]
        owners = np.concatenate([self.owners, len(self.places) + came.owners])[left]
        used, owners = np.unique(owners, return_inverse=True)
        return AliasTable(
            ids[left],
            (self.texts + came.texts).taken(left),
            [every[n] for n in used],
            owners.astype(np.int32),
            np.concatenate([self.phrases, came.phrases])[left],
            max(self.longest, came.longest),
            {language: its for language, its in words.items() if its},
        )

    def __len__(self) -> int:
        return len(self.ids)

    @cached_property
    def _order(self) -> np.ndarray:
        """(names,) their places by phrase."""
        return np.argsort(self.phrases, kind="stable").astype(np.int32)

    @cached_property
    def _sorted(self) -> np.ndarray:
        return self.phrases[self._order]

    def exactly(self, text: str, language: str) -> Sequence[tuple[str, str]]:
        """(name, locator) of every alias that is all of the text."""
        words = stems(text, language)
        named = self._meant(last(keys_of(language, words)), text, language) if words else []
        return [(self.texts[n], self._locator(n)) for n in named]

    def matches(self, text: str, language: str) -> list[AliasMatch]:
        """Every alias in the text; one inside a longer one that matched there is left out."""
        words = stems(text, language) if self else []
        found: list[AliasMatch] = []
        covered = 0
        for start, past, key in self._spans(words, language):
            if past > covered and (named := self._meant(key, text, language)):
                found += [AliasMatch(self.texts[n], self._locator(n), past - start, len(named)) for n in named]
                covered = past
        return found

    def _spans(self, words: Sequence[str], language: str) -> Iterator[tuple[int, int, int]]:
        """Where names stand, and their phrase; of those that begin at a word the longest."""
        of_each = [[*keys_of(language, words[start : start + self.longest])] for start in range(len(words))]
        every = np.array([key for keys in of_each for key in keys], np.int64)
        is_one = self._sorted.take(np.searchsorted(self._sorted, every), mode="clip") == every
        first = 0
        for start, keys in enumerate(of_each):
            if hits := np.flatnonzero(is_one[first : first + len(keys)]).tolist():
                yield start, start + hits[-1] + 1, keys[hits[-1]]
            first += len(keys)

    def _locator(self, name: int) -> str:
        return self.places[self.owners[name]][0]

    def _meant(self, key: int, text: str, language: str) -> list[int]:
        """The names of a phrase that stands in the text, without those that are common words there."""
        return [name for name in self._named(key) if may_mean(text, self.texts[name], language)]

    def _named(self, key: int) -> list[int]:
        first, past = np.searchsorted(self._sorted, [key, key + 1])
        return self._order[first:past].tolist()


def keys_of(language: str, words: Iterable[str]) -> Iterator[int]:
    """Of the phrases that begin with the first of these words: of one word, of two, and so on."""
    key = number_of(language)
    for word in words:
        key = (key * FACTOR + number_of(word)) % 2**64
        yield key >> 1


@lru_cache(maxsize=100_000)
def number_of(word: str) -> int:
    """The same in every process, unlike Python's own hash."""
    return int.from_bytes(blake2b(word.encode(), digest_size=8).digest())


def last(keys: Iterable[int]) -> int:
    *_, found = keys
    return found


def counted(names: Iterable[tuple[str, str]]) -> dict[str, Counter[str]]:
    """By language, how often each folded word stands in the names: (language, text)."""
    counts: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for language, its in groupby(names, key=itemgetter(0)):
        counts[language].update(tokens(" ".join(text for _, text in its)))
    return dict(counts)
