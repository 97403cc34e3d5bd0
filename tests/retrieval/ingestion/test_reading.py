"""A source is read once for all steps that stage one of its documents."""

import pytest

from retrieval import jobs
from retrieval.ingestion import ingest, reading, staging
from retrieval.models import JobRun
from tests.retrieval.ingestion.conftest import current

pytestmark = pytest.mark.django_db


@pytest.fixture
def read(monkeypatch):
    """The places that were read; each step stages one section."""
    monkeypatch.setattr(staging, "PORTION", 1)
    monkeypatch.setattr(jobs, "STEP_SECONDS", 0)
    places, read_next = [], reading.read_next
    monkeypatch.setattr(reading, "read_next", lambda *given: places.append(given[2]) or read_next(*given))
    return places


def steps(domain, path):
    return jobs.run_here(jobs.enqueue(**ingest.request(domain, str(path))))


def test_a_source_is_read_once_for_all_its_portions(domain, write, read):
    path = write("One.", "Two.", "Three.", "Four.")
    assert [run.status for run in steps(domain, path)][-1] == JobRun.Status.DONE
    assert len(read) == 1 and not reading._kept
    assert len(current(domain)) == 4


def test_a_source_that_changes_meanwhile_is_read_again(domain, write, read):
    path = write("One.", "Two.", "Three.", "Four.")
    run = steps(domain, path)
    next(run)
    path.write_text(path.read_text().replace("Four.", "Five."))
    assert [one.status for one in run][-1] == JobRun.Status.DONE
    assert len(read) == 2
    assert "Five." in str(current(domain))
