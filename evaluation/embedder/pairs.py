"""What the embedder learns of law from: curated names of provisions and the headings of others, each with a passage.
No judged question is among them, nor a name that is nearly one which is kept for measuring: rerankers learn from what
the embedder tells of questions that it has not seen, and are measured on them.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np

from evaluation.topics.leaks import leaks
from evaluation.topics.library import topics_of
from retrieval.access.caller import ANONYMOUS
from retrieval.engines import loaded
from retrieval.models import Chunk, ChunkVector, Domain, Section
from rules.models import Alias

DRAWN = 10_000  # provisions without names of which the heading is learned from
WORDS = 3  # of a heading: “Definitions” could stand over any
MOST = 5  # chunks of a section that are read
SEED = 0


@dataclass(frozen=True, slots=True)
class Pair:
    """`named`: whether the question is a curated name, of which its section may have others."""

    question: str
    text: str
    section: int
    document: int
    named: bool


def gathered() -> list[Pair]:
    """Of what is loaded and public; the same law and names give the same pairs."""
    names = names_by_section()
    headings = headings_without(names.keys())
    chunks = chunks_of([*names, *headings])
    pairs = [pair for section, asked in names.items() for pair in named(asked, chunks[section])]
    described = (chunks[section][0] for section in headings if chunks[section])
    pairs += [
        Pair(headings[one.section_id], one.text, one.section_id, one.document_id, False) for one in described
    ]
    kept = [topic.query for split in ("tune", "test") for topic in topics_of(split=split)]
    near = {leak.learned for leak in leaks([pair.question for pair in pairs], kept)}
    return [pair for pair in pairs if pair.question not in near]


def names_by_section() -> dict[int, list[str]]:
    """English names in use, those of provisions in force. Spanish questions and names are embedded in English."""
    public = Domain.objects.visible_to(ANONYMOUS)
    named = Alias.objects.in_use().filter(domain__in=public, language="en").order_by("pk")
    texts: dict[tuple[int, str], list[str]] = defaultdict(list)
    for domain, locator, text in named.values_list("domain", "locator", "text"):
        texts[domain, locator].append(text)
    places = Section.objects.readable(ANONYMOUS).filter(locator__in={locator for _, locator in texts})
    rows = places.order_by("pk").values_list("pk", "domain", "locator")
    return {pk: texts[domain, locator] for pk, domain, locator in rows if (domain, locator) in texts}


def headings_without(named: Iterable[int]) -> dict[int, str]:
    """The headings of provisions drawn by chance among those that have no names."""
    results = (
        Section.objects.readable(ANONYMOUS).filter(is_result=True, status="").exclude(pk__in=list(named))
    )
    rows = sorted(results.values_list("pk", "heading"))
    telling = [(pk, heading) for pk, heading in rows if len(heading.split()) >= WORDS]
    drawn = np.random.default_rng(SEED).permutation(len(telling))[:DRAWN]
    return dict(telling[n] for n in sorted(drawn))


def chunks_of(sections: Iterable[int]) -> Mapping[int, list[Chunk]]:
    """The first chunks of each, in their order."""
    found: dict[int, list[Chunk]] = defaultdict(list)
    for chunk in Chunk.objects.filter(section__in=list(sections), position__lt=MOST).order_by("position"):
        found[chunk.section_id].append(chunk)
    return found


def named(questions: list[str], chunks: list[Chunk]) -> list[Pair]:
    """Each name with the chunk that the embedder in use finds nearest."""
    nearest = [0] * len(questions)
    if len(chunks) > 1:
        active = loaded.active_embedder()
        stored = ChunkVector.objects.filter(chunk__in=chunks, model=active.model_id).order_by(
            "chunk__position"
        )
        vectors = np.array(list(stored.values_list("vector", flat=True)))
        nearest = (active.embedder.embed_documents(questions) @ vectors.T).argmax(axis=1)
    section, document = (chunks[0].section_id, chunks[0].document_id) if chunks else (0, 0)
    texts = [chunk.indexed_text for chunk in chunks]
    return [
        Pair(question, texts[n], section, document, True)
        for question, n in zip(questions, nearest, strict=True)
        if texts
    ]
