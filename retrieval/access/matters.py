"""What members may do in a matter, by their role. Its documents are the matter's own: members read them by grants,
which follow every change of members here, so that searches, caches and row-level security know no other rule.

What a member does is done as the matter itself (`changing`), whose row it holds meanwhile: a member who is being
removed and a file that is being handed in come one after the other. A closed matter grants nothing; who is a member
reads it as the matter.
"""

from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import replace
from datetime import date
from uuid import UUID

from django.db.models import Exists, OuterRef, Q, QuerySet
from django.utils import timezone

from retrieval.access.caller import Caller
from retrieval.access.row_security import as_caller, as_system
from retrieval.access.sharing import can_come, checked_principal, own_principal
from retrieval.errors import Forbidden, NotFound, Unprocessable, gettext_noop
from retrieval.models import Deadline, Document, DocumentGrant, Domain, Matter, MatterMember, Section, Upload
from retrieval.models.access import NOBODY, name_of
from retrieval.models.matters import PREFIX

Role = MatterMember.Role
BY_RANK = (Role.LEAD, Role.CONTRIBUTOR, Role.READER)
LEADS, WRITERS, MEMBERS = BY_RANK[:1], BY_RANK[:2], BY_RANK
GRANTS_AT_ONCE = 2_000
FIRST_DUE = date(1900, 1, 1)  # an earlier day is mistyped
ABSENT = gettext_noop("There is no such matter.")
GRANTED = {
    Role.LEAD: DocumentGrant.Role.CONTRIBUTOR,
    Role.CONTRIBUTOR: DocumentGrant.Role.CONTRIBUTOR,
    Role.READER: DocumentGrant.Role.READER,
}


def caller_in(matter: Matter, caller: Caller) -> Caller:
    """A member who reads as the matter: of private documents its own alone, closed or not."""
    return replace(caller, principals=(matter.principal,))


@contextmanager
def reading_in(number: UUID | None, caller: Caller) -> Iterator[Caller]:
    """Who reads in a matter, or outside of any. Raises NotFound for who is no member."""
    if number is None:
        yield caller
        return
    reader = caller_in(matter_of(number, caller), caller)
    with as_caller(reader):
        yield reader


def acting_as(matter: Matter) -> AbstractContextManager[None]:
    return as_caller(Caller((matter.principal,)))


def matter_of(public_id: UUID, caller: Caller) -> Matter:
    """A matter that the caller is a member of. Raises NotFound for any other."""
    if caller.principals:
        with as_caller(caller):
            matter = Matter.objects.held_by(caller).filter(public_id=public_id).first()
        if matter:
            note_coming(matter, caller)
            return matter
    raise NotFound(ABSENT)


def note_coming(matter: Matter, caller: Caller) -> None:
    with acting_as(matter):
        matter.members.filter(principal__in=caller.principals, has_come=False).update(has_come=True)


def role_of(matter: Matter, caller: Caller) -> str:
    """The caller's highest role in it; raises NotFound for who has none. Asked as the matter or as the caller."""
    roles = matter.members.filter(principal__in=caller.principals).values_list("role", flat=True)
    if not roles:
        raise NotFound(ABSENT)
    return min(roles, key=BY_RANK.index)


@contextmanager
def changing(
    matter: Matter, caller: Caller, roles: tuple[str, ...], *, closed_too: bool = False
) -> Iterator[Matter]:
    """The matter as it is now, kept so until the transaction ends. Raises NotFound where it or the caller's membership
    is gone, Forbidden for other roles, Unprocessable for a closed matter.
    """
    with acting_as(matter):
        now = Matter.objects.select_for_update(no_key=True).filter(pk=matter.pk).first()
        if now is None:
            raise NotFound(ABSENT)
        if role_of(now, caller) not in roles:
            raise Forbidden(gettext_noop("Your role in this matter does not allow that."))
        if not (now.is_open or closed_too):
            raise Unprocessable(gettext_noop("This matter is closed: reopen it first."))
        yield now


@contextmanager
def owning(document: Document, caller: Caller) -> Iterator[Caller]:
    """Who the caller is to the document's owner: of a matter's document the matter itself, for its leads."""
    if not document.owner.startswith(PREFIX):
        yield caller
        return
    with changing(Matter(pk=int(document.owner.removeprefix(PREFIX))), caller, LEADS) as matter:
        yield caller_in(matter, caller)


@as_system()
def open_matter(reference: str, client: str, caller: Caller) -> Matter:
    """Its opener leads it. Raises Forbidden for who has no name to lead it under."""
    if not (own := own_principal(caller)):
        raise Forbidden(
            gettext_noop(
                "Only a person or a key opens a matter. A password that somebody else set has to be confirmed first."
            )
        )
    matter = Matter.objects.create(reference=named(reference), client=client.strip())
    matter.members.create(name=name_of(own), principal=own, role=Role.LEAD, has_come=True)
    return matter


def rename(matter: Matter, caller: Caller, *, reference: str | None = None, client: str | None = None) -> None:
    """What is not given stays, also where somebody else has just changed it."""
    with changing(matter, caller, LEADS) as now:
        now.reference = now.reference if reference is None else named(reference)
        now.client = now.client if client is None else client.strip()
        now.save(update_fields=["reference", "client"])


def named(reference: str) -> str:
    if not (words := reference.strip()):
        raise Unprocessable(gettext_noop("A matter needs a reference."))
    return words


# -- Members


def set_member(matter: Matter, name: str, role: str, caller: Caller) -> None:
    """Adds a member, or gives one another role: none of the name keeps a higher one. The answer is the same for names
    that nobody has.
    """
    principal = checked_principal(name)
    with changing(matter, caller, LEADS, closed_too=True) as now:
        others = now.members.filter(name=name).exclude(principal=principal)
        others.filter(principal__startswith=NOBODY).delete()  # a second line would tell that the name is somebody's now
        higher = others.filter(role__in=BY_RANK[: BY_RANK.index(role)])  # whoever the name meant before
        lowered = list(higher.values_list("principal", flat=True))
        if role != Role.LEAD:
            check_led_without(now, [principal, *lowered])
        higher.update(role=role)
        now.members.update_or_create(principal=principal, defaults={"name": name, "role": role})
        share_with_members(now)


def remove_member(matter: Matter, name: str, caller: Caller) -> None:
    """All of the name: who had it when they were added, and who has taken it since and was added too."""
    with changing(matter, caller, LEADS, closed_too=True) as now:
        if not (principals := list(now.members.filter(name=name).values_list("principal", flat=True))):
            raise NotFound(gettext_noop("The matter has no member of this name."))
        part_with(now, principals)


def leave(matter: Matter, caller: Caller) -> None:
    """Raises Unprocessable for its last lead, and where a group keeps the caller in it."""
    own = own_principal(caller)
    with changing(matter, caller, MEMBERS, closed_too=True) as now:
        part_with(now, [own])
        if now.members.filter(principal__in=caller.principals).exists():
            raise Unprocessable(gettext_noop("A group of yours is a member of this matter."))


def part_with(matter: Matter, principals: Sequence[str]) -> None:
    check_led_without(matter, principals)
    matter.members.filter(principal__in=principals).delete()
    share_with_members(matter)


def check_led_without(matter: Matter, principals: Sequence[str]) -> None:
    """Raises Unprocessable where one of these leads it and nobody else does. Only who has opened it counts as a
    lead: whether anybody has the name of another is not told.
    """
    leads = matter.members.filter(role=Role.LEAD, has_come=True)
    those = leads.filter(principal__in=principals)
    if those.exists() and not leads.exclude(principal__in=principals).exists():
        raise Unprocessable(gettext_noop("A matter keeps a lead: another one has to open it first."))


def without_lead() -> Q:
    """Matters that nobody can lead now: the accounts of their leads were deleted or deactivated, their keys revoked or
    have expired.
    """
    leads = MatterMember.objects.filter(can_come("principal"), matter=OuterRef("pk"), role=Role.LEAD)
    return ~Q(Exists(leads))


@as_system()
def give_lead(matter: Matter, name: str) -> None:
    """Staff name a lead of a matter that has none. Raises Forbidden for one that is led."""
    Matter.objects.select_for_update(no_key=True).get(pk=matter.pk)  # two who name one come one after the other
    if not Matter.objects.filter(without_lead(), pk=matter.pk).exists():
        raise Forbidden(gettext_noop("This matter has a lead."))
    said = {"name": name, "role": Role.LEAD}
    matter.members.update_or_create(principal=checked_principal(name), defaults=said)
    share_with_members(matter)


def share_with_members(matter: Matter) -> None:
    """Its documents are granted to its members as their roles say, and to nobody else; to none while it is closed."""
    documents = list(Document.objects.filter(owner=matter.principal).values_list("pk", flat=True))
    known = matter.members.values("principal") if matter.is_open else []
    DocumentGrant.objects.filter(document__owner=matter.principal).exclude(principal__in=known).delete()
    grant_to_members(matter, documents)


def grant_to_members(matter: Matter, documents: Sequence[int]) -> None:
    """`documents`: their ids."""
    members = list(matter.members.all()) if matter.is_open else []
    grants = [
        DocumentGrant(
            document_id=document, name=member.name, principal=member.principal, role=GRANTED[member.role]
        )
        for document in documents
        for member in members
    ]
    kept = {"unique_fields": ["document", "principal"], "update_fields": ["name", "role"]}
    DocumentGrant.objects.bulk_create(grants, update_conflicts=True, batch_size=GRANTS_AT_ONCE, **kept)


def share_new(owner: str, document: Document) -> None:
    """For the job that has made a document, as its owner: where that is a matter, its members of now may read it."""
    if owner.startswith(PREFIX):
        number = owner.removeprefix(PREFIX)
        grant_to_members(Matter.objects.select_for_update(no_key=True).get(pk=number), [document.pk])


def documents_of(matter: Matter) -> QuerySet[Document]:
    """Those that something can be read of today."""
    read = Section.objects.filter(document=OuterRef("pk"), live=True, valid_to=None)
    held = Document.objects.filter(Exists(read), owner=matter.principal)
    return held.select_related("domain").order_by("title", "pk")


def uploads_of(matter: Matter) -> QuerySet[Upload]:
    """Its files that wait, were refused or failed: nobody keeps them anywhere else."""
    settled = (Upload.Status.STORED, Upload.Status.UNCHANGED)
    uploads = Upload.objects.filter(principal=matter.principal).exclude(status__in=settled)
    return uploads.defer("content").select_related("domain", "document", "run")


def drop_upload(matter: Matter, public_id: UUID | None, caller: Caller) -> None:
    """Takes away what is told of a file that was refused or cancelled, of which nothing is kept. Raises NotFound."""
    over = (Upload.Status.REFUSED, Upload.Status.CANCELLED)
    with changing(matter, caller, WRITERS) as now:
        gone, _ = Upload.objects.filter(principal=now.principal, public_id=public_id, status__in=over).delete()
        if not gone:
            raise NotFound(gettext_noop("There is no such file."))


def domains_of(matter: Matter) -> tuple[str, ...]:
    """Slugs of the domains in which it holds documents. Raises NotFound for none."""
    with acting_as(matter):
        held = Domain.objects.filter(documents__owner=matter.principal).distinct()
        if slugs := tuple(held.values_list("slug", flat=True)):
            return slugs
    raise NotFound(gettext_noop("The matter holds no documents yet."))


def searched_in(matter: Matter, chosen: Sequence[str]) -> tuple[str, ...]:
    """Slugs of the domains that a search in it looks in: those of its documents, then what was chosen beside them.
    Raises NotFound where it holds no documents.
    """
    return tuple(dict.fromkeys((*domains_of(matter), *chosen)))


def is_member(principal: str, caller: Caller) -> bool:
    """Whether this is a matter that the caller is a member of."""
    number = principal.removeprefix(PREFIX)
    if number == principal or not caller.principals:
        return False
    with as_caller(caller):
        return Matter.objects.held_by(caller).filter(pk=number).exists()


# -- Deadlines


def add_deadline(matter: Matter, what: str, due_on: date, caller: Caller) -> Deadline:
    with changing(matter, caller, WRITERS) as now:
        now.last_deadline += 1
        now.save(update_fields=["last_deadline"])
        return now.deadlines.create(what=worded(what), due_on=dated(due_on), number=now.last_deadline)


def change_deadline(
    matter: Matter, number: int, caller: Caller, *, done: bool | None = None, **said: str | date
) -> Deadline:
    """`done` keeps the day on which it first was; `said`: what and due_on. Raises NotFound."""
    with changing(matter, caller, WRITERS) as now:
        deadline = deadline_of(now, number)
        for name, value in said.items():
            setattr(deadline, name, worded(value) if name == "what" else dated(value))
        if done is not None:
            deadline.done_on = (deadline.done_on or timezone.localdate()) if done else None
        deadline.save()
        return deadline


def drop_deadline(matter: Matter, number: int, caller: Caller) -> None:
    with changing(matter, caller, WRITERS) as now:
        deadline_of(now, number).delete()


def deadline_of(matter: Matter, number: int) -> Deadline:
    if (deadline := matter.deadlines.filter(number=number).first()) is None:
        raise NotFound(gettext_noop("The matter has no such deadline."))
    return deadline


def worded(what: str) -> str:
    if not (words := what.strip()):
        raise Unprocessable(gettext_noop("Say what is to be done."))
    return words


def dated(due_on: date) -> date:
    if due_on < FIRST_DUE:
        raise Unprocessable(gettext_noop("No deadline is before 1900."))
    return due_on


# -- Closing


def close(matter: Matter, caller: Caller) -> None:
    """Its documents are found and changed no more; members read them in the matter. The first day counts."""
    set_closed(matter, caller, closed=True)


def reopen(matter: Matter, caller: Caller) -> None:
    set_closed(matter, caller, closed=False)


def set_closed(matter: Matter, caller: Caller, *, closed: bool) -> None:
    with changing(matter, caller, LEADS, closed_too=True) as now:
        now.closed_on = (now.closed_on or timezone.localdate()) if closed else None
        now.save(update_fields=["closed_on"])
        share_with_members(now)
