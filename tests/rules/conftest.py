"""Who works in the admin of rules, and what they work on."""

import pytest
from django.contrib.auth.models import Group, User

from retrieval.access.row_security import as_caller
from retrieval.models import Document, Domain, Section
from retrieval.models.access import caller_for
from rules.models import Rule
from tests.builders import a_case_file, a_document, a_domain, a_section, embedded
from tests.rules.rule_pages import ADD, FORM


@pytest.fixture
def curators(client) -> tuple[User, User]:
    people = [User.objects.create_user(name, is_staff=True) for name in ("ann", "ben")]
    for person in people:
        person.groups.add(Group.objects.get(name="Curator"))
    client.force_login(people[0])
    return people[0], people[1]


@pytest.fixture
def quartering(client, curators) -> Rule:
    assert client.post(ADD, FORM).status_code == 302
    return Rule.objects.get(name="Quartering")


@pytest.fixture
def secret(curators) -> Document:
    """A file that only the first curator may read."""
    with as_caller(caller_for(curators[0])):
        document = a_case_file("Doe", "The tenant fled.", granted_to=caller_for(curators[0]))
        return Document.objects.get(pk=document.pk)


@pytest.fixture
def curator(client):
    user = User.objects.create_user("curator", is_staff=True)
    user.groups.add(Group.objects.get(name="Curator"))
    client.force_login(user)
    return user


@pytest.fixture
def constitution(db):
    return Domain.objects.get(slug="us_constitution")


@pytest.fixture
def contract():
    """A public document of three pages, tagged, with a chunk that crosses from page 2 to 3."""
    domain = a_domain(languages=["en"])
    document = a_document(
        domain, filename="lease.pdf", tags=["lease"], metadata={"party": "Acme", "year": 2024}, pages=3
    )
    sections = embedded(*(a_section(document, f"The tenant pays rent, clause {n}.") for n in range(3)))
    for part, (first, last) in zip(sections, [(1, 1), (2, 3), (3, 3)], strict=True):
        part.chunks.update(page_start=first, page_end=last)
    heads = [
        ("Indemnización", "Lease of Late Payments"),
        ("Late Payments", "Lease of Late Payments"),
        ("Fee", "Lease of Late Payments › Section 3: Tenant's Late Payments"),
    ]
    for part, (heading, breadcrumb) in zip(sections, heads, strict=True):
        Section.objects.filter(pk=part.pk).update(heading=heading, breadcrumb=breadcrumb)
    return document, sections
