"""Ingestion through the ordinary job: idempotent, all or nothing, versions kept, bad sources refused."""

import re
from datetime import date, timedelta

import pytest
from django.core.management import CommandError, call_command
from django.utils import timezone

from retrieval import ingestion, jobs, refreshing
from retrieval.errors import SourceRefused
from retrieval.models import (
    Anchor,
    Chunk,
    ChunkVector,
    Citation,
    Domain,
    IndexChange,
    JobRun,
    Section,
    SectionTerms,
    Vocabulary,
)
from retrieval.terms import numbers
from retrieval.vocabulary import as_numbers

pytestmark = pytest.mark.django_db

DOCUMENT = """<lawDoc xmlns="http://xml.house.gov/schemas/uslm/1.0" identifier="/manual/a">
<meta><dc:title xmlns:dc="http://purl.org/dc/elements/1.1/">A manual</dc:title></meta><main>{}</main></lawDoc>"""
SECTION = (
    '<section identifier="/manual/a/s{n}"><num value="{n}">§ {n}.</num><heading>Part {n}</heading>'
    "<content>{text}</content></section>"
)


@pytest.fixture
def domain():
    return Domain.objects.create(
        slug="manual", name="Manual", locator_prefix="/manual", result_level="section", languages=["en"]
    )


@pytest.fixture
def write(tmp_path):
    """Writes a source file of numbered sections: write(First words, second words)."""

    def source(*texts: str):
        sections = "".join(SECTION.format(n=n, text=text) for n, text in enumerate(texts, start=1) if text)
        path = tmp_path / "manual.xml"
        path.write_text(DOCUMENT.format(sections))
        return path

    return source


def ingest(domain: Domain, source, **params) -> JobRun:
    *_, last = jobs.run_here(jobs.create(**ingestion.request(domain, str(source), **params)))
    return last


def rows() -> dict[str, list]:
    models = (Section, Chunk, ChunkVector, Anchor, Citation, IndexChange, SectionTerms, Vocabulary)
    return {model.__name__: list(model.objects.order_by("pk").values()) for model in models}


def current(domain: Domain) -> dict[str, str]:
    return dict(domain.sections.live().filter(valid_to=None).values_list("locator", "text"))


def test_ingesting_the_constitution_again_changes_nothing():
    before, version = rows(), Domain.objects.get(slug="us_constitution").corpus_version
    call_command("ingest", "us_constitution")
    after = rows()
    assert {name: len(some) for name, some in after.items()} == {
        name: len(some) for name, some in before.items()
    }
    assert str(after) == str(before)
    assert Domain.objects.get(slug="us_constitution").corpus_version == version


def test_the_constitution_has_its_135_provisions_each_with_chunk_and_vector():
    results = Section.objects.live().results().filter(domain__slug="us_constitution")
    assert results.count() == 135
    assert not results.filter(chunks=None).exists()
    assert not Chunk.objects.filter(vectors=None).exists()


def test_chunks_rebuild_their_section():
    for section in Section.objects.live().results():
        chunks = section.chunks.all()
        assert "".join(chunk.text for chunk in chunks) == section.text
        assert all(section.text[chunk.start : chunk.end] == chunk.text for chunk in chunks)


def test_what_is_indexed_carries_its_context():
    chunk = Chunk.objects.get(section__locator="/us/const/article/I/section/8/clause/3")
    assert "Constitution of the United States" in chunk.context
    assert "Section 8" in chunk.context
    assert chunk.section.heading in chunk.context


def test_changed_text_closes_the_old_version_and_opens_a_new_one(domain, write):
    ingest(domain, write("Dogs must be leashed.", "Cats may roam."))
    kept = domain.sections.get(locator="/manual/a/s2").pk
    ingest(domain, write("Dogs must be leashed at night.", "Cats may roam."))
    old, new = domain.sections.filter(locator="/manual/a/s1").order_by("pk")
    assert (old.text, old.valid_to) == ("Dogs must be leashed.", new.valid_from)
    assert new.valid_to is None
    assert domain.sections.get(locator="/manual/a/s2").pk == kept, "unchanged text keeps its row"
    night = numbers("night", "en")[0]
    assert [night in as_numbers(row.terms.body) for row in (old, new)] == [False, True]
    assert night in as_numbers(domain.vocabulary.terms) and domain.vocabulary.sections == 2


def test_a_corrected_heading_replaces_the_row_without_a_new_version_of_the_law(domain, write):
    source = write("Dogs must be leashed.")
    ingest(domain, source)
    source.write_text(source.read_text().replace("Part 1", "Dogs"))
    ingest(domain, source)
    (shown,) = domain.sections.live()
    assert (shown.heading, shown.valid_to) == ("Dogs", None)


def test_removed_text_is_tombstoned(domain, write):
    ingest(domain, write("One.", "Two.", "Three."))
    ingest(domain, write("One.", "Two."))
    assert set(current(domain)) == {"/manual/a/s1", "/manual/a/s2"}
    assert domain.sections.get(locator="/manual/a/s3").valid_to is not None


def test_a_source_cut_short_is_refused_and_changes_nothing(domain, write):
    ingest(domain, write("One.", "Two.", "Three.", "Four."))
    before = current(domain)
    run = ingest(domain, write("One."))
    assert run.status == JobRun.Status.FAILED
    assert "nothing was changed" in run.error
    assert current(domain) == before
    ingest(domain, write("One."), force=True)
    assert len(current(domain)) == 1


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("", "empty"),
        ("<lawDoc><main>", "not well-formed"),
        ("<html><body/></html>", "not a USLM document"),
        (DOCUMENT.format(""), "no sections"),
        ('<!DOCTYPE a [<!ENTITY x "y">]><lawDoc>&x;</lawDoc>', "entities"),
    ],
)
def test_a_broken_source_is_refused_with_its_reason(domain, write, tmp_path, content, said):
    ingest(domain, write("One."))
    before = rows()
    path = tmp_path / "broken.xml"
    path.write_text(content)
    run = ingest(domain, path)
    assert run.status == JobRun.Status.FAILED
    assert said in run.error
    assert str(rows()) == str(before)


def test_a_document_of_another_domain_is_refused(domain):
    run = ingest(domain, "retrieval/corpora/us_constitution.xml")
    assert run.status == JobRun.Status.FAILED
    assert "/us/const" in run.error
    assert not domain.sections.exists()


def test_nothing_is_shown_before_the_last_step(domain, write):
    created = jobs.create(**ingestion.request(domain, str(write("One.", "Two."))))
    for run in jobs.run_here(created):
        if not run.is_finished:
            assert not domain.sections.live().exists()
    assert domain.sections.live().count() == 2


def test_a_cancelled_ingestion_leaves_nothing(domain, write):
    run = jobs.create(**ingestion.request(domain, str(write("One.", "Two."))))
    steps = jobs.run_here(run)
    run = next(steps)
    jobs.cancel(run)
    run = next(steps)
    assert run.status == JobRun.Status.CANCELLED
    assert not domain.sections.exists()
    assert not Chunk.objects.filter(domain=domain).exists()


def test_deep_numbers_become_anchors_of_their_section(domain, tmp_path):
    path = tmp_path / "deep.xml"
    path.write_text(
        DOCUMENT.format(
            '<section identifier="/manual/a/s1"><num value="1">§ 1.</num><heading>Terms</heading>'
            '<subsection identifier="/manual/a/s1/a"><num value="a">(a)</num><chapeau>Here</chapeau>'
            '<paragraph identifier="/manual/a/s1/a/15"><num value="15">(15)</num><content>an alien</content>'
            "</paragraph></subsection></section>"
        )
    )
    ingest(domain, path)
    anchor = Anchor.objects.get(locator="/manual/a/s1/a/15")
    assert anchor.section.text[anchor.start : anchor.end].startswith("(15) an alien")


def test_citations_in_text_become_edges_to_the_cited_section(domain, write):
    ingest(domain, write("As the First Amendment and 8 U.S.C. § 1182 say."))
    edges = {edge.target_locator: edge for edge in Citation.objects.filter(source__domain=domain)}
    assert edges["/us/const/amendment/I"].target.locator == "/us/const/amendment/I"
    assert edges["/us/usc/t8/s1182"].target is None


def test_a_missing_source_is_named(domain):
    with pytest.raises(SourceRefused, match="no source"):
        ingestion.source_path("")
    assert re.search(r"no file absent\.xml in /.", ingest(domain, "absent.xml").error)


def test_the_command_refuses_an_unknown_domain():
    with pytest.raises(CommandError, match="us_constitution"):
        call_command("ingest", "us_constution")


def test_the_repealed_amendment_is_marked_not_hidden():
    prohibition = Section.objects.live().get(locator="/us/const/amendment/XVIII/section/1")
    assert (prohibition.status, prohibition.valid_to) == ("repealed", None)
    assert prohibition.valid_from == date(1919, 1, 16)


# -- Plans


@pytest.mark.parametrize(
    ("plan", "days", "due"),
    [("never", 400, 0), ("weekly", 6, 0), ("weekly", 7, 1), ("monthly", 29, 0), ("monthly", 30, 1)],
)
def test_a_source_is_ingested_again_when_its_domains_plan_says_so(domain, write, plan, days, due):
    domain.source, domain.refresh_plan = str(write("Words.")), plan
    domain.save()
    ingest(domain, domain.source)
    assert refreshing.begin_due(timezone.localdate() + timedelta(days=days)) == due
    assert [run.params["domain"] for run in JobRun.objects.unfinished()] == ["manual"] * due


def test_what_was_never_ingested_is_due_once_and_without_a_source_never(domain):
    Domain.objects.filter(pk=domain.pk).update(source="manual.xml", refresh_plan="monthly")
    Domain.objects.filter(slug="us_code").update(source="", refresh_plan="weekly")
    assert (refreshing.begin_due(), refreshing.begin_due()) == (1, 0)
