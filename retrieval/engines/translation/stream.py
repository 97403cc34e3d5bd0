"""What Apertium's stream format asks of a text, and Spanish typed without accents. Pure."""

import re
import unicodedata

_RESERVED = re.compile(r"[\[\]{}^$/\\@<>]")
_TILDE = "[~]"  # a bare tilde is a mark of the last program; inside a superblank it is left alone


def clean(text: str) -> str:
    """One line, composed, and nothing in it that could be taken for the end of a request."""
    text = unicodedata.normalize("NFC", text)
    return " ".join("".join(" " if unicodedata.category(c) in ("Cc", "Cs") else c for c in text).split())


def escape(text: str) -> str:
    return _RESERVED.sub(r"\\\g<0>", text).replace("~", _TILDE)


def unescape(text: str) -> str:
    return re.sub(r"\\(.)", r"\1", text.replace(_TILDE, "~"))


_MARK = str.maketrans("aeioun", "àèìòùń")
UNMARKED = str.maketrans("àèìòùńÀÈÌÒÙŃ", "aeiounAEIOUN")
_LONG_WORD = re.compile(r"\b[A-Za-z]{4,}\b")
_ACCENTED = re.compile(r"[^\W\d_A-Za-z]")
_FIRST_WORD = re.compile(r"^\W*(\w+)")
# A question's first word, typed without its accent.
_ASKING = {
    "que": "qué",
    "como": "cómo",
    "cuando": "cuándo",
    "donde": "dónde",
    "cual": "cuál",
    "cuales": "cuáles",
    "quien": "quién",
    "quienes": "quiénes",
    "cuanto": "cuánto",
    "cuanta": "cuánta",
    "cuantos": "cuántos",
    "cuantas": "cuántas",
}
# Words whose bare form is as common as the accented one: left alone elsewhere.
_AMBIGUOUS = {*_ASKING, "desde", "entre", "esta", "estas", "este", "esto", "estos", "hasta"}
_AMBIGUOUS |= {"para", "pero", "sobre", "solo"}


def mark_unaccented(text: str) -> str:
    """Mark what may lack its accent, for ``spanish-accents.rcx``; a text with any accent is left as it is."""
    if _ACCENTED.search(text):
        return text
    text = re.sub(r"\b([Aa])n(os?)\b", r"\1ñ\2", text)
    text = _LONG_WORD.sub(_mark_word, text)
    return _FIRST_WORD.sub(_ask_first, text)


def _mark_word(match: re.Match[str]) -> str:
    word = match[0]
    return word if word.lower() in _AMBIGUOUS else word.lower().translate(_MARK)


def _ask_first(match: re.Match[str]) -> str:
    return match[0].replace(match[1], _ASKING.get(match[1].lower(), match[1]))
