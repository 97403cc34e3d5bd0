"""A matter with one member of each role, and what its papers say."""

from dataclasses import dataclass

import pytest
from django.contrib.auth.models import User

from retrieval import jobs
from retrieval.access import matters
from retrieval.access.caller import Caller
from retrieval.access.row_security import as_caller, as_system
from retrieval.ingestion import uploading
from retrieval.models import ApiKey, Document, Domain, Matter
from retrieval.models.access import caller_for, name_of

REFERENCE, CLIENT = "Vermilion-77", "Xiomara Quetzalcoatlus"
PAPER = "1. Rent. Ninety doubloons are due to Bartholomew Zzyzx each Michaelmas."
SECRETS = ("xiomara", "quetzalcoatlus", "vermilion", "doubloons", "bartholomew", "zzyzx", "michaelmas")


@dataclass(frozen=True)
class Firm:
    """Who works on the matter, and who does not."""

    matter: Matter
    lead: Caller
    contributor: Caller
    reader: Caller
    stranger: Caller
    staff: Caller

    def can_read(self, caller: Caller) -> bool:
        with as_caller(caller):
            return Document.objects.visible_to(caller).filter(owner=self.matter.principal).exists()


def person(name: str, **fields) -> Caller:
    return caller_for(User.objects.create_user(name, **fields))


@pytest.fixture
def firm(db, read_here) -> Firm:
    lead, reader, stranger = person("lea"), person("rea"), person("stan")
    contributor = ApiKey.issue(name="Cora", scopes=["search", "documents"])[0].caller
    staff = caller_for(User.objects.create_superuser("root"))
    matter = matters.open_matter(REFERENCE, CLIENT, lead)
    let_in(matter, contributor, "contributor")
    let_in(matter, reader, "reader")
    return Firm(matter, lead, contributor, reader, stranger, staff)


@as_system()
def let_in(matter: Matter, caller: Caller, role: str) -> None:
    """A member of a matter that has no documents yet."""
    (principal,) = caller.principals
    matter.members.create(name=name_of(principal), principal=principal, role=role)


def handed_in(matter: Matter, caller: Caller, text: str = PAPER, filename: str = "lease.txt") -> Document:
    """A file of the matter's, read to its end."""
    domain = Domain.objects.get(slug="client_cases")
    with as_caller(caller):
        upload = uploading.accept_into(matter, domain, filename, text.encode(), caller)
    for _step in jobs.run_here(upload.run):
        pass
    with as_system():
        upload.refresh_from_db()
        return upload.document
