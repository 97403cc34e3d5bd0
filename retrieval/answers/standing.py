"""How law that is quoted stands, told as results tell it, and what put it out of force."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import date

from django.utils.formats import date_format
from django.utils.translation import gettext as _

from retrieval.answers.selection import Passage
from retrieval.corpus import history
from retrieval.corpus.absence import in_words
from retrieval.corpus.history import Change, is_within
from retrieval.corpus.moved import GONE
from retrieval.errors import gettext_noop
from retrieval.search.response import iso, standing_today

IN_FORCE = "in_force"
ENDED = {
    "repealed": gettext_noop("Repealed on %(day)s by %(citation)s."),
    "superseded": gettext_noop("Superseded on %(day)s by %(citation)s."),
}
OVERTAKEN = {
    history.OVERRULED: gettext_noop("%(name)s was overruled on %(day)s by %(citation)s."),
    history.DEPARTED: gettext_noop("Later law departs from %(name)s or limits it: %(citation)s, %(day)s."),
}
STANDS = gettext_noop("Nothing that is known here overruled %(name)s or departs from it.")
UNMARKED = {  # of what is no law
    "summary_of_decision": False,
    "private": False,
    "valid_from": None,
    "valid_to": None,
    "withdrawn_on": None,
    "status": "",
    "standing": None,
    "history": [],
}


def marks(passage: Passage, day: date | None) -> dict:
    """Whose words it has, how it stands today, and what had changed it by the day asked for."""
    stands = history.standing(passage.locator, day)
    begins, ends, status = passage.valid_from, stands.end(passage.valid_to), stands.status(passage.status)
    return {
        "summary_of_decision": passage.is_summary,
        "private": passage.private,
        "valid_from": iso(begins),
        "valid_to": iso(ends),
        "withdrawn_on": iso(ends) if passage.withdrawn else None,
        "status": status,
        "standing": standing_today(begins, ends, status, amended=passage.amended),
        "history": [
            change.to_dict() for change in stands.made if is_within(passage.locator, change.provision)
        ],
    }


def marks_of_cited(entry: Mapping, law: Sequence[Mapping]) -> dict:
    """Those of what an entry cites of this law: of the first that has any; whether any is a summary, or private."""
    cited = {place["locator"] for place in entry["citations"]}
    of_cited = [one for one in law if one["citations"][0]["locator"] in cited]
    marked = next((one for one in of_cited if not stands_whole(one)), None)
    whose = {name: any(one[name] for one in of_cited) for name in ("summary_of_decision", "private")}
    return {name: (marked or UNMARKED)[name] for name in UNMARKED} | whose


def stands_whole(item: Mapping) -> bool:
    """Whether it is law today and nothing changed it."""
    return item["standing"] == IN_FORCE and not item["history"]


def bears_yes_or_no(item: Mapping) -> bool:
    """Whether it is law that stands whole, in the law's own words: a private document says what its author thinks."""
    return stands_whole(item) and not (item["summary_of_decision"] or item["private"])


def ended_by(passage: Passage, day: date | None) -> Change | None:
    """What had repealed, superseded or overtaken it by that day; what is only changed is law still."""
    made = history.standing(passage.locator, day).made
    gone = (change for change in made if change.ends or change.effect in history.OVERTAKEN)
    return next((change for change in gone if is_within(passage.locator, change.provision)), None)


def is_gone(passage: Passage, day: date | None) -> bool:
    """Whether it was law no longer on that day, by what ended it or by what its source says of it."""
    return passage.status in (*GONE, history.DEPARTED) or ended_by(passage, day) is not None


def told_of_decision(name: str, locator: str, day: date | None, language: str) -> str:
    """What became of a decision by that day, with what is held instead."""
    made = [change for change in history.standing(locator, day).made if change.effect in OVERTAKEN]
    said = [
        f"{_(OVERTAKEN[one.effect]) % {'name': name, 'day': date_format(one.day), 'citation': one.citation}}"
        f" {one.now[language]}"
        for one in made
    ]
    return " ".join(said) or _(STANDS) % {"name": name}


def not_here(citation: str, absent: Mapping | None, day: date | None) -> Iterator[str]:
    """What is told of a citation of nothing that is law here: why there is none on that day, where it is here on others
    or the past is known.
    """
    if absent:
        yield in_words(absent)
        if change := absent["by"]:
            made = date_format(date.fromisoformat(change["day"]))
            yield _(ENDED[change["effect"]]) % {"citation": change["citation"], "day": made}
    elif day and history.is_known(citation):
        yield _("There was no %(citation)s in force on %(day)s.") % {"citation": citation, "day": date_format(day)}
    else:
        yield _("Check the citation: %(citation)s is not among the law here.") % {"citation": citation}
