"""Finds queries kept for testing, or near-duplicates of them, among those learned from. Pure.

Similarity is the Jaccard coefficient of word sets; an inverted index over each set's rarest words (the prefix
filter of Bayardo et al. 2007, All-Pairs) leaves few pairs to compare: 10,000 by 1,000 queries take seconds.
"""

import math
import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

NEAR_DUPLICATE = 0.6  # token Jaccard from which two topics may not lie in different splits
ENGLISH_STOPWORDS = """
    a about an and any are as at be been but by can could did do does for from had has have he her him his how
    if in is it its may me my no not of on or our she should so than that the their them then there they this
    to us was we were what when where which who why will with would you your
"""
SPANISH_STOPWORDS = """
    al como con cual de del donde el ella en es esta este la las le lo los mas mi mis nos o para pero por que
    quien se si sin son su sus un una y yo
"""
WORD = re.compile(r"[^\W_]+")
STOPWORDS = frozenset(ENGLISH_STOPWORDS.split() + SPANISH_STOPWORDS.split())


@dataclass(frozen=True, slots=True)
class Leak:
    """A query learned from that is, or nearly is, a query kept for testing."""

    learned: str
    kept: str
    similarity: float

    def __str__(self) -> str:
        return f"“{self.learned}” is {self.similarity:.0%} “{self.kept}”"


def tokens(query: str) -> frozenset[str]:
    """Words without case, accents and stopwords; all its words where nothing else would be left."""
    words = frozenset(WORD.findall(unaccented(query.casefold())))
    return words - STOPWORDS or words


def unaccented(text: str) -> str:
    if text.isascii():
        return text
    return "".join(c for c in unicodedata.normalize("NFKD", text) if not unicodedata.combining(c))


def jaccard(left: frozenset[str], right: frozenset[str]) -> float:
    shared = len(left & right)
    return shared / (len(left) + len(right) - shared) if shared else 0.0


def leaks(learned: Iterable[str], kept: Iterable[str], *, least: float = NEAR_DUPLICATE) -> list[Leak]:
    """Every pair at least this similar, the most similar first; each distinct query is compared once."""
    kept_words = {query: tokens(query) for query in kept}
    frequency = Counter(word for words in kept_words.values() for word in words)
    rank = {word: place for place, word in enumerate(sorted(frequency, key=lambda word: (frequency[word], word)))}
    known = frozenset(rank)
    index = defaultdict(list)
    for query, words in kept_words.items():
        for word in rarest(words, math.ceil(least * len(words)), rank):
            index[word].append(query)
    found = []
    for query in set(learned):
        words = tokens(query)
        looked_for = rarest(words & known, math.ceil(least * len(words)), rank)
        for near in {near for word in looked_for for near in index.get(word, ())}:
            if (similarity := jaccard(words, kept_words[near])) >= least:
                found.append(Leak(query, near, similarity))
    return sorted(found, key=lambda leak: (-leak.similarity, leak.learned, leak.kept))


def rarest(words: frozenset[str], needed: int, rank: Mapping[str, int]) -> Sequence[str]:
    """So many of the rarest words that a set which has none of these shares fewer than are needed."""
    return sorted(words, key=rank.__getitem__)[: max(0, len(words) - needed + 1)]
