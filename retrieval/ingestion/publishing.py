"""Publishes a staged document in one transaction: new text goes live, old text is closed, links are resolved."""

import re
from collections import Counter
from collections.abc import Container, Iterable
from datetime import date

from django.db import connection
from django.db.models import Max
from django.utils import timezone

from retrieval.corpus import changes
from retrieval.corpus.statements import rows
from retrieval.indexes import cited, terms
from retrieval.ingestion import defining
from retrieval.ingestion.editions import standing, with_edition
from retrieval.ingestion.ordering import moved_to, places_with
from retrieval.ingestion.staging import shown_name
from retrieval.jobs import Progress
from retrieval.models import Document, Domain, JobRun, Section
from retrieval.models.corpus import SectionQuerySet
from retrieval.summaries import upkeep

# Citations whose place is another than is known, each looked up by itself (OFFSET 0 keeps PostgreSQL from joining all).
MOVED = """
SELECT cited.id, place.id FROM {places} CROSS JOIN LATERAL (
    SELECT id, target_id, target_locator FROM retrieval_citation WHERE {at} OFFSET 0
) cited CROSS JOIN LATERAL (
    SELECT section.id FROM retrieval_section section
    WHERE section.locator = cited.target_locator AND section.live AND section.valid_to IS NULL
    UNION ALL
    SELECT section.id FROM retrieval_anchor anchor JOIN retrieval_section section ON section.id = anchor.section_id
    WHERE anchor.locator = cited.target_locator AND section.live AND section.valid_to IS NULL
) place
WHERE cited.target_id IS DISTINCT FROM place.id
"""
MADE_BY = MOVED.format(places="unnest(%(sections)s::bigint[]) made (source)", at="source_id = made.source")
CITING = MOVED.format(
    places="""(
        SELECT locator FROM retrieval_section WHERE id = ANY(%(sections)s::bigint[])
        UNION SELECT locator FROM retrieval_anchor WHERE section_id = ANY(%(sections)s::bigint[])
    ) named""",
    at="target_locator = named.locator",
)
LINK = """
UPDATE retrieval_citation edge SET target_id = moved.place
FROM unnest(%s::bigint[], %s::bigint[]) moved (edge, place) WHERE edge.id = moved.edge
"""


def publish(run: JobRun) -> Progress:
    """In one transaction: new text goes live, what it changes is closed, what is gone is tombstoned."""
    document = Document.objects.get(pk=run.state["document"])
    version, edition = document.domain.corpus_version, run.state.get("edition")
    today = date.fromisoformat(edition) if edition else timezone.localdate()
    described = document.staged_description | {"retrieved_at": timezone.now(), "staged_description": {}}
    if document.title_given:
        described["title"] = document.title
    if "scope" in run.state:  # an earlier release staged without it
        described["editions"] = with_edition(document, run.state["scope"], edition or "")
    Document.objects.filter(pk=document.pk).update(**described)
    add_language(document, described["language"])
    returned = come_back(document, run.state.get("told"))
    staged = {section.locator: section for section in document.sections.staged()}
    current = document.sections.live().filter(valid_to=None)
    removed = list(current.filter(pk__in=run.state["gone"]).values_list("pk", flat=True))
    replaced = list(current.filter(locator__in=list(staged)))
    if document.domain.takes_uploads and document.sections.live().exists():
        begin(staged.keys() - {old.locator for old in replaced}, staged, today)
    moved = moved_to(places_with(document), places_with(document, staged.values(), gone=removed)) if edition else ()
    end(document, removed, today)
    supersede(document, [(old, staged[old.locator]) for old in replaced], today, told=bool(edition), moved=moved)
    return_removed(document, staged)
    put_right(document, staged, but=replaced)
    document.sections.staged().update(live=True)
    changes.keep(document.pk)
    if run.kind != "fetch":
        forget_fetched(document.domain)
    published = [*(section.pk for section in staged.values()), *returned]
    closed = [*removed, *(old.pk for old in replaced)]
    link_parents(document)
    link_citations(published=published, closed=closed)
    defining.keep(document, list(staged.values()))
    cited.count_again(changed=[*published, *closed])
    upkeep.save_above(document, [*published, *closed])
    terms.count_published(document.domain, version, added=published, removed=closed)
    totals = Counter(run.state.get("totals", {}))
    shown = staged.keys() | Section.objects.in_force().filter(pk__in=returned).values_list("locator", flat=True)
    totals.update(documents=1, published=len(shown), removed=len(removed))
    of = f"{totals['documents']} documents" if totals["documents"] > 1 else shown_name(document)
    message = f"{of}: {totals['published']} sections published, {totals['removed']} removed"
    state = {"phase": "done", "document": document.pk, "totals": totals}
    return Progress(run.total, run.total, message, state, finished=True)


def come_back(document: Document, told: list[int] | None) -> list[int]:
    """Law that was withdrawn is in force again as it was, before an edition changes it: all of it, or what the source
    of a part tells of (ids). Gives what came back (ids).
    """
    ended = standing(document).filter(valid_to__isnull=False)
    ended = ended if told is None else ended.filter(pk__in=told)
    returned = list(ended.values_list("pk", flat=True))
    Section.objects.filter(pk__in=returned).update(valid_to=None)
    return returned


def forget_fetched(domain: Domain) -> None:
    """What its publisher gave last may be what the domain holds no longer: it is got again, whether it changed there or
    not.
    """
    domain.downloads.all().delete()


def add_language(document: Document, language: str) -> None:
    """To those of its domain, so that words of that language are looked for. What a private one holds is told to
    nobody.
    """
    domain = document.domain
    if not document.private and language not in domain.languages:
        Domain.objects.filter(pk=domain.pk).update(languages=[*domain.languages, language])


def end(document: Document, sections: Iterable[int], day: date) -> None:
    """Closes current texts (ids). One that has yet to begin, or is law that began on that very day, was in force on no
    day, and is taken back.
    """
    closed = document.sections.filter(pk__in=sections)
    least = "gt" if document.domain.takes_uploads else "gte"
    take_back(closed.filter(**{f"valid_from__{least}": day}))
    closed.live().update(valid_to=day)


def take_back(sections: SectionQuerySet) -> None:
    """As if they had never been published."""
    sections.update(live=False, replaced_at=timezone.now())


def supersede(
    document: Document, replaced: list[tuple[Section, Section]], today: date, *, told: bool, moved: Container[str]
) -> None:
    """Changed law is closed on the day the new text begins; a mere correction of lines, or of headings where the source
    is not `told` to be of a day, replaces the row. No statement for each: thousands of sections are published in one
    step.
    """
    corrected, changed = [], []
    for old, new in replaced:
        day = new.valid_from if new.valid_from and new.valid_from > (old.valid_from or date.min) else today
        is_another = told and (has_other_heading(old, new) or old.locator in moved)
        was_never = has_yet_to_begin(old) or (not document.domain.takes_uploads and old.valid_from == day)
        if was_never or (is_corrected(old, new) and not is_another):
            corrected.append(old)
            if not (new.valid_from and has_yet_to_begin(old)):
                new.valid_from = old.valid_from or new.valid_from
        else:
            changed.append(old)
            old.valid_to = new.valid_from = day
    take_back(document.sections.filter(pk__in=[old.pk for old in corrected]))
    Section.objects.bulk_update(changed, ["valid_to"], batch_size=500)
    Section.objects.bulk_update([new for _, new in replaced], ["valid_from"], batch_size=500)


def is_corrected(old: Section, new: Section) -> bool:
    """Whether the law is the same: the same words and status, or the first of a place that had neither."""
    return has_same_text(old, new) or not (old.text or old.status)


def has_same_text(old: Section, new: Section) -> bool:
    return old.text.split() == new.text.split() and old.status == new.status


def has_other_heading(old: Section, new: Section) -> bool:
    """Whether it has other words, however they are set; where a source told none, a later one only tells more."""
    before, after = (re.findall(r"\w+", each.heading.casefold()) for each in (old, new))
    return bool(before) and before != after


def has_yet_to_begin(section: Section) -> bool:
    return section.valid_from is not None and section.valid_from > timezone.localdate()


def begin(locators: Iterable[str], staged: dict[str, Section], today: date) -> None:
    """What a further version of people's own document adds is in force from its day on, where nothing tells another. Of
    law, parts may come in one after the other that were in force all the time.
    """
    new = [staged[locator] for locator in locators if staged[locator].valid_from is None]
    for section in new:
        section.valid_from = today
    Section.objects.bulk_update(new, ["valid_from"], batch_size=500)


def return_removed(document: Document, staged: dict[str, Section]) -> None:
    """What was removed and comes back is in force from the day on which it had ended at the earliest: no day has two
    texts.
    """
    closed = document.sections.live().filter(valid_to__isnull=False, locator__in=list(staged))
    ends = dict(closed.values_list("locator").annotate(Max("valid_to")).order_by())
    returned = [staged[locator] for locator, end in ends.items() if (staged[locator].valid_from or date.min) < end]
    for section in returned:
        section.valid_from = ends[section.locator]
    Section.objects.bulk_update(returned, ["valid_from"], batch_size=500)


def put_right(document: Document, staged: dict[str, Section], *, but: Iterable[Section]) -> None:
    """Law that follows on the same law goes on with it: an edition that lacked it, or had it otherwise, was mistaken
    and has been loaded again. People's own documents were as they were handed in.
    """
    if document.domain.takes_uploads:
        return
    ended = document.sections.live().filter(valid_to__isnull=False, locator__in=list(staged))
    days = ended.exclude(pk__in=[old.pk for old in but]).values_list("pk", "locator", "valid_to")
    before = [pk for pk, locator, day in days if staged[locator].valid_from == day]
    resumed = [old for old in ended.filter(pk__in=before).order_by("pk") if goes_on(old, staged[old.locator])]
    for old in resumed:
        staged[old.locator].valid_from = old.valid_from
    take_back(ended.filter(pk__in=[old.pk for old in resumed]))
    Section.objects.bulk_update([staged[old.locator] for old in resumed], ["valid_from"], batch_size=500)


def goes_on(old: Section, new: Section) -> bool:
    is_there = old.parent_locator == new.parent_locator
    return is_there and has_same_text(old, new) and not has_other_heading(old, new)


def link_parents(document: Document) -> None:
    """Every current section under the current version of the section above it."""
    with connection.cursor() as cursor:
        cursor.execute(
            """
            UPDATE retrieval_section child SET parent_id = above.id
            FROM retrieval_section above
            WHERE child.document_id = %s AND above.document_id = child.document_id
              AND above.locator = child.parent_locator AND above.live AND above.valid_to IS NULL
              AND child.live AND child.valid_to IS NULL AND child.parent_id IS DISTINCT FROM above.id
            """,
            [document.pk],
        )


def link_citations(*, published: list[int], closed: list[int]) -> None:
    """Resolves citations to the current section that has, or holds, the cited place: those that these sections make,
    and those elsewhere that cite a place in them. Other citations are not read, so the corpus may grow.
    """
    for found, sections in ((MADE_BY, published), (CITING, published + closed)):
        if moved := rows(found, {"sections": sections}):
            with connection.cursor() as cursor:
                cursor.execute(LINK, [list(column) for column in zip(*moved, strict=True)])
