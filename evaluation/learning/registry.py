"""The registry that serving reads rerankers from: saved, deployed, tried in shadow, rolled back; and how one in shadow
compares with the one that serves, on the searches that both scored.
"""

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass

from django.db import transaction
from django.db.models import Avg, Count, Q, QuerySet
from django.utils import timezone

from evaluation.learning.training import Trained
from evaluation.measuring.measures import Estimate, measure_topic, paired_difference
from evaluation.models import Topic
from evaluation.topics import library
from evaluation.topics.topic import Topic as GradedTopic
from retrieval.access.caller import ANONYMOUS
from retrieval.errors import ArfError, gettext_noop
from retrieval.jobs import lock
from retrieval.models import Domain, EmbeddingModel, RankerModel, ShadowRanking
from retrieval.stages.reranker.artifact import BadArtifact
from retrieval.stages.reranker.reranker import loaded

Status = RankerModel.Status
DECIDES = "nDCG@10"


def sha256(artifact: bytes) -> str:
    return hashlib.sha256(artifact).hexdigest()


def save(trained: Trained) -> RankerModel:
    """Registers an artifact as a candidate, with the embedder it learned with; the same again gives the row it has."""
    model, _ = RankerModel.objects.get_or_create(
        sha256=sha256(trained.artifact),
        defaults={
            "artifact": trained.artifact,
            "family": trained.manifest["family"],
            "manifest": trained.manifest | {"embedder": EmbeddingModel.fingerprint_in_use()},
        },
    )
    return model


def active() -> RankerModel | None:
    return RankerModel.objects.filter(status=Status.ACTIVE).first()


def not_learned(topics: Iterable[GradedTopic]) -> list[GradedTopic]:
    """Those that the model in force, if there is one, did not learn from: of the others it knows the answers, and its
    probabilities for them say nothing of what it gives to anybody else.
    """
    model = active()
    learned = set(model.manifest.get("topics", ())) if model else set()
    return [topic for topic in topics if topic.id not in learned]


def serves() -> bool:
    """Whether a model is in force that can serve."""
    return active() is not None and not problem()


def problem() -> str:
    """Why the model in force cannot serve; empty where it can, or where there is none."""
    model = active()
    return "" if model is None else problem_of(model)


def problem_of(model: RankerModel) -> str:
    """Why a model cannot serve; empty where it can."""
    try:
        loaded(model)
    except BadArtifact as refused:
        return refused.message
    return ""


def deploy(model: RankerModel) -> None:
    """Puts a model in force in every process from its next search on; the one before is retired. Raises ArfError for
    one that cannot serve.
    """
    loaded(model)
    with transaction.atomic():
        lock("reranker registry")
        RankerModel.objects.filter(status=Status.ACTIVE).exclude(pk=model.pk).update(status=Status.RETIRED)
        model.status, model.deployed_at = Status.ACTIVE, timezone.now()
        model.save(update_fields=["status", "deployed_at"])


def shadow(model: RankerModel) -> None:
    """Lets a model score live searches without serving, in place of another that did. Raises ArfError for one that
    cannot serve.
    """
    loaded(model)
    with transaction.atomic():
        lock("reranker registry")
        leave_shadow()
        RankerModel.objects.filter(pk=model.pk).update(status=Status.SHADOW)


@transaction.atomic
def leave_shadow() -> None:
    """Whatever is in shadow becomes what it was before: retired if it has ever served, else a candidate."""
    there = RankerModel.objects.filter(status=Status.SHADOW)
    there.filter(deployed_at=None).update(status=Status.CANDIDATE)
    there.update(status=Status.RETIRED)


def earlier() -> QuerySet[RankerModel]:
    """Those that served before the one in force, the last first."""
    return RankerModel.objects.exclude(status=Status.ACTIVE).filter(deployed_at__isnull=False).order_by("-deployed_at")


def rollback() -> RankerModel:
    """Puts the model deployed before the present one back in force, out of the shadow if it is there. Raises ArfError
    where there is none, or it cannot serve any more.
    """
    with transaction.atomic():
        lock("reranker registry")
        model = earlier().first()
        if model is None:
            raise ArfError(gettext_noop("No earlier reranker to go back to."))
        deploy(model)
        return model


def fall_back() -> RankerModel | None:
    """Puts the model that served last and still can in force in place of one that cannot; None where none can."""
    sound = next((model for model in earlier() if not problem_of(model)), None)
    if sound is not None:
        deploy(sound)
    return sound


# -- In shadow


@dataclass(frozen=True, slots=True)
class Agreement:
    """`overlap`: mean share of the first ten that both show; `other_first`: share of searches with another first
    result; both None before any search. `difference`: in nDCG@10, shadow less active, on the `judged` questions.
    """

    searches: int
    overlap: float | None
    other_first: float | None
    judged: int
    difference: Estimate | None


def agreement(model: RankerModel) -> Agreement:
    rows = ShadowRanking.objects.filter(model=model)
    told = rows.aggregate(
        searches=Count("pk"), overlap=Avg("overlap"), others=Count("pk", filter=Q(same_first=False))
    )
    pairs = [*on_judged_questions(model, rows)]
    return Agreement(
        searches=told["searches"],
        overlap=told["overlap"],
        other_first=told["others"] / told["searches"] if told["searches"] else None,
        judged=len(pairs),
        difference=paired_difference(*zip(*pairs, strict=True)) if pairs else None,
    )


def on_judged_questions(model: RankerModel, rows: QuerySet[ShadowRanking]) -> Iterable[tuple[float, float]]:
    """nDCG@10 of (shadow, active) for each question that people judged and that the model did not learn from; the
    last search of it counts.
    """
    last = {row.query_hash: row for row in rows.exclude(query_hash="").order_by("created_at")}
    learned = model.manifest.get("topics", ())
    asked = Topic.objects.filter(answerable=True, domain__in=Domain.objects.visible_to(ANONYMOUS))
    by_name = {topic.name: topic.query_hash for topic in asked.exclude(name__in=learned)}
    names = [name for name, hashed in by_name.items() if hashed in last]
    for topic in library.as_topics(asked.filter(name__in=names).select_related("domain")):
        if topic.relevant:
            row = last[by_name[topic.id]]
            yield ndcg(row.instead, topic.judged), ndcg(row.served, topic.judged)


def ndcg(locators: list[str], grades: dict[str, int]) -> float:
    return measure_topic(locators, grades)[DECIDES]
