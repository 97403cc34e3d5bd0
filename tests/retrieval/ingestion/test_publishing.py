"""Publishing closes old versions, keeps unchanged rows, and resolves the citations it concerns."""

import json
from datetime import date, timedelta

import pytest
from django.utils import timezone

from retrieval import jobs
from retrieval.access.caller import ANONYMOUS
from retrieval.corpus.changes import Span, changes
from retrieval.indexes.terms import as_numbers, numbers
from retrieval.ingestion import ingest
from retrieval.models import Anchor, Citation, Domain, Section
from tests.builders import a_document, a_domain, a_section
from tests.retrieval.ingestion.conftest import current, ingested

pytestmark = pytest.mark.django_db


def test_changed_text_closes_the_old_version_and_opens_a_new_one(domain, write):
    ingested(domain, write("Dogs must be leashed.", "Cats may roam."))
    kept = domain.sections.get(locator="/manual/a/s2").pk
    ingested(domain, write("Dogs must be leashed at night.", "Cats may roam."))
    old, new = domain.sections.filter(locator="/manual/a/s1").order_by("pk")
    assert (old.text, old.valid_to) == ("Dogs must be leashed.", new.valid_from)
    assert new.valid_to is None
    assert domain.sections.get(locator="/manual/a/s2").pk == kept, "unchanged text keeps its row"
    night = numbers("night", "en")[0]
    assert [night in as_numbers(row.terms.body) for row in (old, new)] == [False, True]
    assert night in as_numbers(domain.vocabulary.terms) and domain.vocabulary.sections == 2


def test_a_corrected_heading_replaces_the_row_without_a_new_version_of_the_law(domain, write):
    source = write("Dogs must be leashed.")
    ingested(domain, source)
    source.write_text(source.read_text().replace("Part 1", "Dogs"))
    ingested(domain, source)
    (shown,) = domain.sections.live()
    assert (shown.heading, shown.valid_to) == ("Dogs", None)


def test_other_lines_with_the_same_words_are_no_new_version_of_the_law(domain, write):
    ingested(domain, write("Dogs (1) bark."))
    ingested(domain, write("Dogs<p>(1) bark.</p>"))
    (shown,) = domain.sections.live()
    assert (shown.text, shown.valid_to) == ("Dogs\n(1) bark.", None)


def test_many_changes_are_published_without_a_statement_for_each(
    domain, write, django_assert_max_num_queries
):
    ingested(domain, write(*(f"Rule {n}." for n in range(80))))
    run = jobs.create(**ingest.request(domain, str(write(*(f"Rule {n} anew." for n in range(80))))))
    while run.state.get("phase") != "publish":
        run = jobs.take_step(run.pk, run.ticket)
    with django_assert_max_num_queries(62):
        run = jobs.take_step(run.pk, run.ticket)
    assert run.status == "done" and len(current(domain)) == 80
    assert all(text.endswith("anew.") for text in current(domain).values())


def test_removed_text_is_tombstoned(domain, write):
    ingested(domain, write("One.", "Two.", "Three."))
    ingested(domain, write("One.", "Two."))
    assert set(current(domain)) == {"/manual/a/s1", "/manual/a/s2"}
    assert domain.sections.get(locator="/manual/a/s3").valid_to is not None


def test_citations_in_text_become_edges_to_the_cited_section(domain, write):
    ingested(domain, write("As the First Amendment and 8 U.S.C. § 1182 say."))
    edges = {edge.target_locator: edge for edge in Citation.objects.filter(source__domain=domain)}
    assert edges["/us/const/amendment/I"].target.locator == "/us/const/amendment/I"
    assert edges["/us/usc/t8/s1182"].target is None


def cites(locator: str, **fields) -> Citation:
    """A citation that another document of another domain makes."""
    source = a_section(a_document(a_domain()))
    return Citation.objects.create(source=source, target_locator=locator, start=0, end=1, **fields)


def target_of(citation: Citation) -> Section | None:
    citation.refresh_from_db()
    return citation.target


def test_a_citation_elsewhere_follows_the_text_it_cites(domain, write):
    citation = cites("/manual/a/s1")
    ingested(domain, write("Dogs must be leashed.", "Cats may roam."))
    assert target_of(citation).text == "Dogs must be leashed."
    ingested(domain, write("Dogs may roam.", "Cats may roam."))
    assert target_of(citation).text == "Dogs may roam."
    ingested(domain, write("", "Cats may roam."))
    assert target_of(citation).valid_to is not None, "what is withdrawn stays cited as it last read"


def test_a_citation_of_a_place_in_a_withdrawn_section_finds_who_holds_it_now(domain, write):
    ingested(domain, write("Dogs.", "Cats.", "Cows."))
    citation = cites("/manual/a/s3")
    heir = a_section(a_document(domain), "Cows, moved here.")
    Anchor.objects.create(section=heir, locator="/manual/a/s3", start=0, end=4)
    ingested(domain, write("Dogs.", "Cats."))
    assert target_of(citation) == heir


def test_publishing_reads_no_citation_that_does_not_concern_it(domain, write):
    unrelated = cites("/us/const/amendment/I")
    ingested(domain, write("As the Second Amendment says."))
    assert target_of(unrelated) is None, "the whole corpus was linked again"


def test_law_that_cites_what_is_published_is_the_version_it_was(domain, write):
    citation = cites("/manual/a/s1")
    before = Domain.objects.get(pk=citation.source.domain_id).corpus_version
    ingested(domain, write("Dogs must be leashed."))
    assert target_of(citation).text == "Dogs must be leashed."
    assert Domain.objects.get(pk=citation.source.domain_id).corpus_version == before
    Citation.objects.filter(pk=citation.pk).update(called="Leash Act")
    assert Domain.objects.get(pk=citation.source.domain_id).corpus_version > before, "what it says is another"


def changed_in(domain) -> list[tuple[str, str]]:
    found, _ = changes(ANONYMOUS, Span(), domains=[domain], page=1, size=9)
    return [(made.kind, made.section.text) for made in found]


def test_what_changes_is_kept_with_each_edition(domain, write):
    ingested(domain, write("Dogs.", "Cats."), edition="2020-01-01")
    assert changed_in(domain) == []
    ingested(domain, write("Dogs and foxes.", "Cats.", "Cows."), edition="2021-01-01")
    assert changed_in(domain) == [("changed", "Dogs and foxes."), ("new", "Cows.")]
    ingested(domain, write("Dogs and foxes.", "", "Cows."), edition="2022-01-01")
    assert changed_in(domain)[0] == ("repealed", "Cats.")
    ingested(domain, write("Dogs and foxes.", "Cats again.", "Cows."), edition="2023-01-01")
    assert changed_in(domain) == [
        ("new", "Cats again."), ("repealed", "Cats."), ("changed", "Dogs and foxes."), ("new", "Cows."),
    ]  # fmt: skip


TODAY = timezone.localdate()
PAST, RECENT, SOON, LATER = (TODAY + timedelta(days) for days in (-900, -30, 30, 400))


def told(domain, tmp_path, **said) -> list[tuple]:
    """Ingests one provision by its row, beside another; gives the versions of the one: text, status, from, to."""
    path = tmp_path / "rows.jsonl"
    days = {name: day.isoformat() for name, day in said.items() if isinstance(day, date)}
    rows = [{"locator": "/manual/a/s1"} | said | days] if said else []
    rows.append({"locator": "/manual/a/s2", "text": "Cats may roam."})
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    run = ingested(domain, path)
    assert run.status == "done", run.error
    kept = domain.sections.live().filter(locator="/manual/a/s1").order_by("pk")
    return [(row.text, row.status, row.valid_from, row.valid_to) for row in kept]


def test_what_begins_later_waits_while_another_text_is_in_force(domain, tmp_path):
    told(domain, tmp_path, text="Leash.", valid_from=PAST)
    assert told(domain, tmp_path, text="No leash.", valid_from=SOON) == [("Leash.", "", PAST, None)]
    assert told(domain, tmp_path, text="No leash.", valid_from=RECENT) == [
        ("Leash.", "", PAST, RECENT), ("No leash.", "", RECENT, None),
    ]  # fmt: skip


def test_what_was_never_in_force_is_replaced(domain, tmp_path):
    assert told(domain, tmp_path, text="Leash.", valid_from=LATER) == [("Leash.", "", LATER, None)]
    assert told(domain, tmp_path, text="No leash.", valid_from=SOON) == [("No leash.", "", SOON, None)]
    assert told(domain, tmp_path, text="No leash at all.") == [("No leash at all.", "", SOON, None)]


@pytest.mark.parametrize("text", ["Leash.", ""])
def test_a_repeal_is_told_from_its_day_on(domain, tmp_path, text):
    told(domain, tmp_path, text="Leash.", valid_from=PAST)
    assert told(domain, tmp_path, text="Leash.", valid_from=PAST, valid_to=SOON) == [("Leash.", "", PAST, None)]
    assert told(domain, tmp_path, text=text, valid_from=PAST, valid_to=RECENT) == [
        ("Leash.", "", PAST, RECENT), (text, "repealed", RECENT, None),
    ]  # fmt: skip


def test_what_comes_back_begins_no_earlier_than_it_had_ended(domain, tmp_path):
    told(domain, tmp_path, text="Leash.", valid_from=PAST)
    assert told(domain, tmp_path) == [("Leash.", "", PAST, TODAY)]
    assert told(domain, tmp_path, text="Leash.", valid_from=PAST) == [
        ("Leash.", "", PAST, TODAY), ("Leash.", "", TODAY, None),
    ]  # fmt: skip
