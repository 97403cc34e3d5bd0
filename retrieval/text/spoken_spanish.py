"""Spanish as it is spoken and typed in the Americas, put into the Spanish of dictionaries word by word. Pure.

`spoken_spanish.txt` has a word and what it stands for a line: voseo, shortened words, letters heard but not written.
"""

import re
from pathlib import Path

_LINES = Path(__file__).with_name("spoken_spanish.txt").read_text(encoding="utf-8").splitlines()
STANDARD: dict[str, str] = dict(line.split(" = ") for line in _LINES if " = " in line)
_COMBINING = re.compile(r"[\u0300-\u036f]")
_WORD = re.compile(r"""(?<![^\s¿¡("'])[^\W\d_]+(?![^\s.,;:?!)"'])""")
_SMALL = re.compile(r"(?P<stem>\w{3,}?)(?:e?c)?it(?P<gender>[oa])(?P<many>s?)")
_BEFORE_I = {"qu": "c", "gu": "g", "c": "z"}
# That end as diminutives do, beside words that they are none of.
_NOT_SMALL = frozenset(("visita", "visitas", "visito", "gratuita", "gratuito", "gratuitas", "gratuitos", "solicita"))
# What is meant where accents are left out, by what stands around it.
_UNACCENTED = [
    (re.compile(pattern), meant)
    for pattern, meant in (
        (r"\bmas\b", "más"),
        (r"\besta(?= (?:\w+(?:ado|ada|ados|adas|ido|ida|idos|idas|ando|iendo|yendo|ina|inas)\b"
         r"|en|a|al|bien|mal|muy|preso|presa|presos|libre|libres|enferm[oa]s?|aqui|alla|lejos|legal|ilegal|de|del|sin"
         r"|con|contra|por|tan|roto|rota|loc[oa]|muert[oa]s?|abiert[oa]|escrit[oa]|chuec[oa]s?|car[oa]s?|suci[oa]s?"
         r"|prohibid[oa]|embarazada|peor|mejor|cerca|fuera|dentro|vivo|viva|solo|sola|mal[oa]|lleno|llena|buscando)\b)",
         "está"),
        (r"\bpor que\b(?= (?:no|me|te|le|se|nos|les|los|las|la|el|puerto|hay|puede|pueden|tengo|tiene|son|es)\b)",
         "por qué"),
        (r"\b(a|de|con|en|para|se|saber|sabe|decir|dice|dime|digame) que\b"
         r"(?= (?:edad|hora|me|se|pasa|puedo|hago|derechos?|hacer|dice|lugar|pais|estado|tiempo)\b)", "\\1 qué"),
        (r"\b(contra|para|sin|de|por|a) mi$", "\\1 mí"),
        (r"\bel(?= (?:se|me|le|no|es|era|fue|quiere|tiene|dice|dijo|puede|ya|tambien)\b)", "él"),
    )
]  # fmt: skip


def standard(text: str) -> str:
    """The text with the words of the table replaced; all others as they are."""
    return _WORD.sub(lambda word: STANDARD.get(word[0].lower(), word[0]), text)


def accented_by_place(text: str) -> str:
    """Of a text without accents: those whose lack makes another word ("esta", "mas"), where what is around tells."""
    for pattern, meant in _UNACCENTED:
        text = pattern.sub(meant, text)
    return text


def undiminished(word: str) -> list[str]:
    """What a folded diminutive may be one of: "casita" of "casa", "papelito" of "papel", "poquito" of "poco"."""
    found = _SMALL.fullmatch(word)
    if not found or word in _NOT_SMALL:
        return []
    stem, many = found["stem"], found["many"]
    stems = [stem, *(stem.removesuffix(end) + one for end, one in _BEFORE_I.items() if stem.endswith(end))]
    return [one + end for one in stems for end in (found["gender"] + many, "e" + many, "es" if many else "")]
