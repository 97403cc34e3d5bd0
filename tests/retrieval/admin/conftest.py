"""Staff of every kind, and a private document."""

import pytest
from django.contrib.auth.models import User

from retrieval.access.row_security import as_system
from retrieval.models import Chunk, Document, Domain, Section
from tests.retrieval.admin.staff import staff


@pytest.fixture
def curator(client):
    return staff(client, "Curator")


@pytest.fixture
def judge(client):
    return staff(client, "Judge")


@pytest.fixture
def administrator(client):
    return staff(client, "Administrator")


@pytest.fixture
def superuser(client):
    user = User.objects.create_superuser("root", password="a long password")
    client.force_login(user)
    return user


@pytest.fixture
@as_system()
def private_section():
    domain = Domain.objects.get(slug="client_cases")
    document = Document.objects.create(
        domain=domain,
        locator="/client_cases/1",
        title="Matter of a Secret Client",
        content_hash="0",
        private=True,
    )
    section = Section.objects.create(
        domain=domain,
        document=document,
        level="section",
        heading="A secret heading",
        locator="/client_cases/1/1",
        citation="Secret § 1",
        text="Secret words of a client.",
        is_result=True,
        live=True,
        private=True,
        content_hash="0",
    )
    Chunk.objects.create(
        section=section,
        domain=domain,
        position=0,
        text=section.text,
        context="",
        start=0,
        end=25,
        token_count=6,
        private=True,
    )
    return section
