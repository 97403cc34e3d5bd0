"""How well an embedder alone finds what the tune split asks for, among the provisions that were gathered."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from evaluation.embedder.pairs import chunks_of
from evaluation.measuring.measures import measure_each
from evaluation.topics.library import topics_of
from evaluation.topics.topic import Topic
from retrieval.access.caller import ANONYMOUS
from retrieval.engines.embedders import Embedder
from retrieval.models import Domain, Section

MEASURES = ("MRR@10", "R@100")
DEEPEST = 100


@dataclass(frozen=True)
class Ground:
    """Of one body of law: passages with the locators of their provisions, and topics whose answers are among these."""

    domain: str
    texts: list[str]
    locators: list[str]
    topics: list[Topic]


def grounds(sections: Iterable[int]) -> list[Ground]:
    """The provisions learned from, in each public body of law that the tune split asks of."""
    places = dict(Section.objects.filter(pk__in=set(sections)).values_list("pk", "locator"))
    found = []
    for domain in Domain.objects.visible_to(ANONYMOUS).order_by("pk"):
        within = Section.objects.filter(domain=domain, pk__in=places).values_list("pk", flat=True)
        chunks = [chunk for several in chunks_of(within).values() for chunk in several]
        locators = [places[chunk.section_id] for chunk in chunks]
        tuned, known = topics_of(domain.slug, "tune"), set(locators)
        topics = [topic for topic in tuned if topic.relevant and topic.relevant.keys() <= known]
        if topics:
            found.append(Ground(domain.slug, [chunk.indexed_text for chunk in chunks], locators, topics))
    return found


def measured(ground: Ground, embedder: Embedder) -> list[dict[str, float]]:
    """MEASURES of each topic, its question as it was typed: a provision is as near as its nearest passage."""
    passages = embedder.embed_documents(ground.texts)
    rankings = [
        nearest(passages @ embedder.embed_query(topic.query), ground.locators) for topic in ground.topics
    ]
    return measure_each(zip(rankings, (topic.judged for topic in ground.topics), strict=True), MEASURES)


def nearest(cosines: np.ndarray, locators: Sequence[str]) -> list[str]:
    order = np.argsort(-cosines, kind="stable")
    return list(dict.fromkeys(locators[n] for n in order))[:DEEPEST]
