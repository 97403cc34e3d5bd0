"""How a reranker in shadow compares with the one that serves, on the searches that both scored."""

from collections.abc import Iterable
from dataclasses import dataclass

from django.db.models import Avg, Count, Q, QuerySet

from evaluation.measuring.measures import Estimate, measure_topic, paired_difference
from evaluation.models import Topic
from evaluation.topics import library
from retrieval.access.caller import ANONYMOUS
from retrieval.models import Domain, RankerModel, ShadowRanking

DECIDES = "nDCG@10"


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
            yield ndcg(row.instead, topic.relevant), ndcg(row.served, topic.relevant)


def ndcg(locators: list[str], relevant: dict[str, int]) -> float:
    return measure_topic(locators, relevant)[DECIDES]
