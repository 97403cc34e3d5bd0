"""Where a provision went that was transferred, renumbered, omitted or repealed, by the words of its heading and notes:
"was transferred to section 2708 of this title", "See section 32505 of Title 49".
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from retrieval.citations.citation import cite
from retrieval.citations.finding import find_citations
from retrieval.models import Section
from retrieval.models.corpus import SectionQuerySet
from retrieval.parsing.references import in_regulation, in_statute

MOVED = ("transferred", "renumbered")
GONE = ("repealed", "superseded", "omitted", "reserved", *MOVED)
MOST = 12  # places that are told; the notes of a whole repealed chapter name one for each of its sections
_TITLE = re.compile(r"/us/(?P<code>usc|cfr)/t\w+")
_IN_HEADING = re.compile(
    r"^\W*((?:renumbered|transferred|redesignated)(?: to| as)?) §{1,2}\s?(.+?)\W*$", re.IGNORECASE
)
_WENT = re.compile(
    r"\b(?:(?:transferred|reclassified|renumbered|redesignated|recodified|restated|re-?enacted|moved|replaced|superseded"
    r"|covered)(?: and (?:transferred|renumbered|redesignated|reclassified))?(?: as| to| by| in| under)?|see(?: now)?)"
    r"\s(?:sections?\s|§{1,2}\s?)?\Z",
    re.IGNORECASE,
)
_AND = re.compile(
    r"(?:\([\w]{1,5}\))*(?: of (?:this )?title(?: \d+[A-Z]?)?)?(?:,? (?:and|or|to|through) |, )(?:sections? )?"
)
_REACH = 60  # characters before a citation that say what it is


@dataclass(frozen=True, slots=True)
class Went:
    """A place that a provision went to, and the section that holds it, where that may be read here."""

    locator: str
    citation: str
    section: Section | None

    @property
    def heading(self) -> str:
        return self.section.heading if self.section else ""


def went_to(locator: str, heading: str, words: str) -> list[str]:
    """The locators that the heading, text and notes of a provision say it went to, in their order."""
    title = _TITLE.match(locator)
    if not title:
        return []
    told = _IN_HEADING.sub(r"\1 sections \2 of this title", heading)
    text = f"{told}\n{words}".replace("\u202f", " ").replace("\xa0", " ")
    within = in_statute if title["code"] == "usc" else in_regulation
    cited = {ref.start: (ref.end, ref.locator) for ref in within(text, title[0])}
    cited |= {
        one.start: (one.end, one.locator) for one in find_citations(text) if one.locator.startswith("/us/")
    }
    found = (place for place in dict.fromkeys(_led_to(text, cited)) if place != locator)
    return [place for place in found if _TITLE.match(place)][:MOST]


def _led_to(text: str, cited: dict[int, tuple[int, str]]) -> Iterator[str]:
    """Those that stand behind the words that say so, and behind one of these in a list."""
    ended = -1
    for start, (end, locator) in sorted(cited.items()):
        listed = ended >= 0 and _AND.fullmatch(text, ended, start)
        if listed or _WENT.search(text, max(0, start - _REACH), start):
            yield locator
            ended = end
        else:
            ended = -1


def where_it_went(section: Section, readable: SectionQuerySet) -> list[Went]:
    """Nothing for a provision that is in force."""
    if section.status not in GONE:
        return []
    words = "\n".join((section.text, *section.notes))
    places = went_to(section.locator, section.heading, words)
    holding = {place: "/".join(place.split("/")[:5]) for place in places}
    here = {one.locator: one for one in readable.filter(locator__in=holding.values())} if places else {}
    return [Went(place, cite(place), here.get(holding[place])) for place in places]
