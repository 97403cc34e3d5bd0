"""What is wrong with rules taken together: shadowed, contradictory, dead targets, circles of rewrites, expired; and
rules that nobody's question fires. Pure.

Two rules are held against each other where a question fires both on a day that both see: a question is made of what
they look for and put to `rules.engine.firing`. For words, exact texts, beginnings and contained letters some such
question fires both whenever any does; patterns are only tried. Domains are taken one at a time. What is found is
certain: in doubt nothing is said. That `Exclude beats pin` decides a case does not make it less of a contradiction.
"""

import re
from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta
from itertools import combinations, islice, product
from typing import Protocol

from django.utils.formats import date_format
from django.utils.translation import gettext_lazy as _

from retrieval.targets import Part, Selection
from retrieval.text.normalization import normalize
from rules.engine.clauses import AIMED, CompiledRule, Criterion
from rules.engine.firing import Asked, concerns, holds
from rules.engine.matching import folded, has_phrase, is_within, replaced, words_of

KINDS = {
    "contradictory": _("contradictory"),
    "cyclic rewrite": _("rewrites in a circle"),
    "shadowed": _("shadowed"),
    "dead target": _("dead target"),
    "expired": _("expired"),
    "hides judged text": _("hides judged-relevant text"),
    "never fired": _("never fired in 90 days"),
}
FOUND_ELSEWHERE = {"hides judged text"}  # by the app that knows judgments
MESSAGES = {
    "excluded": _("“%(first)s” hides everything upon which “%(second)s” acts."),
    "opposed": _("“%(first)s” raises what “%(second)s” lowers."),
    "redirects": _("“%(first)s” and “%(second)s” lead to different provisions; only the first can."),
    "restricted": _("“%(first)s” leaves nothing to search of what “%(second)s” would show."),
    "covered": _("“%(second)s” adds nothing: whenever it fires, “%(first)s” does the same or more."),
    "abstains": _(
        "“%(second)s” shows nothing: whenever it fires, “%(first)s” requires that no answer be given."
    ),
    "overwritten": _(
        "“%(second)s” has no effect: “%(first)s” rewrites the whole question whenever it fires."
    ),
    "dead": _("“%(first)s” names “%(detail)s”, where nothing is."),
    "circle": _("These rules rewrite a question until it is as it was: %(all)s."),
    "expired": _("The last day of “%(first)s” is over: %(detail)s."),
    "hides": _("“%(first)s” hides what was judged relevant: %(detail)s."),
    "unused": _("No question of readers or clients has fired “%(first)s” since %(detail)s."),
}
DATED = ("expired", "unused")  # whose detail is a day, YYYY-MM-DD
SHOWING = ("pin", "boost", "alias")
UNUSED = timedelta(days=90)  # without use, after which a rule is said to be never fired
MAX_TEXTS = 60  # texts into which a question is rewritten, looking for a way back to it
MAX_ASKED = 100  # questions of one rule from which it is looked for
LANGUAGES = ("en", "es")
ANY_PLACE = "/us/const/amendment/I"  # cited where any citation will do
MAX_QUESTIONS = 400  # tried of one rule; its keywords may be 100, several times over
MAX_JOINED = 40  # of each rule, put together in twos
SYNTAX = re.compile(r"\(\?[a-z]+\)|\\[bBAzdswDSW]|[\\^$()\[\]{}?*+]")
ORDER = {"exact": 0, "starts_with": 1}  # what must stand first in a question


@dataclass(frozen=True, slots=True)
class MadeUpQuestion:
    text: str
    citations: tuple[str, ...] = ()

    def __add__(self, other: "MadeUpQuestion") -> "MadeUpQuestion":
        return MadeUpQuestion(f"{self.text} {other.text}".strip(), (*self.citations, *other.citations))


class Corpus(Protocol):
    """What rules act upon. `jurisdictions`: of every domain by its slug."""

    jurisdictions: Mapping[str, str]

    def chunks(self, selection: Selection, domains: tuple[str, ...]) -> frozenset[int]:
        """The passages of a selection in these domains; in all of them where none is named."""


@dataclass(frozen=True, slots=True)
class Finding:
    """`rules` and `names`: whom it concerns, the one to blame first. `question`: one that shows it. `joined`: only a
    question that names the subjects of both.
    """

    kind: str
    reason: str
    rules: tuple[int, ...]
    names: tuple[str, ...]
    question: str = ""
    detail: str = ""
    joined: bool = False

    @property
    def refuses(self) -> bool:
        """Whether a rule with this may not be published."""
        return self.kind in ("contradictory", "cyclic rewrite") and not self.joined

    @property
    def message(self) -> str:
        return message(self.reason, self.names, self.detail)


def message(reason: str, names: Sequence[str], detail: str = "") -> str:
    """With a day as other pages write it."""
    if reason in DATED:
        detail = date_format(date.fromisoformat(detail))
    first, second = (*names, "", "")[:2]
    return str(MESSAGES[reason]) % {
        "first": first, "second": second, "detail": detail, "all": ", ".join(names),
    }  # fmt: skip


def finding(kind: str, reason: str, *rules: CompiledRule, **more) -> Finding:
    return Finding(kind, reason, tuple(r.number for r in rules), tuple(r.name for r in rules), **more)


def conflicts(
    rules: Iterable[CompiledRule], corpus: Corpus, today: date, *, about: int | None = None
) -> list[Finding]:
    """Everything that is wrong, of all rules or of the one with this number."""
    given = sorted(rules, key=lambda rule: rule.order)
    found = [finding("expired", "expired", r, detail=str(r.valid_to)) for r in given if is_over(r, today)]
    current = [rule for rule in given if not is_over(rule, today)]
    looked_at = [rule for rule in current if about in (None, rule.number)]
    dead = [one for rule in looked_at for one in dead_targets(rule, corpus)]
    pairs = [pair for pair in combinations(current, 2) if about is None or about in (r.number for r in pair)]
    between = Pairs(corpus, today)
    opposed = [one for pair in pairs if (one := between.wrong(*pair)) is not None]
    everything = [*found, *opposed, *circles(current, corpus.jurisdictions, today), *dead]
    return [one for one in everything if about is None or about in one.rules]


@dataclass(frozen=True, slots=True)
class Usage:
    """What is known of the use of rules: since which day it is counted, when the version in force of each rule was
    published, when each fired last.
    """

    since: date | None
    published: Mapping[int, date]
    last: Mapping[int, date]


def unused(rules: Iterable[CompiledRule], usage: Usage, today: date) -> Iterator[Finding]:
    """Rules that have been able to fire for so long and did not; nothing is said before uses were counted so long."""
    if usage.since is None:
        return
    for rule in rules:
        able_since = max(usage.since, usage.published.get(rule.number, today), rule.valid_from or usage.since)
        quiet_since = max(able_since, usage.last.get(rule.number, able_since))
        if quiet_since + UNUSED <= today and not is_over(rule, today):
            yield finding("never fired", "unused", rule, detail=str(quiet_since))


def is_over(rule: CompiledRule, today: date) -> bool:
    return rule.valid_to is not None and rule.valid_to < today


# -- One rule


def dead_targets(rule: CompiledRule, corpus: Corpus) -> Iterator[Finding]:
    places = [Part("section", action.text) for action in rule.does("redirect")]
    for part in (*rule.clauses.targets.parts, *places):
        if not corpus.chunks(Selection((part,)), rule.domains):
            yield finding("dead target", "dead", rule, detail=part.name)


# -- Two rules


class Pairs:
    """Holds two rules against each other; what each reaches is asked once."""

    def __init__(self, corpus: Corpus, today: date):
        self.corpus, self.today = corpus, today
        self.known: dict[CompiledRule, frozenset[int]] = {}

    def reach(self, rule: CompiledRule) -> frozenset[int]:
        if rule not in self.known:
            self.known[rule] = self.corpus.chunks(rule.clauses.targets, rule.domains)
        return self.known[rule]

    def wrong(self, one: CompiledRule, other: CompiledRule) -> Finding | None:
        """The worst of it; `one` acts before `other`."""
        if not share_a_day(one, other, self.today):
            return None
        for first, second in ((one, other), (other, one)):
            if (reason := self.opposition(first, second)) and (
                shown_by := witness(first, second, self.corpus.jurisdictions)
            ):
                return finding("contradictory", reason, first, second, **shown_by)
        return self.shadow(one, other) or self.shadow(other, one)

    def opposition(self, first: CompiledRule, second: CompiledRule) -> str:
        """Why what they do cannot both be done; empty where it can."""
        if (
            first.does("exclude")
            and any(map(second.does, (*SHOWING, "restrict")))
            and self.holds(first, second)
        ):
            return "excluded"
        if first.does("boost") and second.does("bury") and self.same(first, second):
            return "opposed"
        places = {action.text for rule in (first, second) for action in rule.does("redirect")}
        if first.does("redirect") and second.does("redirect") and len(places) > 1:
            return "redirects" if first.order < second.order else ""
        is_limited = first.does("restrict") and not second.does("restrict")
        if is_limited and any(map(second.does, ("pin", "alias"))) and self.apart(first, second):
            return "restricted"
        return ""

    def holds(self, wide: CompiledRule, narrow: CompiledRule) -> bool:
        return bool(self.reach(narrow)) and self.reach(narrow) <= self.reach(wide)

    def same(self, one: CompiledRule, other: CompiledRule) -> bool:
        return bool(self.reach(one)) and self.reach(one) == self.reach(other)

    def apart(self, one: CompiledRule, other: CompiledRule) -> bool:
        reached = self.reach(one), self.reach(other)
        return all(reached) and reached[0].isdisjoint(reached[1])

    def shadow(self, over: CompiledRule, under: CompiledRule) -> Finding | None:
        """Of twins the later one is in the shadow."""
        reason = self.reason_of_shadow(over, under)
        if not reason or not implies(under, over, self.today):
            return None
        are_twins = implies(over, under, self.today) and bool(self.reason_of_shadow(under, over))
        if over.order > under.order and are_twins:
            return None
        return finding("shadowed", reason, over, under, question=next(map(shown, questions(under)), ""))

    def reason_of_shadow(self, over: CompiledRule, under: CompiledRule) -> str:
        kinds = {action.kind for action in under.clauses.actions}
        if over.does("abstain") and kinds <= set(SHOWING):
            return "abstains"
        if kinds == {"rewrite"} and any(not action.phrase for action in over.does("rewrite")):
            return "overwritten" if over.order > under.order else ""
        return "covered" if all(self.covers(over, under, kind) for kind in kinds) else ""

    def covers(self, over: CompiledRule, under: CompiledRule, kind: str) -> bool:
        """Whether `over` leaves nothing to do for what `under` does of this kind."""
        if kind in ("exclude", "restrict", "alias"):
            return bool(over.does(kind)) and self.holds(over, under)
        if kind == "pin":
            same = {action.position for action in over.does(kind)} >= {a.position for a in under.does(kind)}
            return same and self.same(over, under)
        if kind == "redirect" and over.order > under.order:
            return False
        return kind not in AIMED and kind != "rewrite" and set(under.does(kind)) <= set(over.does(kind))


# -- Rewrites


def circles(rules: Sequence[CompiledRule], jurisdictions: Mapping[str, str], today: date) -> list[Finding]:
    """Rewrites that, one after the other, bring a question back to what it was. Each circle once."""
    rewriting = [rule for rule in rules if rule.does("rewrite")]
    found: dict[frozenset[int], Finding] = {}
    for rule in rewriting:
        for setting in common_settings((rule,), jurisdictions):
            for question in islice(questions(rule), MAX_ASKED):
                around = way_round(question, rewriting, setting)
                if around and all(share_a_day(*two, today) for two in combinations(around, 2)):
                    circle = finding("cyclic rewrite", "circle", *around, question=shown(question))
                    found.setdefault(frozenset(circle.rules), circle)
    return list(found.values())


def way_round(
    question: MadeUpQuestion, rules: Sequence[CompiledRule], setting: tuple[str, str, str]
) -> tuple[CompiledRule, ...]:
    """The fewest rules that lead from the question back to it; none where no way does."""
    start = replace(question, text=question.text.casefold())
    ways: dict[str, tuple[CompiledRule, ...]] = {start.text: ()}
    waiting = deque([start])
    while waiting and len(ways) < MAX_TEXTS:
        here = waiting.popleft()
        for rule in rules:
            after = rewritten(here, rule) if fires(rule, here, setting) else here
            if after.text == start.text != here.text:
                return tuple(dict.fromkeys((*ways[here.text], rule)))
            if after.text not in ways:
                ways[after.text] = (*ways[here.text], rule)
                waiting.append(after)
    return ()


def rewritten(question: MadeUpQuestion, rule: CompiledRule) -> MadeUpQuestion:
    text = question.text
    for action in rule.does("rewrite"):
        text = replaced(text, action.phrase, action.text, "en") if action.phrase else action.text
    return replace(question, text=text.casefold())


# -- Whether two can fire together


def asked(question: MadeUpQuestion, setting: tuple[str, str, str]) -> Asked:
    language, domain, jurisdiction = setting
    return Asked(
        ((language, question.text),),
        language,
        frozenset((domain,)),
        frozenset((jurisdiction,)),
        question.citations,
        shares=lambda: {domain: 1.0},
    )


def fires(rule: CompiledRule, question: MadeUpQuestion, setting: tuple[str, str, str]) -> bool:
    looked_at = asked(question, setting)
    return concerns(rule, looked_at) and holds(rule, looked_at, True)


def may_be_asked(rule: CompiledRule, setting: tuple[str, str, str]) -> bool:
    """Whether all but the words of the question holds."""
    looked_at = asked(MadeUpQuestion(""), setting)
    return concerns(rule, looked_at) and holds(rule, looked_at, False)


def common_settings(rules: Iterable[CompiledRule], jurisdictions: Mapping[str, str]) -> list:
    """(language, domain, jurisdiction): where a question may be asked that fires all, one domain at a time."""
    everywhere = ((language, slug, place) for language in LANGUAGES for slug, place in jurisdictions.items())
    return [setting for setting in everywhere if all(may_be_asked(rule, setting) for rule in rules)]


def share_a_day(one: CompiledRule, other: CompiledRule, today: date) -> bool:
    first = max(rule.valid_from or today for rule in (one, other))
    last = min(rule.valid_to or date.max for rule in (one, other))
    return max(first, today) <= last


def witness(one: CompiledRule, other: CompiledRule, jurisdictions: Mapping[str, str]) -> dict | None:
    """A question that fires both; one about a single rule's words, if there is such a one. `joined`: none was found
    that is about one of them alone.
    """
    alone = [*questions(one), *questions(other)]
    pairs = product(islice(questions(one), MAX_JOINED), islice(questions(other), MAX_JOINED))
    joined = [question for a, b in pairs for question in (a + b, b + a)]
    for setting in common_settings((one, other), jurisdictions):
        for question in (*alone, *joined):
            if fires(one, question, setting) and fires(other, question, setting):
                return {"question": shown(question), "joined": question not in alone}
    return None


def shown(question: MadeUpQuestion) -> str:
    return question.text or " ".join(question.citations)


def questions(rule: CompiledRule) -> Iterator[MadeUpQuestion]:
    """The shortest questions that meet what a rule looks for in words; some may still not fire it."""
    criteria = sorted(rule.clauses.criteria, key=lambda criterion: ORDER.get(criterion.kind, 2))
    choices = [pieces(criterion) for criterion in criteria if pieces(criterion)]
    for several in islice(product(*choices), MAX_QUESTIONS):
        yield sum_of(dict.fromkeys(several))


def sum_of(several: Iterable[MadeUpQuestion]) -> MadeUpQuestion:
    """Together, without what is said already."""
    whole = MadeUpQuestion("")
    for question in several:
        said = bool(question.text) and folded(question.text) in folded(whole.text)
        whole += MadeUpQuestion("", question.citations) if said else question
    return whole


def pieces(criterion: Criterion) -> list[MadeUpQuestion]:
    if criterion.kind == "citation":
        return [MadeUpQuestion("", criterion.values or (ANY_PLACE,))]
    if criterion.kind == "regex":
        return [MadeUpQuestion(text) for text in attempts(criterion.values[0])]
    if criterion.kind in ("keywords", "exact", "starts_with", "contains"):
        return [MadeUpQuestion(value) for value in criterion.values]
    return []


def attempts(pattern: str) -> list[str]:
    """Texts that a pattern may well match: its alternatives without the signs of the syntax."""
    bare = (normalize(SYNTAX.sub("", piece)) for piece in (pattern, *pattern.split("|")))
    return [text for text in dict.fromkeys(bare) if text]


# -- Whenever one fires, so does the other


def implies(narrow: CompiledRule, wide: CompiledRule, today: date) -> bool:
    """Whether `wide` fires whenever `narrow` does, as far as their criteria show; in doubt, no."""
    return (
        (not wide.domains or (bool(narrow.domains) and set(narrow.domains) <= set(wide.domains)))
        and (wide.valid_from is None or wide.valid_from <= max(narrow.valid_from or today, today))
        and (wide.valid_to is None or (narrow.valid_to is not None and narrow.valid_to <= wide.valid_to))
        and all(is_implied(criterion, narrow) for criterion in wide.clauses.criteria)
    )


def is_implied(wide: Criterion, by: CompiledRule) -> bool:
    return wide.kind == "always" or any(follows(narrow, wide) for narrow in by.clauses.criteria)


def follows(narrow: Criterion, wide: Criterion) -> bool:
    if narrow == wide:
        return True
    if wide.kind == "keywords":
        return keyword_follows(narrow, wide)
    if wide.kind == "citation" and narrow.kind == "citation":
        return not wide.values or (
            bool(narrow.values) and f"{narrow.values[0]}/".startswith(f"{wide.values[0]}/")
        )
    if wide.kind == "contains" and narrow.kind in ("exact", "starts_with", "contains"):
        return folded(wide.values[0]) in folded(narrow.values[0])
    if wide.kind == "starts_with" and narrow.kind in ("exact", "starts_with"):
        return folded(narrow.values[0]).startswith(folded(wide.values[0]))
    return narrow.kind == wide.kind == "exact" and folded(narrow.values[0]) == folded(wide.values[0])


def keyword_follows(narrow: Criterion, wide: Criterion) -> bool:
    if narrow.kind == "exact":
        return any(has_phrase(narrow.values[0], phrase) for phrase in wide.values)
    if narrow.kind != "keywords" or (narrow.stemmed and not wide.stemmed):
        return False
    return all(
        any(phrase_follows(longer, phrase, wide) for phrase in wide.values) for longer in narrow.values
    )


def phrase_follows(longer: str, phrase: str, wide: Criterion) -> bool:
    """Whether a text with the longer phrase has this one, however compounds are written, in any language."""
    stemmings = ("", *LANGUAGES) if wide.stemmed else ("",)
    both = ((words_of(longer, language), words_of(phrase, language)) for language in stemmings)
    return all(
        is_within(inner.apart, outer.apart) and is_within(inner.together, outer.together)
        for outer, inner in both
    )
