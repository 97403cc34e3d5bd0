"""What may be kept of a query: its text without personal identifiers, and a keyed hash. Reads one setting."""

import hashlib
import hmac
import re

from django.conf import settings

SEPARATOR = "[ .‐‑‒–—−-]"  # as people and their keyboards write it
THREE = rf"\d{{3}}{SEPARATOR}?"
YEARS = rf"(?:(?:1[5-9]|20)\d{{2}}{SEPARATOR}){{3}}"
# What numbers of sections follow, which else look like a phone's.
BEFORE_SECTIONS = ("USC", "U.S.C.", "CFR", "C.F.R.", "INA", "sec.", "secs.", "section", "sections", "§", "§§")
NO_SECTION = "".join(rf"(?<!{re.escape(before)} )" for before in BEFORE_SECTIONS)
PATTERNS = (
    ("[e-mail]", re.compile(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+")),
    ("[SSN]", re.compile(rf"(?<!\d)\d{{3}}{SEPARATOR}\d{{2}}{SEPARATOR}\d{{4}}(?!\d)")),
    ("[receipt number]", re.compile(r"(?<![A-Za-z0-9])[A-Z]{3}-?\d{2}-?\d{3}-?\d{5}(?!\d)", re.IGNORECASE)),
    (
        "[passport number]",
        re.compile(
            r"(?<!\w)(?:passport|pasaporte)\W{1,3}(?:(?:number|no|num|n[uú]mero|is|es)\W{1,3}){0,3}[A-Z]\d{8}(?!\d)",
            re.IGNORECASE,
        ),
    ),
    (
        "[A-number]",
        re.compile(
            rf"(?<![A-Za-z0-9])(?:A|(?:A|alien|USCIS|extranjero)\W{{1,3}}(?:(?:registration|number|no|num|n[uú]mero)\W{{1,3}}){{0,2}})"
            rf"[-#.\s]{{0,2}}{THREE}{THREE}\d{{2,3}}(?!\d)",
            re.IGNORECASE,
        ),
    ),
    (
        "[card number]",
        re.compile(rf"(?<!\d){NO_SECTION}(?!{YEARS})(?:\d{SEPARATOR}?){{12,18}}\d(?!\d)", re.IGNORECASE),
    ),
    ("[phone]", re.compile(rf"(?<!\w)\+\d(?:[ ().]{{0,2}}{SEPARATOR}?\d){{7,13}}(?!\d)")),
    (
        "[phone]",
        re.compile(
            rf"(?<![\w§.]){NO_SECTION}(?:\(\d{{3}}\)|\d{{3}}){SEPARATOR}?{THREE}\d{{4}}(?!\d)", re.IGNORECASE
        ),
    ),
    ("[phone]", re.compile(rf"(?<![\w§])\(\d{{2,3}}\) ?\d{{3,4}}{SEPARATOR}?\d{{4}}(?!\d)")),
    ("[number]", re.compile(r"(?<![\d.])\d{9}(?!\d)")),  # an SSN or A-number without its marks
)

IN_ALL = re.compile(r"[@\d]")  # each pattern has one of these


def scrub(text: str) -> str:
    """The text with e-mail addresses, phone, Social Security, A- and card numbers replaced; commas untouched."""
    if not IN_ALL.search(text):
        return text
    for name, pattern in PATTERNS:
        text = pattern.sub(name, text)
    return text


def query_hash(normalized: str) -> str:
    """Tells repeated questions without keeping their words; useless without this installation's key."""
    return hmac.new(settings.SECRET_KEY.encode(), normalized.encode(), hashlib.sha256).hexdigest()
