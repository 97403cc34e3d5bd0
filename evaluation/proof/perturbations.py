"""Sentences of law made wrong in one place, eight kinds: what a verifier must notice. Pure.

Each maker gives a changed sentence, or None where the sentence has nothing of its kind. A `random.Random` decides.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from random import Random

from retrieval.proof.facts import facts
from retrieval.proof.types import Source
from retrieval.text.sentences import sentences

SHORTEST, LONGEST = 60, 600  # characters of a sentence that is changed
NUMBERS = ("two", "three", "four", "five", "seven", "nine", "twelve", "fifteen", "twenty", "forty", "sixty")
UNITS = ("hours", "days", "weeks", "months", "years")
MONTHS = (
    "January", "February", "March", "April", "June", "July", "August", "September", "October", "November", "December",
)  # fmt: skip
PARTIES = (
    "Secretary", "Attorney General", "President", "Congress", "Senate", "House of Representatives",
    "Commissioner", "Administrator", "court", "State", "employer", "employee", "owner", "applicant", "Director",
    "United States", "agency", "Board", "Commission", "Governor", "Judges", "officer", "Vice President",
    "citizens", "alien",
)  # fmt: skip
_SWAPPED = tuple(party for party in PARTIES if party != "United States")
_UNIT = re.compile(r"\W+(?:calendar |business )?(hours?|days?|weeks?|months?|years?)\b", re.IGNORECASE)
_MONTH = re.compile(rf"\b({'|'.join([*MONTHS, 'May'])})(?= \d)|(?<=day of )({'|'.join(MONTHS)})\b")
_YEAR = re.compile(r"(?<=, )(1[789]\d\d|20\d\d)\b")
_DUTY = re.compile(r"\b(?<!not )(shall|must)\b(?! not| have [Pp]ower| be construed)")
_LEAVE = re.compile(r"\b(may)\b(?! not| be cited)")
_NOT = re.compile(r"\b(shall|may|must|does|is|are|was) not\b")
_NO = re.compile(r"^(No|Neither)\b|\b(no|neither)\b")
_AUXILIARY = re.compile(r"\b(shall|may|must|is|are)\b(?! not)")
_EXCEPTION = re.compile(
    r"(?:,? \(?(?:except|unless|without the|provided that|other than|but (?:upon|in|with|by) )|, subject to )"
    r"[^,;.:()—]{12,}"
    r"\)?(?=[,;.:])"
)
_SECTION = re.compile(r"(?<=[Ss]ection )(\d+)|(?<=[Ss]ections )(\d+)|(?<=§ )(\d+)")


@dataclass(frozen=True, slots=True)
class Changed:
    """A wrong claim about a provision; `kind` is the problem that it has."""

    kind: str
    claim: str
    original: str
    source: Source


def _one(pattern: re.Pattern[str], text: str, random: Random) -> re.Match[str] | None:
    found = list(pattern.finditer(text))
    return random.choice(found) if found else None


def _put(text: str, span: tuple[int, int], new: str) -> str:
    return text[: span[0]] + new + text[span[1] :]


def number(text: str, random: Random) -> str | None:
    every = [q for q in facts(text).quantities if q.certain and q.value >= 2 and not 1700 < q.value < 2100]
    if not every:
        return None
    chosen = random.choice(every)
    written = text[chosen.start : chosen.end]
    if re.fullmatch(r"\d[\d,]*", written):
        return _put(text, (chosen.start, chosen.end), str(int(chosen.value) * random.choice([2, 3, 10]) + 1))
    if not written.replace("-", " ").replace(" ", "").isalpha() or chosen.value.denominator > 1:
        return None
    if chosen.noun and written.lower().endswith(("rd", "nd", "th", "d", "twice")):
        return None
    other = random.choice([n for n in NUMBERS if facts(n).quantities[0].value != chosen.value])
    return _put(text, (chosen.start, chosen.end), other)


def unit(text: str, random: Random) -> str | None:
    found = [m for q in facts(text).quantities if q.unit and (m := _UNIT.match(text, q.end))]
    if not found:
        return None
    chosen = random.choice(found)
    return _put(text, chosen.span(1), random.choice([u for u in UNITS if u[:3] != chosen[1][:3].lower()]))


def date(text: str, random: Random) -> str | None:
    if chosen := _one(_MONTH, text, random):
        return _put(text, chosen.span(), random.choice([m for m in MONTHS if m != chosen[0]]))
    if chosen := _one(_YEAR, text, random):
        return _put(text, chosen.span(), str(int(chosen[0]) + random.choice([-7, -2, 3, 11])))
    return None


def negation(text: str, random: Random) -> str | None:
    if chosen := _one(_NOT, text, random):
        return _put(text, chosen.span(), chosen[1])
    if chosen := _one(_NO, text, random):
        return _put(text, chosen.span(), "Any" if chosen[1] else "any")
    if chosen := _AUXILIARY.search(text):
        return _put(text, chosen.span(), f"{chosen[0]} not")
    return None


def modal(text: str, random: Random) -> str | None:
    if re.search(r"\b(?:not|no|nor|neither)\b", text, re.IGNORECASE):
        return None  # "may not" and "shall not" forbid alike
    if chosen := _one(_DUTY, text, random):
        return _put(text, chosen.span(), "may")
    if chosen := _one(_LEAVE, text, random):
        return _put(text, chosen.span(), random.choice(["shall", "must"]))
    return None


def party(text: str, random: Random) -> str | None:
    """Two parties change places; or one takes the place of another where there is but one."""
    there = [p for p in _SWAPPED if re.search(rf"\b{p}\b(?!s)", text)]
    if not there:
        return None
    if len(there) == 1:
        other = random.choice([p for p in _SWAPPED if p.lower() not in text.lower()])
        return re.sub(rf"\b{there[0]}\b", other, text, count=1)
    one, other = random.sample(there, 2)
    if one in other or other in one:
        return None
    return re.sub(rf"\b(?:{one}|{other})\b", lambda m: other if m[0] == one else one, text)


def exception(text: str, random: Random) -> str | None:
    chosen = _one(_EXCEPTION, text, random)
    kept = _put(text, chosen.span(), "") if chosen else ""
    return kept if len(kept) >= SHORTEST else None


def section(text: str, random: Random) -> str | None:
    chosen = _one(_SECTION, text, random)
    return _put(text, chosen.span(), str(int(chosen[0]) + random.choice([1, 3, 10, 101]))) if chosen else None


MAKERS: dict[str, Callable[[str, Random], str | None]] = {
    maker.__name__: maker for maker in (number, unit, date, negation, modal, party, exception, section)
}


def perturbed(sources: Iterable[Source], *, each: int, seed: int) -> Iterator[Changed]:
    """Up to `each` of every kind, at most one of a kind from a provision."""
    random = Random(seed)
    wanted = dict.fromkeys(MAKERS, each)
    for source in sources:
        said = [source.text[a:b].strip() for a, b in sentences(source.text)]
        said = [sentence for sentence in said if SHORTEST <= len(sentence) <= LONGEST]
        for kind, left in wanted.items():
            random.shuffle(said)
            made = ((old, MAKERS[kind](old, random)) for old in said) if left else ()
            found = next(((old, new) for old, new in made if new and new != old), None)
            if found:
                wanted[kind] -= 1
                yield Changed(kind, found[1], found[0], source)
        if not any(wanted.values()):
            return
