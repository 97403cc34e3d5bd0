"""Erases a matter: its documents with every version of their text, its files, and what jobs, searches, curators and
the admin have kept of them. Only that a matter of this number was erased stays, so that no backup brings it back.

1. At once: the matter, its members, files, jobs and grants. Its documents are then nobody's, and nobody finds them.
2. By a job: what searches in it have left; then its sections, some a step; then its documents.
"""

from collections.abc import Collection
from datetime import date
from functools import partial
from uuid import UUID

from django.apps import apps
from django.conf import settings
from django.contrib.admin.models import LogEntry
from django.core.exceptions import FieldDoesNotExist
from django.db import connection, transaction
from django.db.models import Model, Q

from retrieval import jobs
from retrieval.access import matters
from retrieval.access.caller import Caller
from retrieval.access.row_security import as_system
from retrieval.errors import ArfError, Unprocessable, gettext_noop
from retrieval.jobs import CORPUS, Job, Progress
from retrieval.models import Anchor, Chunk, Document, DocumentGrant, Erasure, JobRun, Matter, Section, Upload
from retrieval.search import log
from retrieval.search.afterwards import write_now

Record = tuple[UUID, date]  # which matter, and when
BATCH = 500  # sections a step: seconds, in which nobody else writes to the domain


@transaction.atomic
def erase(matter: Matter, reference: str, caller: Caller) -> JobRun:
    """From now on the matter is nobody's; gives the job that deletes its text. Raises Forbidden for who does not lead
    it, Unprocessable where `reference` is not its own. Waits for a running step of ingestion, and lets none begin until
    the transaction ends.
    """
    jobs.hold(CORPUS)
    with matters.changing(matter, caller, matters.LEADS, closed_too=True) as now:
        if reference.strip() != now.reference:
            raise Unprocessable(gettext_noop("That is not the matter's reference: nothing was erased."))
        let_go(now)
    write_now()  # what the matter's last searches have left: the job, in another process, could miss it
    run = jobs.create(**request_for(matter.principal))
    jobs.hand_on(jobs.next_of(CORPUS))  # the turn may have been that of a job that is gone
    return run


def request_for(owner: str) -> dict:
    return {"kind": "erase_matter", "key": CORPUS, "params": {"principal": owner}, "queues": True}


@as_system()
def let_go(matter: Matter) -> None:
    """Leaves of a matter the record of its erasure, and documents that nobody owns, reads or changes."""
    documents = list(Document.objects.filter(owner=matter.principal).values_list("pk", flat=True))
    uploads = Upload.objects.filter(Q(principal=matter.principal) | Q(document__in=documents))
    forget_edits({Upload: uploads.values_list("pk", flat=True)})
    uploads.delete()
    own = Q(params__principal=matter.principal) | Q(params__document__in=documents)
    JobRun.objects.filter(own | Q(state__document__in=documents)).delete()
    DocumentGrant.objects.filter(document__in=documents).delete()
    erased, is_new = Erasure.objects.get_or_create(public_id=matter.public_id)
    if is_new:
        transaction.on_commit(partial(note, (erased.public_id, erased.erased_at.date())), robust=True)
    Matter.objects.filter(pk=matter.pk).delete()


class EraseMatter(Job):
    """Deletes what a matter that was let go has held. A step that is begun again finds what is left."""

    @as_system()
    def step(self, run: JobRun) -> Progress:
        sections = Section.objects.filter(document__owner=run.params["principal"])
        total = run.total or sections.count() + 1
        if "log" not in run.state:  # which knows sections by their numbers, so it comes first
            reached = log.forget_some(
                run.params["principal"], set(sections.values_list("pk", flat=True)), run.state.get("reached")
            )
            return Progress(0, total, "Its searches", {"reached": reached} if reached else {"log": "done"})
        if batch := dict(sections.order_by("pk").values_list("pk", "locator")[:BATCH]):
            forget_sections(batch)
            return Progress(run.position + len(batch), total, "Its text", run.state)
        forget_documents(run.params["principal"])
        run.params = {}  # nothing names the matter any more
        return Progress(1, 1, finished=True)

    @as_system()
    def undo(self, run: JobRun) -> None:
        """What was let go does not come back: another job goes on."""
        jobs.enqueue(**request_for(run.params["principal"]))
        run.params = {}


def try_again() -> int:
    """Every night: takes up the jobs that failed, since what was to be erased is not to stay; gives how many."""
    failed = JobRun.objects.filter(kind="erase_matter", status=JobRun.Status.FAILED)
    for run in failed:
        jobs.resume(run)
    return len(failed)


def forget_sections(sections: dict[int, str]) -> None:
    """Deletes sections, given by number with their locators, and all that is said of them."""
    chunks = list(Chunk.objects.filter(section__in=sections).values_list("pk", flat=True))
    anchors = Anchor.objects.filter(section__in=sections).values_list("locator", flat=True)
    log.forget_opinions(sections)
    forget_places({*sections.values(), *anchors})
    forget_edits({Section: sections, Chunk: chunks})
    Section.objects.filter(pk__in=sections).delete()


def forget_documents(owner: str) -> None:
    documents = list(Document.objects.filter(owner=owner).values_list("pk", flat=True))
    forget_edits({Document: documents})
    Document.objects.filter(pk__in=documents).delete()


def forget_places(locators: Collection[str]) -> None:
    """Names, judgments and whatever else people said of these places, with its history."""
    models = filter(names_places, apps.get_models())
    for model in sorted(models, key=is_history):  # last: each row that is deleted adds to it
        model.objects.filter(locator__in=locators).delete()


def is_history(model: type[Model]) -> bool:
    return model.__name__.startswith("Historical")


def names_places(model: type[Model]) -> bool:
    """Whether its rows tell of a place by its locator; the corpus itself goes with its documents."""
    try:
        field = model._meta.get_field("locator")
    except FieldDoesNotExist:
        return False
    return field.model not in (Document, Section, Anchor) and not model._meta.proxy


def forget_edits(rows: dict[type[Model], Collection[int]]) -> None:
    """The admin's own record of who changed what, which repeats titles."""
    for model, numbers in rows.items():
        named = LogEntry.objects.filter(
            content_type__app_label=model._meta.app_label, content_type__model=model._meta.model_name
        )
        named.filter(object_id__in=[str(number) for number in numbers]).delete()


# -- Backups


def note(record: Record) -> None:
    """Beside the database, which may be lost with the table of its erasures."""
    with settings.ARF_ERASURES.open("a") as file:
        file.write("{} {}\n".format(*record))


def note_all() -> None:
    """Before the database is replaced: what it alone knows of. Raises ArfError as `noted`."""
    before = noted()
    for record in in_database():
        if record[0] not in before:
            note(record)


def recorded() -> set[UUID]:
    """All erasures that this node, or its database as it stands, knows of. Raises ArfError as `noted`."""
    return noted() | {number for number, _ in in_database()}


def noted() -> set[UUID]:
    """Raises ArfError, which names it, for a line that does not begin with a matter's number."""
    numbers, problems = read_notes()
    if problems:
        raise problems[0]
    return numbers


def read_notes() -> tuple[set[UUID], list[ArfError]]:
    """What is noted beside the database, and what of it cannot be read."""
    try:
        lines = settings.ARF_ERASURES.read_text(errors="replace").splitlines()
    except FileNotFoundError:
        lines = []
    except OSError as problem:
        refusal = gettext_noop("%(file)s cannot be read: %(problem)s.")
        return set(), [ArfError(refusal, file=settings.ARF_ERASURES, problem=problem.strerror)]
    numbers, problems = set(), []
    for place, line in enumerate(lines, 1):
        try:
            numbers |= {number_in(line, place)} if line.strip() else set()
        except ArfError as problem:
            problems.append(problem)
    return numbers, problems


def number_in(line: str, place: int) -> UUID:
    try:
        return UUID(line.split()[0])
    except ValueError as problem:
        raise ArfError(
            gettext_noop(
                "%(file)s, line %(line)s, begins with no number of a matter: “%(said)s”. Mend it or take it out."
            ),
            file=settings.ARF_ERASURES,
            line=place,
            said=line,
        ) from problem


def in_database() -> list[Record]:
    """None where the database is empty."""
    if Erasure._meta.db_table not in connection.introspection.table_names():
        return []
    return [(number, at.date()) for number, at in Erasure.objects.values_list("public_id", "erased_at")]


def erase_again(known: Collection[UUID]) -> int:
    """After a restore and at every start, while nobody searches: erases what a backup has brought back; gives how many
    matters.
    """
    Erasure.objects.bulk_create([Erasure(public_id=each) for each in known], ignore_conflicts=True)
    with as_system():
        back = list(Matter.objects.filter(public_id__in=known))
    for matter in back:
        erase_now(matter)
    return len(back)


@transaction.atomic
def erase_now(matter: Matter) -> None:
    """All of it or nothing: no job would go on with what a matter that is gone has left."""
    let_go(matter)
    run = JobRun(params={"principal": matter.principal})
    while not (progress := EraseMatter().step(run)).finished:
        run.position, run.total, run.state = progress.position, progress.total, progress.state
