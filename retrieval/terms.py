"""Text as numbers: a word's stem is its CRC-32. A section's are made when it is ingested, and counted here at search
time, those of all candidates end to end in one array, with no loop over words.

Pure. Two stems of 100,000 share a number by chance; one word in 50,000 then counts for another.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from zlib import crc32

import numpy as np

from retrieval.lexical import FUNCTION_STEMS
from retrieval.textnorm import stems

NUMBER = np.dtype("<u4")  # as stored
NONE = np.zeros(0, NUMBER)
K1, B = 1.2, 0.75  # BM25 as tantivy and most others count it


def numbers(text: str, language: str) -> np.ndarray:
    """(n,) of the stems in reading order, function words too. Another language than en and es is read as English."""
    known = language if language in FUNCTION_STEMS else "en"
    return np.array([crc32(stem.encode()) for stem in stems(text, known)], NUMBER)


@cache
def function_words(language: str) -> np.ndarray:
    return np.array([crc32(stem.encode()) for stem in FUNCTION_STEMS[language]], NUMBER)


@dataclass(frozen=True, slots=True)
class Words:
    """A section's: `body` in reading order; `head` (heading and plain name) and `way` (the headings above) each once,
    sorted.
    """

    body: np.ndarray
    head: np.ndarray
    way: np.ndarray


NO_WORDS = Words(NONE, NONE, NONE)


@dataclass(frozen=True, slots=True)
class AskedWords:
    """A question's: every number once, sorted, and which of them say something of their own."""

    every: np.ndarray
    telling: np.ndarray

    @classmethod
    def of(cls, texts: dict[str, str]) -> "AskedWords":
        """From the question in each language that is searched. With function words alone, all of them tell."""
        by_language = {language: np.unique(numbers(text, language)) for language, text in texts.items()}
        every = np.unique(np.concatenate([*by_language.values(), NONE]))
        told = [np.setdiff1d(words, function_words(name)) for name, words in by_language.items()]
        telling = np.isin(every, np.concatenate([*told, NONE]))
        return cls(every, telling if telling.any() else np.ones(len(every), bool))


@dataclass(frozen=True, slots=True)
class Frequencies:
    """In how many of a body of law's `sections` each number occurs (`terms` sorted), and how long one is."""

    sections: int
    mean_length: float
    terms: np.ndarray
    counts: np.ndarray

    def idf(self, asked: np.ndarray) -> np.ndarray:
        """(asked,) of Robertson and Spärck Jones, as BM25 weighs them; never negative."""
        places = np.searchsorted(self.terms, asked)
        places[places == len(self.terms)] = 0
        known = self.terms[places] == asked if len(self.terms) else np.zeros(len(asked), bool)
        df = np.where(known, self.counts[places] if len(self.counts) else 0, 0)
        return np.log1p((self.sections - df + 0.5) / (df + 0.5))


def frequencies(sections: Sequence[Words]) -> Frequencies:
    """Counts these sections."""
    once = [np.union1d(words.body, words.head) for words in sections]
    terms, counts = np.unique(np.concatenate([*once, NONE]), return_counts=True)
    total = sum(len(words.body) for words in sections)
    return Frequencies(len(sections), total / max(len(sections), 1), terms, counts.astype(np.int32))


@dataclass(frozen=True, slots=True)
class Texts:
    """The candidates' words, and the counts of the body of law that each is of: `counted[of[n]]`."""

    words: Sequence[Words]
    counted: Sequence[Frequencies]
    of: np.ndarray


def occurrences(asked: np.ndarray, texts: Sequence[np.ndarray]) -> np.ndarray:
    """(texts, asked): how often each text has each number that is asked for."""
    if not len(asked) or not len(texts):
        return np.zeros((len(texts), len(asked)), int)
    words = np.concatenate(texts)
    possible = np.zeros(1 << 16, bool)  # by its lower half, most of a text is put aside at once
    possible[asked.astype(np.uint16)] = True
    at = np.flatnonzero(possible[words.astype(np.uint16)])
    which = np.searchsorted(asked, words[at])
    which[which == len(asked)] = 0
    right = asked[which] == words[at]
    text = np.searchsorted(np.cumsum([len(text) for text in texts]), at[right], side="right")
    flat = np.bincount(text * len(asked) + which[right], minlength=len(texts) * len(asked))
    return flat.reshape(len(texts), len(asked))


@dataclass(frozen=True, slots=True)
class Matched:
    """How candidates and a question share words; each (candidates,), shares 0-1 of the question weighed by idf."""

    bm25: np.ndarray  # of the body, as a share of what the question could reach
    covered: np.ndarray  # by body, heading or plain name
    way: np.ndarray  # by the headings above
    head: np.ndarray  # Jaccard similarity with heading and plain name, function words too
    length: np.ndarray  # ln(1 + words of the body)


def matched(asked: AskedWords, texts: Texts) -> Matched:
    bodies = occurrences(asked.every, [words.body for words in texts.words])
    heads = occurrences(asked.every, [words.head for words in texts.words]) > 0
    ways = occurrences(asked.every, [words.way for words in texts.words]) > 0
    lengths = np.array([len(words.body) for words in texts.words], float)
    means = np.array([counted.mean_length for counted in texts.counted])[texts.of]
    idf = np.array([counted.idf(asked.every) for counted in texts.counted])[texts.of] * asked.telling
    ideal = np.maximum(idf.sum(axis=1), 1e-9)
    damped = bodies / (bodies + (K1 * (1 - B + B * lengths / np.maximum(means, 1.0)))[:, None])
    shared = heads.sum(axis=1)
    either = len(asked.every) + np.array([len(words.head) for words in texts.words]) - shared
    return Matched(
        bm25=(idf * damped).sum(axis=1) / ideal,
        covered=(idf * ((bodies > 0) | heads)).sum(axis=1) / ideal,
        way=(idf * ways).sum(axis=1) / ideal,
        head=shared / np.maximum(either, 1),
        length=np.log1p(lengths),
    )
