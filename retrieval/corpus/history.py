"""What later law did to earlier: provisions were repealed, superseded or changed, decisions overruled or departed from.
From `corpora/history.json`.

Legal force is not the validity of our text (`Section.valid_to`). A repealed provision keeps its text, so that it is
found and cited where no day is asked for; on a day after its end it is not in force. Reads one file, once.
"""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from functools import cache, lru_cache
from pathlib import Path

from retrieval.citations.citation import cite
from retrieval.citations.finding import find_citations

FILE = Path(__file__).parents[1] / "corpora" / "history.json"
WHOLE = "/us/const/"
ENDING = ("repealed", "superseded")  # what is only changed stays in force
OVERRULED = "overruled"  # a decision, which stays to be read and is no longer followed
DEPARTED = "departed"  # a decision that was not overruled, but later law departs from it or limits it
OVERTAKEN = (OVERRULED, DEPARTED)
SAYS_ENDED = re.compile(r"\s*\((?:repealed|superseded|derogad[oa]|sustituid[oa])\)$")


@dataclass(frozen=True, slots=True, eq=False)
class Change:
    """What `by`, a provision or decision, did to an earlier one on the day it was ratified, enacted or decided; `then`
    and `now` by language.
    """

    provision: str
    effect: str
    by: str
    day: date
    then: Mapping[str, str]
    now: Mapping[str, str]

    @property
    def ends(self) -> bool:
        return self.effect in ENDING

    @property
    def changed(self) -> str:
        """The Bluebook form of what it changed."""
        return cite(self.provision)

    @property
    def citation(self) -> str:
        """The Bluebook form of what changed it."""
        return cite(self.by)

    def to_dict(self) -> dict:
        """As the API shows it."""
        return {
            "provision": self.provision,
            "effect": self.effect,
            "day": self.day.isoformat(),
            "by": self.by,
            "citation": self.citation,
            "then": self.then["en"],
            "then_es": self.then["es"],
            "now": self.now["en"],
            "now_es": self.now["es"],
        }


@dataclass(frozen=True, slots=True)
class Standing:
    """How a provision stood on a day. `known` are the changes of it, of what holds it and of what it holds; `made`
    those that had been made by then.
    """

    locator: str
    known: tuple[Change, ...]
    made: tuple[Change, ...]

    @property
    def ended(self) -> Change | None:
        """What put it out of force, be it before that day or after."""
        return next((c for c in self.known if c.ends and is_within(self.locator, c.provision)), None)

    @property
    def overtaken(self) -> str:
        """What became of a decision: the first of OVERTAKEN, or ""."""
        effects = {c.effect for c in self.made if is_within(self.locator, c.provision)}
        return next((effect for effect in OVERTAKEN if effect in effects), "")

    @property
    def ends_later(self) -> bool:
        return self.ended is not None and self.ended not in self.made

    @property
    def has_ended(self) -> bool:
        """Whether later law had put it out of force by that day."""
        return self.ended in self.made

    def end(self, stored: date | None) -> date | None:
        """The first day on which it is no longer in force: by later law, else that of its text."""
        return self.ended.day if self.ended else stored

    def status(self, stored: str) -> str:
        if self.ended is None:
            return self.overtaken or stored
        return "" if self.ends_later else self.ended.effect

    def notes(self, stored: list[str]) -> list[str]:
        """The source's notes on what changed tell of all changes: before the last of them they are left out. Those of a
        decision tell nothing of what became of it.
        """
        is_told = any(change.effect not in OVERTAKEN for change in self.known if change not in self.made)
        return [] if is_told else stored

    def heading(self, stored: str) -> str:
        """Without "(repealed)" where that was still to come."""
        return SAYS_ENDED.sub("", stored) if self.ends_later else stored


def standing(locator: str, day: date | None) -> Standing:
    """On that day; None: today."""
    known = concerning(locator)
    return Standing(locator, known, tuple(c for c in known if day is None or c.day <= day))


def is_known(citation: str) -> bool:
    """Whether all that was ever law at such a place is known here. What is not loaded of a code may have been law."""
    cited = next(iter(find_citations(citation)), None)
    return cited is not None and cited.locator.startswith(WHOLE)


@cache
def changes() -> tuple[Change, ...]:
    """Every change, in the order of days."""
    rows = json.loads(FILE.read_text(encoding="utf-8"))
    every = (Change(**row | {"day": date.fromisoformat(row["day"])}) for row in rows)
    return tuple(sorted(every, key=lambda change: change.day))


@cache
def changing() -> frozenset[str]:
    """The provisions that changed others, and those that hold them."""
    return frozenset(
        "/".join(steps[:n])
        for change in changes()
        for steps in [change.by.split("/")]
        for n in range(5, len(steps) + 1)
    )


@lru_cache(maxsize=10_000)
def concerning(locator: str) -> tuple[Change, ...]:
    """The changes of a provision, of what holds it and of what it holds."""
    holders = holding(locator)
    return tuple(c for c in changes() if c.provision in holders or locator in holding(c.provision))


def ended_by(day: date) -> list[str]:
    """The provisions that were no longer in force on that day; whatever is under them was not either."""
    return [change.provision for change in changes() if change.ends and change.day <= day]


@lru_cache(maxsize=10_000)
def holding(locator: str) -> frozenset[str]:
    """The provision and all that holds it."""
    steps = locator.split("/")
    return frozenset("/".join(steps[:n]) for n in range(1, len(steps) + 1))


def is_within(locator: str, provision: str) -> bool:
    return f"{locator}/".startswith(f"{provision}/")
