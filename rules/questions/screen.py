"""What is said before a question is searched: hotlines in a crisis, what this site does not serve or help with, what is
personal in the question or speaks to a language model rather than to the law; and what needs no law at all.

Only a cry for help, a request for help with a crime, a topic that staff list as not served, or what is all a greeting,
thanks, a question about this site or a sum ends a search; all else is marked, and searched. Who asks about the law of
another country is told so, and what is found is no answer. Nothing that ships refuses a question of our law for its
subject.

The patterns are text files beside this module (`retrieval/text/patterns.py`).
"""

import re
from dataclasses import dataclass, replace
from pathlib import Path

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _
from django.utils.translation import override

from retrieval.ranking import ANOTHER_COUNTRY, Notice, Query, Ranking
from retrieval.text.countries import asks_of_another_country
from retrieval.text.language import ENGLISH_FUNCTION_WORDS, SPANISH_FUNCTION_WORDS
from retrieval.text.normalization import fold, normalize
from retrieval.text.patterns import sections
from retrieval.text.personal_data import PATTERNS
from rules.models import QuestionPhrase
from rules.published import phrases

SECTIONS = sections(Path(__file__).with_name("screened.txt"))
CRISIS = re.compile(SECTIONS["crisis"])
FOR_HELP = re.compile(rf"{SECTIONS['for_help']}(?=\W*(?:[?!.,;]|\Z))[\s?!]*")  # asks for help, and not for law
ASKS = re.compile(SECTIONS["asks"])  # a question, or a matter of law
HARM = re.compile(rf"[¿¡\s]*(?:please |por favor )?{SECTIONS['asked_for']} {SECTIONS['crime']}")
ABOUT_LAW = re.compile(SECTIONS["about_law"])  # whoever asks for what the law says asks no help
INJECTION = re.compile(SECTIONS["injection"])
HOTLINES = _(
    "If you or somebody near you is in danger now, call 911. Thoughts of suicide: call or text 988, free, day and "
    "night. Violence at home: 1-800-799-7233. Sexual assault: 1-800-656-4673. Held or forced to work: 1-888-373-7888."
)
NO_HELP = _(
    "This site does not help with that. It shows what the law says: ask what the law is, or speak to a lawyer. "
    "In an emergency call 911."
)
NOT_SERVED = _(
    "This site does not serve that topic. A public library or a legal aid office can tell where to turn."
)
OTHER_LAW = _(
    "This seems to ask about the law of another country; what is searched here is law of the United States. The "
    "embassy or a consulate of that country may tell where to turn."
)
UNITED_STATES = "us"


@dataclass(frozen=True)
class Screen:
    """Looks at the question before anything is searched; says in the trace what it found."""

    def __call__(self, ranking: Ranking) -> Ranking:
        query = ranking.query
        folded = fold(query.text)
        listed = phrases(query.versions.get("phrases", 0)).uses(query.text, query.language)
        if marks := marks_of(query.text, folded, listed):
            ranking = ranking.noting(", ".join(marks), marks=list(marks))
        if QuestionPhrase.Use.SEARCHED in listed:
            return ranking
        cry = CRISIS.search(folded)
        if cry or QuestionPhrase.Use.CRISIS in listed:
            told = noticed(ranking, "crisis", listed.get(QuestionPhrase.Use.CRISIS) or HOTLINES)
            return ended(told) if cry and asks_nothing_else(folded) else told
        if HARM.match(folded) and not ABOUT_LAW.search(folded):
            return ended(noticed(ranking, "no_help", NO_HELP))
        if QuestionPhrase.Use.NOT_SERVED in listed:
            return ended(noticed(ranking, "not_served", listed[QuestionPhrase.Use.NOT_SERVED] or NOT_SERVED))
        if is_of_other_law(query):
            return noticed(ranking, ANOTHER_COUNTRY, OTHER_LAW)
        return ranking


def is_of_other_law(query: Query) -> bool:
    """Whether only law of the United States is searched, and the question asks about that of another country."""
    searched = {(domain.private, domain.jurisdiction) for domain in query.domains}
    return searched == {(False, UNITED_STATES)} and asks_of_another_country(query.text)


def asks_nothing_else(folded: str) -> bool:
    """Whether what stands beside its cries for help asks nothing of the law."""
    rest = FOR_HELP.sub(" ", CRISIS.sub(" , ", folded))
    return not (ASKS.search(rest) or ABOUT_LAW.search(rest))


def marks_of(text: str, folded: str, listed: dict[str, str]) -> tuple[str, ...]:
    """What the question holds besides a question."""
    personal = dict.fromkeys(name for name, pattern in PATTERNS if pattern.search(text))
    injected = INJECTION.search(folded) or QuestionPhrase.Use.INJECTION in listed
    return (*personal, *(["prompt injection"] if injected else []))


# -- Whether it needs the law

KINDS = sections(Path(__file__).with_name("needless.txt"))
APART = r"[\s,.!?;:¿¡-]+"
POLITE = f"(?:{KINDS['greeting']}|{KINDS['thanks']})"
MOST_POLITE = 4  # before and behind; of each more, the ways to read "ok thanks ok thanks" double
NEEDLESS = {
    code: re.compile(f"(?:{POLITE}{APART}){{0,{MOST_POLITE}}}{units}(?:{APART}{POLITE}){{0,{MOST_POLITE}}}")
    for code, units in KINDS.items()
}
ALSO_NAMES = {"will", "mine", "use", "need", "us"}  # of something that law is about
FUNCTION_WORDS = (ENGLISH_FUNCTION_WORDS | SPANISH_FUNCTION_WORDS) - ALSO_NAMES
TERMS = {"as is"}
MOST_FUNCTION_WORDS = 2  # "the", "what is"; more may name something: "that which is his"
MOST_CHARS = 120  # nothing longer is only a greeting
TOLD = {
    "greeting": _("Hello. Ask about law in your own words, or type a citation: “amend. IV”."),
    "thanks": _("You are welcome. Ask about law in your own words, or type a citation: “amend. IV”."),
    "site": _(
        "This site searches the law and shows the provisions that answer a question, word for word. It is no lawyer "
        "and gives no legal advice. Ask in your own words, in English or Spanish, or type a citation: “amend. IV”."
    ),
    "sum": _("This site does not calculate; it searches the law."),
    "reply": _("That is no question yet. Ask about law in your own words, or type a citation: “amend. IV”."),
    "needless": _(
        "That needs no search of the law. Ask about law in your own words, or type a citation: “amend. IV”."
    ),
}


@dataclass(frozen=True)
class Schedule:
    """Ends the search of what needs no law; a domain that is always searched is searched all the same."""

    def __call__(self, ranking: Ranking) -> Ranking:
        query = ranking.query
        if any(domain.always_searched for domain in query.domains):
            return ranking.noting("a domain is always searched", skipped=True)
        table = phrases(query.versions.get("phrases", 0))
        code, text = needless(query.text), ""
        if QuestionPhrase.Use.SEARCHED in table.uses(query.text, query.language):
            return ranking.noting("staff have it searched")
        if code is None:
            text = table.whole(query.text, query.language).get(QuestionPhrase.Use.NEEDLESS)
            if text is None:
                return ranking.noting("searched")
        return ended(noticed(ranking, code or "needless", text or TOLD[code or "needless"]))


def needless(text: str) -> str | None:
    """The kind of what needs no law: greeting, thanks, site, sum or reply, which asks nothing; None where it is to be
    searched.
    """
    if len(text) > MOST_CHARS:
        return None
    plain = fold(normalize(text)).strip(" .,!?¿¡")
    code = next((code for code, pattern in NEEDLESS.items() if pattern.fullmatch(plain)), None)
    return code or ("reply" if is_of_function_words(plain) else None)


def is_of_function_words(folded: str) -> bool:
    """ "the", "what is": no word that means something, and no term of law."""
    words = folded.split()
    return folded not in TERMS and 0 < len(words) <= MOST_FUNCTION_WORDS and FUNCTION_WORDS.issuperset(words)


# -- What is told instead of an answer, or above one, in the language of the question


def noticed(ranking: Ranking, code: str, text: str | Promise) -> Ranking:
    """Tells it above what is found."""
    with override(ranking.query.language or "en"):
        told = str(text)
    return replace(ranking, notice=Notice(code, told)).noting(code, **ranking.details)


def ended(ranking: Ranking) -> Ranking:
    """Nothing more is searched: what is told is all there is."""
    return replace(ranking, notice=replace(ranking.notice, searched=False), abstained=True)
