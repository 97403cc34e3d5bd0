"""When a question meets a criterion: whole words and phrases, blind to case and accents, in any language. Pure.

Words are compared as written words, never as strings inside others: "it" is not in "committee".
"""

import re
import unicodedata
from dataclasses import dataclass
from functools import lru_cache

import re2

from retrieval.text.analyzer import LANGUAGES, stem
from retrieval.text.capitals import is_common_word
from retrieval.text.normalization import fold, normalize

MAX_PATTERN = 200  # characters of a regular expression
PATTERN_MEMORY = 1 << 20  # bytes one compiled pattern may take; RE2 runs in time linear in the text

_INDIC_MARKS = "".join(chr(c) for c in range(0x900, 0x1800) if unicodedata.category(chr(c)) in ("Mn", "Mc"))
_UNSPACED = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff"  # Thai to Han
_WORD = re.compile(rf"[{_UNSPACED}]|[^\W_{_UNSPACED}](?:[^\W_{_UNSPACED}]|[{_INDIC_MARKS}]|'(?=[^\W_]))*")
_CONTRACTED = re.compile(r"'(?:s|d|ll|re|ve|m)$")  # she'll is she, not shell
_ELIDED = re.compile(r"^(?:[cdjlmnst]|qu)'(?=\w{3})")  # French l'avocat, Italian l'asilo
_SENTENCE_END = re.compile(r"[?!;:¿¡]|\.(?=\s+[^\W\d_a-z])")
_ACCENT_MARKS = re.compile("[\u0300-\u036f\u0591-\u05c7\u064b-\u065f]")  # left over where none is composed
BREAK = ""  # stands between sentences: no phrase goes over it


@dataclass(frozen=True, slots=True)
class Words:
    """A text as two lists of words: compounds and dotted abbreviations apart, and written together."""

    apart: tuple[str, ...]
    together: tuple[str, ...]

    def hold(self, phrase: "Words") -> bool:
        if is_within(phrase.apart, self.apart):
            return True
        is_short = len(phrase.together) == 1 and len(phrase.together[0]) < 3
        if is_short and phrase.together != phrase.apart:
            return False  # "U.S." is not the word "us"
        return is_within(phrase.together, self.together)


def is_within(phrase: tuple[str, ...], words: tuple[str, ...]) -> bool:
    """Whether the phrase stands in the words, in order and without a gap."""
    if not phrase or phrase[0] not in words:
        return False
    length = len(phrase)
    return any(words[n : n + length] == phrase for n in range(len(words) - length + 1))


@lru_cache(maxsize=4_096)
def words_of(text: str, stemmed_as: str = "") -> Words:
    """The words of a text, folded; stemmed as English ("en") or Spanish ("es"), or as they are ("")."""
    plain = unicodedata.normalize("NFKC", text)
    plain = _ACCENT_MARKS.sub("", plain).replace("ß", "ss").replace("ẞ", "ss")
    folded = fold(plain)
    breaks = [match.start() for match in _SENTENCE_END.finditer(plain)]
    apart: list[str] = []
    together: list[str] = []
    end, joins = 0, False
    for match in _WORD.finditer(folded):
        if breaks and breaks[0] < match.start():
            breaks = [position for position in breaks if position > match.start()]
            apart.append(BREAK)
            together.append(BREAK)
            joins = False
        word = bare(match.group())
        if joins and is_joined(together[-1], folded[end : match.start()], word):
            together[-1] += word
        else:
            together.append(word)
        apart.append(word)
        end, joins = match.end(), True
    return Words(stemmed(apart, stemmed_as), stemmed(together, stemmed_as))


def is_joined(before: str, between: str, word: str) -> bool:
    """non-immigrant, U.S.C.: letters with nothing but a hyphen between, or single letters with dots."""
    if not (before[-1:].isalpha() and word.isalpha()):
        return False
    return between == "-" or (between == "." and len(word) == 1)


def bare(word: str) -> str:
    return _ELIDED.sub("", _CONTRACTED.sub("", word)).replace("'", "")


def stemmed(words: list[str], language: str) -> tuple[str, ...]:
    if language not in LANGUAGES:
        return tuple(words)
    return tuple(stem(word, language) for word in words)


def has_phrase(text: str, phrase: str, *, stemmed_as: str = "") -> bool:
    """Whether the keyword or phrase stands in the text on word boundaries."""
    return words_of(text, stemmed_as).hold(words_of(phrase, stemmed_as))


@lru_cache(maxsize=4_096)
def folded(text: str) -> str:
    """The text as exact, starts-with and contains compare it."""
    return fold(normalize(text))


@lru_cache(maxsize=1_024)
def pattern(written: str):
    """A compiled RE2 pattern, blind to case. Raises ValueError for one that is too long or not RE2's."""
    if len(written) > MAX_PATTERN:
        raise ValueError(f"longer than {MAX_PATTERN} characters")
    options = re2.Options()
    options.case_sensitive, options.log_errors, options.max_mem = False, False, PATTERN_MEMORY
    try:
        return re2.compile(written, options)
    except re2.error as problem:
        (told,) = problem.args
        raise ValueError(told.decode() if isinstance(told, bytes) else str(told)) from problem


def matches_pattern(text: str, written: str) -> bool:
    """Whether the pattern is found anywhere in the normalised text, accents kept."""
    return pattern(written).search(normalize(text)) is not None


def replaced(text: str, phrase: str, by: str, language: str) -> str:
    """The text with the phrase put otherwise wherever it stands as whole words, blind to case and accents; not where
    it is a common word of the language in small letters.
    """
    plain, wanted = (text, phrase) if is_common_word(phrase, language) else (fold(text), fold(phrase))
    pieces, end, start = [], 0, plain.find(wanted)
    while start >= 0:
        after = start + len(wanted)
        if not plain[max(start - 1, 0) : start].isalnum() and not plain[after : after + 1].isalnum():
            pieces += [text[end:start], by]
            end = after
        start = plain.find(wanted, after)
    return "".join((*pieces, text[end:]))
