"""The claims of a text: what it says, one by one, as law is written. Pure.

Sentences are those of `retrieval.text.sentences`; items of a list are claims with the words before the list; questions,
headings, citations alone, greetings, and "I don't know" claim nothing.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from retrieval.text.analyzer import stems
from retrieval.text.sentences import sentences
from retrieval.text.snippets import function_stems

FEWEST_WORDS = 2  # that mean something, or one beside a number: "Yes, 42."
FEWEST_OF_OPENING = 4  # of the words before a list: "The Secretary shall conduct research on harbors to:"
_ITEM = re.compile(
    r"(?:^[ \t]*(?:[-*•–]|\d{1,2}[.)]|\([^\W_]{1,4}\))|(?<=[:;—,])\s*(?:(?:and|or|y|o)\s*)?\([^\W_]{1,4}\))[ \t]+",
    re.MULTILINE,
)
_ENUMERATED = re.compile(r"\W*\w{1,4}\W*")
_STEM_END = re.compile(r"[:—]\s*$")
_MARKS = re.compile(r"(?<!\s)\s*\[\d{1,3}(?:\s*,\s*\d{1,3})*\]|[*_`#]+(?=\S)|(?<=\S)[*`]+|^\s*#+\s*")
_TRAILING = re.compile(r"(?<![;,\s])[;,\s]+(?:(?:and|or|y|o)\s*)?$")
_NO_CLAIM = re.compile(
    r"""\W*(?:
      i\ (?:do\ not|don't|cannot|can't|could\ not|couldn't)\b
    | (?:we|the\ (?:sources|provisions|passages|documents)\ (?:given|above|provided|here))
        \ (?:do\ not|don't|did\ not|cannot|could\ not)
        \ (?:find|say|tell|know|answer|contain|address)
    | no\ (?:answer|information|provision)\ (?:was|is|could\ be)\ (?:found|available)
    | (?:hello|hi|thank\ you|thanks|sure|of\ course|certainly|you're\ welcome|hola|gracias|claro|por\ supuesto)\b
        [^.!?]{0,20}[.!,]?\W*$
    | (?:this|the\ above|nothing\ here)\ is\ (?:not\ |no\ )?(?:a\ substitute\ for\ )?legal\ advice
    | (?:esto|lo\ anterior)\ no\ (?:es|constituye)\ (?:un\ )?(?:consejo|asesor[ií]a|asesoramiento)
    | (?:see|v[eé]ase|compare|cf\.)\ (?:also\ )?.{0,120}$
    | (?:please\ )?(?:consult|ask|talk\ to|contact)\ (?:a|an|your)\ (?:\w+\ )?(?:lawyer|attorney)
    | (?:consulte|hable\ con)\ (?:a\ )?(?:un|una|su)\ abogad
    | (?:yo\ )?no\ (?:lo\ )?(?:s[eé]|puedo\ (?:responder|encontrar)|encontr[eé])\b
    | (?:let\ me\ know|i\ hope)\b
    | (?:yes|no|s[ií]|maybe|perhaps|it\ depends|depende|quiz[aá]s)\W*$
    )""",
    re.IGNORECASE | re.VERBOSE,
)
_CITED = (
    r"(?:amend|art|sec|cl|const|ch|pt|subsec|title|section|article|amendment|clause|"
    r"[ivxl]+|[a-z]?\d+[a-z]?|[a-z])s?\b"
)
_CITATION_ONLY = re.compile(  # each word is read in one way: "is" could be two, and n of them 2^n
    rf"""\W*(?:(?:U\.?\s?S\.?\s+)?Const\.?|\d+\s+(?:U\.?\s?S\.?\s?C|C\.?\s?F\.?\s?R)\.?|[^.]{{2,80}}\sv\.\s[^.]{{2,80}},\s\d+\s+U\.\s?S\.)
    (?:\W*+(?>{_CITED}))*+\W*""",
    re.IGNORECASE | re.VERBOSE,
)


@dataclass(frozen=True, slots=True)
class Statement:
    """A piece of a text: `start` and `end` are its place there, `text` what it says read by itself."""

    text: str
    start: int
    end: int
    is_claim: bool


def statements(text: str, *, language: str) -> tuple[Statement, ...]:
    """In reading order; `language` is that of the text, ``en`` or ``es``."""
    pieces = (piece for span in sentences(text, max_chars=len(text) or 1) for piece in _items(text, span))
    found: list[Statement] = []
    stem = ""  # the words before a list, while it lasts
    for start, end in pieces:
        start, end, is_item = _trimmed(text, start, end)
        said = _MARKS.sub("", text[start:end]).strip()
        if not said:
            continue
        opens = bool(_STEM_END.search(said))
        if opens and not is_item:
            stem = said
            found.append(
                Statement(said, start, end, claims_something(said, language, fewest=FEWEST_OF_OPENING))
            )
            continue
        if stem and is_item:
            said = f"{_STEM_END.sub('', stem)} {_TRAILING.sub('', said)}"
        else:
            stem = ""
        found.append(Statement(said, start, end, claims_something(said, language)))
    return tuple(found)


def claims_something(said: str, language: str, *, fewest: int = FEWEST_WORDS) -> bool:
    if said.rstrip(" \"'”’)»").endswith("?") or _NO_CLAIM.match(said) or _CITATION_ONLY.fullmatch(said):
        return False
    meaning = [stem for stem in stems(said, language) if stem not in function_stems(language)]
    has_number = any(stem[0].isdigit() for stem in meaning) and not _ENUMERATED.fullmatch(said)
    return has_number or (len(meaning) >= fewest and not _is_heading(said))


def _is_heading(said: str) -> bool:
    """A few words without a closing mark, each important one with a capital: "Search and Seizure"."""
    if said[-1] in ".!;:”\"'" or len(said) > 80:
        return False
    long = [word for word in re.findall(r"[^\W\d_]+", said) if len(word) > 3]
    return all(word[0].isupper() for word in long)


def _items(text: str, span: tuple[int, int]) -> Iterator[tuple[int, int]]:
    """A sentence cut before each item of a list that a colon or dash opens."""
    start, end = span
    opened = re.search(r"[:—]\s*\([^\W_]{1,4}\)\s", text[start:end])
    if opened:
        first = start + opened.start() + 1
        yield start, first
        cuts = [first, *(m.end() - len(m[0].lstrip()) for m in _ITEM.finditer(text, first + 1, end)), end]
        cuts = sorted(set(cuts))
        yield from zip(cuts, cuts[1:], strict=False)
    else:
        yield span


def _trimmed(text: str, start: int, end: int) -> tuple[int, int, bool]:
    """Without blanks at its ends and its number or bullet; whether it had one."""
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    item = re.compile(r"(?:[-*•–]|\d{1,2}[.)]|(?:and |or |y |o )?\([^\W_]{1,4}\))\s+").match(text, start, end)
    return (item.end(), end, True) if item else (start, end, False)
