"""Spanish as it is spoken and typed in the Americas, put into the Spanish of dictionaries word by word. Pure.

`spoken_spanish.txt` has a word and what it stands for a line: voseo, shortened words, letters heard but not written.
"""

import re
from pathlib import Path

from retrieval.text.normalization import fold

_LINES = Path(__file__).with_name("spoken_spanish.txt").read_text(encoding="utf-8").splitlines()
STANDARD: dict[str, str] = dict(line.split(" = ") for line in _LINES if " = " in line)
_COMBINING = re.compile(r"[\u0300-\u036f]")
_WORD = re.compile(r"""(?<![^\s¿¡("'])[^\W\d_]+(?![^\s.,;:?!)"'])""")
_SMALL = re.compile(r"(?P<stem>\w{3,}?)(?:e?c)?it(?P<gender>[oa])(?P<many>s?)")
_BEFORE_I = {"qu": "c", "gu": "g", "c": "z"}
# That end as diminutives do, beside words that they are none of.
_NOT_SMALL = frozenset(("visita", "visitas", "visito", "gratuita", "gratuito", "gratuitas", "gratuitos", "solicita"))
# Too short for the translator to give them their accents.
_SHORT_WORDS = "mío mía míos tío tía día días río así ahí acá están"
_SHORT = {fold(word): word for word in _SHORT_WORDS.split()}
# What is meant where accents are left out, by what stands around it; nothing that a noun may meet, as "esta medida".
_UNACCENTED = [
    (re.compile(pattern), meant)
    for pattern, meant in (
        (rf"\b(?:{'|'.join(_SHORT)})\b", lambda word: _SHORT[word[0]]),
        (r"\bmas\b", "más"),
        (r"\b(mis?|tus?|sus?) (mam|pap)a(s?)\b", "\\1 \\2á\\3"),
        (r"\besta(?= (?:\w+(?:ado|ido|ando|iendo|yendo)|en|al|muy|bien|aqui|alla|lejos|preso|enfermo|roto|muerto"
         r"|abierto|escrito|prohibido|chueco|embarazada)\b)", "está"),
        (r"^por que\b(?= (?:no|me|te|le|se|nos|les|los|las|la|el|hay|puede|pueden|tengo|tiene|son|es)\b)", "por qué"),
        (r"\b(a|de|en) que\b(?= (?:edad|hora)\b)", "\\1 qué"),
        (r"\b(contra|para|sin|de|por|a) mi$", "\\1 mí"),
        (r"\bel(?= (?:se|me|le|es|era|fue|quiere|tiene|dice|dijo|puede)\b)", "él"),
    )
]  # fmt: skip


def standard(text: str) -> str:
    """The text with the words of the table replaced, written small or the first and longer than two letters; all others
    as they are: "visa Q" and "Boy Scouts".
    """
    return _WORD.sub(lambda word: STANDARD.get(_small(word), word[0]), text)


def _small(word: re.Match[str]) -> str:
    begins = not any(map(str.isalnum, word.string[: word.start()]))
    return word[0][0].lower() + word[0][1:] if begins and len(word[0]) > 2 else word[0]


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
