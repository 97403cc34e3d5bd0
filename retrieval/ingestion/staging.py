"""Reads a source, compares it with what is published, and stages what is new or changed beside it.

Readers see nothing of staged sections until `publishing`. Text that did not change keeps its rows and ids.
"""

import hashlib
import json
import re
from collections.abc import Container, Iterable, Iterator, Sequence
from dataclasses import asdict, replace
from datetime import date
from functools import cache
from itertools import starmap
from pathlib import Path

from django.conf import settings
from django.db.models import CharField, F, Model
from django.utils import timezone

from retrieval.citations.citation import cite, cite_plain
from retrieval.citations.finding import find_citations
from retrieval.citations.naming import called, short_titles
from retrieval.errors import SourceRefused, gettext_noop
from retrieval.ingestion.editions import check_order, dated, of_edition, places_of, standing
from retrieval.ingestion.ordering import arrange
from retrieval.ingestion.reading import document_of, forget
from retrieval.jobs import HasTime, Progress, of_owner, time_for_more
from retrieval.models import Anchor, Citation, Document, Domain, JobRun, Section
from retrieval.models.corpus import SectionQuerySet
from retrieval.parsing import tree
from retrieval.parsing.sources import Place
from retrieval.parsing.tree import Node, Ref, SourceDocument
from retrieval.parsing.uslm.reader import CODE_STEPS

PORTION = 500  # sections staged in one piece: a second or two
OF_TEXT = ("heading", "heading_es", "text", "status", "notes", "pages", "is_result", "source_url")
SHORTEST = 0.5  # a source with less than half of the sections known is taken for a broken download

Row = tuple[Section, Node]


def read(run: JobRun) -> Progress:
    """Reads a domain's source and stages the next portion. Raises SourceRefused before anything is written."""
    domain = Domain.objects.get(slug=run.params["domain"])
    path = path_of(domain, run.params.get("source", ""))
    place = Place(**run.state.get("place", {}))
    found, digest = document_of(run, path, domain, place)
    source = of_edition(found.document, run.params.get("edition", ""))
    check_identity(domain, source)
    name = Path(found.filename).name
    rows = checked_rows(domain, source, name)
    document = Document.objects.filter(domain=domain, locator=source.identifier).first()
    covered, current = in_scope(Section.objects.live().filter(document=document), source.scope), standing(document)
    check_order(document, covered, source)
    known = current.results().filter(pk__in=covered).count()
    check_length(known, given_in(rows), force=run.params.get("force", False))
    beside = current.exclude(pk__in=covered)
    progress = stage_some(run, domain, source, brought(rows, source, current), name, digest)
    said = {
        "place": asdict(place),
        "following": found.following and asdict(found.following),
        "totals": run.state.get("totals", {}),  # of the documents before this one
        "span": within(run.params.get("span", (0, 1)), found.span),
    }
    if "gone" in progress.state:
        forget()
        said |= parted(progress.state["gone"], rows, current, beside) if source.scope is not None else {}
        said |= { "edition": dated(source.edition), "scope": places_of(source)}
    return replace(progress, state=progress.state | said)


def within(span: Sequence[float], part: Sequence[float]) -> list[float]:
    """The share of a job, from 0 to 1, that a part of a span of it is."""
    begin, end = span
    return [begin + (end - begin) * each for each in part]


def in_scope(live: SectionQuerySet, scope: tuple[str, ...] | None) -> SectionQuerySet:
    """The sections that a source replaces: those below the places for which it is whole."""
    if scope is None:
        return live
    last = live.order_by(F("valid_to").asc(nulls_last=True), "pk")
    parents = dict(last.values_list("locator", "parent_locator"))
    inside = {"": False} | dict.fromkeys(scope, True)

    def is_inside(locator: str) -> bool:
        if locator not in inside:
            inside[locator] = is_inside(parents.get(locator, ""))
        return inside[locator]

    return live.filter(locator__in=[locator for locator in parents if is_inside(locator)])


def parted(gone: Iterable[int], rows: Iterable[Row], current: SectionQuerySet, beside: SectionQuerySet) -> dict:
    """Of what a source of a part lacks, what is gone; and `told`, what it tells of (ids): of law that was withdrawn no
    more comes back.
    """
    kept = set(beside.values_list("pk", flat=True))
    apart = set(beside.exclude(locator__in=[row.locator for row, _ in rows]).values_list("pk", flat=True))
    told = [pk for pk in current.values_list("pk", flat=True) if pk not in apart]
    return {"gone": [pk for pk in gone if pk not in kept], "told": told}


def brought(rows: Iterable[Row], source: SourceDocument, current: SectionQuerySet) -> list[Row]:
    """Without the known levels above those for which it is whole, of which other sources tell."""
    known = set() if source.scope is None else {*current.values_list("locator", flat=True)}
    return [(row, node) for row, node in rows if node.given or row.locator not in known]


def stage_some(
    run: JobRun,
    domain: Domain,
    source: SourceDocument,
    rows: list[Row],
    filename: str,
    digest: str,
    *,
    owner: str = "",
) -> Progress:
    """Stages what is new or changed, as far as the step has time: the next goes on behind the sections `compared`."""
    described = description(source, filename, digest)
    document, _ = Document.objects.get_or_create(
        domain=domain,
        locator=source.identifier,
        defaults=described | {"private": domain.is_private, "owner": owner},
    )
    if is_being_replaced(document, run):
        return Progress(0, 0, f"{shown_name(document)} is being replaced by another job first", run.state)
    so_far = run.state
    if (so_far.get("document"), so_far.get("digest")) != (document.pk, digest):
        begin_anew(document, run)
        so_far = {"compared": 0, "staged": 0}
    compared, staged = stage(document, rows, so_far["compared"], time_for_more(run))
    staged += so_far["staged"]
    if compared < len(rows):
        state = {"document": document.pk, "digest": digest, "compared": compared, "staged": staged}
        message = f"{shown_name(document)}: {compared} of {len(rows)} sections compared"
        return Progress(0, len(rows), message, state)  # chunking, which takes far longer, counts from 0
    gone = standing(document).exclude(locator__in=[row.locator for row, _ in rows]).values_list("pk", flat=True)
    Document.objects.filter(pk=document.pk).update(staged_description=described)  # jobs are read by more people
    state = {
        "phase": "chunk", "document": document.pk, "after": 0, "units": staged,
        "gone": list(gone),
    }  # fmt: skip
    return Progress(
        0, staged, f"{shown_name(document)}: {staged} of {len(rows)} sections are new or changed", state
    )


def is_being_replaced(document: Document, run: JobRun) -> bool:
    """Whether another job, of another owner, has begun to stage the document: it is let through first."""
    others = JobRun.objects.unfinished().filter(key=run.key, state__document=document.pk)
    return others.exclude(pk__in=of_owner(run).values("pk")).exists()


def begin_anew(document: Document, run: JobRun) -> None:
    """Drops what a job that failed, or was resumed, has staged of the document: that job must read again."""
    Section.objects.staged().filter(document=document).delete()
    ended = [JobRun.Status.DONE, JobRun.Status.CANCELLED]
    others = JobRun.objects.filter(key=run.key, state__document=document.pk).exclude(pk=run.pk)
    others.exclude(status__in=ended).update(state={})


def shown_name(document: Document) -> str:
    """For the messages of jobs, which more people read than private documents."""
    return f"Document {document.pk}" if document.private else document.title


def path_of(domain: Domain, source: str) -> Path:
    """Of what is to be ingested: the source named, else the domain's own."""
    return source_path(source) if source else own_source(domain.source, domain)


def source_path(name: str) -> Path:
    path = Path(name)
    return path if path.is_absolute() else settings.BASE_DIR / path


def own_source(name: str, domain: Domain) -> Path:
    """Of what a domain names, which people may do who may not read the files of this machine: only what lies below the
    folders that the settings allow, and is read by no other domain, which may be a private one. Raises SourceRefused
    for all else, in the same words whether it is there or not.
    """
    if not name:
        raise SourceRefused(gettext_noop("This domain has no source: name one."))
    path = source_path(name)
    allowed = (folder.resolve() for folder in settings.ARF_SOURCES)
    if ".." in path.parts or not any(path.resolve().is_relative_to(folder) for folder in allowed):
        raise SourceRefused(
            gettext_noop(
                "A domain names no file but of retrieval/corpora, of the folder “sources” in ARF_VAR_DIR, and of the "
                "folders in ARF_SOURCES."
            )
        )
    if is_anothers(path, domain):
        raise SourceRefused(
            gettext_noop(
                "Another domain is read from there, from a folder around it or from a file in it: each domain needs "
                "files of its own."
            )
        )
    return path


def is_anothers(path: Path, domain: Domain) -> bool:
    """Whether another domain names the path, a folder around it or something in it."""
    named = Domain.objects.exclude(pk=domain.pk).exclude(source="").values_list("source", flat=True)
    mine, others = path.resolve(), (source_path(name).resolve() for name in named)
    return any(mine.is_relative_to(other) or other.is_relative_to(mine) for other in others)


def check_identity(domain: Domain, source: SourceDocument) -> None:
    prefix = domain.locator_prefix
    if source.identifier != prefix and not source.identifier.startswith(f"{prefix}/"):
        raise SourceRefused(
            gettext_noop("This is %(title)s (%(identifier)s); %(domain)s holds only %(prefix)s."),
            title=source.title or source.identifier,
            identifier=source.identifier,
            domain=domain.name,
            prefix=prefix,
        )


def checked_rows(domain: Domain, source: SourceDocument, filename: str) -> list[Row]:
    """What a source becomes. Raises SourceRefused for words that no column holds or what ends before it begins."""
    rows = list(section_rows(domain, source))
    check_lengths([Document(locator=source.identifier, **description(source, filename, ""))])
    for section, node in rows:
        check_lengths([section, *anchors_of(section, node)])
        check_days(node)
    return rows


def check_days(node: Node) -> None:
    if node.valid_from and node.valid_to and node.valid_to < node.valid_from:
        raise SourceRefused(
            gettext_noop("%(place)s ends on %(ends)s, before it begins on %(begins)s."),
            place=node.locator,
            ends=node.valid_to,
            begins=node.valid_from,
        )


def check_lengths(rows: Iterable[Model]) -> None:
    """Raises SourceRefused for words that no column holds."""
    for row in rows:
        for name, most in longest(type(row)).items():
            if len(said := getattr(row, name)) > most:
                raise SourceRefused(
                    gettext_noop("The %(column)s “%(words)s…” is longer than %(most)s characters."),
                    column=name.replace("_", " "),
                    words=said[:40],
                    most=most,
                )


@cache
def longest(model: type[Model]) -> dict[str, int]:
    """By text column, the characters that it holds."""
    columns = (column for column in model._meta.concrete_fields if isinstance(column, CharField))
    return {column.attname: column.max_length for column in columns}


def check_length(before: int, given: int, *, force: bool, shortest: float = SHORTEST) -> None:
    """Refuses a source that would remove most of what is known: a cut download is no repeal."""
    if before and given < before * shortest and not force:
        raise SourceRefused(
            gettext_noop(
                "The source has %(given)s sections where %(before)s are known; nothing was changed. If this "
                "is right, ingest it with --force."
            ),
            given=given,
            before=before,
        )


def given_in(rows: Iterable[Row]) -> int:
    """How many sections a source gives, without the levels above them."""
    return sum(section.is_result and node.given for section, node in rows)


def description(source: SourceDocument, filename: str, digest: str) -> dict:
    """What is said of a document; it takes effect with its text. What a source does not tell of a decision stays."""
    decided = {"court": source.court, "year": source.year}
    return {name: said for name, said in decided.items() if said} | {
        "title": source.title,
        "language": source.language,
        "publication": source.publication,
        "source_url": source.source_url,
        "content_hash": digest,
        "filename": filename,
        "pages": source.pages,
        "scanned_pages": list(source.scanned_pages),
    }


def section_rows(domain: Domain, source: SourceDocument) -> Iterator[Row]:
    """An unsaved section for every node, in the law's order."""
    position = 0

    def walk(node: Node, above: tuple[Node, ...]) -> Iterator[Row]:
        nonlocal position
        if node.level != "document":
            position += 1
            yield section_row(domain, source, node, above, position), node
            above = (*above, node)
        for child in node.children:
            yield from walk(child, above)

    yield from walk(source.root, ())


def section_row(
    domain: Domain, source: SourceDocument, node: Node, above: tuple[Node, ...], position: int
) -> Section:
    section = Section(
        domain=domain,
        private=domain.is_private,
        level=node.level,
        number=node.number,
        heading=node.heading,
        heading_es=node.headings.get("es", ""),
        plain_name=node.names.get("en", ""),
        plain_name_es=node.names.get("es", ""),
        locator=node.locator,
        parent_locator=above[-1].locator if above else "",
        citation=node.citation or cite(node.locator) or cite_plain(source.title, node.level, node.number, node.heading),
        breadcrumb=" › ".join([source.title, *(label(parent) for parent in above)]),
        text=node.text,
        position=position,
        depth=len(above),
        is_result=is_result(domain, node),
        is_leaf=not node.children,
        valid_from=node.valid_from or source.edition,
        status=node.status or ("repealed" if has_ended(node) else ""),
        notes=list(node.notes),
        pages=[list(start) for start in node.pages],
        source_url=node.source_url,
    )
    section.content_hash = content_hash(section, node)
    return section


def has_ended(node: Node) -> bool:
    return node.valid_to is not None and node.valid_to <= timezone.localdate()


def is_result(domain: Domain, node: Node) -> bool:
    """A node with words of its own is ranked; where the level is the statutory section, only what has none below."""
    if domain.result_level == Domain.ResultLevel.SECTION and node.children:
        return False
    has_status = bool(node.status) and not node.children
    return bool(node.text) or (has_status and domain.result_level != Domain.ResultLevel.LOWEST)


def label(node: Node) -> str:
    """ "Article I: The Legislative Branch"."""
    name = f"{node.level.title()} {node.number}".strip()
    return f"{name}: {node.heading}" if node.heading and node.number else node.heading or name


def content_hash(section: Section, node: Node) -> str:
    """Of everything of a section that a reader or an index sees, apart from its place in the order."""
    shown = [
        section.citation, section.number, section.heading, section.heading_es, section.plain_name,
        section.plain_name_es, section.breadcrumb, section.text, section.status, section.notes, section.level,
        section.is_result, section.is_leaf, section.source_url,
        [[a.locator, a.start, a.end] for a in node.anchors],
        [[r.locator, r.text, r.start] for r in node.refs],
        *([section.pages] if section.pages else []),  # else as before there were pages: nothing is made anew
    ]  # fmt: skip
    return hashlib.sha256(json.dumps(shown, ensure_ascii=False).encode()).hexdigest()


def stage(document: Document, rows: list[Row], after: int, has_time: HasTime) -> tuple[int, int]:
    """Saves what differs from the live version; only the order of the rest is brought up to date. Gives how many
    rows are compared, those up to `after` included, and how many were saved.
    """
    moved = arrange(document, [section for section, _ in rows])
    live = {s.locator: s for s in standing(document).defer("text")}
    staged = 0
    while after < len(rows):
        portion = rows[after : after + PORTION]
        differing = [row for row in portion if differs(live.get(row[0].locator), row[0], moved)]
        changed = [until_it_begins(live.get(section.locator), section, node) for section, node in differing]
        for section, node in changed:
            section.document = document
            if section.locator in live and section.status and has_ended(node):
                section.valid_from = node.valid_to  # the day on which what stood there ended
        Section.objects.bulk_create([section for section, _ in changed])
        save_parts(changed)
        after, staged = after + len(portion), staged + len(changed)
        if not has_time():
            break
    return after, staged


def differs(old: Section | None, new: Section, moved: Container[str] = ()) -> bool:
    """Of what waits only its place."""
    return old is None or new.locator in moved or (old.content_hash != new.content_hash and not waits(old, new))


def waits(old: Section, new: Section) -> bool:
    """What begins later than today, and than what it changes, waits for the first ingestion from its day on: until then
    the old text is the law.
    """
    return bool(new.valid_from and new.valid_from > max(timezone.localdate(), old.valid_from or date.min))


def until_it_begins(old: Section | None, new: Section, node: Node) -> Row:
    """In the place of what waits its old text."""
    if old is None or not waits(old, new):
        return new, node
    for name in OF_TEXT:
        setattr(new, name, getattr(old, name))
    new.valid_from = None
    anchors = old.anchors.values_list("locator", "number", "level", "start", "end")
    refs = old.citations_made.values_list("text", "target_locator", "start", "end")
    node = replace(node, text=old.text, anchors=tuple(starmap(tree.Anchor, anchors)), refs=tuple(starmap(Ref, refs)))
    new.content_hash = content_hash(new, node)
    return new, node


def save_parts(changed: list[Row]) -> None:
    """Anchors, and citations by the source's own references and by what the text says."""
    Anchor.objects.bulk_create(
        [anchor for section, node in changed for anchor in anchors_of(section, node)], batch_size=2000
    )
    Citation.objects.bulk_create(
        [edge for section, node in changed for edge in citations_of(section, node)], batch_size=2000
    )


def anchors_of(section: Section, node: Node) -> list[Anchor]:
    return [
        Anchor(section=section, locator=a.locator, level=a.level, number=a.number, start=a.start, end=a.end)
        for a in node.anchors
    ]


def citations_of(section: Section, node: Node) -> list[Citation]:
    marked = {(ref.start, ref.locator): (ref.text, ref.end) for ref in node.refs}
    spans = [(start, end) for (start, _), (_, end) in marked.items()]
    for found in find_citations(node.text):
        if all(found.end <= start or found.start >= end for start, end in spans):
            marked[found.start, found.locator] = (found.text, found.end)
    for start, end, kind in short_titles(node.text):
        if above := re.match(rf".+/{CODE_STEPS[kind]}(?=[\dA-Z])[^/]*", section.parent_locator):
            marked[start, above[0]] = (node.text[start:end], end)
    return [
        Citation(
            source=section,
            target_locator=locator,
            text=text[:300],
            called=called(node.text, start, end) if start >= 0 else "",
            start=start,
            end=end,
        )
        for (start, locator), (text, end) in marked.items()
        if locator != section.locator and len(locator) <= 300
    ]
