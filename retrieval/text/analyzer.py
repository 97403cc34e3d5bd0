"""The one analyzer of text, for English and Spanish: tokens, stop words, stems and their places. Pure.

The lexical index, queries, term statistics, curated names, snippets and stemmed keywords of rules all use it.
"""

import re
from collections.abc import Set
from functools import cache, lru_cache
from itertools import chain, repeat
from typing import NamedTuple

from tantivy import Filter, TextAnalyzer, TextAnalyzerBuilder, Tokenizer

from retrieval.text.normalization import RAISED_DIGITS, fold, normalize

VERSION = "2"  # changes with what `stems` gives: indexes of another version are rebuilt
LONGEST = 60  # letters; a longer word is none
LANGUAGES = {"en": "english", "es": "spanish"}
KNOWN_WORDS = 1 << 14  # words whose reading is remembered: the law uses few different ones

_ACCENTS = "\u0300-\u036f"  # those that stand apart from their letters
_UNSEEN = "\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2064\ufeff"
_INSIDE = f"[{_ACCENTS}{_UNSEEN}]*"
_APOSTROPHES = "'‘’‚‛′`´＇"
_WRITTEN = re.compile(rf"[^\W_]+{_INSIDE}(?:[{_APOSTROPHES}]?[^\W_]+{_INSIDE})*")
_SELDOM = re.compile(f"[_{_ACCENTS}{_UNSEEN}]")
_USUAL = re.compile(rf"\w+(?:[{_APOSTROPHES}]\w+)*")  # finds the same where none of these is, in half the time
_MARK = re.compile(f"(?<=[^{RAISED_DIGITS}])[{RAISED_DIGITS}]+")  # of a note, or a power: behind a word, no part of it
_WORD = re.compile(r"[^\W_]+(?:'[^\W_]+)*")
_UNACCENTED_ION = re.compile(r"ion$")  # Spanish nouns in -ión: folded here, expected accented by the stemmer

STOP_WORDS = {
    "en": "a about all am an and any are as at be because been but by can could did do does for from get had has "
    "have having he her him his how i if in into is it its just like may me might my of on or our out shall she "
    "should so some than that the their them then there these they this those to too up us was we were what "
    "when where which while who whom whose why will with would you your",
    "es": "a al algo ante bajo cada como con contra cual cuales cuando cuanto de del desde donde dos e el ella ellas "
    "ellos en entre era eran es esa ese eso esta este esto fue ha han hasta hay la las le les lo los mas me mi "
    "mis muy no nos o para pero por porque pueda puede pueden puedo que quien quienes se ser si sin sobre son "
    "su sus tambien te tiene tienen tengo tu tus un una unas unos y ya yo",
}


class Word(NamedTuple):
    """A word of a text: where it is written, and its stems; one, but for signs that stand for several words, as ½."""

    start: int
    end: int
    stems: tuple[str, ...]


def tokens(text: str) -> list[str]:
    """Words of letters and digits, folded: ``What's Peña`` gives ``what pena``, ``don't`` gives ``dont``."""
    return [token for written in _written(text) for token in _tokens(written)]


def stems(text: str, language: str) -> list[str]:
    """The stem of each token. Blind to accents. KeyError for a language other than ``en`` and ``es``."""
    return list(chain.from_iterable(map(_stems, _written(text), repeat(language))))


def words(text: str, language: str, *, wanted: Set[str] | None = None) -> list[Word]:
    """The words of a text in reading order, or those that have a wanted stem."""
    pattern = _pattern(text)
    every = {
        written: its
        for written in set(pattern.findall(text))
        for its in [_stems(written, language)]
        if wanted is None or not wanted.isdisjoint(its)
    }
    return [Word(*at.span(), every[at[0]]) for at in pattern.finditer(text) if at[0] in every] if every else []


def terms(text: str, language: str) -> list[str]:
    """What to look for: each stem once, without stop words unless there is nothing else."""
    every = list(dict.fromkeys(stems(text, language)))
    return [stem for stem in every if stem not in stop_stems(language)] or every


def _written(text: str) -> list[str]:
    return _pattern(text).findall(text)


def _pattern(text: str) -> re.Pattern[str]:
    return _WRITTEN if _SELDOM.search(text) else _USUAL


@cache
def stop_stems(language: str) -> frozenset[str]:
    return frozenset(stems(STOP_WORDS[language], language))


@lru_cache(KNOWN_WORDS)
def _tokens(written: str) -> tuple[str, ...]:
    found = _WORD.findall(re.sub(f"[{_ACCENTS}]", "", fold(normalize(_MARK.sub(" ", written)))))
    return tuple(word.removesuffix("'s").replace("'", "") for word in found if len(word) <= LONGEST)


@lru_cache(KNOWN_WORDS)
def _stems(written: str, language: str) -> tuple[str, ...]:
    return tuple(stem(token, language) for token in _tokens(written))


def stem(token: str, language: str) -> str:
    """Of one token, as `tokens` gives them."""
    accented = _UNACCENTED_ION.sub("ión", token) if language == "es" else token
    return fold("".join(_stemmer(language).analyze(accented)))


@cache
def _stemmer(language: str) -> TextAnalyzer:
    """Snowball's algorithm, compiled: forty times as fast as in Python."""
    return TextAnalyzerBuilder(Tokenizer.raw()).filter(Filter.stemmer(LANGUAGES[language])).build()
