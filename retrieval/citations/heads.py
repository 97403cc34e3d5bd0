"""Amendments and articles named in a text, with the sections and clauses around them. Pure.

Their numbers are read as people write them: 14, 14th, XIV, fourteen, fourteenth, decimocuarta. All is read in folded
text (lower case, no accents). Whether what is named is the US Constitution's is not decided here.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import pairwise, product

from retrieval.citations.bare_numbers import is_known_at
from retrieval.parsing.designators import in_roman


def words(text: str) -> tuple[str, ...]:
    return tuple(text.split())


LARGEST = 27  # no article, amendment, section or clause of the Constitution has a higher number
ANNOUNCED = 999_999_999  # what "section" or "clause" announces is cited, though it does not exist
BEHIND_ORDINAL = 99  # "the First Amendment, Section 230" and "Fourth Amendment § 1983 claims" name acts beside it

ROMAN = {in_roman(number).lower(): number for number in range(1, LARGEST + 1)}

_EN_UNITS = words("first second third fourth fifth sixth seventh eighth ninth")
_EN_TEENS = words(
    "tenth eleventh twelfth thirteenth fourteenth fifteenth sixteenth seventeenth eighteenth nineteenth twentieth"
)
_EN_ONES = words("one two three four five six seven eight nine")
_EN_TENS = words("ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen twenty")
_EN_MISSPELT = {
    "forth": 4, "fith": 5, "fivth": 5, "fifteeth": 15, "sixt": 6, "seventeeth": 17, "eigth": 8, "eigthth": 8,
    "nineth": 9, "eleventeenth": 11, "twelth": 12, "twelveth": 12, "thirteeth": 13, "thirtenth": 13,
    "fourteeth": 14, "fourtenth": 14, "forteenth": 14, "fourthteenth": 14, "fiveteenth": 15, "fiftenth": 15,
    "sixteeth": 16, "ninteenth": 19, "nineteeth": 19, "twentyeth": 20, "twentyth": 20,
}  # fmt: skip
_ES_UNITS = {
    "primer": 1, "segund": 2, "tercer": 3, "cuart": 4, "quint": 5, "sext": 6, "septim": 7, "setim": 7,
    "octav": 8, "noven": 9,
}  # fmt: skip
_ES_TENS = {"decim": 10, "vigesim": 20}
_ES_OTHER = {  # fractions taken for ordinals among them
    "decim": 10, "undecim": 11, "onceav": 11, "duodecim": 12, "doceav": 12, "treceav": 13, "catorceav": 14,
    "quinceav": 15, "dieciseisav": 16, "diecisieteav": 17, "dieciochoav": 18, "diecinueveav": 19, "vigesim": 20,
    "veinteav": 20,
}  # fmt: skip
_ES_ONES = words(
    "uno dos tres cuatro cinco seis siete ocho nueve diez once doce trece catorce quince dieciseis "
    "diecisiete dieciocho diecinueve veinte veintiuno veintidos veintitres veinticuatro veinticinco "
    "veintiseis veintisiete"
)


def _counted(*words: str, first: int = 1) -> dict[str, int]:
    return {word: number for number, word in enumerate(words, first)}


def _after_twenty(units: tuple[str, ...]) -> dict[str, int]:
    return _counted(*("twenty" + word for word in units), first=21)


def _spanish_ordinals() -> dict[str, int]:
    words = {stem + end: number for (stem, number), end in product((_ES_UNITS | _ES_OTHER).items(), "ao")}
    for (ten, tens), joint, (unit, ones), end in product(_ES_TENS.items(), ("", "o", "a"), _ES_UNITS.items(), "ao"):
        words[ten + joint + unit + end] = tens + ones
    return words | {"primer": 1, "tercer": 3}


EN_ORDINALS = _counted(*_EN_UNITS, *_EN_TEENS) | _after_twenty(_EN_UNITS) | _EN_MISSPELT
ES_ORDINALS = _spanish_ordinals()
ORDINALS = {word: number for word, number in (ES_ORDINALS | EN_ORDINALS).items() if word not in _EN_MISSPELT}
EN_CARDINALS = _counted(*_EN_ONES, *_EN_TENS) | _after_twenty(_EN_ONES)
ES_CARDINALS = _counted(*_ES_ONES)
_WORDS = ES_CARDINALS | EN_CARDINALS | ES_ORDINALS | EN_ORDINALS

# "la 4a. enmienda" has a full stop of its own, "la enmienda 4a." has not.
_ORDINAL_END = (
    r"(?:[ao]\.(?=\s{1,2}(?:enm|[yoe]\s))|\.[ao]|st|nd|rd|th|d|[aoªº°]|\.[ªº]"
    r"|r[ao]|er[ao]?|d[ao]|nd[ao]|t[ao]|m[ao]|v[ao]|av[ao]|n[ao])"
)
_NUMERAL = re.compile(rf"([0-9]{{1,9}})({_ORDINAL_END})?")


def _bare(token: str) -> str:
    """Without blanks, hyphens and the full stop of "4a." and "4.a"."""
    return re.sub(r"[\s-]|(?<=[0-9][ao])\.$|(?<=[0-9])\.(?=[aoªº]$)", "", token)


def longest_first(words: Iterable[str]) -> list[str]:
    """Alternatives of an expression, each once, in an order that is the same in every process."""
    return sorted(set(words), key=lambda word: (-len(word), word))


def _alternatives() -> str:
    joined = {"decim", "vigesim"}
    spanish = "|".join(longest_first(_ES_UNITS.keys() | _ES_OTHER.keys() - joined))
    english = longest_first((*_EN_UNITS, *_EN_ONES))
    other = set(_EN_TEENS + _EN_TENS) | _EN_MISSPELT.keys() | ES_CARDINALS.keys()
    return "|".join(
        [
            rf"(?:twenty[\s-]{{0,2}})?(?:{'|'.join(english)})",
            "|".join(longest_first(other)),
            rf"(?:(?:decim|vigesim)[oa]?[\s-]{{0,2}})?(?:{spanish})[oa]?",
            "(?:decim|vigesim)[oa]",
        ]
    )


# One number, whole: no letter or digit on either side.
NUMBER = (
    rf"(?<![a-z0-9])(?:[0-9]{{1,2}}(?:{_ORDINAL_END}|\s(?:st|nd|rd|th))?"
    rf"|(?:{'|'.join(longest_first(ROMAN))})(?:th)?|{_alternatives()})(?![a-z0-9])"
)


def read(token: str, largest: int = LARGEST) -> int | None:
    """The number a folded token stands for, 1 to 27, in digits to the largest; None when it stands for none."""
    key = _bare(token)
    if numeral := _NUMERAL.fullmatch(key):
        return int(numeral[1]) if 1 <= int(numeral[1]) <= largest else None
    return ROMAN.get(key.removesuffix("th")) or _WORDS.get(key)


def is_ordinal(token: str) -> bool:
    """A place in an order ("14th", "XIVth", "fourteenth", "decimocuarta"), not a plain 14, XIV or fourteen."""
    key = _bare(token)
    numeral = _NUMERAL.fullmatch(key)
    ordered = bool(numeral and numeral[2]) or (key.endswith("th") and key[:-2] in ROMAN)
    return ordered or key in EN_ORDINALS or key in ES_ORDINALS


def is_english_ordinal(token: str) -> bool:
    """ "first", "twenty-first", "1st": words that follow "amendment" only by accident."""
    key = _bare(token)
    return key in EN_ORDINALS or bool(re.fullmatch(r"[0-9]{1,2}(?:st|nd|rd|th)", key))


LAST = {"amendment": 27, "article": 7}

_AND = r"(?:and/or|and|or|nor|y|o|u|e|ni|&)"
_RANGE = r"(?:\s{0,2}-\s{0,2}|\s{1,2}(?:to|through|thru|a|al|hasta)\s{1,2}(?:(?:the|la|el)\s{1,2})?)"
_COMMA = rf"\s{{0,2}},\s{{0,2}}(?:{_AND}\s{{1,2}}(?:(?:the|la|el)\s{{1,2}})?)?"
BETWEEN = (  # read in one way: " & " could be in two, and a list of n then in 2^n
    rf"(?>{_COMMA}|\s{{1,2}}{_AND}\s{{1,2}}(?:(?:the|la|el)\s{{1,2}})?|\s{{0,2}}[&/]\s{{0,2}}|{_RANGE})"
)
_HIGH = r"(?<![a-z0-9])[0-9]{3,9}(?![a-z0-9])"
_NUMBERS = rf"{NUMBER}(?:{BETWEEN}{NUMBER}){{0,26}}"
_ANNOUNCED = rf"(?:{NUMBER}|{_HIGH})(?:{BETWEEN}(?:{NUMBER}|{_HIGH})){{0,26}}"
_WHOLE_LIST = _NUMBERS + "+"  # possessive: no word can follow a part of a list, and to try each part takes long

_GLUED = r"(?<=[a-z])[0-9]{1,2}(?![a-z0-9])"  # the 3 of "s3"
_AMENDMENT = r"(?:amdts?|amends?|am|enms?|[ae][a-z]{0,2}m[a-z]{3,9})"
_NO = r"\.?\s{0,3}(?:(?:no|nos|num|number|numero|n[º°o])\.?\s{1,2}|#\s?)?"
_OF_AMENDMENTS = r"(?:\s{1,2}(?:of|de)\s{1,2}(?:(?:the|las)\s{1,2})?(?:amendments|enmiendas)(?![a-z]))"
_OF_AMENDMENT = rf"(?:{_OF_AMENDMENTS}|\s{{1,2}}(?:of|de)\s{{1,2}}(?:amendment|enmienda)(?![a-z]))"
_BEFORE = re.compile(
    rf"(?P<numbers>{_WHOLE_LIST})[\s-]{{1,3}}(?P<word>{_AMENDMENT}|(?:articles?|articulos?){_OF_AMENDMENT}?)(?![a-z0-9])"
)
_AFTER = re.compile(
    rf"(?<![a-z0-9])(?P<word>{_AMENDMENT}|(?:articles?|articulos?){_OF_AMENDMENT}|art[a-z]{{0,7}}|ar[it]{{1,2}}c[a-z]{{1,5}}){_NO}(?P<numbers>{_NUMBERS}|{_GLUED})"
)
# "Article 3 of the Amendment" is of a contract's, and of the Constitution's only behind "Amendments".
_ARTICLE_OF_AMENDMENTS = re.compile(_OF_AMENDMENTS)
_ARTICLE_OF = re.compile(  # "Article 2 of Amendment No. 4"
    r"\b(?:articles?|articulos?|arts?\.?)\s{1,2}(?:[0-9ivx]{1,5}\s{1,2})?(?:of|de)\s{1,2}(?:(?:the|la)\s{1,2})?\Z"
)
_ARTICLE_REACH = 30  # characters before an amendment in which its article may stand
# Only where nothing else is asked: "frist amendment", "twenty fisrt amendment", "2ndamendment".
_MISSPELT = re.compile(
    r"(?<![a-z0-9])(?P<numbers>(?:(?:twenty|decim[oa]|vigesim[oa])[\s-]{1,2})?[a-z]{4,14})[\s-]{1,3}"
    rf"(?P<word>{_AMENDMENT})(?![a-z0-9])"
)
_GLUED_ORDINAL = re.compile(
    rf"(?<![a-z0-9])(?P<numbers>[0-9]{{1,2}}(?:st|nd|rd|th|[aª]))(?P<word>{_AMENDMENT})(?![a-z0-9])"
)
# All of a query: "5th & 14th", "13th 14th 15th amendments".
_BARE_LIST = re.compile(
    rf"[\s\"'¿(]{{0,4}}(?:(?:the|la|las)\s{{1,2}})?(?P<numbers>(?>{NUMBER})(?:(?:{BETWEEN}|\s{{1,2}})(?>{NUMBER})){{1,26}})"
    rf"(?:\s{{1,2}}(?P<word>{_AMENDMENT}))?[\s\"'?!.)]{{0,4}}"
)
_BARE_ORDINAL = re.compile(r"[0-9]{1,2}(?:st|nd|rd|th|a|ª)|[^0-9]+")  # not "3d", which names a dimension
_TENS = ("ty", "tieth", "trigesima")  # "fifty" and "thirtieth" are no misspelt fifth and thirteenth

_SECTION = r"(?:§{1,2}|\b(?:sections?|sects?|secs?|secciones|seccion|seccs?)\b\.?)"
_CLAUSE = r"(?:¶{1,2}|\b(?:clauses?|cls?|clausulas?|paragraphs?|paras?|parrafos?)\b\.?)"
_GAP = r"[\s,.;:(-]{0,4}"


def _tail(section: str, clause: str, numbers: str) -> re.Pattern[str]:
    the = r"(?:(?:the|la)\s{1,2})?"
    return re.compile(
        rf"(?:'s)?(?:{_GAP}(?:(?P<section>{section})\s{{0,2}}(?P<sections>{numbers})"
        rf"|{the}(?P<nth_section>{NUMBER})\s{{1,2}}(?P<section_word>section|seccion)(?![a-z])))?"
        rf"(?:{_GAP}(?:(?P<clause>{clause})\s{{0,2}}(?P<clauses>{numbers})"
        rf"|{the}(?P<nth_clause>{NUMBER})\s{{1,2}}(?P<clause_word>clause|clausula)(?![a-z])))?"
    )


TAIL = _tail(_SECTION, _CLAUSE, _ANNOUNCED)
LOOSE_TAIL = _tail(
    rf"(?:{_SECTION}|\b(?:ss?|secc?|sect|se[ckt]{{1,3}}[ito]{{1,3}}ns?)(?![a-z])\.?)",
    rf"(?:{_CLAUSE}|\b(?:c|cl|cla[usl]{{1,5}}[ea]?s?|cl[us]{{1,2}}[aes]{{1,3}})(?![a-z])\.?)",
    rf"(?:{_ANNOUNCED}|{_GLUED})",
)
_OF_WORD = r"\s{1,2}(?:of|to|under|in|del?|en)\s{1,2}(?:(?:the|la|el|us|u\.s\.|federal)\s{1,2})?"
_OF = rf"(?:\s{{0,2}},\s{{0,2}}|\s{{1,2}}|{_OF_WORD})"
_HIGH_OF = rf"{_HIGH}(?=\s{{1,2}}(?:of|del?)\s)"  # not "Section 1983 under the Fourteenth Amendment"
_LEAD = re.compile(
    rf"(?:(?:(?P<clause>{_CLAUSE})\s{{0,2}}(?P<clauses>{_NUMBERS}|{_HIGH_OF})"
    rf"|(?P<nth_clause>{NUMBER})\s{{1,2}}(?:clause|clausula)){_OF})?"
    rf"(?:(?:(?P<section>{_SECTION})\s{{0,2}}(?P<sections>{_NUMBERS}|{_HIGH_OF})"
    rf"|(?P<nth_section>{NUMBER})\s{{1,2}}(?:section|seccion)){_OF})?\Z"
)
_OF_ANOTHER = re.compile(  # "section 42 USC 1983"
    r"\s{0,2}(?:u\.?\s?s\.?\s?c|u\.\s?s\.\s?\d|c\.?\s?f\.?\s?r|of\s{1,2}title)"
)
_LEAD_REACH = 90  # characters before an amendment or article in which its section may stand


@dataclass(frozen=True, slots=True)
class Number:
    value: int
    start: int
    end: int
    token: str


@dataclass(frozen=True, slots=True)
class Head:
    """The amendments or articles named, and the sections and clauses read around them."""

    kind: str
    word: str
    numbers: tuple[Number, ...]
    start: int
    end: int
    sections: tuple[Number, ...] = ()
    clauses: tuple[Number, ...] = ()
    number_first: bool = False


# Amendments and articles


def heads(folded: str, *, loose: bool = False) -> Iterator[Head]:
    for pattern, read_head in ((_BEFORE, _ordinal_head), (_AFTER, _numbered_head)):
        for match in pattern.finditer(folded):
            kind = "amendment" if is_amendment(match["word"], loose=loose) else _article(match["word"])
            if kind and (head := read_head(folded, match, kind, loose=loose)):
                yield head
    if loose:
        yield from _misspelt_heads(folded)


def _misspelt_heads(folded: str) -> Iterator[Head]:
    for match in (*_MISSPELT.finditer(folded), *_GLUED_ORDINAL.finditer(folded)):
        value = read(match["numbers"]) or _meant(match["numbers"])
        known = is_amendment(match["word"], loose=True) and not _is_plural(match["word"])
        if value and value <= LAST["amendment"] and known:
            number = Number(value, *match.span("numbers"), match["numbers"])
            yield Head("amendment", match["word"], (number,), *match.span(), number_first=True)


def bare_list(folded: str) -> Head | None:
    """Amendments that are all the query names, by their ordinals alone."""
    match = _BARE_LIST.fullmatch(folded)
    if not match or not is_amendment(match["word"] or "amendments", loose=True):
        return None
    numbers = _read_numbers(folded, *match.span("numbers"))
    if not all(is_ordinal(n.token) and _BARE_ORDINAL.fullmatch(n.token) for n in numbers) or len(numbers) < 2:
        return None
    end = max(numbers[-1].end, match.end("word"))
    return Head("amendment", match["word"] or "", numbers, numbers[0].start, end)


@lru_cache(maxsize=4096)
def _meant(token: str) -> int | None:
    """The one ordinal that a misspelt word is nearest to: a letter off, of eight letters or more two."""
    key = _bare(token)
    if key.endswith(_TENS):
        return None
    most = 1 if len(key) < 8 else 2
    near = {word: apart(key, word) for word in ORDINALS if abs(len(word) - len(key)) <= most}
    least = min(near.values(), default=most + 1)
    values = {ORDINALS[word] for word, distance in near.items() if distance == least <= most}
    return values.pop() if len(values) == 1 else None


def _ordinal_head(folded: str, match: re.Match[str], kind: str, *, loose: bool) -> Head | None:
    """ "Fifth and Fourteenth Amendments", "third article": the numbers that are of one kind with the last."""
    numbers = _read_numbers(folded, *match.span("numbers"))
    alike = _alike(numbers, folded, plural=_is_plural(match["word"]))
    if not alike or any(number.value > LAST[kind] for number in alike):
        return None
    if _is_plural(match["word"]) and len(alike) == 1 and _kind_of(alike[0].token) == "plain":
        return None  # "four amendments" counts them
    if _is_plural(match["word"]) and len(alike) == 1 and " " in match["word"]:
        return None  # "the first articles of amendment" are a corporation's
    if kind == "article" and not all(is_ordinal(number.token) for number in alike):
        return None
    if not (loose or _may_precede(alike, match["word"], folded)):
        return None
    return Head(kind, match["word"], alike, alike[0].start, match.end("word"), number_first=True)


def _may_precede(numbers: Sequence[Number], word: str, folded: str) -> bool:
    """Ordinals and Roman numerals name an amendment; a plain number only in "the 14 amendment"."""
    token = numbers[-1].token
    if is_ordinal(token) or (token in ROMAN and len(token) > 1):
        return True
    before = folded[max(0, numbers[0].start - 4) : numbers[0].start]
    return len(numbers) == 1 and token.isdigit() and not _is_plural(word) and before.endswith("the ")


def _alike(numbers: Sequence[Number], folded: str, *, plural: bool) -> tuple[Number, ...]:
    """The end of a list that is one list: "section 1, Fourteenth" and "First, Fourth" keep their last."""
    if not numbers:
        return ()
    kept = [numbers[-1]]
    for number in reversed(numbers[:-1]):
        if _kind_of(number.token) != _kind_of(kept[0].token):
            break
        kept.insert(0, number)
    joined = len(kept) > 1 and folded[kept[-2].end : kept[-1].start].strip() != ","
    return tuple(kept) if plural or joined else (kept[-1],)


def _kind_of(token: str) -> str:
    return "roman" if token in ROMAN else "ordinal" if is_ordinal(token) else "plain"


def _numbered_head(folded: str, match: re.Match[str], kind: str, *, loose: bool) -> Head | None:
    """ "Amendments V and XIV", "Amend. IV, V", "Article I": one number unless the word is plural, or they are Roman."""
    word = match["word"]
    listed = _is_plural(word) or (kind == "amendment" and _rise_in_roman(folded, *match.span("numbers")))
    numbers = _listed(folded, *match.span("numbers"), plural=listed)
    numbers = tuple(number for number in numbers if number.token != "once" or is_spanish(word))
    of_amendment = _ARTICLE_OF_AMENDMENTS.match(folded, numbers[-1].end) if numbers and kind == "article" else None
    kind = "amendment" if of_amendment else kind  # "Article XIV of the Amendments"
    if not numbers or any(number.value > LAST[kind] for number in numbers):
        return None
    if is_english_ordinal(numbers[0].token):
        return None
    if _ARTICLE_OF.search(folded, max(0, match.start() - _ARTICLE_REACH), match.start()):
        return None
    end = of_amendment.end() if of_amendment else numbers[-1].end
    return Head(kind, word, numbers, match.start("word"), end)


def _rise_in_roman(folded: str, start: int, end: int) -> bool:
    """Not "Amend. IV and I say so", nor "Amend. XIV, 1", which is a section."""
    numbers = _read_numbers(folded, start, end)
    return all(n.token in ROMAN for n in numbers) and all(a.value < b.value for a, b in pairwise(numbers))


def _is_plural(word: str) -> bool:
    return word.partition(" ")[0].endswith("s")  # "articles of amendment"


_SHORTENED = words("am enm enms amdmt amdmts amndmt amndmts amndt amndts amnd amdnt")


def is_spanish(word: str) -> bool:
    return word.startswith(("enm", "emi", "articul"))


@lru_cache(maxsize=4096)
def is_amendment(word: str, *, loose: bool = False) -> bool:
    """ "amendment" in either language, shortened, misspelt by two letters (one in Spanish); "article of amendment"."""
    if " " in word:
        return True
    if word in ("amend", "amends", "amdt", "amdts"):
        return True
    if word in _SHORTENED:
        return loose
    single = word.removesuffix("s")
    return apart(single, "amendment") <= 2 or apart(single, "enmienda") <= 1


@lru_cache(maxsize=4096)
def _article(word: str) -> str:
    single = word.removesuffix("s")
    near = min(apart(single, "article"), apart(single, "articulo")) <= 1
    return "article" if near or single in ("art", "artical") else ""


def apart(one: str, other: str) -> int:
    """Edit distance with neighbouring letters swapped counted once (optimal string alignment)."""
    older: list[int] = []
    previous = list(range(len(other) + 1))
    for i, letter in enumerate(one, 1):
        row = [i]
        for j, wanted in enumerate(other, 1):
            cost = min(previous[j] + 1, row[-1] + 1, previous[j - 1] + (letter != wanted))
            if i > 1 < j and letter == other[j - 2] and one[i - 2] == wanted:
                cost = min(cost, older[j - 2] + 1)
            row.append(cost)
        older, previous = previous, row
    return previous[-1]


def shortened(word: str) -> set[str]:
    """The word, and what is left of it without any one of its letters."""
    return {word} | {word[:place] + word[place + 1 :] for place in range(len(word))}


# Lists of numbers

_ONE = re.compile(rf"{NUMBER}|{_HIGH}|{_GLUED}")
_SPAN = re.compile(rf"\s*(?:-|{_RANGE})\s*")


def number_at(folded: str, start: int, end: int, largest: int = LARGEST) -> Number | None:
    value = read(folded[start:end], largest)
    return Number(value, start, end, folded[start:end]) if value else None


def _read_numbers(folded: str, start: int, end: int, largest: int = LARGEST) -> tuple[Number, ...]:
    """Every number of a list, those inside a range too (of no width); none when one cannot be read."""
    read_ones = [number_at(folded, *match.span(), largest) for match in _ONE.finditer(folded, start, end)]
    numbers = [number for number in read_ones if number]
    if len(numbers) < len(read_ones) or not numbers:
        return ()
    filled = numbers[:1]
    for left, right in pairwise(numbers):
        is_range = right.value <= LARGEST and _SPAN.fullmatch(folded, left.end, right.start)
        between = range(left.value + 1, right.value) if is_range else ()
        filled += [replace(right, value=value, end=right.start) for value in between]
        filled.append(right)
    return tuple(filled)


def _listed(folded: str, start: int, end: int, *, plural: bool, largest: int = LARGEST) -> tuple[Number, ...]:
    if plural and (numbers := _read_numbers(folded, start, end, largest)):
        return numbers
    first = _ONE.search(folded, start, end)
    number = number_at(folded, *first.span(), largest) if first else None
    return (number,) if number else ()


# Sections and clauses


def with_tail(folded: str, head: Head, tail: re.Pattern[str]) -> Head:
    """The head with the sections and clauses written after it, or, failing these, before it; "the third clause
    in Article II's first section" has one on either side.
    """
    tailed, led = _tailed(folded, head, tail), _led(folded, head)
    if tailed and led and tailed.sections and led.clauses and not (tailed.clauses or led.sections):
        return replace(led, end=tailed.end, sections=tailed.sections) if len(tailed.sections) == 1 else tailed
    return tailed or led or head


def _tailed(folded: str, head: Head, tail: re.Pattern[str]) -> Head | None:
    match = tail.match(folded, head.end)
    if not match:
        return None
    largest = BEHIND_ORDINAL if head.number_first else ANNOUNCED
    sections = _group(folded, match, "section", largest)
    if match["section"] and not sections:
        return None  # what follows is of another law
    if sections and match["section"] and sections[-1].end < match.end("sections"):
        match = tail.match(folded, sections[-1].end)  # "section 10, first clause" is no list of sections
    clauses = _group(folded, match, "clause", largest)
    if not (sections or clauses):
        return None
    word = match.end("clause_word" if clauses else "section_word")  # "first clause" ends after the word
    return replace(head, end=max(word, (clauses or sections)[-1].end), sections=sections, clauses=clauses)


def _led(folded: str, head: Head) -> Head | None:
    first = max(0, head.start - _LEAD_REACH)
    before = folded[first : head.start]
    if not any(sign in before for sign in ("sec", "§", "cl", "par", "¶")):
        return None
    match = next((found for found in _LEAD.finditer(folded, first, head.start) if found[0]), None)
    if not match:
        return None
    sections, clauses = (_group(folded, match, name, ANNOUNCED) for name in ("section", "clause"))
    lists = sum(len(listed) > 1 for listed in (head.numbers, sections, clauses))
    if not (sections or clauses) or lists > 1 or (match["section"] and not sections):
        return None
    return replace(head, start=match.start(), sections=sections, clauses=clauses)


def _group(folded: str, match: re.Match[str], name: str, largest: int) -> tuple[Number, ...]:
    """The numbers of "sections 1 and 2", or of "the first section"."""
    if word := match[name]:
        plural = word.rstrip(". ").endswith("s") or word in ("§§", "¶¶")
        end = match.end(name + "s")
        largest = LARGEST if _OF_ANOTHER.match(folded, end) else largest
        listed = _listed(folded, match.start(name + "s"), end, plural=plural, largest=largest)
        of_acts = (n for n, one in enumerate(listed) if one.value > BEHIND_ORDINAL and is_known_at(folded, one.start))
        return listed[: next(of_acts, None)] if name == "section" else listed  # "amend. XIV, § 1983" names an act
    nth = f"nth_{name}"
    number = number_at(folded, *match.span(nth)) if match[nth] and is_ordinal(match[nth]) else None
    return (number,) if number else ()
