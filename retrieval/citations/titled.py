"""Places in documents of no reporter, cited by title or by what their collection is called: "Lease of 2020, § 4.2",
"county code sec. 4-12", "Section 4-12 of the County Code"; or by a number alone. Whether there is such a document is
not known here. Pure.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice

from retrieval.citations.citation import SHORT_TITLE, SIGNS, Citation, Source
from retrieval.citations.finding import LONGEST_QUERY, is_framed
from retrieval.citations.heads import words as listed
from retrieval.citations.numbers import is_plural
from retrieval.text.normalization import fold

REACH = 160  # characters beside a number in which a title is looked for
MOST = 500  # numbers that are read in one text
MOST_WORDS = 20  # of a title
LONGEST_WORD = 30  # characters before a title or number that are looked at
MOST_LISTED = 40  # numbers in one list
_SPANISH = {
    "seccion": "section", "secciones": "section", "articulo": "article", "articulos": "article", "capitulo": "chapter",
    "titulo": "title", "parte": "part", "clausula": "clause", "apendice": "appendix", "anexo": "annex", "regla": "rule",
    "capitulos": "chapter", "partes": "part", "clausulas": "clause", "anexos": "annex", "reglas": "rule",
}  # fmt: skip
_LEVELS = {
    **{sign.rstrip("."): level for level, sign in SIGNS.items()},
    **{level: level for level in (*SIGNS, "rule", "addendum")},
    **{f"{level}s": level for level in ("rule", "chapter", "part", "title", "clause", "exhibit", "schedule")},
    **{"sec": "section", "secs": "section", "sections": "section", "arts": "article", "articles": "article"},
    **_SPANISH,
}
_WORDS = "|".join(sorted(_LEVELS.keys() - {"§"}, key=len, reverse=True))
_SIGN = re.compile(rf"§{{1,2}}\s{{0,2}}|(?<!\w)(?:{_WORDS})(?:\.\s{{0,2}}|\s{{1,2}})")  # in folded text
_BELOW = r"(?P<below>(?:\s?\([A-Za-z0-9]{1,5}\))*)"
_FURTHER = r"(?:[.-](?:\d[^\W_]*|[A-Za-z](?!\w)))"
# A number is written as one: "4.2", "IV", "iv", "B"; "complaint section must" has none.
_NUMBER = re.compile(rf"(?P<number>(?:\d[^\W_]*|[IVXLC]+|[ivxlc]+|[A-Z])(?!\w){_FURTHER}*){_BELOW}")
_ANY_NUMBER = re.compile(rf"(?P<number>(?:\d[^\W_]*|[IVXLC]+|[A-Z])(?!\w){_FURTHER}*){_BELOW}", re.IGNORECASE)
_AND = r"(?:and|or|y|o|&)\s{1,2}"
_NEXT = re.compile(  # of a list or range, in folded text
    rf"(?:\s{{0,2}},\s{{0,2}}(?:{_AND})?|\s{{1,2}}{_AND}"
    rf"|(?P<through>\s{{0,2}}-\s{{0,2}}|\s{{1,2}}(?:to|through|thru|a|al|hasta)\s{{1,2}}))(?P<sign>{_SIGN.pattern})?"
)
_COUNTED = re.compile(r"\s{1,2}(?!(?:and|or|y|o|of|del?|to|through|a|al)\b)[a-z]")  # "secs. 4-12, 4-13 and 5 dogs"
_TWO = re.compile(r"(\d{1,4})-(\d{1,4})")
_NUMBER_AT_END = re.compile(rf"[\s,]\s{{0,2}}(?P<number>\d[^\W_]*{_FURTHER}*){_BELOW}\W*\Z")
_HEADING_AT_END = re.compile(r",\s{0,2}[“\"«](?P<heading>[^“”\"«»]{1,120})[”\"»]\W*\Z")
_GAP = re.compile(r"[\s,)\]”\"’'*_»]*\Z")  # between a title and its number
_OF = re.compile(r",?\s{1,2}(?:of|in|under|del?|en)\s{1,2}(?:(?:the|la|el|las|los)\s{1,2})?")
_OF_THE = re.compile(r",?\s{1,2}(?:of|del?)\s{1,2}(?:the|this|that|said|la|el|las|los|este|esta|dich[ao])\b")
_THE = re.compile(r"\b(?:the|our|its|this|el|la|los|las|del|este|esta|nuestr[ao])\s{1,2}\Z", re.IGNORECASE)
_SMALL = frozenset(listed("a an and at by for from in of on or the to with y e o u de del la las el los en para por"))
# What a longer title has before and behind a shorter one: "Covenant of Good Faith", "Good Faith Act".
_LONGER = re.compile(r"\b[A-Z][a-z]\w+\s{1,2}(?:of|for|and|&|y|e|de)\s{1,2}\Z")
_GOES_ON = re.compile(r"\s[A-Z][a-z]")
_WORD, _LETTERS = re.compile(r"\w+"), re.compile(r"[^\W_]+")
_OPENING = "([“\"'‘«*_—–"
_LAST_WORD = re.compile(r"\w+(?= {0,2}\Z)")
_WORD_AND_MARK = re.compile(r"(?P<word>\w+)(?P<mark>[.;:(\[–—-]?)[,)\]”\"’]*\s{0,3}[(\[“\"]?\Z")
_NO_TITLE = re.compile(r"[;!?¿¡]|(?<=[a-z]{3})\.[”\"’)]?\s|\n\s*\n")
_PARTS = re.compile(  # "title 4 animals"
    r"(?: (?:title|titulo|tit|chapter|capitulo|ch|part|parte|pt|article|articulo|art) [^\W_]+(?: [^\W_]+){0,4})\Z"
)
# Behind these a title may begin, or a number that nothing names, though they have a capital.
_INTRODUCING = frozenset(
    listed(
        "see under in the cf but and or by per of to from also compare with as that than a an accord contra pursuant "
        "vease ver segun en el la los las bajo conforme y o de del al a por que"
    )
)


@dataclass(frozen=True, slots=True)
class Name:
    """Words that may name a document, and how far all of the citation reaches if they do, in the source's text."""

    words: str
    start: int
    end: int
    is_title: bool = False  # is written as one, and is no part of a longer one


@dataclass(frozen=True, slots=True)
class Numbered:
    """A number or heading as written, with the places below it, "b" and "2" of "§ 4-12(b)(2)", and what may name its
    document, the longest first. `level` is "" where only the number is written; `bare`: perhaps nothing names it.
    `more`: what is listed behind it, of the same names; `through`: it ends a range; `several`: a plural announces it.
    """

    start: int
    end: int
    level: str
    number: str
    below: tuple[str, ...] = ()
    heading: str = ""
    names: tuple[Name, ...] = ()
    bare: bool = False
    more: tuple["Numbered", ...] = ()
    through: bool = False
    several: bool = False

    @property
    def listed(self) -> tuple["Numbered", ...]:
        return (self, *self.more)

    @property
    def readings(self) -> tuple["Numbered", ...]:
        """As it is, and "§§ 2-4" as a range: there may be a section 2-4."""
        ends = _TWO.fullmatch(self.number) if self.several and not self.more else None
        if not ends or int(ends[1]) >= int(ends[2]):
            return (self,)
        start = self.end - sum(len(step) + 2 for step in self.below) - len(ends[2])
        last = replace(self, start=start, number=ends[2], names=(), through=True)
        return self, replace(self, end=start - 1, number=ends[1], below=(), more=(last,))

    def reach(self, name: Name | None, place: int) -> tuple[int, int]:
        """Where one of those listed begins and ends in the text: with the name, if that stands beside it."""
        one, is_last = self.listed[place], place == len(self.more)
        start = name.start if name and not place else one.start
        return start, max(name.end, one.end) if name and is_last else one.end

    @property
    def spellings(self) -> set[str]:
        return {self.number, self.number.upper(), self.number.lower()} if self.number else set()

    @property
    def is_compound(self) -> bool:
        """ "4-12" and "2.1", which are no years or amounts."""
        return not self.number.isalnum()


def as_words(title: str) -> str:
    """A title as it is compared, like `retrieval.models.texts.AsCited` of the database."""
    return " ".join(_LETTERS.findall(fold(title[:SHORT_TITLE])))


def beside(law: Sequence[Citation], own: Sequence[Citation]) -> list[Citation]:
    """Both in order: of two that overlap the longer, else the law. Neither overlaps itself."""
    reach = [0] * max((one.end for one in (*law, *own)), default=0)  # by character of the law that is cited there
    for one in law:
        reach[one.start : one.end] = [one.end - one.start] * (one.end - one.start)
    width = {one: max(one.end - one.start, 1) for one in own}  # what lies within a range stands at its end
    kept = [one for one in own if max(reach[one.start : one.start + width[one]], default=0) < width[one]]
    for one in kept:
        reach[one.start : one.end] = [0] * (one.end - one.start)
    others = [one for one in law if not one.text or all(reach[one.start : one.end])]
    return sorted([*others, *kept], key=lambda one: one.start)


def within(source: Source) -> list[Numbered]:
    """In running text, the first of them."""
    text, found = source.visible, islice(_numbered(source, _NUMBER), MOST)
    return [replace(one, names=tuple(name for name in one.names if _stands_alone(text, one, name))) for one in found]


def whole(source: Source) -> list[Numbered]:
    """As a whole query may be read that is nothing but a citation, neutral words apart."""
    if len(source.original) > LONGEST_QUERY:
        return []
    signed = list(_numbered(source, _ANY_NUMBER))
    ends = {one.end for one in signed}
    found = [*signed, *(one for one in _at_end(source) if one.end not in ends)]
    return [framed for one in found if (framed := _framed(source.folded, one)).names or framed.bare]


def _framed(folded: str, found: Numbered) -> Numbered:
    names = tuple(name for name in found.names if is_framed(folded, name.start, name.end))
    return replace(found, names=names, bare=bool(found.level) and is_framed(folded, found.start, found.listed[-1].end))


def _numbered(source: Source, number: re.Pattern[str]) -> Iterator[Numbered]:
    text, read = source.visible, 0
    for sign in _SIGN.finditer(source.folded):
        match = number.match(text, sign.end()) if sign.start() >= read else None
        if match is None:
            continue
        first = Numbered(sign.start(), match.end(), _level(sign[0]), match["number"], _steps(match))
        first = replace(first, several=is_plural(sign[0].strip()))
        more = tuple(_more(source, first, number))
        start, read = first.start, (more or (first,))[-1].end
        names = (*_before(text, start, read), *_after(text, start, read))
        bare = not _OF.match(text, read) and _is_alone(text, start)
        yield replace(first, names=names, bare=bare, more=more)


def _more(source: Source, first: Numbered, number: re.Pattern[str]) -> Iterator[Numbered]:
    """The numbers that are listed behind the first: "secs. 4-12, 4-13 and 5-1", "§ 4-12 and § 4-13"."""
    end, text = first.end, source.visible
    for _ in range(MOST_LISTED):
        link = _NEXT.match(source.folded, end)
        match = number.match(text, link.end()) if link and (first.several or link["sign"]) else None
        if match is None or match["number"][0].isdigit() != first.number[0].isdigit():
            return
        start, end = link.start("sign") if link["sign"] else match.start(), match.end()
        if link["sign"] and (is_plural(link["sign"].strip()) or _level(link["sign"]) != first.level):
            return  # another list, or "section IV, clause iv"
        one = Numbered(start, end, first.level, match["number"], _steps(match), through=bool(link["through"]))
        is_counting = first.is_compound and not one.is_compound and _COUNTED.match(text, end)
        if is_counting or link["sign"] and _OF.match(text, end):  # "§ 4-12 and § 2 of the lease"
            return
        yield one


def _level(sign: str) -> str:
    return "section" if sign.startswith("§") else _LEVELS[sign.rstrip(". \t\n")]


def _at_end(source: Source) -> Iterator[Numbered]:
    """A number without a sign, "personnel manual 2.1", and a heading: 'Guide for jurors, “Pay”'."""
    text = source.visible
    if match := _NUMBER_AT_END.search(text):
        end = match.end("below")
        names = tuple(_before(text, match.start(), end))
        yield Numbered(match.start(), end, "", match["number"], _steps(match), names=names)
    if match := _HEADING_AT_END.search(text):
        names = tuple(_before(text, match.start(), match.end()))
        yield Numbered(match.start(), match.end(), "", "", heading=as_words(match["heading"]), names=names)


def _steps(match: re.Match[str]) -> tuple[str, ...]:
    return tuple(re.findall(r"\w+", match["below"]))


def _before(text: str, start: int, end: int) -> Iterator[Name]:
    """The words right before a number, ever fewer of them, as they are and without the parts that end them."""
    first = max(0, start - REACH)
    title = _GAP.sub("", text[first:start])
    if _NO_TITLE.search(text, first + len(title), start):
        return
    is_heading = title.isupper() and "\n" in text[first + len(title) : start]
    is_of_another = is_heading or _OF_THE.match(text, end)  # "Good Faith\nSection 3 of the lease"
    for begin in _beginnings(title):
        is_title = not is_of_another and _is_title(text, first + begin, first + len(title))
        name = Name(as_words(title[begin:]), first + begin, end, is_title)
        yield name
        if (short := _PARTS.sub("", name.words)) != name.words:
            yield replace(name, words=short)


def _beginnings(title: str) -> list[int]:
    """Where the last words of a text begin that may be one title, the longest first."""
    words = list(_WORD.finditer(title))[-MOST_WORDS:]
    starts = [word.start() for word in words]
    ends = [mark.end() for mark in _NO_TITLE.finditer(title)]
    return [start for start in starts if start >= max(ends, default=0)]


def _after(text: str, start: int, end: int) -> Iterator[Name]:
    """The words behind "of the", ever fewer of them."""
    if of := _OF.match(text, end):
        limit = min(len(text), of.end() + REACH)
        closed = _NO_TITLE.search(text, of.end(), limit)
        words = list(_WORD.finditer(text, of.end(), closed.start() if closed else limit))[:MOST_WORDS]
        for word in reversed(words):
            is_title = _is_title(text, of.end(), word.end())
            yield Name(as_words(text[of.end() : word.end()]), start, word.end(), is_title)


def _is_title(text: str, start: int, end: int) -> bool:
    """Whether words are written as a title: with capitals, or behind "the", and not behind "Covenant of"."""
    written = [word[0] for word in _WORD.finditer(text, start, end)]
    before = text[max(0, start - LONGEST_WORD) : start]
    is_written = all(word in _SMALL or not word[0].islower() for word in written) or _THE.search(before)
    return bool(is_written and not _LONGER.search(before))


def _stands_alone(text: str, numbered: Numbered, name: Name) -> bool:
    """Whether no longer name has it: "County Code" not behind "Orange", nor before "Commission"."""
    if name.start != numbered.start:
        return _may_begin(text, name.start)
    last = _LAST_WORD.search(text, max(0, name.end - LONGEST_WORD), name.end)
    return not (last and last[0][0].isupper() and _GOES_ON.match(text, name.end))


def _may_begin(text: str, start: int) -> bool:
    """Whether a title may: "County Code" not behind "Orange"."""
    if start and not (text[start - 1].isspace() or text[start - 1] in _OPENING):
        return False
    before = _LAST_WORD.search(text, max(0, start - LONGEST_WORD), start)
    return before is None or not before[0][0].isupper() or fold(before[0]) in _INTRODUCING


def _is_alone(text: str, start: int) -> bool:
    """Whether a number stands where nothing before it says what it is of: "under § 4-12", not "the lease § 4-12"."""
    before = _WORD_AND_MARK.search(text, max(0, start - LONGEST_WORD), start)
    if before is None or fold(before["word"]) in _INTRODUCING:
        return True
    return bool(before["mark"]) and not before["word"][0].isupper()
