"""Finds rules that hide text which people judged relevant: the part of the check for conflicts that reads judgments.

A rule hides a section from a judged question if the first page has it without the rule and not with it, the page is
worse for that by nDCG@10, and the section is out of the ranking, or was lowered, or nothing relevant is left on the
page. What a better result pushes from the tenth place to the eleventh is not hidden.
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import NamedTuple

from django.utils.translation import gettext as _

from evaluation.rule_impact.impact import (
    Effect,
    PublicSearch,
    ReplayedQuestion,
    judged_questions,
    publishing,
    ranks,
    retiring,
)
from retrieval import jobs
from retrieval.access.caller import ANONYMOUS, Caller
from retrieval.access.row_security import as_caller
from retrieval.jobs import Job, Progress
from retrieval.models import JobRun
from retrieval.ranking import Ranking
from rules.engine.clauses import CompiledRule
from rules.linting import linter
from rules.linting.conflicts import Finding, finding
from rules.models import Rule

KIND = "hides judged text"
HARMLESS = {"note", "redirect"}  # actions that leave the list as it is
AT_SAVE = 40  # topics asked when a rule is saved, about a second; every night all are
ANSWERS = 400  # made in one step of the nightly job, some seconds
READ = 500  # topics looked at in one step
MOST_TOLD = 3  # questions named in one finding


class Loss(NamedTuple):
    """A section that a rule hides from a judged question."""

    rule: int
    query: str
    locator: str


def may_hide(rule: CompiledRule) -> bool:
    return any(action.kind not in HARMLESS for action in rule.clauses.actions)


def hidden_by(rule: CompiledRule, effect: Effect) -> list[Loss]:
    """The effect is that of the rule alone."""
    if effect.gain >= 0:
        return []
    nothing_left = not ranks(effect.after.locators, effect.question.topic)
    return [
        Loss(rule.number, effect.question.text, hidden.locator)
        for hidden in effect.hidden
        if nothing_left or hidden.rank_after is None or rule.does("bury")
    ]


def losses(
    question: ReplayedQuestion,
    read: Ranking,
    search: PublicSearch,
    rules: Sequence[CompiledRule],
    blamed: Iterable[CompiledRule],
) -> list[Loss]:
    """What each of the blamed rules hides from the question, under these rules and them among these."""
    after = search.answer(read, rules)
    effects = (
        (rule, Effect(question, search.answer(read, retiring(rule.number, rules).after), after))
        for rule in blamed
    )
    return [loss for rule, effect in effects for loss in hidden_by(rule, effect)]


def finding_of(rule: CompiledRule, lost: Sequence[Loss]) -> Finding:
    told = [f"{loss.locator} (“{loss.query}”)" for loss in lost[:MOST_TOLD]]
    more = [_("and %d more") % (len(lost) - MOST_TOLD)] if len(lost) > MOST_TOLD else []
    return finding(KIND, "hides", rule, detail="; ".join([*told, *more]))


# -- When a rule is saved


def warnings_at_save(rule: Rule, caller: Caller) -> list[str]:
    """Whether the rule, published as it stands, would hide what was judged relevant to public questions."""
    draft = replace(rule.draft, number=rule.pk or linter.YOUNGEST)
    lost = losses_of(draft) if may_hide(draft) else []
    return [linter.sentence(finding_of(draft, lost))] if lost else []


def losses_of(draft: CompiledRule) -> list[Loss]:
    """On some of the topics that fire it, spread evenly."""
    search = PublicSearch()
    rules = publishing(draft, search.in_force).after
    with as_caller(ANONYMOUS):
        touched = list(search.touched(judged_questions(draft.domains), [draft]))
        every = -(-len(touched) // AT_SAVE) or 1
        return [
            loss
            for question, read in touched[::every]
            for loss in losses(question, read, search, rules, [draft])
        ]


# -- Every night


def find_hidden() -> int:
    """Begins the job, unless one is at work; gives its number."""
    return jobs.begun("hidden_text", key="hidden text").pk


class FindHidden(Job):
    """Asks every judged topic that fires a rule with all rules, and without each that it fires; then puts the findings
    in place of last night's, which stay if it fails.
    """

    def step(self, run: JobRun) -> Progress:
        questions, search = judged_questions(), PublicSearch()
        lost, position = some_losses(questions, search, run.position)
        known = [*run.state.get("losses", []), *lost]
        total = len(questions)
        if position < total:
            message = f"{position} of {total} topics looked at"
            return Progress(position, total, message, {"losses": known})
        count = linter.put(findings(map(Loss._make, known), search.in_force), {KIND})
        return Progress(total, total, f"{count} rules hide judged-relevant text", finished=True)


def all_findings() -> list[Finding]:
    """Of every rule in force, at once."""
    questions, search = judged_questions(), PublicSearch()
    lost: list[Loss] = []
    position = 0
    while position < len(questions):
        more, position = some_losses(questions, search, position)
        lost += more
    return findings(lost, search.in_force)


def some_losses(
    questions: Sequence[ReplayedQuestion], search: PublicSearch, start: int
) -> tuple[list[Loss], int]:
    """Of the questions from here on, as many as one step asks; and where the next begins."""
    lost: list[Loss] = []
    answers, position = 0, start
    with as_caller(ANONYMOUS):
        while position < min(len(questions), start + READ) and answers < ANSWERS:
            question = questions[position]
            read = search.read(question)
            blamed = list(filter(may_hide, search.firing(read, search.in_force)))
            if blamed and question.is_measurable:
                lost += losses(question, read, search, search.in_force, blamed)
                answers += 1 + len(blamed)
            position += 1
    return lost, position


def findings(lost: Iterable[Loss], rules: Iterable[CompiledRule]) -> list[Finding]:
    """One for each rule that hides anything, in the order of the rules."""
    known = list(lost)
    by_rule = {rule: [loss for loss in known if loss.rule == rule.number] for rule in rules}
    return [finding_of(rule, own) for rule, own in by_rule.items() if own]
