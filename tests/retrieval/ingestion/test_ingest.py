"""Ingestion through the ordinary job: idempotent, all or nothing, cancelled without a trace."""

import pytest
from django.core.management import CommandError, call_command

from retrieval import jobs
from retrieval.ingestion import ingest
from retrieval.models import Chunk, Domain, JobRun
from tests.retrieval.ingestion.conftest import rows

pytestmark = pytest.mark.django_db


def test_ingesting_the_constitution_again_changes_nothing():
    before, version = rows(), Domain.objects.get(slug="us_constitution").corpus_version
    call_command("ingest", "us_constitution")
    after = rows()
    assert {name: len(some) for name, some in after.items()} == {
        name: len(some) for name, some in before.items()
    }
    assert str(after) == str(before)
    assert Domain.objects.get(slug="us_constitution").corpus_version == version


def test_nothing_is_shown_before_the_last_step(domain, write):
    created = jobs.create(**ingest.request(domain, str(write("One.", "Two."))))
    for run in jobs.run_here(created):
        if not run.is_finished:
            assert not domain.sections.live().exists()
    assert domain.sections.live().count() == 2


def test_a_cancelled_ingestion_leaves_nothing(domain, write):
    run = jobs.create(**ingest.request(domain, str(write("One.", "Two."))))
    steps = jobs.run_here(run)
    run = next(steps)
    jobs.cancel(run)
    run = next(steps)
    assert run.status == JobRun.Status.CANCELLED
    assert not domain.sections.exists()
    assert not Chunk.objects.filter(domain=domain).exists()


def test_the_command_refuses_an_unknown_domain():
    with pytest.raises(CommandError, match="us_constitution"):
        call_command("ingest", "us_constution")
