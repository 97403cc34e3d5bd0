"""Which of the questions that were asked or judged a rule fires on: of those that a person may see, and as quickly as
one types. What a question says before rules are looked at is read once a process.
"""

import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import partial

from django.db.models import Exists, OuterRef, Q
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from evaluation.judging.visibility import topics_for
from evaluation.measuring.runs import Runner, stated_language
from evaluation.models import Judgment
from evaluation.rule_impact import impact
from evaluation.rule_impact.impact import ReplayedQuestion
from retrieval import pipeline
from retrieval.access.caller import Caller
from retrieval.access.row_security import as_caller
from retrieval.errors import NotFound
from retrieval.pipeline import Pipeline
from retrieval.ranking import Ranking
from retrieval.stages.citations import ResolveCitations
from retrieval.stages.query import Normalize
from rules.engine.clauses import CompiledRule
from rules.engine.firing import Asked, asks_for_route, concerns, holds
from rules.engine.match_rules import MatchRules
from rules.linting.conflicts import Finding
from rules.models import Rule
from rules.understanding import Translate

ENGLISH = "en"  # that of a topic without a stated language
LOGGED = 300  # different questions of the public, the last ones
JUDGED = 2_000  # topics
AS_ONE_TYPES = 0.4  # s in which questions are read that this process does not know yet; next time it does
AT_SAVE = 1.5  # s
SAID = (Normalize, ResolveCitations, Translate)  # the stages that find what criteria look at
MOST_KEPT = 20_000  # questions read, about a kilobyte each

_read: dict[tuple, Asked] = {}


@dataclass(frozen=True, slots=True)
class Firing:
    """`looked_at` of `known` questions were read in the time there was; the rule fires on these."""

    questions: tuple[ReplayedQuestion, ...]
    looked_at: int
    known: int

    @property
    def on_none(self) -> bool:
        """Surely: there are questions, and all were looked at."""
        return not self.questions and 0 < self.known == self.looked_at


def fired_on(rule: CompiledRule, caller: Caller, *, within: float) -> Firing:
    """On whatever day it is in force. Questions with the same words in the same language are told once."""
    with as_caller(caller):
        questions = [*impact.logged_questions(LOGGED), *judged(caller)]
        routed = any(map(asks_for_route, rule.clauses.criteria))
        found = list(read(questions, caller, until=time.monotonic() + within, routed=routed))
    known = [(question, said) for question, said in found if said]
    fires = [question for question, said in known if concerns(rule, said) and holds(rule, said, True)]
    once = {(question.text.casefold(), question.language or ENGLISH): question for question in reversed(fires)}
    return Firing(tuple(reversed(once.values())), len(known), len(found))


def judged(caller: Caller) -> list[ReplayedQuestion]:
    """The judged topics of the open splits, of domains that the caller may see."""
    has_grade = Exists(Judgment.objects.filter(topic=OuterRef("pk")))
    topics = topics_for(caller).filter(has_grade | Q(answerable=False), split__in=impact.OPEN)
    rows = topics.order_by("name").values_list("query", "language", "domain__slug")[:JUDGED]
    return [ReplayedQuestion(text, stated_language(language) or "", (slug,)) for text, language, slug in rows]


def read(
    questions: Iterable[ReplayedQuestion], caller: Caller, *, until: float, routed: bool
) -> Iterator[tuple[ReplayedQuestion, Asked | None]]:
    """What each says, as rules look at it, and if `routed` which body of law it is about; of one not read yet None
    where the time is over. Those of domains that the caller may not see are left out.
    """
    runner, stages = Runner(caller=caller), pipeline.get(pipeline.USUAL).stages
    reading = Pipeline(*(stage for stage in stages if isinstance(stage, SAID)))
    matching = next(stage for stage in stages if isinstance(stage, MatchRules))
    if len(_read) > MOST_KEPT:
        _read.clear()
    for question in questions:
        try:
            _scopes, versions = runner.in_force(question.domains)
        except NotFound:
            continue
        before_rules = ((name, number) for name, number in versions.items() if name != "rules")
        key = (question.text, question.language, question.domains, caller.scope_key, routed, *before_rules)
        if key not in _read and time.monotonic() < until:
            query = runner.query(question.text, question.domains, question.language or None)
            said = matching.asked(reading(Ranking(query)).query)
            _read[key] = replace(said, shares=partial(dict, said.shares()) if routed else dict)
        yield question, _read.get(key)


# -- As a linter


def warnings_at_save(rule: Rule, caller: Caller) -> list[str]:
    """A rule may be right before anybody asked: it is told, and can be proposed."""
    firing = fired_on(rule.draft, caller, within=AT_SAVE)
    if firing.on_none:
        return [on_none(firing)]
    is_open = not firing.questions and firing.looked_at < firing.known
    return [on_none_so_far(firing)] if is_open else []


def on_none_so_far(firing: Firing) -> str:
    told = _(
        "Of %(known)d questions that were asked or judged only %(count)d could be looked at in time: it fires on none "
        "of these. Whether on others, see “Which questions it fires on”."
    )
    return told % {"known": firing.known, "count": firing.looked_at}


def on_none(firing: Firing) -> str:
    return ngettext(
        "It fires on no question that was asked or judged: one was looked at. Is the condition what you mean?",
        "It fires on no question that was asked or judged: %(count)d were looked at. Is the condition what you mean?",
        firing.known,
    ) % {"count": firing.known}


def all_findings() -> list[Finding]:
    """Rules in force that nobody's question fires are counted by their use."""
    return []
