"""What is said before a question is searched: hotlines in a crisis, what this site does not serve or help with, and
what in the question is personal or speaks to a language model rather than to the law.

Only a cry for help, a request for help with a crime, or a topic that staff list as not served ends a search; all else
is marked, and searched. Nothing that ships refuses a question of law for its subject.
"""

import re
from dataclasses import dataclass

from django.utils.translation import gettext_lazy as _

from retrieval.ranking import Ranking
from retrieval.text.normalization import fold
from retrieval.text.personal_data import PATTERNS
from rules.models import QuestionPhrase
from rules.published import phrases
from rules.questions.notices import ended, noticed
from rules.questions.patterns import sections

FEW_WORDS = 5  # besides a cry for help; with more, it also asks something, which is searched
SECTIONS = sections("screened.txt")
CRISIS = re.compile(SECTIONS["crisis"])
HARM = re.compile(rf"(?:please |por favor )?{SECTIONS['asked_for']} {SECTIONS['crime']}")
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
            rest = folded.replace(cry.group(), " ").split() if cry else ()
            return ended(told) if cry and len(rest) <= FEW_WORDS else told
        if HARM.match(folded) and not ABOUT_LAW.search(folded):
            return ended(noticed(ranking, "no_help", NO_HELP))
        if QuestionPhrase.Use.NOT_SERVED in listed:
            return ended(noticed(ranking, "not_served", listed[QuestionPhrase.Use.NOT_SERVED] or NOT_SERVED))
        return ranking


def marks_of(text: str, folded: str, listed: dict[str, str]) -> tuple[str, ...]:
    """What the question holds besides a question."""
    personal = dict.fromkeys(name for name, pattern in PATTERNS if pattern.search(text))
    injected = INJECTION.search(folded) or QuestionPhrase.Use.INJECTION in listed
    return (*personal, *(["prompt injection"] if injected else []))
