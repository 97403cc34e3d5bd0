"""Spanish verbs in the forms that people write, folded: conjugated, with pronouns before or behind. Pure.

It makes too many forms rather than too few ("rueban" beside "roban"): what nobody writes is found in no text. What is
another word is none, and participles and what nouns end in count only with more of their entry.
"""

import re
from collections.abc import Iterator
from enum import Enum


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


INFINITIVE = re.compile(r"(?P<verb>\w+[aei]r)(?P<pronoun>me|se)?")
# As they end; no verbs.
NOUNS = _words(
    """
    alquiler altamar auxiliar ayer bienestar celular consular dealer dolar dreamer escolar familiar gober haber
    hogar lugar manager menester militar mujer par particular placer poder popular ser singular solar taller taser
    titular vulgar
    """
)
# That the translator puts right by itself: an entry of the verb alone is found in other forms only with an object.
TRANSLATED = _words(
    """
    abolir abortar absolver amenazar arrestar casar censurar cobrar condenar conmutar deportar derogar descontar
    despedir devolver discriminar encerrar entrar esposar fallar falsificar incautar incriminar interrogar investigar
    juzgar manejar manifestar naturalizar obligar pegar perjudicar perseguir probar procesar protestar quemar reelegir
    registrar renunciar reunir revisar rezar robar sacar vetar votar
    """
)
BEFORE = ("me", "te", "se", "nos", "le", "les", "lo", "la", "los", "las")
ARTICLES = frozenset({"la", "los", "las"})
_BEHIND: dict[str, tuple[str, ...]] = {one: (one,) for one in BEFORE} | {
    f"{one}{other}": (one, other) for one in ("se", "me", "te", "nos") for other in BEFORE[3:]
}
# Between a pronoun and the verb that it belongs to: "me quieren echar", "lo van a echar", "la tienen que soltar".
HELPING = _words(
    """
    puede pueden puedo podemos podia podian podra podran podria podrian pudo pudieron puedan quiere quieren quiero
    queremos queria querian quiso quisieron quieran va van voy vamos iba iban vaya vayan fue fueron debe deben debo
    debia debian deberia deberian tiene tienen tengo tenemos tenia tenian tuvo tuvieron esta estan estaba estaban
    estuvo estuvieron anda andan andaba andaban sigue siguen acaba acaban ha han he habia habian hayan haya hubiera
    hubieran suele suelen vuelve vuelven volvio volvieron trata tratan intentan intento vienen viene vino vinieron
    necesita necesitan piensa piensan
    """
)
LINKING = frozenset({"a", "que", "de"})


class Form(Enum):
    """What English puts for it."""

    PLAIN = "plain"
    PAST = "past"
    DONE = "done"  # the past participle
    DOING = "doing"


_AR = {
    Form.PLAIN: "as a amos an e es emos en ar are ara aran aria arian aremos",
    Form.PAST: "aste astes o aron aba abas aban abamos aras aramos arais ase asen",
    Form.DONE: "ado ada ados adas ao",
    Form.DOING: "ando",
}
_ER = {
    Form.PLAIN: "o es e emos imos en a as amos an {v}r {v}re {v}ra {v}ran {v}ria {v}rian {v}remos",
    Form.PAST: "i iste istes io ieron yo yeron ia ias ian iamos iera ieras ieran yera yeran iese iesen",
    Form.DONE: "ido ida idos idas io",
    Form.DOING: "iendo yendo",
}
# Endings that nouns have as well: "registro", "multa", "renta". They count behind a pronoun, or with their accent.
UNSURE = frozenset({"o", "a", "as", "e", "es", "ara"})
# By how the verb ends: stems of the past, of "I" and of the future, and the participle.
_IRREGULAR = {
    "poner": ("pus", "pong", "pondr", "puesto"),
    "hacer": ("hic hiz", "hag", "har", "hecho"),
    "decir": ("dij", "dig", "dir", "dicho"),
    "traer": ("traj", "traig", "traer", "traido"),
    "tener": ("tuv", "teng", "tendr", "tenido"),
    "venir": ("vin", "veng", "vendr", "venido"),
    "ducir": ("duj", "duzc", "ducir", "ducido"),
    "salir": ("", "salg", "saldr", "salido"),
    "caer": ("", "caig", "caer", "caido"),
    "abrir": ("", "abr", "abrir", "abierto"),
    "romper": ("", "romp", "romper", "roto"),
    "volver": ("", "vuelv", "volver", "vuelto"),
    "escribir": ("", "escrib", "escribir", "escrito"),
    "morir": ("", "muer", "morir", "muerto"),
}
# Forms that are nouns or adjectives too, though nouns do not end so.
_ALSO = _words("anden anular deber hacia mentira saber sabia sabias tendera traje vera")
# Made here of these verbs, and other words only.
_NEVER = {
    "abolir": _words("abuela abuelas abuelo"),
    "estar": _words("estados este estes esto"),
    "oler": _words("ola olas"),
    "pedir": _words("pedo"),
    "portar": _words("puerta puertas puerto"),
    "rendir": _words("rienda riendas riendo"),
    "saber": _words("sabio"),
    "salir": _words("sala salas"),
    "vender": _words("viendo"),
    "ver": _words("va vamos van vas via vias vida vidas vistes"),
}
_IRREGULAR_PAST = "e i iste istes o io imos ieron eron iera ieran era eran"


def conjugated(infinitive: str) -> Iterator[tuple[str, Form, bool]]:
    """Forms of a folded infinitive: each with what it is in English, and whether it is surely a verb."""
    never = _NEVER.get(infinitive, frozenset())
    for word, form, sure in _forms(infinitive):
        if word not in never:
            yield word, form, sure and form is not Form.DONE and word not in _ALSO


def _forms(infinitive: str) -> Iterator[tuple[str, Form, bool]]:
    stem, vowel = infinitive[:-2], infinitive[-2]
    yield infinitive, Form.PLAIN, True
    regular = dict(_AR if vowel == "a" else _ER)
    for end, (past, of_me, future, done) in _IRREGULAR.items():
        if infinitive.endswith(end):
            regular.pop(Form.DONE, None)
            before = infinitive.removesuffix(end)
            yield from ((before + one + e, Form.PAST, True) for one in past.split() for e in _IRREGULAR_PAST.split())
            yield from ((before + of_me + e, Form.PLAIN, True) for e in ("o", "a", "as", "an", "amos"))
            yield from ((before + future + e, Form.PLAIN, True) for e in ("e", "a", "an", "ia", "ian", "emos"))
            yield from ((before + done[:-1] + e, Form.DONE, True) for e in ("o", "a", "os", "as"))
    stems = _stems(stem, vowel)
    spelled = {letter: {_spelled(one, vowel, letter) for one in stems} for letter in "aeioy"}
    for form, endings in regular.items():
        for ending in endings.format(v=vowel).split():
            for changed in spelled[ending[0]]:
                yield changed + ending, form, ending not in UNSURE


def _stems(stem: str, vowel: str) -> set[str]:
    """With what stress makes of its last vowel: "negar" and "niegan", "pedir" and "pidio", "contar" and "cuentan"."""
    head, last, tail = re.fullmatch(r"(.*?)([eo]?)([^aeiou]*)", stem).groups()
    made = {"e": ["ie", "i"] if vowel == "i" else ["ie"], "o": ["ue", "u"] if vowel == "i" else ["ue"]}.get(last, [])
    return {stem, *(head + one + tail for one in made), *([stem + "y"] if vowel == "i" and stem.endswith("u") else [])}


def _spelled(stem: str, vowel: str, first: str) -> str:
    """As "pagar" and "pague", "sacar" and "saque", "recoger" and "recoja", "seguir" and "sigo"."""
    if vowel == "a" and first == "e":
        return re.sub("z$", "c", re.sub("g$", "gu", re.sub("c$", "qu", stem)))
    if vowel != "a" and first in "ao":
        return re.sub("(?<=[aeiou])c$", "zc", re.sub("g$", "j", re.sub("gu$", "g", stem)))
    return stem


def with_pronouns(word: str) -> Iterator[tuple[str, tuple[str, ...]]]:
    """How a folded word may be read as a verb with pronouns behind it: "quitarnoslo", "echandolos"."""
    for length in range(2, min(7, len(word) - 2)):
        if behind := _BEHIND.get(word[-length:]):
            yield word[:-length], behind
