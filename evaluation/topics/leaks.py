"""Finds queries kept for testing, or near-duplicates of them, among those learned from. Pure.

Similarity is the Jaccard coefficient of word sets; an inverted index over each set's rarest words (the prefix
filter of Bayardo et al. 2007, All-Pairs) leaves few pairs to compare: 10,000 by 1,000 queries take seconds.
"""

import math
import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
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
    folded = unicodedata.normalize("NFKD", query.casefold())
    words = re.findall(r"[^\W_]+", "".join(c for c in folded if not unicodedata.combining(c)))
    return frozenset(words) - STOPWORDS or frozenset(words)


def jaccard(left: frozenset[str], right: frozenset[str]) -> float:
    return len(left & right) / len(left | right) if left | right else 0.0


def leaks(learned: Iterable[str], kept: Iterable[str], *, least: float = NEAR_DUPLICATE) -> list[Leak]:
    """Every pair at least this similar, the most similar first; each distinct query is compared once."""
    learned_words = {query: tokens(query) for query in learned}
    kept_words = {query: tokens(query) for query in kept}
    frequency = Counter(word for words in (*learned_words.values(), *kept_words.values()) for word in words)
    index = defaultdict(list)
    for query, words in kept_words.items():
        for word in prefix(words, frequency, least):
            index[word].append(query)
    found = [
        Leak(query, near, similarity)
        for query, words in learned_words.items()
        for near in {near for word in prefix(words, frequency, least) for near in index.get(word, ())}
        if (similarity := jaccard(words, kept_words[near])) >= least
    ]
    return sorted(found, key=lambda leak: (-leak.similarity, leak.learned, leak.kept))


def prefix(words: frozenset[str], frequency: Counter[str], least: float) -> Sequence[str]:
    """A set's rarest words, so many that two sets which share none of theirs cannot be this similar."""
    rarest_first = sorted(words, key=lambda word: (frequency[word], word))
    return rarest_first[: len(words) - math.ceil(least * len(words)) + 1]
