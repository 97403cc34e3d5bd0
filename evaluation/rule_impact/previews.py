"""Previews of rules and thresholds: what a draft would change. Those of rules are kept to be read: few questions are
asked again while one waits, many by a job in steps.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from django.conf import settings
from django.core.exceptions import ValidationError
from django.db.models import Max
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from evaluation.measuring.measures import Estimate
from evaluation.models import RulePreview, Topic
from evaluation.rule_impact import impact
from evaluation.rule_impact.impact import (
    Answer,
    Declines,
    Effect,
    Place,
    PublicSearch,
    ReplayedQuestion,
    RuleChange,
)
from evaluation.topics import library
from retrieval import jobs, pipeline
from retrieval.access.caller import ANONYMOUS, Caller
from retrieval.access.row_security import as_caller
from retrieval.jobs import Job, Progress
from retrieval.models import Domain, JobRun, SearchLog
from rules.authoring import rule_checks
from rules.engine.inline import BadRule
from rules.models import DomainThreshold, Rule, compiled

AT_ONCE = 210  # questions asked again, twice each, while one waits: a tenth of what is looked at
BATCH = 50  # asked again in one step of a job
KEPT = timedelta(days=7)
FIELDS = ("name", "domains", "criteria", "targets", "actions", "priority", "valid_from", "valid_to")
LOG, TOPIC = "log", "topic"


# -- Beginning


def of_draft(rule: Rule, caller: Caller, *, principal: str, by=None) -> RulePreview:
    """Of publishing the rule as it stands. Raises RuleRefused for one that cannot be published."""
    rule_checks.check(rule, caller)
    return begun(RulePreview(rule=rule, number=rule.pk, content=rule.content, principal=principal), by=by)


def of_retiring(rule: Rule, *, principal: str, by=None) -> RulePreview:
    """Of taking it out of force. Raises RuleRefused where it is in none."""
    if rule.live is None:
        raise rule_checks.RuleRefused(_("It is not in force."))
    return begun(RulePreview(rule=rule, number=rule.pk, principal=principal), by=by)


def of_written(fields: dict[str, Any], caller: Caller, *, principal: str) -> RulePreview:
    """Of publishing a rule that is not stored, as the newest. Raises BadRule."""
    if unknown := sorted(str(name) for name in fields if name not in FIELDS):
        raise BadRule(f"“{unknown[0][:60]}” is not known. Known: {', '.join(FIELDS)}.")
    rule = Rule(**{"name": "a rule that is not stored", **fields})
    try:
        rule_checks.check(rule, caller, unique=False)
    except rule_checks.RuleRefused as problem:
        raise BadRule(problem.message) from problem
    except (ValidationError, TypeError, ValueError) as problem:
        raise BadRule("The fields are not of the right kind.") from problem
    newest = Rule.objects.aggregate(last=Max("pk"))["last"] or 0
    return begun(RulePreview(number=newest + 1, content=rule.content, principal=principal))


def begun(row: RulePreview, *, by=None) -> RulePreview:
    """Looks which questions are touched, and asks them again, now or by a job."""
    live = row.rule.live if row.rule else None
    row.domains = sorted({slug for said in (row.content, live) if said for slug in said["domains"]})
    look(row)
    row.save()
    if len(row.touched) <= AT_ONCE:
        while row.finished_at is None:
            advance(row)
    else:
        row.job = jobs.enqueue(
            "preview_rule", key="rule preview", params={"preview": row.pk}, by=by, queues=True
        )
        row.save(update_fields=["job"])
    return row


def change_of(row: RulePreview, search: PublicSearch) -> RuleChange:
    if row.content is None:
        return impact.retiring(row.number, search.in_force)
    version = row.rule.version + 1 if row.rule else 1
    return impact.publishing(compiled(row.content, number=row.number, version=version), search.in_force)


def look(row: RulePreview) -> None:
    """Which of the questions there are the change can touch; nothing is asked yet."""
    search = PublicSearch()
    change = change_of(row, search)
    logged, judged = impact.logged_questions(), impact.judged_questions()
    with as_caller(ANONYMOUS):
        touched = [question for question, _read in search.touched([*logged, *judged], change.touched)]
    row.touched = [reference(question) for question in touched]
    row.rules_version = impact.rules_version()
    row.changes, row.position = [], 0
    row.counts = {
        "logged": len(logged),
        "judged": len(judged),
        "measurable": sum(question.is_measurable for question in judged),
        "without_words": without_words(),
        **{f"touched_{kind}": count for kind, count in Counter(kind for kind, _name in row.touched).items()},
    }


def reference(question: ReplayedQuestion) -> list[str]:
    return [TOPIC, question.topic.id] if question.topic else [LOG, question.log]


def without_words() -> int:
    """Searches of the public that are still logged, but no longer with their words."""
    public = SearchLog.objects.filter(caller="public", pipeline=pipeline.USUAL)
    return public.filter(query_text="").count()


# -- Asking again


def advance(row: RulePreview) -> None:
    """Asks the next questions. Where rules were published meanwhile, all is looked at anew."""
    if row.rules_version != impact.rules_version():
        look(row)
    search = PublicSearch()
    batch = row.touched[row.position : row.position + BATCH]
    found = impact.effects(change_of(row, search), questions_of(batch), search)
    row.changes = [*row.changes, *(as_stored(effect) for effect in found if effect.is_change)]
    row.position += len(batch)
    row.finished_at = timezone.now() if row.position >= len(row.touched) else None
    row.save()


def questions_of(references: Iterable[Sequence[str]]) -> list[ReplayedQuestion]:
    """Those that are still there, in this order."""
    wanted = [tuple(one) for one in references]
    logs = SearchLog.objects.exclude(query_text="").in_bulk([name for kind, name in wanted if kind == LOG])
    rows = Topic.objects.filter(name__in=[name for kind, name in wanted if kind == TOPIC])
    topics = library.as_topics(rows.select_related("domain"))
    known = {(LOG, str(pk)): logged_question(log) for pk, log in logs.items()}
    known |= {(TOPIC, topic.id): impact.topic_question(topic) for topic in topics}
    return [known[one] for one in wanted if one in known]


def logged_question(log: SearchLog) -> ReplayedQuestion:
    return ReplayedQuestion(log.query_text, log.language, tuple(log.domains), log=str(log.pk))


def as_stored(effect: Effect) -> dict[str, Any]:
    """A change as it is kept: its question by name, never in words."""
    kind, name = reference(effect.question)
    return {
        kind: name,
        "before": page_of(effect.before),
        "after": page_of(effect.after),
        "gain": effect.gain if effect.question.is_measurable else None,
        "hidden": [hidden._asdict() for hidden in effect.hidden],
    }


def page_of(answer: Answer) -> dict[str, Any]:
    return {
        "results": [*map(Place._asdict, answer.places)],
        "near_misses": [*map(Place._asdict, answer.near_misses)],
        "abstained": answer.abstained,
        "confident": answer.confident,
        "notes": [*answer.notes],
        "redirect": answer.redirect or None,
    }


class PreviewRule(Job):
    """The job of a preview that takes long. If it fails, what was found so far stays with the row, which says that it
    is not finished, and the page of the preview shows the job's error.
    """

    def step(self, run: JobRun) -> Progress:
        row = RulePreview.objects.select_related("rule").get(pk=run.params["preview"])
        advance(row)
        total = len(row.touched)
        message = f"{row.position} of {total} questions asked again"
        return Progress(row.position, total, message, finished=row.finished_at is not None)


def prune() -> int:
    """Deletes previews that are old; gives how many."""
    return RulePreview.objects.filter(created_at__lt=timezone.now() - KEPT).delete()[0]


# -- Telling


def account(row: RulePreview) -> dict[str, Any]:
    """What was found, with the words of the questions as far as they are kept. The same for the page and the API."""
    changes = with_words(row.changes)
    logged = [change for change in changes if change["topic"] is None]
    judged = [change for change in changes if change["topic"] is not None]
    gains = (change["gain"] for change in row.changes if change["gain"] is not None)
    difference = impact.mean_gain(gains, row.counts["measurable"])
    return {
        "id": row.pk,
        "rule": row.rule_id,
        "retires": row.content is None,
        "status": status(row),
        "progress": {"asked": row.position, "to_ask": len(row.touched)},
        "created_at": row.created_at.isoformat(),
        "outdated": row.rules_version != impact.rules_version(),
        "logged": counted(row, "logged", LOG, logged),
        "judged": counted(row, "judged", TOPIC, judged),
        "ndcg_at_10": None
        if difference is None
        else {
            "difference": difference.mean,
            "low": difference.low,
            "high": difference.high,
            "topics": row.counts["measurable"],
        },
        "declines": impact.declines(turned(judged))._asdict(),
        "hidden": [
            {"topic": change["topic"], "query": change["query"], **hidden}
            for change in judged
            for hidden in change["hidden"]
        ],
        "changes": [{name: change[name] for name in change if name != "hidden"} for change in changes],
        "lacks": lacks(row),
    }


def turned(changes: Sequence[dict[str, Any]]) -> Iterator[tuple[bool, bool, bool]]:
    """As `impact.declines` takes them, of changes of judged topics."""
    named = Topic.objects.filter(name__in=[change["topic"] for change in changes])
    answerable = dict(named.values_list("name", "answerable"))
    for change in changes:
        yield answerable[change["topic"]], change["before"]["abstained"], change["after"]["abstained"]


def status(row: RulePreview) -> str:
    if row.finished_at:
        return "done"
    return row.job.status if row.job and row.job.is_finished else "running"


def counted(row: RulePreview, name: str, kind: str, changes: list) -> dict[str, int]:
    return {
        "looked_at": row.counts[name],
        "touched": row.counts.get(f"touched_{kind}", 0),
        "changed": len(changes),
    }


def with_words(changes: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Each change with its question: null where its words are no longer kept, or its topic is not public any more."""
    logs = SearchLog.objects.exclude(query_text="").in_bulk([c[LOG] for c in changes if LOG in c])
    words = {(LOG, str(pk)): log.query_text for pk, log in logs.items()}
    public = Topic.objects.filter(domain__in=Domain.objects.visible_to(ANONYMOUS))
    topics = public.filter(name__in=[c[TOPIC] for c in changes if TOPIC in c])
    words |= {(TOPIC, name): query for name, query in topics.values_list("name", "query")}
    return [
        {
            "query": words.get((LOG, c[LOG]) if LOG in c else (TOPIC, c[TOPIC])),
            "topic": c.get(TOPIC),
            **{name: c[name] for name in ("gain", "before", "after", "hidden")},
        }
        for c in changes
        if LOG in c or (TOPIC, c[TOPIC]) in words
    ]


def lacks(row: RulePreview) -> list[str]:
    """What was not looked at, in words."""
    told_so = [
        _("Questions that reach private domains are kept without their words: none of them is asked here."),
        _("Topics of the test split are left out: they measure, and nobody chooses by them."),
    ]
    if row.counts["logged"] < impact.LOGGED:
        told_so.append(
            ngettext(
                "The log holds %(count)d public question with its words; %(most)d are looked at where there are.",
                "The log holds %(count)d public questions with their words; %(most)d are looked at where there are.",
                row.counts["logged"],
            )
            % {"count": row.counts["logged"], "most": impact.LOGGED}
        )
    if row.counts["without_words"]:
        told_so.append(
            ngettext(
                "%(count)d search is older than the %(days)d days for which words are kept.",
                "%(count)d searches are older than the %(days)d days for which words are kept.",
                row.counts["without_words"],
            )
            % {"count": row.counts["without_words"], "days": settings.ARF_QUERY_TEXT_DAYS}
        )
    if row.content and not compiled(row.content, number=0, version=0).is_valid_on(timezone.localdate()):
        told_so.append(_("The rule is not in force today by its days: until then it changes nothing."))
    return told_so


LOGGED = 200  # questions asked last; each is asked twice, so a preview takes seconds
JUDGED = 150  # topics of the tune split, which thresholds may be chosen on


@dataclass(frozen=True, slots=True)
class Preview:
    """`logged` and `judged` count the questions asked; the difference is in nDCG@10, None without judged topics."""

    logged: int
    judged: int
    changes: tuple[Effect, ...]
    judged_changes: tuple[Effect, ...]
    difference: Estimate | None
    declines: Declines


def preview(draft: DomainThreshold) -> Preview:
    domain = draft.domain.slug
    logged = impact.logged_questions(LOGGED, domain=domain)
    judged = impact.judged_questions([domain], [Topic.Split.TUNE])[:JUDGED]
    effects = impact.threshold_effects(draft, [*logged, *judged])
    on_logged, on_judged = effects[: len(logged)], effects[len(logged) :]
    measured = [effect for effect in on_judged if effect.question.is_measurable]
    return Preview(
        logged=len(logged),
        judged=len(judged),
        changes=tuple(effect for effect in on_logged if effect.is_change),
        judged_changes=tuple(effect for effect in on_judged if effect.is_change),
        difference=impact.mean_gain((effect.gain for effect in measured), len(measured)),
        declines=impact.declines(
            (effect.question.topic.answerable, effect.before.abstained, effect.after.abstained) for effect in on_judged
        ),
    )
