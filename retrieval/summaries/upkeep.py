"""Keeps summaries: of provisions when they are chunked, of all above them when they are published. What has changed is
summarised anew with what stands above it, each from the summaries directly below, so that the cost grows neither with
the document nor with the corpus.
"""

import json
import time
from collections import defaultdict
from collections.abc import Container, Iterable, Sequence
from itertools import groupby

import numpy as np
from django.db import transaction
from django.db.models import Exists, OuterRef

from retrieval import jobs
from retrieval.access.row_security import as_system
from retrieval.corpus import history, statements
from retrieval.indexes.centroids import units
from retrieval.models import Document, Section, SectionTerms, Summary
from retrieval.models.corpus import SectionQuerySet
from retrieval.summaries.sentences import telling

MOST_BELOW = 4  # provisions that stand for what is below a part, and for a document
CITED = 0.05  # of a cosine, for each e-fold of sections that cite a provision
FIRST = 0.1  # of a cosine, for what a part begins with: mostly what the rest of it serves
CHANGED = 0.2  # of a cosine, against what later law changed
ALIKE = 0.8  # how much of its likeness to one that is chosen speaks against another
BATCH = 200  # parts summarised at a time, and provisions
SECONDS = 60.0  # of a run by the clock; the queue ends a task after two minutes

Place = list[int]  # section, start, end

# Of provisions that hold no more law, nothing is told.
BELOW = """
SELECT child.parent_id, summary.level, summary.sentences
FROM retrieval_section child JOIN retrieval_summary summary ON summary.section_id = child.id
WHERE {below} AND child.live AND child.valid_to IS NULL AND child.status = ''
ORDER BY child.position, child.id, summary.level
"""
VECTORS = """
SELECT section_id, avg(vector)::text FROM retrieval_chunkvector
WHERE section_id = ANY(%s) AND model_id = (SELECT id FROM retrieval_embeddingmodel WHERE status = 'active')
GROUP BY section_id
"""


def save_provisions(sections: Iterable[Section]) -> None:
    """Of texts that have none yet; a section row never changes its text."""
    rows = [
        Summary(
            section=section, document_id=section.document_id, level=Summary.Level.PROVISION, sentences=told
        )
        for section in sections
        if section.is_result and (told := of_provision(section))
    ]
    Summary.objects.bulk_create(rows, batch_size=500)


def of_provision(section: Section) -> list[Place]:
    found = telling(section.text, f"{section.heading} {section.plain_name}", section.document.language)
    return [[section.pk, start, end] for start, end in found]


def save_above(document: Document, changed: Sequence[int]) -> None:
    """Of the document, and of every current part of it that is, or holds, one of these sections."""
    parts = parts_above(document, changed)
    for _, level in groupby(parts, key=lambda part: part.depth):
        same_depth = list(level)
        for first in range(0, len(same_depth), BATCH):
            save_parts(document, [part.pk for part in same_depth[first : first + BATCH]])
    below = "child.document_id = %s AND child.parent_id IS NULL"
    chosen = chosen_of(statements.rows(BELOW.format(below=below), [document.pk]))
    document.summaries.filter(section=None).delete()
    Summary.objects.create(document=document, level=Summary.Level.DOCUMENT, sentences=chosen.get(None, []))


def parts_above(document: Document, changed: Sequence[int]) -> list[Section]:
    """The deepest first."""
    current = document.sections.live().in_force().filter(is_leaf=False).only("depth", "parent_locator")
    rows = document.sections.filter(pk__in=changed)
    found = {part.pk: part for part in current.filter(pk__in=changed)}
    wanted = set(rows.values_list("parent_locator", flat=True)) - {""}
    while wanted:
        above = current.filter(locator__in=wanted).in_bulk()
        wanted = {part.parent_locator for pk, part in above.items() if pk not in found} - {""}
        found |= above
    return sorted(found.values(), key=lambda part: -part.depth)


def save_parts(document: Document, parts: list[int]) -> None:
    chosen = chosen_of(statements.rows(BELOW.format(below="child.parent_id = ANY(%s)"), [parts]))
    level = Summary.Level.PART
    Summary.objects.filter(section__in=parts, level=level).delete()
    Summary.objects.bulk_create(
        Summary(document=document, section_id=part, level=level, sentences=told)
        for part, told in chosen.items()
    )


def chosen_of(below: Sequence[tuple[int | None, int, str]]) -> dict[int | None, list[Place]]:
    """By part, what stands for it, chosen from the most telling sentence of each provision directly below it and from
    all that stand for the parts below it.
    """
    candidates: dict[int | None, list[Place]] = defaultdict(list)
    for part, level, stored in below:
        sentences = json.loads(stored)
        candidates[part] += sentences if level else sentences[:1]
    sections = {place[0] for places in candidates.values() for place in places}
    vectors = vectors_of(sections)
    cited = dict(SectionTerms.objects.filter(section__in=sections).values_list("section", "cited_by"))
    changed = changed_among(sections)
    return {part: central(places, vectors, cited, changed) for part, places in candidates.items()}


def changed_among(sections: Iterable[int]) -> set[int]:
    """Those that later law changed."""
    locators = Section.objects.filter(pk__in=sections).values_list("pk", "locator")
    return {pk for pk, locator in locators if history.standing(locator, None).made}


def vectors_of(sections: Iterable[int]) -> dict[int, np.ndarray]:
    """The mean of each section's vectors, of unit length."""
    rows = statements.rows(VECTORS, [list(sections)])
    return {pk: units(np.array(vector[1:-1].split(","), np.float32)) for pk, vector in rows}


def central(
    places: list[Place],
    vectors: dict[int, np.ndarray],
    cited: dict[int, int],
    changed: Container[int] = (),
) -> list[Place]:
    """The most central first: near to what all of them say, the first of them, cited much, not changed, and unlike
    those chosen before (Carbonell and Goldstein 1998). Without vectors, in their order.
    """
    if not (known := [place for place in places if place[0] in vectors]):
        return places[:MOST_BELOW]
    matrix = np.array([vectors[place[0]] for place in known])
    merit = matrix @ units(matrix.mean(axis=0)) + CITED * np.log1p(
        [cited.get(place[0], 0) for place in known]
    )
    merit += [FIRST * (place == places[0]) - CHANGED * (place[0] in changed) for place in known]
    likeness = np.zeros(len(known), np.float32)
    chosen: list[int] = []
    for _ in range(min(MOST_BELOW, len(known))):
        left = merit - ALIKE * likeness
        left[chosen] = -np.inf
        chosen.append(int(np.argmax(left)))
        likeness = np.maximum(likeness, matrix @ matrix[chosen[-1]])
    return [known[n] for n in chosen]


# -- What was there before


@as_system()
def save_missing(seconds: float = SECONDS) -> int:
    """Summarises documents that have no summary, as far as there is time: the next run goes on. Gives how many were
    finished.
    """
    until, finished = time.monotonic() + seconds, 0
    without = ~Exists(Summary.objects.filter(document=OuterRef("pk"), section=None))
    for number in Document.objects.filter(without).order_by("pk").values_list("pk", flat=True):
        while time.monotonic() < until:
            if save_some(number):
                finished += 1
                break
        else:
            break
    return finished


def save_some(number: int) -> bool:
    """The next provisions of a document, or, where all have their summary, what is above them; gives whether that was
    all. No ingestion writes meanwhile.
    """
    with transaction.atomic():
        jobs.lock(jobs.CORPUS)
        document = Document.objects.get(pk=number)
        if batch := list(without_summary(document)[:BATCH]):
            save_provisions(batch)
            return False
        parts = document.sections.live().in_force().filter(is_leaf=False)
        save_above(document, list(parts.values_list("pk", flat=True)))
        return True


def without_summary(document: Document) -> SectionQuerySet:
    has_one = Exists(Summary.objects.filter(section=OuterRef("pk"), level=Summary.Level.PROVISION))
    texts = document.sections.live().results().filter(~has_one, text__regex=r"\S")
    return texts.select_related("document").order_by("pk")
