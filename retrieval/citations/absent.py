"""Amendments and articles that the Constitution does not have, though a query asks for them as if it did. Pure.

None of them is a citation: "Article 9" inside a sentence is that of some other text.
"""

import re

from retrieval.citations.heads import LAST
from retrieval.citations.numerals import roman

_ROMAN = {roman(number).lower(): number for number in range(1, 40)}
_WORDS = {
    **{"twenty-eighth": 28, "twenty eighth": 28, "twenty-ninth": 29, "twenty ninth": 29, "thirtieth": 30},
    **{
        "vigesimoctava": 28,
        "vigesima octava": 28,
        "vigesimonovena": 29,
        "vigesima novena": 29,
        "trigesima": 30,
    },
}
_NUMBER = rf"[0-9]{{1,3}}|[ivx]{{1,8}}|{'|'.join(_WORDS)}"
_KINDS = {"am": "amendment", "en": "amendment", "ar": "article"}  # by their first letters, in both languages
_FORM = re.compile(
    rf"(?<![\w.])(?:(?P<first>{_NUMBER})(?:\s?(?:st|nd|rd|th|[aoªº]))?\s(?P<one>amendment|enmienda)"
    rf"|(?P<two>amendment|amend\.?|enmienda|article|articulo|art\.?)\s?(?:(?:no\.?|number|numero)\s?)?(?P<last>{_NUMBER}))"
    r"(?![\w.]*\w)"
)


def find(folded: str) -> tuple[int, int, str] | None:
    """Where the first one stands in folded text, and what it would be called."""
    named = _FORM.search(folded)
    if named is None:
        return None
    kind = _KINDS[(named["one"] or named["two"])[:2]]
    number = _value(named["first"] or named["last"])
    if number is None or number <= LAST[kind]:
        return None
    numeral = roman(number) if number < 40 else str(number)
    return *named.span(), f"U.S. Const. {'amend.' if kind == 'amendment' else 'art.'} {numeral}"


def _value(written: str) -> int | None:
    return int(written) if written.isdigit() else _WORDS.get(written) or _ROMAN.get(written)
