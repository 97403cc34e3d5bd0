"""Judgments of a file into the database: what would change, and the job that changes it.

An existing topic keeps its query and split; a judge's judgment of a pair is new, the same, or replaced.
"""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from datetime import timedelta

from django.db import connection, transaction
from django.db.models import Q
from django.utils import timezone
from simple_history.utils import bulk_create_with_history, bulk_update_with_history

from evaluation.models import Judgment, Topic, Upload
from evaluation.topics.provisions import Provisions
from evaluation.topics.reading import (
    Entry,
    Format,
    LineRefused,
    Refused,
    folded,
    once,
    read,
    refused_for,
)
from evaluation.topics.split_conflicts import NewTopic, conflicts
from retrieval import jobs
from retrieval.errors import gettext_noop
from retrieval.jobs import Job, Progress
from retrieval.models import Domain, JobRun
from retrieval.models.access import caller_for
from rules.authoring.tables import decoded

STEP = 2_500  # entries a step: each reads the file again, and takes a second or two
FORGOTTEN_AFTER = timedelta(days=1)
TOLD = 500  # refused lines and changes that a finished job remembers
COUNTED = gettext_noop(
    "%(new)d new judgments, %(changed)d changed, %(same)d the same; %(topics)d new topics; "
    "%(refusals)d lines refused"
)


@dataclass(frozen=True, slots=True)
class Options:
    """What holds for lines that do not say otherwise themselves."""

    domain: str = "us_constitution"
    judge: str = "import"
    kind: str = Judgment.Kind.HUMAN
    split: str = Topic.Split.TRAIN


@dataclass(frozen=True, slots=True)
class Change:
    """A judgment whose grade an import replaces."""

    line: int
    judgment: Judgment
    before: int
    after: int
    explanation: str


@dataclass(slots=True)
class Plan:
    """What an import would do; nothing of it is saved yet."""

    topics: list[Topic] = field(default_factory=list)
    new: list[Judgment] = field(default_factory=list)
    changed: list[Change] = field(default_factory=list)
    same: int = 0
    refused: list[Refused] = field(default_factory=list)

    @property
    def counts(self) -> dict[str, int]:
        return {
            "new": len(self.new),
            "changed": len(self.changed),
            "same": self.same,
            "topics": len(self.topics),
            "refusals": len({each.line for each in self.refused}),
        }

    def __str__(self) -> str:
        return COUNTED % self.counts


# -- What would change


def preview(text: str, fmt: Format, options: Options, *, by=None) -> Plan:
    """The dry run. Raises BadFile."""
    held = read(text, fmt)
    plan = plan_of(held.entries, options, by=by)
    plan.refused = sorted([*held.refused, *plan.refused], key=lambda refused: refused.line)
    plan.same += held.repeated
    return plan


def plan_of(entries: Sequence[Entry], options: Options, *, by=None) -> Plan:
    """`by`: the user who imports; what they may not see is answered like what does not exist."""
    planner, refused = Planner(entries, options, by), []
    for entry in entries:
        try:
            planner.add(entry)
        except LineRefused as problem:
            refused.append(refused_for(entry.line, problem))
    planner.plan.refused = once(refused)
    return planner.plan


class Planner:
    """Puts entries in a plan by what the database holds of the things that they speak of."""

    def __init__(self, entries: Sequence[Entry], options: Options, by):
        self.options, self.plan = options, Plan()
        visible = Domain.objects.all() if by is None else Domain.objects.visible_to(caller_for(by))
        self.domains = {domain.slug: domain for domain in visible}
        topics = Topic.objects.select_related("domain").order_by("-name")
        self.by_name = {t.name: t for t in topics.filter(name__in={entry.topic for entry in entries})}
        slugs = {str(entry.about.get("domain") or options.domain) for entry in entries}
        asked = topics.filter(domain__slug__in=slugs) if any(not entry.topic for entry in entries) else ()
        self.by_query = {(topic.domain.slug, folded(topic.query)): topic for topic in asked}
        locators = {entry.locator for entry in entries}
        self.provisions = Provisions(locators, visible)
        self.judgments = known_judgments([*self.by_name.values(), *self.by_query.values()], locators)
        self.conflicts = conflicts(
            {asked_by(e, options) for e in entries if e.query and e.topic not in self.by_name}
        )

    def add(self, entry: Entry) -> None:
        """Raises LineRefused."""
        domain = self.domain_of(entry)
        if entry.locator:
            self.provisions.require(entry.locator, domain)
        topic = self.topic_of(entry, domain)
        if not entry.locator:
            return
        judge, kind = entry.judge or self.options.judge, entry.kind or self.options.kind
        key = (topic.name, entry.locator, judge, kind)
        existing = self.judgments.get(key)
        if existing is None:
            row = Judgment(topic=topic, locator=entry.locator, grade=entry.grade, judge=judge, kind=kind)
            row.explanation = entry.explanation
            self.plan.new.append(row)
            self.judgments[key] = row
        elif existing.grade == entry.grade:
            self.plan.same += 1
        elif existing.adjudicates:
            raise LineRefused(
                gettext_noop(
                    "%(judge)s settled this pair with grade %(grade)s: an import does not change that"
                ),
                judge=judge,
                grade=existing.grade,
            )
        elif existing.pk is None:
            raise LineRefused(
                gettext_noop("an earlier line gives this pair grade %(grade)s"), grade=existing.grade
            )
        else:
            change = Change(entry.line, existing, existing.grade, entry.grade, entry.explanation)
            self.plan.changed.append(change)

    def domain_of(self, entry: Entry) -> Domain:
        existing = self.by_name.get(entry.topic)
        if existing and existing.domain.slug not in self.domains:
            raise LineRefused(gettext_noop("the topic id %(topic)s is taken"), topic=entry.topic)
        slug = str(entry.about.get("domain") or (existing.domain.slug if existing else self.options.domain))
        if slug not in self.domains:
            raise LineRefused(gettext_noop("there is no domain %(slug)s"), slug=slug)
        return self.domains[slug]

    def topic_of(self, entry: Entry, domain: Domain) -> Topic:
        """The topic by its id, else by its query, else a new one."""
        key = (domain.slug, folded(entry.query))
        topic = self.by_name.get(entry.topic) if entry.topic else self.by_query.get(key)
        if topic is None and not entry.query:
            raise LineRefused(
                gettext_noop("there is no topic %(topic)s, and no query to make it from"), topic=entry.topic
            )
        if topic is None:
            if not domain.is_private and (conflict := self.conflicts.get(asked_by(entry, self.options))):
                raise conflict
            topic = new_topic(entry, domain, self.options)
            self.plan.topics.append(topic)
            self.by_name[topic.name] = self.by_query[key] = topic
        elif topic.domain_id != domain.pk:
            raise LineRefused(gettext_noop("topic %(topic)s is of another domain"), topic=topic.name)
        elif entry.query and folded(entry.query) != folded(topic.query):
            raise LineRefused(
                gettext_noop("topic %(topic)s asks something else: “%(query)s”"),
                topic=topic.name,
                query=topic.query[:60],
            )
        return topic


def asked_by(entry: Entry, options: Options) -> NewTopic:
    return NewTopic(entry.query, split_of(entry, options), str(entry.about.get("group", ""))[:100])


def split_of(entry: Entry, options: Options) -> str:
    return str(entry.about.get("split") or options.split).lower()


def known_judgments(topics: Sequence[Topic], locators: set[str]) -> dict[tuple[str, str, str, str], Judgment]:
    """By topic's name, locator, judge, kind."""
    names = {topic.pk: topic.name for topic in topics}
    found = Judgment.objects.filter(topic__in=names, locator__in=locators)
    return {(names[each.topic_id], each.locator, each.judge, each.kind): each for each in found}


def new_topic(entry: Entry, domain: Domain, options: Options) -> Topic:
    told = entry.about
    split = split_of(entry, options)
    if split not in Topic.Split.values:
        raise LineRefused(gettext_noop("there is no split %(split)s"), split=split[:40])
    return Topic(
        name=entry.topic or name_of(entry.query, domain),
        domain=domain,
        query=entry.query,
        language=str(told.get("language", "en"))[:5],
        kind=str(told.get("topic_kind", ""))[:40],
        narrative=str(told.get("narrative", "")),
        split=split,
        group=str(told.get("group", ""))[:100],
        source="import",
        answerable=bool(told.get("answerable", True)),
        tags=[str(tag)[:40] for tag in told.get("tags", [])],
    )


def name_of(query: str, domain: Domain) -> str:
    """The same for the same question of a domain, however it is spaced or capitalised."""
    return f"import-{hashlib.sha256(f'{domain.slug} {folded(query)}'.encode()).hexdigest()[:12]}"


# -- Changing it


@transaction.atomic
def apply(plan: Plan, *, by=None, reason: str = "") -> dict[str, list]:
    """Gives what it takes to take it back: ids of the rows made, and (id, grade, explanation) before a change.

    `reason` stands in the history of each judgment and, being this import's alone, finds it again.
    """
    told = {"default_user": by, "default_change_reason": reason}
    Topic.objects.bulk_create(plan.topics)
    if plan.new:
        bulk_create_with_history(plan.new, Judgment, batch_size=1_000, **told)
    before = [(each.judgment.pk, each.before, each.judgment.explanation) for each in plan.changed]
    for change in plan.changed:
        change.judgment.grade, change.judgment.created_at = change.after, timezone.now()
        change.judgment.explanation = change.explanation or change.judgment.explanation
    rows = [change.judgment for change in plan.changed]
    fields = ["grade", "explanation", "created_at"]
    bulk_update_with_history(rows, Judgment, fields, batch_size=500, **told)
    return {
        "topics": [topic.pk for topic in plan.topics],
        "judgments": [row.pk for row in plan.new],
        "before": before,
    }


def take_back(applied: Mapping[str, list], reason: str) -> None:
    """As though nothing had been imported, history included. Topics that others have judged meanwhile stay."""
    with connection.cursor() as cursor:  # in one go: the ORM would write each deletion into history
        cursor.execute("DELETE FROM evaluation_judgment WHERE id = ANY(%s)", [applied["judgments"]])
    Topic.objects.filter(pk__in=applied["topics"], judgments__isnull=True).delete()
    for pk, grade, explanation in applied["before"]:
        Judgment.objects.filter(pk=pk).update(grade=grade, explanation=explanation)
    Judgment.history.filter(history_change_reason=reason).delete()


class ImportJudgments(Job):
    """Takes a file in, 2,500 judgments a step. Cancelled, it takes back what it did.

    While it runs its state holds the file; at its end, counts and the lines that were refused.
    """

    def step(self, run: JobRun) -> Progress:
        held = read(run.state["text"], run.params["format"])
        options = Options(**run.params["options"])
        plan = plan_of(held.entries[run.position : run.position + STEP], options, by=run.requested_by)
        applied = apply(plan, by=run.requested_by, reason=reason_of(run))
        state = counted(run.state, plan) | {"applied": [*run.state["applied"], applied]}
        total = len(held.entries)
        done = min(run.position + STEP, total)
        if done < total:
            return Progress(done, total, summary(state), state)
        kept = {name: value for name, value in state.items() if name not in ("text", "applied")}
        return Progress(total, total, summary(kept), kept, finished=True)

    def undo(self, run: JobRun) -> None:
        for applied in reversed(run.state.get("applied", [])):
            take_back(applied, reason_of(run))


def reason_of(run: JobRun) -> str:
    return f"import {run.pk}: {run.params['file']}"[:100]


def counted(state: Mapping, plan: Plan) -> dict:
    """The state with what a plan adds to its counts and lists."""
    told = {line for line, *_ in state.get("refused", [])}
    counts = plan.counts | {"refusals": len({each.line for each in plan.refused} - told)}
    refused = [[each.line, each.reason, each.refusal] for each in plan.refused]
    changes = [[c.judgment.topic.name, c.judgment.locator, c.before, c.after] for c in plan.changed]
    return {
        **state,
        **{name: state.get(name, 0) + count for name, count in counts.items()},
        "refused": sorted(state.get("refused", []) + refused, key=lambda each: each[:2])[:TOLD],
        "changes": (state.get("changes", []) + changes)[:TOLD],
    }


def summary(state: Mapping) -> str:
    first = "; ".join(f"line {line}: {reason}" for line, reason, *_ in state["refused"][:3])
    return COUNTED % state + (f" ({first})" if first else "")


@transaction.atomic
def create(text: str, fmt: Format, options: Options, *, by=None, name: str = "") -> JobRun:
    """A waiting import, checked to be readable. Raises BadFile, and AlreadyRunning beside another import."""
    held = read(text, fmt)
    domain = private_domain(held.entries) or options.domain
    params = {"file": name, "format": fmt, "options": asdict(options), "domain": domain}
    run = jobs.create("import_judgments", key="import judgments", params=params, by=by)
    begun = Plan(same=held.repeated, refused=list(held.refused))
    run.state, run.total = counted({"text": text, "applied": []}, begun), len(held.entries)
    run.save()
    return run


def private_domain(entries: Sequence[Entry]) -> str:
    """One that lines speak of, if any: its job's messages are then for those who may read it."""
    private = Domain.objects.filter(visibility=Domain.Visibility.PRIVATE)
    named = private.filter(slug__in={str(entry.about.get("domain", "")) for entry in entries})
    asked = private.filter(topics__name__in={entry.topic for entry in entries if entry.topic})
    return (named | asked).values_list("slug", flat=True).first() or ""


# -- A file that somebody looks through first


@transaction.atomic
def stage(content: bytes, fmt: Format, options: Options, *, by, name: str) -> Upload:
    """Keeps a readable file for its dry run, in place of the same person's last one. Raises BadFile."""
    text = decoded(content)
    read(text, fmt)
    Upload.objects.filter(Q(user=by) | Q(created_at__lt=timezone.now() - FORGOTTEN_AFTER)).delete()
    return Upload.objects.create(user=by, name=name, text=text, format=fmt, options=asdict(options))


@transaction.atomic
def confirm(upload: Upload) -> JobRun:
    """Imports what was looked through. Raises AlreadyRunning beside another import; the file is kept then."""
    options = Options(**upload.options)
    run = create(upload.text, upload.format, options, by=upload.user, name=upload.name)
    jobs.hand_on(run)
    upload.delete()
    return run
