"""BM25 and word overlap of a query with many sections at once, on numbers: a stem's number is its CRC-32.

Pure. The numbers of a section are stored when it is ingested; those of all candidates are counted in one array, with
no loop over words. Two of 100,000 stems share a number by chance: one word in 50,000 then counts for another.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from zlib import crc32

import numpy as np

from retrieval.text.analyzer import LANGUAGES, stems, stop_stems

NUMBER = np.dtype("<u4")  # as stored
NONE = np.zeros(0, NUMBER)
K1, B = 1.2, 0.75  # BM25 as tantivy and most others count it


def numbers(text: str, language: str) -> np.ndarray:
    """(n,) of the stems in reading order, stop words too. A language other than en and es is read as English."""
    known = language if language in LANGUAGES else "en"
    return np.array([crc32(stem.encode()) for stem in stems(text, known)], NUMBER)


@cache
def stop_numbers(language: str) -> np.ndarray:
    return np.array([crc32(stem.encode()) for stem in stop_stems(language)], NUMBER)


@dataclass(frozen=True, slots=True)
class SectionWords:
    """Numbers of a section: of its `body` in reading order; of its `head` (heading and plain name) and its
    `breadcrumb` (the headings above) each once, sorted.
    """

    body: np.ndarray
    head: np.ndarray
    breadcrumb: np.ndarray


NO_WORDS = SectionWords(NONE, NONE, NONE)


@dataclass(frozen=True, slots=True)
class QueryWords:
    """Numbers of a query, each once, sorted, and which of them are no stop words."""

    every: np.ndarray
    has_meaning: np.ndarray

    @classmethod
    def of(cls, texts: dict[str, str]) -> "QueryWords":
        """From the query in each language that is searched. Where all are stop words, all have meaning."""
        by_language = {language: np.unique(numbers(text, language)) for language, text in texts.items()}
        every = np.unique(np.concatenate([*by_language.values(), NONE]))
        content = [np.setdiff1d(words, stop_numbers(name)) for name, words in by_language.items()]
        has_meaning = np.isin(every, np.concatenate([*content, NONE]))
        return cls(every, has_meaning if has_meaning.any() else np.ones(len(every), bool))


@dataclass(frozen=True, slots=True)
class Frequencies:
    """Counts of a domain: in how many of its `sections` each number occurs (`terms`, sorted), and their mean length."""

    sections: int
    mean_length: float
    terms: np.ndarray
    counts: np.ndarray

    def idf(self, wanted: np.ndarray) -> np.ndarray:
        """(wanted,) of Robertson and Spärck Jones, as BM25 weighs them; never negative."""
        places = np.searchsorted(self.terms, wanted)
        places[places == len(self.terms)] = 0
        known = self.terms[places] == wanted if len(self.terms) else np.zeros(len(wanted), bool)
        df = np.where(known, self.counts[places] if len(self.counts) else 0, 0)
        return np.log1p((self.sections - df + 0.5) / (df + 0.5))


def frequencies(sections: Sequence[SectionWords]) -> Frequencies:
    """Counts these sections."""
    once = [np.union1d(words.body, words.head) for words in sections]
    terms, counts = np.unique(np.concatenate([*once, NONE]), return_counts=True)
    total = sum(len(words.body) for words in sections)
    return Frequencies(len(sections), total / max(len(sections), 1), terms, counts.astype(np.int32))


@dataclass(frozen=True, slots=True)
class CandidateWords:
    """Words of the candidates, and the counts of their domains: those of candidate n are `counted[domains[n]]`."""

    words: Sequence[SectionWords]
    counted: Sequence[Frequencies]
    domains: np.ndarray


def occurrences(wanted: np.ndarray, texts: Sequence[np.ndarray]) -> np.ndarray:
    """(texts, wanted): how often each text has each wanted number."""
    if not len(wanted) or not len(texts):
        return np.zeros((len(texts), len(wanted)), int)
    words = np.concatenate(texts)
    possible = np.zeros(1 << 16, bool)  # by its lower half, most of a text is put aside at once
    possible[wanted.astype(np.uint16)] = True
    at = np.flatnonzero(possible[words.astype(np.uint16)])
    which = np.searchsorted(wanted, words[at])
    which[which == len(wanted)] = 0
    right = wanted[which] == words[at]
    text = np.searchsorted(np.cumsum([len(text) for text in texts]), at[right], side="right")
    flat = np.bincount(text * len(wanted) + which[right], minlength=len(texts) * len(wanted))
    return flat.reshape(len(texts), len(wanted))


@dataclass(frozen=True, slots=True)
class Matched:
    """Words that candidates share with a query; each (candidates,), shares 0-1 of the query weighted by idf."""

    bm25: np.ndarray  # of the body, as a share of the most that the query can reach
    covered: np.ndarray  # by body, heading or plain name
    breadcrumb: np.ndarray  # by the headings above
    head: np.ndarray  # Jaccard similarity with heading and plain name, stop words too
    length: np.ndarray  # ln(1 + words of the body)


def matched(query: QueryWords, candidates: CandidateWords) -> Matched:
    bodies = occurrences(query.every, [words.body for words in candidates.words])
    heads = occurrences(query.every, [words.head for words in candidates.words]) > 0
    breadcrumbs = occurrences(query.every, [words.breadcrumb for words in candidates.words]) > 0
    lengths = np.array([len(words.body) for words in candidates.words], float)
    means = np.array([counted.mean_length for counted in candidates.counted])[candidates.domains]
    weights = np.array([counted.idf(query.every) for counted in candidates.counted])
    idf = weights[candidates.domains] * query.has_meaning
    ideal = np.maximum(idf.sum(axis=1), 1e-9)
    damped = bodies / (bodies + (K1 * (1 - B + B * lengths / np.maximum(means, 1.0)))[:, None])
    shared = heads.sum(axis=1)
    either = len(query.every) + np.array([len(words.head) for words in candidates.words]) - shared
    return Matched(
        bm25=(idf * damped).sum(axis=1) / ideal,
        covered=(idf * ((bodies > 0) | heads)).sum(axis=1) / ideal,
        breadcrumb=(idf * breadcrumbs).sum(axis=1) / ideal,
        head=shared / np.maximum(either, 1),
        length=np.log1p(lengths),
    )
