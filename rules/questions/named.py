"""Which bodies of law a question names as where its answer stands: "under the Constitution", "según el Código de los
EE. UU.", "in the county code".

A body that is only spoken of ("who appoints Supreme Court justices", "is it constitutional") is not named. The names of
law that ships, and what makes of a name the place of an answer, stand in `named.txt`; any other domain is named by its
own name; and by phrases of staff.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path

from retrieval.pipeline import unless_final
from retrieval.ranking import DomainScope, Query, Ranking
from retrieval.text.normalization import fold, normalize
from retrieval.text.patterns import sections
from rules.models import LANGUAGES, QuestionPhrase
from rules.published import phrases

SECTIONS = sections(Path(__file__).with_name("named.txt"))
LAW = ("us_constitution", "us_code", "code_of_federal_regulations", "uscis_policy")  # its names need a place
DECISIONS = {  # whole phrases
    "supreme_court_cases": f"{SECTIONS['decisions']}|{SECTIONS['court']}",
    "court_cases": SECTIONS["court"],
}
ARTICLE = rf"{SECTIONS['article']} "
NO_BEGINNING = r"(?!(?:the|our|la|nuestra) )"  # "our Constitution" needs a place: "who wrote the Constitution"


@dataclass(frozen=True)
class FindNamedDomains:
    """Marks the bodies of law that the question names; `Route` leaves out the others."""

    @unless_final
    def __call__(self, ranking: Ranking) -> Ranking:
        query = ranking.query
        if len(query.filled) < 2:
            return ranking.noting("one body of law", skipped=True)
        found = named_among(query, query.filled)
        named = replace(ranking, query=replace(query, named=frozenset(domain.id for domain in found)))
        return named.noting(", ".join(domain.slug for domain in found) or "none is named")


def named_among(query: Query, domains: Sequence[DomainScope]) -> list[DomainScope]:
    """As rules rewrote the question, else as it was typed, misspelt words put right."""
    text = query.rewritten or query.corrected_text
    by_staff = slugs_by_staff(query, text)
    if "" in by_staff:
        return []
    folded = fold(normalize(text))
    return [d for d in domains if d.slug in by_staff or pattern_of(d.slug, d.names).search(folded)]


def slugs_by_staff(query: Query, text: str) -> set[str]:
    """What their phrases in the text name, in either language; "" where one says that it names none."""
    table = phrases(query.versions.get("phrases", 0))
    return {
        slug
        for language, _ in LANGUAGES
        for slug in table.answers(text, language, QuestionPhrase.Use.DOMAIN)
    }


@lru_cache(maxsize=1_000)
def pattern_of(slug: str, names: tuple[str, ...]) -> re.Pattern:
    """What names this domain in folded text."""
    alternatives = [own(" ".join(fold(name).split())) for name in names]
    if slug in LAW:
        alternatives.append(placed(SECTIONS[slug], ends=True))
    if slug in DECISIONS:
        alternatives.append(rf"\b(?:{DECISIONS[slug]})")
    return re.compile("|".join(filter(None, alternatives)) or r"(?!)")


def own(name: str) -> str:
    """A name of one word is as often something else, unless it has an article."""
    words = [re.escape(word) for word in name.split()]
    if len(words) > 1:
        return placed(rf"{' '.join(words)}\b")
    return framed(rf"{ARTICLE}{words[0]}\b") if words else ""


def placed(name: str, *, ends: bool = False) -> str:
    """The name as where an answer stands: framed, or at the beginning, perhaps at the end, of key words."""
    at_the_end = rf"|(?<!the )(?<!el )(?<!by )(?<!por )\b{NO_BEGINNING}{name}\W*\Z" if ends else ""
    return rf"{framed(rf'(?:{ARTICLE})?{name}')}|\A{NO_BEGINNING}{name}{at_the_end}"


def framed(name: str) -> str:
    return rf"\b{SECTIONS['before']} {name}(?!{SECTIONS['of_another']})|\b{name}{SECTIONS['after']}"
