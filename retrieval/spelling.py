"""Words that nobody writes, put as the word they are one slip away from. Pure: what is a word, and how usual it is,
callers say.

Readers of law use many words that no list has, so only what is surely a slip is put right: in a word of five letters
or more, not its first letter (rarely wrong: Yannakoudakis and Fawthrop, 1983), no ending, and no letter taken for one
that neither sounds like it nor lies beside it on the keyboard.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from itertools import islice, pairwise

from retrieval.textnorm import fold

LEAST = 5  # letters; shorter words are one slip away from too many
MOST = 8  # words of one question: each costs some 0.1 ms
LETTERS = "abcdefghijklmnopqrstuvwxyz"
VOWELS = "aeiouy"
ALIKE = ("sc", "sz", "ck", "kq", "fv", "dt", "bp", "gj", "mn", "bv")
ROWS = ("qwertyuiop", "asdfghjkl", "zxcvbnm")
_WORD = re.compile(rf"(?<![\w'’.@/-])[^\W\d_]{{{LEAST},24}}(?![\w@/-])")
_QUOTED = re.compile(r'"[^"]*"')
_ENDINGS = ("s", "es", "d", "ed", "ing", "ly", "er", "ers", "able", "ness", "less", "ment", "ist", "ists")
_BEGINNINGS = (
    "un",
    "re",
    "mis",
    "non",
    "pre",
    "dis",
    "over",
    "under",
    "out",
    "anti",
    "inter",
    "sub",
    "super",
)


def _taken_for() -> dict[str, str]:
    """By letter those that it is typed for: vowels for vowels, sounds alike, neighbours on the keyboard."""
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
    usual: Callable[[str], float],
    *,
    kept: Iterable[tuple[int, int]] = (),
) -> str:
    """The text with its misspelt words put right. `is_word` and `usual` (0: no word) read folded words. What stands in
    quotes or in the stretches `kept`, and a name with a capital, stays as it is.
    """
    pieces, end = [], 0
    wrong = (place for place in long_words(text, kept=kept) if not is_word(fold(place[0])))
    for place in islice(wrong, MOST):
        if meant := meant_by(fold(place[0]), usual):
            pieces += [text[end : place.start()], meant.upper() if place[0].isupper() else meant]
            end = place.end()
    return "".join((*pieces, text[end:]))


def long_words(text: str, *, kept: Iterable[tuple[int, int]] = ()) -> Iterator[re.Match[str]]:
    """Where words stand that may be misspelt."""
    words = list(_WORD.finditer(text))
    titled = all(word[0][0].isupper() for word in words)
    left = [*kept, *(quote.span() for quote in _QUOTED.finditer(text))]
    for word in words:
        is_name = word.start() > 0 and word[0][0].isupper() and not titled
        if not is_name and not any(start <= word.start() < end for start, end in left):
            yield word


def forms(word: str) -> Iterator[str]:
    """An English word, and what it may be made of: "ounces" of "ounce", "misused" of "used"."""
    yield word
    for ending in _ENDINGS:
        if word.endswith(ending):
            yield word.removesuffix(ending)
            yield word.removesuffix(ending) + "e"
    for beginning in _BEGINNINGS:
        if word.startswith(beginning):
            yield word.removeprefix(beginning)
    yield word + "s"


def meant_by(word: str, usual: Callable[[str], float]) -> str | None:
    """Of the words one slip away the most usual."""
    known = ((often, other) for other in slips(word) if (often := usual(other)))
    return max(known, default=(0, None))[1]


def slips(word: str) -> set[str]:
    """All that one letter after the first left out, put in, doubled, changed with its neighbour or taken for another
    makes of a word.
    """
    halves = [(word[:n], word[n:]) for n in range(1, len(word))]
    made = {a + b[1:] for a, b in halves if len(b) > 1 or a[-1] == b}
    made |= {a + letter + b for a, b in halves for letter in LETTERS}
    made |= {a + b[1] + b[0] + b[2:] for a, b in halves if len(b) > 1}
    made |= {a + letter + b[1:] for a, b in halves for letter in TAKEN_FOR.get(b[0], "")}
    return made - {word}
