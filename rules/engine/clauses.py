"""What a rule says: when it fires, on which part of the corpus, and what it then does. Strictly read from JSON. Pure.

Criteria, targets and actions are three lists of small objects, each with a `kind`; `read` checks every one and tells
all that is wrong at once. Stored rules, rules in an API call and imported ones are read by the same functions.
"""

import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

from django.core.exceptions import ValidationError
from django.utils.translation import gettext as _

from retrieval.targets import COMPARISONS, KINDS, Part, Selection
from retrieval.text.analyzer import tokens
from rules.engine.matching import folded, pattern, words_of

MAX_CRITERIA, MAX_TARGETS, MAX_ACTIONS = 20, 50, 10
MAX_KEYWORDS, MAX_CHUNKS = 100, 500
MAX_TEXT, MAX_NOTE = 300, 2_000  # characters
MAX_POSITION, MAX_FACTOR, MAX_PAGE = 50, 100.0, 100_000
MAX_RANGES = 100  # of pages in one target: each is a condition of the search
# What a question's words decide.
TEXTUAL = ("keywords", "exact", "starts_with", "contains", "regex", "citation", "route")
CRITERIA = ("always", *TEXTUAL, "language", "domain", "jurisdiction")
TARGETS = KINDS
PAGED = ("pages", "document", "filename")
AIMED = ("restrict", "pin", "boost", "bury", "exclude", "alias")  # actions upon the rule's targets
ACTIONS = (*AIMED, "rewrite", "synonym", "note", "redirect", "abstain")
# What an API call may bring along.
INLINE_ACTIONS = ("restrict", "pin", "boost", "bury", "exclude", "rewrite")
LOCATOR = re.compile(r"/[^\s/?#\\]+(?:/[^\s/?#\\]+)*")
UNSTORABLE = re.compile("[\x00\ud800-\udfff]")  # NUL, and halves of characters
PAGES = re.compile(r"\s*(\d{1,6})(?:\s*[-–]\s*(\d{1,6}))?\s*")


@dataclass(frozen=True, slots=True)
class Criterion:
    """`values`: what is looked for; `stemmed`: keywords meet other forms of their words."""

    kind: str
    values: tuple[str, ...] = ()
    stemmed: bool = False


@dataclass(frozen=True, slots=True)
class Action:
    """`text` of a rewrite, synonym or note, or the locator of a redirect; `phrase`: what a rewrite replaces."""

    kind: str
    text: str = ""
    phrase: str = ""
    position: int = 1
    factor: float = 1.0


@dataclass(frozen=True, slots=True)
class Clauses:
    """A rule's three lists, read and found to make sense together."""

    criteria: tuple[Criterion, ...]
    targets: Selection
    actions: tuple[Action, ...]


@dataclass(frozen=True, slots=True)
class CompiledRule:
    """A rule as it is applied. Rules act in the order of priority, then number: the lower first.

    `number` is the id of a stored rule; rules of an API call are numbered from -1 downwards and have no version.
    """

    number: int
    name: str
    version: int
    priority: int
    domains: tuple[str, ...]  # slugs; none means all
    clauses: Clauses
    valid_from: date | None = None
    valid_to: date | None = None  # the last day on which it is in force

    @property
    def order(self) -> tuple[int, int]:
        return self.priority, abs(self.number)

    def does(self, kind: str) -> tuple[Action, ...]:
        return tuple(action for action in self.clauses.actions if action.kind == kind)

    def is_valid_on(self, day: date) -> bool:
        return (self.valid_from is None or self.valid_from <= day) and (
            self.valid_to is None or day <= self.valid_to
        )


# -- Reading


def read(criteria: Any, targets: Any, actions: Any) -> Clauses:
    """Raises ValidationError with what is wrong under "criteria", "targets" and "actions"."""
    problems: dict[str, list[str]] = {}
    clauses = Clauses(
        tuple(each("criteria", criteria, criterion, MAX_CRITERIA, problems)),
        Selection(tuple(each("targets", targets, part, MAX_TARGETS, problems))),
        tuple(each("actions", actions, action, MAX_ACTIONS, problems)),
    )
    if not problems:
        problems = disagreements(clauses)
    if problems:
        raise ValidationError(problems)
    return clauses


def each(
    name: str, rows: Any, read_row: Callable[[Mapping], Any], most: int, problems: dict[str, list[str]]
) -> list:
    """Every row read; what is wrong with one is told with its number."""
    if not isinstance(rows, Sequence) or isinstance(rows, str):
        problems[name] = [_("It must be a list.")]
        return []
    if len(rows) > most:
        problems[name] = [_("There may be at most %d of them.") % most]
        return []
    done = []
    for number, row in enumerate(rows, start=1):
        try:
            done.append(read_row(fields_of(row)))
        except ValueError as problem:
            problems.setdefault(name, []).append(
                _("No. %(number)d: %(problem)s") % {"number": number, "problem": problem}
            )
    return done


def disagreements(clauses: Clauses) -> dict[str, list[str]]:
    """What is wrong with lists that are right each by itself."""
    problems: dict[str, list[str]] = {}
    kinds = {action.kind for action in clauses.actions}
    aimed = kinds & set(AIMED)
    if not clauses.criteria:
        problems["criteria"] = [_("Say when it fires; “always” is possible.")]
    if not kinds:
        problems["actions"] = [_("Say what it does.")]
    elif aimed and not clauses.targets.parts:
        problems["targets"] = [_("“%s” needs something to act upon.") % sorted(aimed)[0]]
    elif clauses.targets.parts and not aimed:
        problems["targets"] = [_("Nothing that it does acts upon targets.")]
    if {"pin", "exclude"} <= kinds:
        problems["actions"] = [_("It cannot both pin and exclude the same.")]
    if {"boost", "bury"} <= kinds:
        problems["actions"] = [_("It cannot both boost and bury the same.")]
    return problems


def fields_of(row: Any) -> dict[str, Any]:
    if not isinstance(row, Mapping) or not isinstance(row.get("kind"), str):
        raise ValueError(_("it must be an object with a kind."))
    return dict(row)


def criterion(row: dict[str, Any]) -> Criterion:
    kind = one_of(row.pop("kind"), CRITERIA)
    if kind == "always":
        return done(row, Criterion(kind))
    if kind == "keywords":
        values = tuple(text(value) for value in listed(row.pop("value", None), MAX_KEYWORDS))
        if wordless := [value for value in values if not any(words_of(value).apart)]:
            raise ValueError(_("“%s” has no word in it.") % wordless[0])
        return done(row, Criterion(kind, values, truth(row.pop("stemmed", False))))
    value = text(row.pop("value", None), may_be_empty=kind == "citation")
    CHECKS[kind](value)
    return done(row, Criterion(kind, (value,) if value else ()))


def part(row: dict[str, Any]) -> Part:
    kind = one_of(row.pop("kind"), TARGETS)
    if kind == "chunk":
        ids = tuple(whole(value, 1, 2**63 - 1) for value in listed(row.pop("value", None), MAX_CHUNKS))
        return done(row, Part(kind, chunks=ids))
    if kind == "metadata":
        key = text(row.pop("key", None))
        comparison = one_of(row.pop("comparison", "is"), COMPARISONS)
        return done(row, Part(kind, number_or_text(row.pop("value", None)), key=key, comparison=comparison))
    if kind == "pages":
        if not (pages := page_ranges(row.pop("pages", ""))):
            raise ValueError(_("pages are written like 3-5, 8."))
        return done(row, Part(kind, pages=pages))
    value = text(row.pop("value", None))
    if kind == "heading" and not tokens(value):
        raise ValueError(_("“%s” has no word in it.") % value)
    if kind not in ("heading", "filename", "tag"):
        locator(value)
    pages = page_ranges(row.pop("pages", "")) if kind in PAGED else ()
    return done(row, Part(kind, value, pages))


def action(row: dict[str, Any]) -> Action:
    kind = one_of(row.pop("kind"), ACTIONS)
    if kind == "pin":
        return done(row, Action(kind, position=whole(row.pop("position", 1), 1, MAX_POSITION)))
    if kind in ("boost", "bury"):
        return done(row, Action(kind, factor=factor(row.pop("factor", 2.0))))
    if kind == "rewrite":
        phrase = text(row.pop("phrase", ""), may_be_empty=True)
        return done(row, Action(kind, text(row.pop("text", None)), phrase))
    if kind in ("synonym", "note"):
        return done(
            row, Action(kind, text(row.pop("text", None), longest=MAX_NOTE if kind == "note" else MAX_TEXT))
        )
    if kind == "redirect":
        return done(row, Action(kind, locator(text(row.pop("locator", None)))))
    return done(row, Action(kind))


def done(left: Mapping, value: Any) -> Any:
    """The value, if nothing of its row is left over."""
    if left:
        raise ValueError(
            _("“%(field)s” means nothing to “%(kind)s”.")
            % {"field": str(next(iter(left)))[:60], "kind": value.kind}
        )
    return value


# -- Values. Each raises ValueError with a message for people.


def one_of(value: Any, known: Sequence[str]) -> str:
    if value not in known:
        raise ValueError(
            _("“%(value)s” is none of: %(known)s.") % {"value": str(value)[:60], "known": ", ".join(known)}
        )
    return value


def text(value: Any, *, may_be_empty: bool = False, longest: int = MAX_TEXT) -> str:
    if not isinstance(value, str) or not (value.strip() or may_be_empty):
        raise ValueError(_("a text is missing."))
    if len(value) > longest or UNSTORABLE.search(value):
        raise ValueError(
            _("the text is longer than %d characters, or holds one that is not allowed.") % longest
        )
    return value.strip()


def listed(value: Any, most: int) -> list:
    values = value if isinstance(value, list) else [value]
    if not values or len(values) > most:
        raise ValueError(_("between 1 and %d values are needed.") % most)
    return values


def truth(value: Any) -> bool:
    if not isinstance(value, bool):
        raise ValueError(_("“stemmed” is true or false."))
    return value


def whole(value: Any, low: int, high: int) -> int:
    if type(value) is not int or not low <= value <= high:
        raise ValueError(_("a whole number from %(low)d to %(high)d is needed.") % {"low": low, "high": high})
    return value


def factor(value: Any) -> float:
    if type(value) not in (int, float) or not 1.0 < value <= MAX_FACTOR:
        raise ValueError(_("the factor must be above 1 and at most %d.") % MAX_FACTOR)
    return float(value)


def number_or_text(value: Any) -> str | float:
    is_whole = type(value) is int and abs(value) < 2**53  # as every reader of JSON reads it alike
    is_number = is_whole or type(value) is float and math.isfinite(value)
    return value if is_number else text(value)


def locator(value: str) -> str:
    """A path of this site: one slash at its beginning, no address of another."""
    if not LOCATOR.fullmatch(value):
        raise ValueError(_("“%s” is no locator, such as /us/const/amendment/V.") % value[:60])
    return value


def page_ranges(value: Any) -> tuple[tuple[int, int], ...]:
    """ "3-5, 8" or [3, 4, 5, 8] as the ranges they make, in order; pages are counted from 1."""
    written = ",".join(str(page) for page in value) if isinstance(value, list) else value
    if not isinstance(written, str):
        raise ValueError(_("pages are written like 3-5, 8."))
    ranges: list[tuple[int, int]] = []
    for first, last in sorted(page_range(piece) for piece in written.split(",") if piece.strip()):
        if ranges and first <= ranges[-1][1] + 1:
            ranges[-1] = (ranges[-1][0], max(last, ranges[-1][1]))
        else:
            ranges.append((first, last))
    if len(ranges) > MAX_RANGES:
        raise ValueError(_("there may be at most %d ranges of pages.") % MAX_RANGES)
    return tuple(ranges)


def page_range(piece: str) -> tuple[int, int]:
    match = PAGES.fullmatch(piece)
    if match is None:
        raise ValueError(_("pages are written like 3-5, 8."))
    first = int(match[1])
    last = int(match[2] or first)
    if not 1 <= first <= last <= MAX_PAGE:
        raise ValueError(_("pages are counted from 1, the lower first."))
    return first, last


def language(value: str) -> None:
    one_of(value, ("en", "es"))


def jurisdiction(value: str) -> None:
    if not re.fullmatch(r"[a-z]{2}(-[a-z0-9]{1,10})?", value):
        raise ValueError(_("a jurisdiction is written like us or us-ca."))


def comparable(value: str) -> None:
    if not folded(value):
        raise ValueError(_("“%s” has no word in it.") % value)


CHECKS: Mapping[str, Callable[[str], Any]] = {
    "exact": comparable,
    "starts_with": comparable,
    "contains": comparable,
    "regex": pattern,
    "citation": lambda value: value and locator(value),
    "route": text,
    "language": language,
    "domain": text,
    "jurisdiction": jurisdiction,
}
