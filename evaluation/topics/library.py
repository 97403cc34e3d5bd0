"""Topics and judgments as rows: those that ship, and the agreed grades that measuring and learning read."""

import json
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from statistics import median_low

from django.conf import settings
from django.db import transaction
from django.db.models import Exists, OuterRef, QuerySet
from simple_history.utils import bulk_create_with_history

from evaluation.models import ANSWERS, Judgment, NoAnswer, Topic
from evaluation.topics.topic import COPIED, digest
from evaluation.topics.topic import Topic as GradedTopic
from retrieval.access.caller import ANONYMOUS
from retrieval.errors import ArfError, NotFound
from retrieval.models import Domain, Section

DATA = Path(settings.BASE_DIR) / "evaluation/topics/data"
FIRST = "us_constitution"  # its law ships too: files of this name wait for none
SHIPPED = "shipped"  # the judge and the source of what comes with the project
HUMAN = (Judgment.Kind.HUMAN,)


class SplitChanged(ArfError):
    """The shipped test topics are no longer those whose digest was committed before anything was trained."""

    status = 422
    code = "test_split_changed"

    def __init__(self, path: Path):
        super().__init__(f"The test topics of {path.name} are not those whose digest was committed.")


# -- What ships


def load() -> dict[str, int]:
    """Adds shipped topics and judgments that are missing, changes none that are there; gives how many of each. Those
    that ask of other law than the Constitution wait for it.
    """
    added = [add(rows_of(path)) for path in sorted(DATA.glob(f"{FIRST}*.jsonl"))]
    return {name: sum(each[name] for each in added) for name in ("topics", "judgments")}


def load_arrived() -> dict[str, int]:
    """As `load`, those topics that waited for law which is here by now: all that controls them."""
    waiting = [
        row
        for path in sorted(DATA.glob("*.jsonl"))
        if not path.stem.startswith(FIRST)
        for row in rows_of(path)
    ]
    wanted = {locator for row in waiting for locator in controlling(row)}
    here = Section.objects.live().filter(private=False, locator__in=wanted)
    found = set(here.values_list("locator", flat=True))
    return add([row for row in waiting if controlling(row) <= found])


def rows_of(path: Path) -> list[dict]:
    """Raises SplitChanged. The digest lies beside the file, as NAME.test.sha256."""
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]
    committed = path.with_suffix(".test.sha256").read_text(encoding="utf-8").split()[0]
    if digest(row for row in rows if row["split"] == "test") != committed:
        raise SplitChanged(path)
    return rows


def controlling(row: dict) -> set[str]:
    return {locator for locator, grade in row["relevant"].items() if grade == Judgment.Grade.CONTROLLING}


@transaction.atomic
def add(rows: Sequence[dict]) -> dict[str, int]:
    return {"topics": add_topics(rows), "judgments": add_judgments(rows)}


def add_topics(rows: Sequence[dict]) -> int:
    domains = {domain.slug: domain for domain in Domain.objects.filter(slug__in={r["domain"] for r in rows})}
    known = set(Topic.objects.values_list("name", flat=True))
    new = [topic_row(row, domains[row["domain"]]) for row in rows if row["id"] not in known]
    return len(Topic.objects.bulk_create(new))


def topic_row(row: dict, domain: Domain) -> Topic:
    copied = {name: row[name] for name in (*COPIED, "tags")}
    answered_by = row.get("answered_by", [])
    return Topic(name=row["id"], domain=domain, source=SHIPPED, answered_by=answered_by, **copied)


def add_judgments(rows: Sequence[dict]) -> int:
    ids = dict(Topic.objects.filter(name__in=[row["id"] for row in rows]).values_list("name", "pk"))
    shipped = Judgment.objects.filter(judge=SHIPPED, kind=Judgment.Kind.HUMAN)
    known = set(shipped.values_list("topic_id", "locator"))
    new = [
        Judgment(topic_id=ids[row["id"]], locator=locator, grade=grade, judge=SHIPPED)
        for row in rows
        for locator, grade in row["relevant"].items()
        if (ids[row["id"]], locator) not in known
    ]
    return len(bulk_create_with_history(new, Judgment)) if new else 0


# -- What was agreed


def agreed(grades: Iterable[int]) -> int:
    """The lower median: a majority's grade wherever there is one, the lower of two on a tie."""
    return median_low(grades)


def require_domain(slug: str) -> None:
    """Raises NotFound where it is none: of a misspelt one there would seem to be nothing. All are meant by ""."""
    if slug and not Domain.objects.filter(slug=slug).exists():
        raise NotFound(f"There is no domain {slug}.")


def topics_of(domain: str = "", split: str = "", *, kinds: Sequence[str] = HUMAN) -> list[GradedTopic]:
    """Topics with agreed grades by name. Judgments of models and clicks count only where `kinds` names them."""
    wanted = still_asked(Topic.objects.select_related("domain").order_by("name"))
    return as_topics(narrowed(wanted, domain, split), kinds=kinds)


def still_asked(rows: "QuerySet[Topic]") -> "QuerySet[Topic]":
    """Without those that have no answer in their own body of law, but in another that is loaded by now."""
    law = Section.objects.live().filter(domain=OuterRef("pk"))
    loaded = Domain.objects.visible_to(ANONYMOUS).filter(Exists(law))
    return rows.exclude(answered_by__overlap=loaded.values_list("slug", flat=True))


def narrowed(rows: QuerySet, domain: str, split: str, topic: str = "") -> QuerySet:
    """Topics, or with the path to their `topic` other rows, of one domain and split; all where it is ""."""
    asked = {f"{topic}domain__slug": domain, f"{topic}split": split}
    return rows.filter(**{path: value for path, value in asked.items() if value})


def as_topics(
    rows: "QuerySet[Topic]", *, kinds: Sequence[str] = HUMAN, of: "QuerySet[Judgment] | None" = None
) -> list[GradedTopic]:
    """`of`: the judgments to agree on, where not all."""
    qrels = qrels_of(rows, kinds=kinds, of=of)
    unanswered = agreed_unanswered(rows, qrels)
    return [with_grades(row, qrels.get(row.pk, {}), row.pk not in unanswered) for row in rows]


def agreed_unanswered(rows: "QuerySet[Topic]", qrels: Mapping[int, Mapping[str, int]]) -> set[int]:
    """Topics of which a judge said that nothing answers them, where no agreed grade says that something does: who
    disagrees is heard by grading, and a disagreement is settled as any other.
    """
    said = NoAnswer.objects.standing().filter(topic__in=rows.order_by().values("pk"))
    return {
        topic
        for topic in said.values_list("topic", flat=True)
        if max(qrels.get(topic, {}).values(), default=0) < ANSWERS
    }


def qrels_of(
    rows: "QuerySet[Topic]", *, kinds: Sequence[str] = HUMAN, of: "QuerySet[Judgment] | None" = None
) -> dict[int, dict[str, int]]:
    """The agreed grade of each judged pair, by topic id and locator: that of an adjudication where there is one."""
    given: dict[int, dict[str, list[int]]] = defaultdict(lambda: defaultdict(list))
    final: dict[tuple[int, str], int] = {}
    judgments = chosen("", "", kinds, of).filter(topic__in=rows.order_by().values("pk"))
    fields = "topic_id", "locator", "grade", "adjudicates"
    for topic_id, locator, grade, adjudicates in judgments.values_list(*fields):
        given[topic_id][locator].append(grade)
        if adjudicates:
            final[topic_id, locator] = grade
    return {
        topic_id: {
            locator: final.get((topic_id, locator), agreed(grades))
            for locator, grades in sorted(pairs.items())
        }
        for topic_id, pairs in given.items()
    }


def with_grades(row: Topic, grades: Mapping[str, int], answered: bool) -> GradedTopic:
    copied = {name: getattr(row, name) for name in COPIED}
    copied["answerable"] = row.answerable and answered
    return GradedTopic.graded(
        grades, id=row.name, domain=row.domain.slug, tags=tuple(row.tags), source=row.source, **copied
    )


def grades_by_judge(
    domain: str = "", split: str = "", *, kinds: Sequence[str] = HUMAN, of: "QuerySet[Judgment] | None" = None
) -> dict[tuple[str, str], dict[str, int]]:
    """Who gave what: by (topic, locator), then by judge. A judge of two kinds is told apart by the kind.

    Adjudications are left out: they were made in knowledge of the others and say nothing of agreement.
    """
    given: dict[tuple[str, str], dict[str, int]] = defaultdict(dict)
    judgments = chosen(domain, split, kinds, of).filter(adjudicates=False)
    rows = judgments.order_by("topic__name", "locator", "judge")
    for name, locator, judge, kind, grade in rows.values_list(
        "topic__name", "locator", "judge", "kind", "grade"
    ):
        given[name, locator][judge if kind == Judgment.Kind.HUMAN else f"{judge} ({kind})"] = grade
    return dict(given)


def chosen(
    domain: str, split: str, kinds: Sequence[str], of: "QuerySet[Judgment] | None" = None
) -> "QuerySet[Judgment]":
    judgments = (Judgment.objects.all() if of is None else of).filter(kind__in=kinds)
    return narrowed(judgments, domain, split, "topic__")


def judgment_rows(domain: str = "", split: str = "", *, kinds: Sequence[str] = HUMAN) -> list[dict]:
    """Every single judgment as a row of a file, with the topic's query, so that it can be read in elsewhere."""
    judgments = chosen(domain, split, kinds).select_related("topic__domain")
    return [
        {
            "topic": judgment.topic.name,
            "query": judgment.topic.query,
            "domain": judgment.topic.domain.slug,
            "split": judgment.topic.split,
            "locator": judgment.locator,
            "grade": judgment.grade,
            "judge": judgment.judge,
            "kind": judgment.kind,
            "adjudicates": judgment.adjudicates,
            "explanation": judgment.explanation,
            "judged_at": judgment.created_at.isoformat(),
        }
        for judgment in judgments.order_by("topic__name", "locator", "judge", "kind")
    ]
