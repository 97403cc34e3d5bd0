"""English sentences of law into Spanish by Apertium, with the terms of lawyers; what does not keep what the law says is
left out. Pure but for the programs of Apertium.

`law_terms.txt` has terms in lines of three shapes: a phrase and its Spanish; with its gender, a noun without a plural;
one and several of a noun in both languages, and its gender. A noun is put in with what stands before it ("of the
alien": "del extranjero"), and not where nothing does: "fines" may be a verb.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path

from retrieval.engines.apertium import Apertium
from retrieval.engines.translation import Glossary, Term, translate
from retrieval.proof.types import Source
from retrieval.proof.verify import verify

TERMS = Path(__file__).with_name("law_terms.txt")
ONE = {  # what stands before a noun, and its Spanish before a masculine and a feminine one
    "the": ("el", "la"), "of the": ("del", "de la"), "to the": ("al", "a la"), "by the": ("por el", "por la"),
    "in the": ("en el", "en la"), "a": ("un", "una"), "an": ("un", "una"), "of a": ("de un", "de una"),
    "of an": ("de un", "de una"), "such": ("dicho", "dicha"), "of such": ("de dicho", "de dicha"),
    "any": ("cualquier", "cualquier"), "of any": ("de cualquier", "de cualquier"), "each": ("cada", "cada"),
    "this": ("este", "esta"), "that": ("ese", "esa"), "no": ("ningún", "ninguna"),
    "any other": ("cualquier otro", "cualquier otra"),
}  # fmt: skip
SEVERAL = {
    "the": ("los", "las"), "of the": ("de los", "de las"), "to the": ("a los", "a las"),
    "by the": ("por los", "por las"), "in the": ("en los", "en las"), "such": ("dichos", "dichas"),
    "of such": ("de dichos", "de dichas"), "any": ("cualesquiera", "cualesquiera"), "all": ("todos los", "todas las"),
    "other": ("otros", "otras"), "these": ("estos", "estas"), "those": ("esos", "esas"),
}  # fmt: skip
DESIGNATOR = re.compile(r"(?:\((?:[A-Za-z]{1,5}|\d{1,3})\))+")  # "(a)", which Apertium takes for an article
MONTHS = {
    "January": "enero", "February": "febrero", "March": "marzo", "April": "abril", "May": "mayo", "June": "junio",
    "July": "julio", "August": "agosto", "September": "septiembre", "October": "octubre", "November": "noviembre",
    "December": "diciembre",
}  # fmt: skip
DATE = re.compile(rf"\b({'|'.join(MONTHS)}) (\d{{1,2}}), (\d{{4}})\b")
NUMBER = re.compile(r"\d+")
MARK = re.compile(r"[*#@](?=\w)")  # before a word that Apertium does not know or cannot inflect: it stays English
UNKNOWN = re.compile(r"[*#@](?=[^\W\d_A-Z])")  # and is no name
MOST_UNKNOWN = 0.1  # of the words
# "shall, from time to time, make" loses its verb, "may not" turns to what one may leave undone.
BROKEN = re.compile(r"\b(?:shall|may|must|will),", re.IGNORECASE)
TURNED = re.compile(r"\b(?:pued|podr|deb)\w+ no\b", re.IGNORECASE)
NOT = re.compile(r"\b(?:no|not|nor|never|none|neither|cannot|nothing|nobody)\b", re.IGNORECASE)
NO = re.compile(r"\b(?:no|ni|nunca|ning[uú]n\w*|nada|nadie|tampoco)\b(?! obstante)", re.IGNORECASE)
UNLESS = re.compile(r"\b(?:unless|without|except|notwithstanding)\b", re.IGNORECASE)
SALVO = re.compile(r"\b(?:a no ser que|sin|salvo|exceptuando|excepto|menos que|no obstante)\b", re.IGNORECASE)


@cache
def terms_of_law() -> Mapping[str, str]:
    return dict(_terms(TERMS.read_text(encoding="utf-8").splitlines()))


def _terms(lines: Iterable[str]) -> Iterator[tuple[str, str]]:
    for line in lines:
        match line.split(","):
            case english, spanish:
                yield english, spanish
            case english, spanish, gender:
                yield from _behind(ONE, english, spanish, gender)
            case one, several, uno, varios, gender:
                yield from _behind(ONE, one, uno, gender)
                yield from _behind(SEVERAL, several, varios, gender)


def _behind(
    before: Mapping[str, tuple[str, str]], english: str, spanish: str, gender: str
) -> Iterator[tuple[str, str]]:
    for words, forms in before.items():
        yield f"{words} {english}", f"{forms[gender == 'f']} {spanish}"


def into_spanish(text: str, terms: Glossary, engine: Apertium) -> str:
    """Nothing for what would not say the same. Raises TranslationUnavailable."""
    if BROKEN.search(text) or MARK.search(text):
        return ""
    put_in = [(found.start(), found.end(), found[0]) for found in DESIGNATOR.finditer(text)]
    put_in += [(found.start(), found.end(), day_of(found)) for found in DATE.finditer(text)]
    found = [term for term in terms.find(text) if not is_name(text, term) and not overlaps(term, put_in)]
    put_in += [(term.start, term.end, term.english) for term in found]
    marked = translate(text, Glossary({}), engine, protect=put_in).text
    if len(UNKNOWN.findall(marked)) > MOST_UNKNOWN * len(marked.split()):
        return ""
    made = with_capitals_of(text, MARK.sub("", marked), [term.english for term in found])
    return made if keeps(text, made) else ""


def is_name(text: str, term: Term) -> bool:
    """Which the glossary has in small letters: "Puerto Rico"."""
    written = text[term.start + 1 : term.end]
    return written != written.lower() and term.english == term.english.lower()


def overlaps(term: Term, stretches: Sequence[tuple[int, int, str]]) -> bool:
    return any(start < term.end and term.start < end for start, end, _ in stretches)


def day_of(date: re.Match[str]) -> str:
    return f"{date[2]} de {MONTHS[date[1]]} de {date[3]}"


def with_capitals_of(text: str, made: str, put_in: Sequence[str]) -> str:
    """Apertium takes what follows a term that was put in for the beginning of a sentence."""
    words = set(re.findall(r"\w+", text))
    if put_in:
        behind = rf"({'|'.join(map(re.escape, put_in))}) (\w+)"
        made = re.sub(behind, lambda found: f"{found[1]} {found[2] if found[2] in words else found[2].lower()}", made)
    return made[:1].upper() + made[1:] if text[:1].isupper() else made


def keeps(text: str, made: str) -> bool:
    """Whether it has the numbers, places and negations of the text, and proof finds that it says the same."""
    alike = all(Counter(each.findall(text)) == Counter(each.findall(made)) for each in (DESIGNATOR, NUMBER))
    negated = len(NOT.findall(text)) == len(NO.findall(SALVO.sub("", made)))
    excepted = len(UNLESS.findall(text)) == len(SALVO.findall(made))
    if not (alike and negated and excepted) or TURNED.search(made):
        return False
    claims = [claim for claim in verify(made, [Source("", "", text)], language="es") if claim.verdict != "not_a_claim"]
    return bool(claims) and all(claim.verdict == "supported" for claim in claims)
