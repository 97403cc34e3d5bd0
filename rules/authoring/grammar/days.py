"""From which day to which a sentence lets its rule act: "until June", "from 1 July to 31 August", "este año". Pure.

Texts are folded. A month is the whole of it, and without a year it is the next one to come.
"""

import re
from calendar import monthrange
from dataclasses import dataclass
from datetime import date, timedelta

MONTHS = {
    name: number
    for names in (
        "january february march april may june july august september october november december",
        "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre",
    )
    for number, name in enumerate(names.split(), start=1)
}
_MONTH = "|".join(MONTHS)
_DAY = (
    rf"(?:the |el |del )?(?:(?:day )?\d{{1,2}}(?:st|nd|rd|th|º)? (?:of |de )?(?:{_MONTH})(?:,? (?:of |"
    rf"de |del )?\d{{4}})?\b"
    rf"|(?:{_MONTH}) \d{{1,2}}(?:st|nd|rd|th)?\b(?!\d)(?:,? \d{{4}})?|(?:the end of |end of |"
    rf"finales de |fin de )?(?:{_MONTH})\b(?: (?:of |de |del )?\d{{4}})?"
    r"|\d{4}-\d{2}-\d{2}|(?:the end|end) of (?:the|this) year|(?:fin|final|finales) de(?:l|"
    r" este)? ano|20\d\d\b)"
)
_LEAD = r"[\s,]*\b"
_RANGE = re.compile(
    rf"{_LEAD}(?:(?:from|desde|del|de) ({_DAY}) (?:to|until|through|till|al|a|hasta) ({_DAY})|"
    rf"(?:between|entre) ({_DAY}) (?:and|y) ({_DAY}))"
)
_FROM = re.compile(
    rf"{_LEAD}(?:from|(?:starting|beginning)(?: on| in| from)?|as of|since|desde|a partir del?|"
    rf"empezando(?: en| el)?) ({_DAY})(?: on(?:wards)?)?"
)
_UNTIL = re.compile(rf"{_LEAD}(?:until|till|through|up to|hasta(?: el)?) ({_DAY})")
_BEFORE = re.compile(rf"{_LEAD}(?:before|antes del?) ({_DAY})")
_DURING = re.compile(rf"{_LEAD}(?:in|during|en|durante) ({_DAY})")
_YEAR = re.compile(
    rf"{_LEAD}(?:(?:only|for|during|in|durante|en|solo) )?(?:(this|next) year|(este) ano|"
    rf"(?:el )?(proximo) ano)\b"
)
_UNREAD = re.compile(r"\b(?:until|till|hasta|starting on|as of|a partir de|antes del?)\b")


@dataclass(frozen=True, slots=True)
class Days:
    first: date | None = None
    last: date | None = None


def days_in(folded: str, today: date) -> tuple[Days, list[tuple[int, int]]]:
    """The days, and the spans of the text that say so. Where a day does not exist its span is left unread."""
    try:
        return _days_in(folded, today)
    except ValueError:  # 31 June
        return Days(), []


def names_unread_day(folded: str) -> bool:
    return bool(_UNREAD.search(folded))


def _days_in(folded: str, today: date) -> tuple[Days, list[tuple[int, int]]]:
    if match := _RANGE.search(folded):
        start, end = match[1] or match[3], match[2] or match[4]
        first = bounds(start, today)[0]
        return Days(first, bounds(end, first)[1]), [match.span()]
    if match := _YEAR.search(folded):
        year = today.year + (match[1] == "next" or bool(match[3]))
        return Days(date(year, 1, 1), date(year, 12, 31)), [match.span()]
    if match := _DURING.search(folded):
        return Days(*bounds(match[1], today)), [match.span()]
    since, until, before = _FROM.search(folded), _UNTIL.search(folded), _BEFORE.search(folded)
    first = bounds(since[1], today)[0] if since else None
    last = bounds(until[1], first or today)[1] if until else None
    if before:
        last = bounds(before[1], first or today)[0] - timedelta(days=1)
    return Days(first, last), [match.span() for match in (since, until, before) if match]


def bounds(said: str, today: date) -> tuple[date, date]:
    """The first and last day of a day, month or year that is said. Raises ValueError where there is none such."""
    if iso := re.search(r"\d{4}-\d{2}-\d{2}", said):
        day = date.fromisoformat(iso[0])
        return day, day
    year = re.search(r"\b\d{4}\b", said)
    month = next((MONTHS[word] for word in re.findall(r"[a-z]+", said) if word in MONTHS), None)
    number = re.search(r"\b(\d{1,2})(?:st|nd|rd|th|º)?\b", said)
    if month is None:
        stands = date(int(year[0]) if year else today.year, 12, 31)
        return (stands.replace(month=1, day=1) if year else stands), stands
    day = int(number[1]) if number else None
    stands = date(int(year[0]) if year else today.year, month, day or 1)
    last = stands if day else stands.replace(day=monthrange(stands.year, month)[1])
    if year is None and last < today:
        return bounds(f"{said} {today.year + 1}", today)
    return stands, last
