"""Corrects misspelt query words to a known word at edit distance 1, or 2 where a caller asks for it. Pure: callers say
what is a word and how often each known word occurs.

Law has many words that no list holds, so only sure mistakes are corrected: in words of five letters or more; never in
the first letter, which is rarely wrong (Yannakoudakis and Fawthrop, 1983); never an ending, nor a clipped word; and a
letter is replaced only by one that sounds like it or lies beside it on the keyboard.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import islice, pairwise

from retrieval.text.normalization import fold

LEAST = 5  # letters; shorter words are at distance 1 from too many
MOST_OF_CLIPPED, CUT_OFF = 6, 3  # letters that are left of a clipped word at most, and that it lacks at least
MOST = 8  # words of one query: each costs about 0.1 ms
LETTERS = "abcdefghijklmnopqrstuvwxyz"
VOWELS = "aeiouy"
ALIKE = ("sc", "sz", "ck", "kq", "fv", "dt", "bp", "gj", "mn", "bv")
ROWS = ("qwertyuiop", "asdfghjkl", "zxcvbnm")
_WORD = re.compile(rf"(?<![\w'’.@/-])[^\W\d_]{{{LEAST},24}}(?![\w@/-])")
_QUOTED = re.compile(r'"[^"]*"')
_ENDINGS = ("s", "es", "d", "ed", "ing", "ly", "er", "ers", "able", "ness", "less", "ment", "ist", "ists")
_BEGINNINGS = (
    "un", "re", "mis", "non", "pre", "dis", "over", "under", "out", "anti", "inter", "sub", "super",
)  # fmt: skip


def _taken_for() -> dict[str, str]:
    """By letter, those it may replace: vowels for vowels, letters that sound alike, neighbours on the keyboard."""
    pairs = {(a, b) for a in VOWELS for b in VOWELS} | {tuple(pair) for pair in ALIKE}
    pairs |= {pair for row in ROWS for pair in pairwise(row)}
    for upper, lower in pairwise(ROWS):
        pairs |= {*zip(upper, lower, strict=False), *zip(upper[1:], lower, strict=False)}
    both = pairs | {(b, a) for a, b in pairs}
    return {letter: "".join(b for a, b in sorted(both) if a == letter != b) for letter in LETTERS}


TAKEN_FOR = _taken_for()


def respelled(
    text: str,
    is_word: Callable[[str], bool],
    known: Sequence[Mapping[str, int]],
    *,
    kept: Iterable[tuple[int, int]] = (),
    slips: int = 1,
) -> str:
    """The text with its misspelt words corrected, by at most so many `slips` each. `is_word` reads
    folded words, `known` counts them. Quotes, the spans `kept` and names with a capital stay as they are.
    """
    pieces, end = [], 0
    wrong = (place for place in long_words(text, kept=kept) if not is_word(fold(place[0])))
    for place in islice(wrong, MOST):
        if correct := correction(fold(place[0]), known, slips):
            pieces += [text[end : place.start()], correct.upper() if place[0].isupper() else correct]
            end = place.end()
    return "".join((*pieces, text[end:]))


def long_words(text: str, *, kept: Iterable[tuple[int, int]] = ()) -> Iterator[re.Match[str]]:
    """Matches of the words that may be misspelt."""
    words = list(_WORD.finditer(text))
    titled = all(word[0][0].isupper() for word in words)
    left = [*kept, *(quote.span() for quote in _QUOTED.finditer(text))]
    for word in words:
        is_name = word.start() > 0 and word[0][0].isupper() and not titled
        if not is_name and not any(start <= word.start() < end for start, end in left):
            yield word


def forms(word: str) -> Iterator[str]:
    """An English word and what it may be derived from: "ounces" from "ounce", "misused" from "used"."""
    yield word
    for ending in _ENDINGS:
        if word.endswith(ending):
            yield word.removesuffix(ending)
            yield word.removesuffix(ending) + "e"
    for beginning in _BEGINNINGS:
        if word.startswith(beginning):
            yield word.removeprefix(beginning)
    yield word + "s"


def often(word: str, known: Iterable[Mapping[str, int]]) -> int:
    return sum(table.get(word, 0) for table in known)


def correction(word: str, known: Sequence[Mapping[str, int]], slips: int = 1) -> str | None:
    """The most usual of the known words at distance 1; if there is none and two slips are allowed, at distance 2."""
    near = edits(word)
    one_away = (other for table in known for other in table.keys() & near)
    for others in (one_away, two_away(word, near, known))[:slips]:
        usual = ((often(other, known), other) for other in others)
        if found := max(usual, default=(0, None))[1]:
            return None if is_clipped(word, known) else found
    return None


def is_clipped(word: str, known: Iterable[Mapping[str, int]]) -> bool:
    """Whether a short word is the beginning of a known one, as people clip it: "presi" for "presidente"."""
    long = len(word) + CUT_OFF
    return len(word) <= MOST_OF_CLIPPED and any(
        len(other) >= long and other.startswith(word) for table in known for other in table
    )


def two_away(word: str, near: set[str], known: Iterable[Mapping[str, int]]) -> Iterator[str]:
    """The known words that one edit more makes of those `near` the word. An edit can be undone by another, so that
    each known word is asked what is near it, if it has nearly the same letters: making all that is two edits from a
    long word takes 200 ms.
    """
    letters = Counter(word)
    for other in (other for table in known for other in table):
        if other[:1] == word[0] and abs(len(other) - len(word)) <= 2 and other != word:
            its = Counter(other)
            if (letters - its).total() <= 2 and (its - letters).total() <= 2 and not near.isdisjoint(edits(other)):
                yield other


def edits(word: str) -> set[str]:
    """What one letter after the first makes of a word when left out, added, swapped with its neighbour or replaced."""
    halves = [(word[:n], word[n:]) for n in range(1, len(word))]
    made = {a + b[1:] for a, b in halves if len(b) > 1 or a[-1] == b}
    made |= {a + letter + b for a, b in halves for letter in LETTERS}
    made |= {a + b[1] + b[0] + b[2:] for a, b in halves if len(b) > 1}
    made |= {a + letter + b[1:] for a, b in halves for letter in TAKEN_FOR.get(b[0], "")}
    return made - {word}
