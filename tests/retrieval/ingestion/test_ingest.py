"""Ingestion through the ordinary job: idempotent, all or nothing, cancelled without a trace."""

import gzip
from datetime import date

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


def rows_of(tmp_path, *locators: str):
    path = tmp_path / "law.jsonl"
    path.write_text(
        "".join(f'{{"locator": "{locator}", "text": "Of {locator[-1]}."}}\n' for locator in locators)
    )
    return path


def test_a_source_of_many_documents_is_published_one_after_another(domain, tmp_path):
    source = rows_of(tmp_path, "/manual/a/1", "/manual/a/2", "/manual/b/1")
    created = jobs.create(**ingest.request(domain, str(source)))
    counts = {domain.sections.live().filter(is_leaf=True).count() for _ in jobs.run_here(created)}
    assert counts == {0, 2, 3}
    assert list(domain.documents.values_list("locator", flat=True)) == ["/manual/a", "/manual/b"]
    assert JobRun.objects.get(pk=created.pk).message == "2 documents: 5 sections published, 0 removed"


def test_the_progress_of_many_documents_never_goes_back(domain, tmp_path):
    (tmp_path / "law").mkdir()
    for name in "ab":
        rows_of(tmp_path, f"/manual/{name}/1", f"/manual/{name}c/1").rename(tmp_path / "law" / f"{name}.jsonl")
    created = jobs.create(**ingest.request(domain, str(tmp_path / "law")))
    steps = list(jobs.run_here(created))
    percents = [run.percent for run in steps]
    assert any(run.message.startswith("Document 3: ") for run in steps)
    assert percents == sorted(percents) and percents[-1] == 100
    assert {0, 24, 50, 74} <= set(percents)


def test_of_a_packed_file_nobody_knows_how_much_is_to_come(domain, tmp_path):
    source = rows_of(tmp_path, "/manual/a/1", "/manual/b/1")
    with gzip.open(tmp_path / "law.jsonl.gz", "wb") as packed:
        packed.write(source.read_bytes())
    created = jobs.create(**ingest.request(domain, str(tmp_path / "law.jsonl.gz")))
    percents = [run.percent for run in jobs.run_here(created)]
    assert percents == sorted(percents) and percents[0] == 0 and percents[-1] == 100


def test_an_ingestion_of_many_documents_goes_on_where_it_was_killed(domain, tmp_path):
    source = rows_of(tmp_path, "/manual/a/1", "/manual/b/1", "/manual/c/1")
    run = jobs.create(**ingest.request(domain, str(source)))
    while domain.documents.count() < 2:
        run = jobs.take_step(run.pk, run.ticket)
    source.write_text(source.read_text().replace("/manual/a/1", "/manual/a/9"))
    *_, run = jobs.run_here(JobRun.objects.get(pk=run.pk))
    assert run.status == JobRun.Status.DONE
    assert list(domain.sections.live().filter(is_leaf=True).in_order().values_list("locator", flat=True)) == [
        "/manual/a/1", "/manual/b/1", "/manual/c/1",
    ]  # fmt: skip


def test_the_command_takes_the_day_of_an_edition(domain, write):
    call_command("ingest", domain.slug, str(write("One.")), "--edition=2016-09-01")
    assert domain.sections.live().get(locator="/manual/a/s1").valid_from == date(2016, 9, 1)
    assert domain.documents.get().publication == "2016-09-01"


def test_the_command_reads_a_file_of_the_folder_where_it_is_run(domain, write, monkeypatch):
    monkeypatch.chdir(write("One.").parent)
    call_command("ingest", domain.slug, "a.xml")
    assert domain.sections.live().exists()


def test_the_command_refuses_an_unknown_domain():
    with pytest.raises(CommandError, match="us_constitution"):
        call_command("ingest", "us_constution")
