"""The words that facts and checks look for, folded, in English and Spanish, and those that mean the same. Pure."""

import re
from fractions import Fraction
from functools import cache
from itertools import count
from pathlib import Path
from unicodedata import numeric

from retrieval.text.analyzer import stems


def listed(text: str) -> tuple[str, ...]:
    return tuple(text.split())


def a_set(text: str) -> frozenset[str]:
    return frozenset(text.split())


# -- words that mean the same in law, plain, legal or Spanish

SAME_WORDS = Path(__file__).with_name("same_words.txt")  # a group a line: English words, a bar, Spanish words


@cache
def _groups() -> dict[tuple[str, str], str]:
    """(language, stem) to the group's name, which is its first English stem. A word in two groups is in the first."""
    found: dict[tuple[str, str], str] = {}
    for line in SAME_WORDS.read_text(encoding="utf-8").splitlines():
        if not line or line.startswith("#"):
            continue
        english, _, spanish = line.partition("|")
        name = stems(english, "en")[0]
        for language, said in (("en", english), ("es", spanish)):
            for stem in stems(said, language):
                found.setdefault((language, stem), name)
    return found


def meaning(stem: str, language: str) -> str:
    return _groups().get((language, stem), stem)


# -- numbers, units, dates and places of the law

ONES = listed(
    """zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen
    seventeen eighteen nineteen"""
)
TENS = listed("twenty thirty forty fifty sixty seventy eighty ninety")
ORDINALS = listed(
    """zeroth first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth
    fourteenth fifteenth sixteenth seventeenth eighteenth nineteenth"""
)
UNOS = listed(
    """cero uno dos tres cuatro cinco seis siete ocho nueve diez once doce trece catorce quince dieciseis
    diecisiete dieciocho diecinueve veinte veintiuno veintidos veintitres veinticuatro veinticinco veintiseis
    veintisiete veintiocho veintinueve"""
)
DECENAS = listed("treinta cuarenta cincuenta sesenta setenta ochenta noventa")
CENTENAS = listed(
    "doscientos trescientos cuatrocientos quinientos seiscientos setecientos ochocientos novecientos"
)
PRIMEROS = listed(
    "primera segunda tercera cuarta quinta sexta septima octava novena decima undecima duodecima"
)
DECIMAS = ["vigesima", "trigesima"]

SMALL = {word: value for words in (ONES, UNOS) for value, word in enumerate(words)}
SMALL |= {word: value for words in (TENS, ["_", *DECENAS]) for value, word in zip(count(20, 10), words)}
SMALL |= {word: 200 + 100 * place for place, word in enumerate(CENTENAS)}
SMALL |= {word[:-2] + "as": value for word, value in list(SMALL.items()) if word in CENTENAS}
SMALL |= {"un": 1, "una": 1, "veintiun": 21, "cien": 100, "ciento": 100, "fourty": 40}
del SMALL["once"]  # in English no number, and more frequent than eleven in Spanish
LARGE = {"hundred": 100, "thousand": 10**3, "million": 10**6, "billion": 10**9, "mil": 10**3, "millon": 10**6}
LARGE |= {"millones": 10**6, "k": 10**3, "m": 10**6, "b": 10**9, "bn": 10**9}
ORDINAL = {word: value for value, word in enumerate(ORDINALS)}
ORDINAL |= {word[:-1] + "ieth": value for value, word in zip(count(20, 10), TENS)}
ORDINAL |= {word: value for value, word in enumerate(PRIMEROS, 1)}
ORDINAL |= {word: value for value, word in zip(count(20, 10), DECIMAS)}
ORDINAL |= {word[:-1] + "o": value for word, value in list(ORDINAL.items()) if word in (*PRIMEROS, *DECIMAS)}
ORDINAL |= {"primer": 1, "tercer": 3, "hundredth": 100}
TIMES = {"once": 1, "twice": 2, "thrice": 3, "double": 2}
ALONE = {  # what is a number by itself, and with one before it as many times
    "dozen": (12, ""), "decade": (10, "year"), "century": (100, "year"), "fortnight": (14, "day"),
    "biennial": (2, "year"), "biennially": (2, "year"), "triennial": (3, "year"), "triennially": (3, "year"),
    "quadrennial": (4, "year"), "quadrennially": (4, "year"), "quarterly": (3, "month"),
    "semiannual": (6, "month"), "semiannually": (6, "month"), "docena": (12, ""), "decada": (10, "year"),
}  # fmt: skip
COUNTING = a_set("the these those its their his los las estos estas sus")  # numbers that readers count
MAJORITY = a_set("majority mayoria")
GLYPHS = {sign: Fraction(numeric(sign)).limit_denominator(8) for sign in "½⅓⅔¼¾⅕⅛"}
PARTS = {
    part: value
    for value, names in {
        2: "half halves", 3: "third thirds tercio tercios tercera terceras",
        4: "fourth fourths quarter quarters cuarto cuartos cuarta cuartas", 5: "fifth fifths quinto quintos quintas",
        10: "tenth tenths decimas",
    }.items()
    for part in listed(names)
}  # fmt: skip
UNITS = {
    unit: listed(names)
    for unit, names in {
        "year": "year years yr yrs ano anos yearly annual annually", "month": "month months mes meses monthly",
        "week": "week weeks workweek workweeks semana semanas",
        "day": "day days workday workdays dia dias daily", "hour": "hour hours hora horas",
        "minute": "minute minutes minuto minutos", "dollar": "$ dollar dollars dolar dolares usd",
        "cent": "cent cents centavo centavos", "percent": "% percent percentum centum pct",
        "mile": "mile miles milla millas", "foot": "foot feet pie pies", "acre": "acre acres",
        "pound": "pound pounds libra libras", "ton": "ton tons tonelada toneladas",
        "kilometer": "kilometer kilometers km kilometro kilometros", "meter": "meter meters metro metros",
        "gallon": "gallon gallons galon galones", "inch": "inch inches",
    }.items()
}  # fmt: skip
SCALE = {  # units told in lesser ones
    "year": ("month", 12), "week": ("day", 7), "hour": ("day", Fraction(1, 24)),
    "minute": ("day", Fraction(1, 1440)), "percent": ("", Fraction(1, 100)), "majority": ("", 1),
    "cent": ("dollar", Fraction(1, 100)),
}  # fmt: skip
UNIT = {name: unit for unit, names in UNITS.items() for name in names}
MONTHS = listed("january february march april may june july august september october november december")
MESES = listed("enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre")
MONTH = {name: place for names in (MONTHS, MESES) for place, name in enumerate(names, 1)} | {"setiembre": 9}
ABBREVIATED = {name[:3]: place for names in (MONTHS, MESES) for place, name in enumerate(names, 1) if len(name) > 4}
ABBREVIATED |= {"sept": 9}  # months only beside the number of a day
MONTH |= ABBREVIATED
DATED = a_set("in since until by before after during from through year years en desde hasta")  # before a year
WEEKDAYS = listed(
    """monday tuesday wednesday thursday friday saturday sunday lunes martes miercoles jueves viernes sabado
    domingo"""
)
PLACES = {
    kind: listed(names)
    for kind, names in {
        "section": "section sections sec secs § §§ seccion secciones",
        "article": "article articles art arts articulo articulos",
        "amendment": "amendment amendments amend amends amdt enmienda enmiendas",
        "title": "title titles titulo titulos",
        "clause": "clause clauses cl clausula clausulas", "chapter": "chapter chapters ch capitulo capitulos",
        "part": "part parts pt", "subchapter": "subchapter subchapters", "rule": "rule rules regla",
    }.items()
}  # fmt: skip
PLACE = {name: kind for kind, names in PLACES.items() for name in names}

# -- what binds, forbids and excepts, and who

NEGATIVE = a_set(
    """not no nor neither never none nobody nothing cannot cant wont dont doesnt isnt arent shouldnt mustnt ni
    nunca jamas nadie ningun ninguna ninguno nada tampoco"""
)
FORBIDDING = NEGATIVE | a_set(
    """forbidden forbids forbid prohibits prohibited prohibit bans banned barred unlawful illegal
    unconstitutional deny denied denies abolished void repealed refuse without only unless except ineligible
    immune immunity exempt lacks disqualified prohibe prohibido prohibida prohiben niega sin solo solamente
    salvo excepto ilegal protected protects protege free limits limited"""
)
ABSOLUTE = a_set(
    """always never ever every any all alone entirely even anyone whatever same siempre nunca jamas todo todos
    toda todas cualquier"""
)
ABSOLUTELY = re.compile(
    r"\b(?:never|always|without (?:any )?exceptions?|(?:in|under) (?:any|all|no) (?:case|cases|event|circumstances?)|"
    r"no matter (?:what|how|who|when|where|why)|nunca|jamas|siempre|sin (?:ninguna )?excepcion)\b"
)
OPTIONAL = re.compile(
    r"\b(?:need not|needs? no|not (?:required|obliged|obligated|bound|mandatory|compulsory)|optional|"
    r"(?:if|when|whenever) (?:it|he|she|they) (?:wish(?:es)?|likes?|wants?|chooses?|pleases?)|"
    r"may choose (?:whether|not)|no (?:esta|estan) obligad[oa]s?|opcional)\b"
)
# These deny without a "not".
LACKING = a_set("without more most maximum up under below within limited capped free exempt sin maximo hasta")
GOES_ON = a_set("nor ni")
OBLIGES = a_set(
    """shall must required requires obliged obligated duty mandatory debe deben debera deberan obligado"""
)
PERMITS = a_set(
    """may can could might power powers authorized authorizes empowers entitled entitles allow allowed allows
    permit permitted permits let lets right rights free able privilege puede pueden podra podran poder
    facultad derecho permite autorizado optional discretion"""
)
POWERS = a_set("power powers authorized entitled right rights privilege")  # "shall have Power" permits
LIMITS = a_set("only unless except if solo salvo excepto si")
EXCLUDED = re.compile(
    r"\b(?:leaves?|leaving|left|puts?|places?|keeps?)\s(.+?)\s(?:outside|beyond)\s(?:its|the|their)\s"
    r"(?:reach|scope|coverage|protection|terms?)\b"
    r"|\b(?:does|do|did)\snot\s(?:reach|cover|extend to|apply to|include|protect)\s([^.,;]+)"
    r"|\bdeja\s(.+?)\sfuera\sde\ssu\salcance\b|\bno\s(?:alcanza|cubre|se aplica|protege|incluye)\sa?\s?([^.,;]+)"
)
EXCLUDES = re.compile(r"\b(?:not|nor)\s(?:be construed to\s)?(?:reach|cover|extend|apply|include|protect)\b")
MODALS = dict.fromkeys(listed("shall must debe deben debera deberan"), "duty")
MODALS |= dict.fromkeys(listed("may can could might puede pueden podra podran"), "leave")
EXCEPTING = re.compile(
    r"\b(?:except|excepting|excepted|unless|without|provided|subject\ to|other\ than|save|until|if|only|"
    r"but\ (?:upon|by|in|with|on|when|where|if|only)|"
    r"salvo|excepto|sin|siempre\ que|a\ menos|hasta|si|solo|pero)\b"
)
CONDITIONS = re.compile(
    EXCEPTING.pattern
    + r"|\b(?:but|when|where|as\ long\ as|so\ long\ as|aside\ from|apart\ from|besides|after|before|once|"
    r"cuando|mientras|despues|antes|depends|needs?|requires?|requiere|necesita)\b"
)
PARTIES = frozenset(
    meaning(stem, "en")
    for stem in stems(
        """congress president senate senators house representatives courts judges justice state people citizen governor
        legislature executive secretary administrator commission commissioner attorney lawyer employer employee officer
        alien applicant owner tenant landlord director agency board author elector chief minister ambassador jury debtor
        creditor plaintiff defendant seller buyer lessor lessee tribe carrier treasury comptroller librarian architect
        clerk speaker vice marshal general corporation trustee union organization parent child spouse victim physician
        patient borrower lender bank inventor witness soldier militia king prince district grantee contractor
        council""",
        "en",
    )
) | {"union"}
NO_PARTIES = a_set(  # words with the term of a party that are none: an office is no officer
    """office offices post position job vote votes voting suffrage elect elected election elections chosen choose
    copyright patent patents testify testifies testimony apply applies application applications foreign execution
    execute executed generally stated cargo cargos puesto oficio votar voto votos sufragio elegir elegido eleccion
    elecciones patente patentes testificar declarar testimonio solicitar solicitud"""
)
REQUIRING = re.compile(
    r"\b(?:must|only|alone|needs?|needed|requires?|required|takes|has to|have to|before|depends|solo|debe|"
    r"deben|necesita|requiere)\b"
)
INSTITUTIONS = PARTIES & {
    meaning(stem, "en")
    for stem in stems(
        "congress president senate house courts state governor legislature secretary tribe", "en"
    )
} | {"union"}
PREPOSITIONS = {word: word for word in listed("of by against from before")}
PREPOSITIONS |= {"de": "of", "del": "of", "por": "by", "contra": "against", "ante": "before"}
PRONOUNS = a_set(
    """he she it they his her its their them him who which such each that those el ella ellos su sus"""
)
# "Not later than" denies nothing.
BOUNDING = a_set("less more later fewer sooner earlier menos mas")
CROSS_REFERENCE = re.compile(
    r"(?:subject to|except as (?:otherwise )?provided (?:in|by|under)) (?:this |the |any )?(?:sub)?"
    r"(?:section|paragraph|clause|chapter|title|part)"
)
OF_A_RULE = a_set(
    """elements requirements exceptions factors conditions prongs qualifications ways criteria reasons elementos
    requisitos excepciones condiciones"""
)  # what readers count in a rule, which does not count it
EXCEPTIONS = a_set("except unless provided but excepting subject salvo excepto siempre pero")
