"""What can be compared word for word in a claim and in law: quantities, dates and places of the law. Pure.

English and Spanish give the same values, so that a Spanish claim is compared with the English law: "dos tercios" and
"two thirds" are 2/3, "35 años" and "thirty five Years" are 35 years.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise, takewhile

from retrieval.parsing.designators import roman
from retrieval.proof.vocabulary import (
    ABBREVIATED,
    ALONE,
    COUNTING,
    DATED,
    DECENAS,
    GLYPHS,
    LARGE,
    MAJORITY,
    MONTH,
    ORDINAL,
    PARTS,
    PLACE,
    SCALE,
    SMALL,
    TENS,
    TIMES,
    UNIT,
    UNOS,
    WEEKDAYS,
    listed,
)
from retrieval.text.normalization import fold

_TOKEN = re.compile(
    r"§+|\$|%|[½⅓⅔¼¾⅕⅛]|(?<![\d/])\d{1,2}/\d{1,2}(?![\d/])|\d+(?:,\d{3})*(?:\.\d+)*(?:-?[^\W\d_½⅓⅔¼¾⅕⅛]+)?|[^\W\d_]+(?:['’][^\W\d_]+)?|\(\w{1,5}\)"
)
_DIGITS = re.compile(r"(\d+(?:,\d{3})*(?:\.\d+)?)-?([a-z]*)")
_CODE = re.compile(
    r"\b(\d+)\s*(?:u\.?\s?s\.?\s?c\.?(?:\s?a\.?)?|c\.?\s?f\.?\s?r\.?)\s*(?:§+|sec\w*\.?|part)?\s*(\d[\w.-]*)?"
)
_ENDLESS = re.compile(r"\d{30,}|(?:\d{1,3},){10,}\d+")  # digits that are no quantity
_ROMAN = re.compile(r"(?=[ivxlcdm])(?:x{0,3})(?:ix|iv|v?i{0,3})")
_YEAR = re.compile(r"1[6-9]\d\d|20\d\d")
_LINKS = frozenset(listed("and or y o to a through e u"))
_BEFORE_MAJORITY = re.compile(r"[\s()-]*(?:(?:%|percent|per ?centum|per cent|por ciento)[\s()-]*)?(?:super[\s-]*)?")
_BEHIND_MAJORITY = re.compile(
    r"(?:\s+\w+)?\s+(?:of|de|del)\s+(?:(?:at least|(?:not|no) less than|(?:more|greater) than|over|al menos|"
    r"por lo menos|mas de|los|las)\s+)*"
)
_LONGEST = 60  # tokens of one number, or of one list of places: each is read from wherever it may begin


Measure = tuple[Fraction, str]  # a value and the least unit of its kind


@dataclass(frozen=True, slots=True)
class Quantity:
    """`unit` is "" where none of the known ones follows; `noun` is the next word, `certain` is
    False for a mere "one", "a year", "majority" and "the two".
    """

    value: Fraction
    unit: str
    noun: str
    start: int
    end: int
    certain: bool = True

    @property
    def measure(self) -> Measure:
        """Two years are 24 months, 50 percent are 1/2."""
        least, times = SCALE.get(self.unit, (self.unit, 1))
        return self.value * times, least

    @property
    def is_share(self) -> bool:
        """A fraction or a percentage, not the half of a mere "majority"."""
        return self.unit == "percent" or (self.unit != "majority" and self.value < 1)


@dataclass(frozen=True, slots=True)
class Facts:
    """Of one text; `dates` are (kind, value): month, day, year, weekday; `places` are (kind, number)."""

    quantities: tuple[Quantity, ...]
    dates: frozenset[tuple[str, int]]
    places: frozenset[tuple[str, str]]


@dataclass(frozen=True, slots=True)
class _Token:
    word: str
    start: int
    end: int


def facts(text: str) -> Facts:
    folded = fold(text)
    places = {("section", _bare(m[2])) for m in _CODE.finditer(folded) if m[2]}
    places |= {("title", m[1]) for m in _CODE.finditer(folded)}
    masked = folded
    for masking in (_CODE, _ENDLESS):
        masked = masking.sub(lambda m: " " * len(m[0]), masked)
    tokens = [_Token(m[0].replace("’", "'").removesuffix("'s"), *m.span()) for m in _TOKEN.finditer(masked)]
    quantities: list[Quantity] = []
    dates: set[tuple[str, int]] = set()
    at = 0
    while at < len(tokens):
        for reader in (_place, _date, _quantity):
            if read := reader(tokens, at):
                used, value = read
                if reader is _place:
                    places |= value
                elif reader is _date:
                    dates |= value
                else:
                    quantities.append(value)
                at += used
                break
        else:
            at += 1
    return Facts(_without_told_majorities(quantities, folded), frozenset(dates), frozenset(places))


def _without_told_majorities(quantities: Sequence[Quantity], folded: str) -> tuple[Quantity, ...]:
    """A "two-thirds majority" and a "majority of 60 percent" tell one share, no half."""
    told = set()
    for first, second in pairwise(quantities):
        between = folded[first.end : second.start]
        if second.unit == "majority" and first.is_share and _BEFORE_MAJORITY.fullmatch(between):
            told.add(second)
        if first.unit == "majority" and second.is_share and _BEHIND_MAJORITY.fullmatch(between):
            told.add(first)
    return tuple(quantity for quantity in quantities if quantity not in told)


def places_of(locator: str, citation: str) -> frozenset[tuple[str, str]]:
    """What a provision is called: article, amendment, section, clause, title, from its locator and its citation."""
    pairs = re.findall(r"(article|amendment|section|clause|chapter|part)/([\w.-]+)", locator)
    found = {(kind, _bare(number.lower())) for kind, number in pairs}
    found |= {("title", m) for m in re.findall(r"/t(\d+\w*)(?=/|$)", locator)}
    found |= {("section", _bare(m.lower())) for m in re.findall(r"/s(\d[\w.-]*)(?=/|$)", locator)}
    return frozenset(found) | facts(citation).places


def _bare(number: str) -> str:
    """A section's number without its paragraphs, Roman numerals as Arabic ones."""
    number = number.rstrip(".-")
    return str(roman(number)) if _ROMAN.fullmatch(number) else number


# -- readers: (tokens used, what they say), or None


def _place(tokens: Sequence[_Token], at: int) -> tuple[int, set[tuple[str, str]]] | None:
    """ "Sections 202 and 203", "Article II", "the Fifth and Fourteenth Amendments", "Decimocuarta Enmienda"."""
    kind = PLACE.get(tokens[at].word)
    if kind:
        numbers = list(_place_numbers(tokens[at + 1 : at + _LONGEST]))
        if numbers:
            return 1 + numbers[-1][0], {(kind, number) for _, number in numbers}
        return None
    used, found = 0, []
    while at + used < len(tokens) and used < _LONGEST and (read := _ordinal(tokens, at + used)):
        found.append(str(read[1]))
        used += read[0]
        if at + used < len(tokens) and tokens[at + used].word in _LINKS:
            used += 1
    named = PLACE.get(tokens[at + used].word) if found and at + used < len(tokens) else None
    after = [token.word for token in tokens[at + used + 1 : at + used + 3]]
    if named == "article" and after == ["of", "amendment"]:
        return used + 3, {("amendment", number) for number in found}
    if named in ("amendment", "article"):
        return used + 1, {(named, number) for number in found}
    return None


def _place_numbers(tokens: Sequence[_Token]) -> Iterator[tuple[int, str]]:
    """Numbers after "sections", each with how many tokens have been read."""
    at = 0
    while at < len(tokens):
        word = tokens[at].word
        if re.fullmatch(r"\d[\w-]*(?:\.\d+)?", word) or (_ROMAN.fullmatch(word) and word not in ("", "i i")):
            yield at + 1, _bare(word)
            at += 1
            at += len(list(takewhile(lambda token: token.word.startswith("("), tokens[at:])))
            after = tokens[at].word if at < len(tokens) else ""
            if after in _LINKS:
                at += 1
            elif not (at < len(tokens) and tokens[at].start - tokens[at - 1].end <= 2):
                return
        else:
            return


def _ordinal(tokens: Sequence[_Token], at: int) -> tuple[int, int] | None:
    word = tokens[at].word
    digits = _DIGITS.fullmatch(word)
    if digits and digits[2] in ("st", "nd", "rd", "d", "th", "a", "o"):
        return 1, int(digits[1].replace(",", "").partition(".")[0])
    if word in ORDINAL:
        tens = ORDINAL[word]
        following = tokens[at + 1].word if at + 1 < len(tokens) else ""
        if tens >= 10 and word[-4:] != "ieth" and 0 < ORDINAL.get(following, 0) < 10:
            return 2, tens + ORDINAL[following]
        return 1, tens
    if word.startswith("decimo") and word[6:] in ORDINAL:
        return 1, 10 + ORDINAL[word[6:]]
    if word in TENS and at + 1 < len(tokens) and tokens[at + 1].word in ORDINAL:
        return 2, SMALL[word] + ORDINAL[tokens[at + 1].word]
    return None


def _date(tokens: Sequence[_Token], at: int) -> tuple[int, set[tuple[str, int]]] | None:
    """A month with its day and year, "the 3d day of January", "4 de marzo de 1789", a weekday, a year by itself."""
    word = tokens[at].word
    if word in WEEKDAYS:
        return 1, {("weekday", WEEKDAYS.index(word) % 7)}
    if _YEAR.fullmatch(word) and at and tokens[at - 1].word in DATED and not _has_unit(tokens, at + 1):
        return 1, {("year", int(word))}
    day = _ordinal(tokens, at) or ((1, int(word)) if word.isdecimal() and int(word) <= 31 else None)
    ahead = at
    if day:
        ahead = at + day[0]
        ahead += len(
            list(takewhile(lambda token: token.word in ("day", "of", "de", "dia"), tokens[ahead : ahead + 3]))
        )
    if (
        ahead < len(tokens)
        and (month := MONTH.get(tokens[ahead].word))
        and _is_month(tokens, ahead, bool(day))
    ):
        found = {("month", month)} | ({("day", day[1])} if day else set())
        ahead += 1
        if not day and ahead < len(tokens):
            following = _ordinal(tokens, ahead)
            text = tokens[ahead].word
            following = following or ((1, int(text)) if text.isdecimal() and int(text) <= 31 else None)
            if following and following[1] <= 31 and not _has_unit(tokens, ahead + following[0]):
                found.add(("day", following[1]))
                ahead += following[0]
        year = ahead + (ahead < len(tokens) and tokens[ahead].word in ("of", "de", "del"))
        if year < len(tokens) and _YEAR.fullmatch(tokens[year].word):
            found.add(("year", int(tokens[year].word)))
            ahead = year + 1
        return ahead - at, found
    return None


def _is_month(tokens: Sequence[_Token], at: int, has_day: bool) -> bool:
    """ "May", "march" and abbreviations are months only beside a number."""
    following = tokens[at + 1].word if at + 1 < len(tokens) else ""
    if tokens[at].word in ABBREVIATED:
        return has_day or (following.isdecimal() and int(following) <= 31 and not _has_unit(tokens, at + 2))
    if tokens[at].word not in ("may", "march"):
        return True
    return has_day or (following[:1].isdigit() and not _has_unit(tokens, at + 2))


def _has_unit(tokens: Sequence[_Token], at: int) -> bool:
    return at < len(tokens) and tokens[at].word in UNIT


def _quantity(tokens: Sequence[_Token], at: int) -> tuple[int, Quantity] | None:
    word = tokens[at].word
    read = _fraction(tokens, at) or _mixed(tokens, at)
    is_ordinal = False
    if read is None and (ordinal := _ordinal(tokens, at)):
        read, is_ordinal = (ordinal[0], Fraction(ordinal[1])), True
    if read is None and word in TIMES:
        read = 1, Fraction(TIMES[word])
    if read is None:
        return _alone(tokens, at)
    used, value = read
    following = [token.word for token in tokens[at + used : at + used + 3]]
    if following[:1] == ["of"] and value < 1:  # "a quarter of a year"
        following = following[1:]
    unit = "dollar" if at and tokens[at - 1].word == "$" else ""
    if following[:2] in (["per", "centum"], ["per", "cent"], ["por", "ciento"]):
        unit = "percent"
    joined = word.lstrip("0123456789.,-")  # of "5-year"
    unit = unit or next((UNIT[word] for word in (joined, *following[:2]) if word in UNIT), "")
    for named in following[: 1 + (following[:1] == ["a"])]:  # "two decades", "half a dozen"
        if named.rstrip("s") in ALONE and not unit:
            times, unit = ALONE[named.rstrip("s")]
            value, used = value * times, used + 1 + following.index(named)
    noun = next((token.word for token in tokens[at + used : at + used + 1]), "")
    read_on = used + 2 * (following[:2] == ["por", "ciento"])  # no hundred
    certain = not (value == 1 and (is_ordinal or word in ("one", "un", "una", "uno", "once")))
    if at and tokens[at - 1].word in COUNTING and value in (2, 3, 4) and not unit and not is_ordinal:
        certain = False  # "the two committees", which the law names
    return read_on, Quantity(value, unit, noun, tokens[at].start, tokens[at + used - 1].end, certain)


def _alone(tokens: Sequence[_Token], at: int) -> tuple[int, Quantity] | None:
    """Quantities without a number: "a year and a half", "a decade", "biennially", "a majority of the members"."""
    word, ahead = tokens[at].word, [token.word for token in tokens[at + 1 : at + 5]]
    start, noun = tokens[at].start, ahead[0] if ahead else ""
    if word in MAJORITY:
        return 1, Quantity(Fraction(1, 2), "majority", noun, start, tokens[at].end, certain=False)
    if word in ALONE:
        return 1, Quantity(Fraction(ALONE[word][0]), ALONE[word][1], noun, start, tokens[at].end)
    if word in ("a", "an") and noun in UNIT:
        more = PARTS.get(ahead[3]) if ahead[1:3] == ["and", "a"] and len(ahead) > 3 else None
        used, value = (5, 1 + Fraction(1, more)) if more else (2, Fraction(1))
        return used, Quantity(value, UNIT[noun], noun, start, tokens[at + used - 1].end, certain=bool(more))
    return None


def _fraction(tokens: Sequence[_Token], at: int) -> tuple[int, Fraction] | None:
    word = tokens[at].word
    if word in ("half", "mitad"):
        return 1, Fraction(1, 2)
    if word in GLYPHS:
        return 1, GLYPHS[word]
    if "/" in word:
        top, under = map(int, word.split("/"))
        return (1, Fraction(top, under)) if 0 < top < under else None
    over, after = ([token.word for token in tokens[at + 1 : at + 3]] + ["", ""])[:2]
    if word in ("a", "an") and over in PARTS and (after == "of" or over == "half"):
        return 2, Fraction(1, PARTS[over])
    top = SMALL.get(word) or (int(word) if word.isdecimal() and len(word) < 3 else 0)
    if over in PARTS and 0 < top < PARTS[over]:
        return 2, Fraction(top, PARTS[over])
    return None


def _mixed(tokens: Sequence[_Token], at: int) -> tuple[int, Fraction] | None:
    """A cardinal, with a fraction that goes with it: "two and one-half", "2 1/2"."""
    read = _cardinal(tokens, at)
    if not read:
        return None
    used, value = read
    after = at + used
    joined = after < len(tokens) and tokens[after].word in ("and", "y")
    part = _fraction(tokens, after + joined) if after + joined < len(tokens) else None
    if part and (joined or tokens[after].word in GLYPHS or "/" in tokens[after].word):
        return used + joined + part[0], value + part[1]
    return read


def _cardinal(tokens: Sequence[_Token], at: int) -> tuple[int, Fraction] | None:
    """Digits, with "million" or "B"; or words, as "one thousand eight hundred and eight"."""
    digits = _DIGITS.fullmatch(tokens[at].word)
    if digits and digits[2] in ("", *LARGE, *UNIT):
        value = Fraction(digits[1].replace(",", "").rstrip("."))
        scale = LARGE.get(digits[2], 1)
        following = tokens[at + 1].word if at + 1 < len(tokens) else ""
        if following in LARGE and len(following) > 2:
            return 2, value * LARGE[following]
        return 1, value * scale
    total = current = 0
    used = 0
    for place, token in enumerate(tokens[at : at + _LONGEST]):
        if token.word in SMALL:
            current += SMALL[token.word]
        elif (
            token.word in LARGE
            and len(token.word) > 2
            and (used or token.word in ("mil", "hundred", "thousand"))
        ):
            current = max(current, 1) * LARGE[token.word]
            if LARGE[token.word] >= 1000:
                total, current = total + current, 0
        elif token.word in ("and", "y") and used and _continues(tokens, at + place):
            continue
        else:
            break
        used = place + 1
    return (used, Fraction(total + current)) if used else None


def _continues(tokens: Sequence[_Token], at: int) -> bool:
    """Whether "and" belongs to the number: "hundred and eight", "treinta y cinco"."""
    before, after = tokens[at - 1].word, tokens[at + 1].word if at + 1 < len(tokens) else ""
    if tokens[at].word == "and":
        return before in ("hundred", "thousand") and after in SMALL
    return before in DECENAS and after in (*UNOS[:10], "un", "una")
