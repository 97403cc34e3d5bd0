"""Whether a question needs the law at all. It is searched unless all of it is a greeting, thanks, a question about
this site or a sum; what it holds besides sends it to the search.
"""

import re
from dataclasses import dataclass

from django.utils.translation import gettext_lazy as _

from retrieval.ranking import Ranking
from retrieval.text.normalization import fold, normalize
from rules.models import QuestionPhrase
from rules.published import phrases
from rules.questions.notices import ended, noticed
from rules.questions.patterns import sections

KINDS = sections("needless.txt")
APART = r"[\s,.!?;:¿¡-]+"
POLITE = f"(?:{KINDS['greeting']}|{KINDS['thanks']})"
MOST_POLITE = 4  # before and behind; of each more, the ways to read "ok thanks ok thanks" double
NEEDLESS = {
    code: re.compile(f"(?:{POLITE}{APART}){{0,{MOST_POLITE}}}{units}(?:{APART}{POLITE}){{0,{MOST_POLITE}}}")
    for code, units in KINDS.items()
}
MOST_CHARS = 120  # nothing longer is only a greeting
TOLD = {
    "greeting": _("Hello. Ask about law in your own words, or type a citation: “amend. IV”."),
    "thanks": _("You are welcome. Ask about law in your own words, or type a citation: “amend. IV”."),
    "site": _(
        "This site searches the law and shows the provisions that answer a question, word for word. It is no lawyer "
        "and gives no legal advice. Ask in your own words, in English or Spanish, or type a citation: “amend. IV”."
    ),
    "sum": _("This site does not calculate; it searches the law."),
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
    """The kind of what needs no law: greeting, thanks, site or sum; None where it is to be searched."""
    if len(text) > MOST_CHARS:
        return None
    plain = fold(normalize(text)).strip(" .,!?¿¡")
    return next((code for code, pattern in NEEDLESS.items() if pattern.fullmatch(plain)), None)
