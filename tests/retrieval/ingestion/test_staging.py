"""Sources are compared with what is published; bad ones are refused before anything is written."""

import json
import re
from datetime import date
from pathlib import Path

import pytest

from retrieval.access.caller import Caller
from retrieval.errors import SourceRefused
from retrieval.ingestion import staging, uploading
from retrieval.ingestion.staging import citations_of
from retrieval.models import Anchor, Domain, JobRun, Section
from retrieval.parsing.cfr import reader as cfr
from retrieval.parsing.tree import Node, SourceDocument
from retrieval.parsing.uslm import reader as uslm
from tests.retrieval.ingestion.conftest import current, ingested, manual, rows
from tests.retrieval.parsing.cfr.samples import annual, volume

pytestmark = pytest.mark.django_db


def test_a_source_cut_short_is_refused_and_changes_nothing(domain, write):
    ingested(domain, write("One.", "Two.", "Three.", "Four."))
    before = current(domain)
    run = ingested(domain, write("One."))
    assert run.status == JobRun.Status.FAILED
    assert "nothing was changed" in run.error
    assert current(domain) == before
    ingested(domain, write("One."), force=True)
    assert len(current(domain)) == 1


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("", "empty"),
        ("<lawDoc><main>", "not well-formed"),
        ("<html><body/></html>", "not a USLM document"),
        (manual(""), "no sections"),
        ('<!DOCTYPE a [<!ENTITY x "y">]><lawDoc>&x;</lawDoc>', "entities"),
    ],
)
def test_a_broken_source_is_refused_with_its_reason(domain, write, tmp_path, content, said):
    ingested(domain, write("One."))
    before = rows()
    path = tmp_path / "broken.xml"
    path.write_text(content)
    run = ingested(domain, path)
    assert run.status == JobRun.Status.FAILED
    assert said in run.error
    assert str(rows()) == str(before)


def test_a_document_of_another_domain_is_refused(domain):
    run = ingested(domain, "retrieval/corpora/us_constitution.xml")
    assert run.status == JobRun.Status.FAILED
    assert "/us/const" in run.error
    assert not domain.sections.exists()


def test_deep_numbers_become_anchors_of_their_section(domain, tmp_path):
    path = tmp_path / "deep.xml"
    path.write_text(
        manual(
            '<section identifier="/manual/a/s1"><num value="1">§ 1.</num><heading>Terms</heading>'
            '<subsection identifier="/manual/a/s1/a"><num value="a">(a)</num><chapeau>Here</chapeau>'
            '<paragraph identifier="/manual/a/s1/a/15"><num value="15">(15)</num><content>an alien</content>'
            "</paragraph></subsection></section>"
        )
    )
    ingested(domain, path)
    anchor = Anchor.objects.get(locator="/manual/a/s1/a/15")
    assert anchor.section.text[anchor.start : anchor.end].startswith("(15) an alien")


@pytest.fixture
def regulations():
    return Domain.objects.get(slug="code_of_federal_regulations")


def part_of(tmp_path, *args, **sections):
    path = tmp_path / "part.xml"
    path.write_text(annual(*args, **sections))
    return path


def versions(domain, locator: str) -> list[tuple]:
    kept = domain.sections.live().filter(locator=locator).order_by("pk")
    return [(row.text.removeprefix("(a) Aliens. "), row.valid_from, row.valid_to) for row in kept]


def test_a_later_edition_closes_and_opens_versions_on_its_day(regulations, tmp_path):
    first, second, third = (date(year, 7, 1) for year in (2014, 2015, 2016))
    ingested(regulations, part_of(tmp_path, "2014-07-01", s1="One.", s2="Two."))
    ingested(regulations, part_of(tmp_path, "2015-07-01", s1="One.", s2="Two, amended.", s3="Three."))
    ingested(regulations, part_of(tmp_path, "2016-07-01", s1="One.", s2="Two, amended."))
    assert versions(regulations, "/us/cfr/t8/s274a.1") == [("One.", first, None)]
    assert versions(regulations, "/us/cfr/t8/s274a.2") == [
        ("Two.", first, second),
        ("Two, amended.", second, None),
    ]
    assert versions(regulations, "/us/cfr/t8/s274a.3") == [("Three.", second, third)]


def test_an_edition_older_than_what_is_known_is_refused(regulations, tmp_path):
    ingested(regulations, part_of(tmp_path, "2015-07-01"))
    run = ingested(regulations, part_of(tmp_path, "2014-07-01", s12="Older."))
    assert run.status == JobRun.Status.FAILED
    assert "the edition of 2014-07-01, but that of 2015-07-01 is loaded" in run.error


def test_an_edition_of_a_day_to_come_is_refused(regulations, tmp_path):
    run = ingested(regulations, part_of(tmp_path, "2999-07-01"))
    assert run.status == JobRun.Status.FAILED and "ingest it from that day on" in run.error


def test_a_part_leaves_other_parts_of_its_title_as_they_are(regulations, tmp_path):
    ingested(regulations, part_of(tmp_path, "2016-07-01", "1", s1="One."))
    ingested(regulations, part_of(tmp_path, "2010-07-01", "2", s1="Other."))
    ingested(regulations, part_of(tmp_path, "2017-07-01", "1", s1="One.", s2="Two.", s3="Three."))
    (document,) = regulations.documents.all()
    in_order = document.sections.live().filter(valid_to=None).in_order()
    assert list(in_order.values_list("locator", flat=True)) == [
        "/us/cfr/t8", "/us/cfr/t8/chI", "/us/cfr/t8/chI/schB",
        "/us/cfr/t8/pt1", "/us/cfr/t8/pt1/sptB", "/us/cfr/t8/s1.1", "/us/cfr/t8/s1.2", "/us/cfr/t8/s1.3",
        "/us/cfr/t8/s1.90-1.99", "/us/cfr/t8/pt1/appB",
        "/us/cfr/t8/pt2", "/us/cfr/t8/pt2/sptB", "/us/cfr/t8/s2.1", "/us/cfr/t8/s2.90-2.99", "/us/cfr/t8/pt2/appB",
    ]  # fmt: skip
    assert len(set(in_order.values_list("position", flat=True))) == len(in_order)
    assert {row.parent.locator for row in in_order.filter(level="part")} == {"/us/cfr/t8/chI/schB"}


def test_a_part_of_a_title_that_was_withdrawn_comes_back_alone(regulations, tmp_path):
    parts = {"1": {"s1": "One.", "s2": "Two."}, "2": {"s1": "Other."}}
    first, second = "2015-07-01", "2016-07-01"
    for part, texts in parts.items():
        ingested(regulations, part_of(tmp_path, first, part, **texts))
    uploading.withdraw(regulations.documents.get(), Caller(("user:1",), is_staff=True))
    assert not ingested(regulations, part_of(tmp_path, second, "1", s1="One.", s2="Two, amended.")).error
    in_force = regulations.sections.in_force().in_order()
    assert [*in_force.values_list("locator", flat=True)] == [
        "/us/cfr/t8", "/us/cfr/t8/chI", "/us/cfr/t8/chI/schB", "/us/cfr/t8/pt1", "/us/cfr/t8/pt1/sptB",
        "/us/cfr/t8/s1.1", "/us/cfr/t8/s1.2", "/us/cfr/t8/s1.90-1.99", "/us/cfr/t8/pt1/appB",
    ]  # fmt: skip
    days = [date.fromisoformat(day) for day in (first, second)]
    assert versions(regulations, "/us/cfr/t8/s1.1") == [("One.", days[0], None)]
    assert versions(regulations, "/us/cfr/t8/s1.2") == [("Two.", *days), ("Two, amended.", days[1], None)]
    assert not ingested(regulations, part_of(tmp_path, first, "2", **parts["2"])).error
    assert versions(regulations, "/us/cfr/t8/s2.1") == [("Other.", days[0], None)]


def test_a_part_in_volumes_keeps_one_edition_for_each_share_and_none_is_older_than_the_whole(regulations, tmp_path):
    def load(day: date, holds: str = "", **sections: str) -> str:
        of_day = annual(day.isoformat(), **sections)
        spelled = f"{day:%B} {day.day}, {day.year}"
        path = tmp_path / "part.xml"
        path.write_text(volume(of_day, holds=holds).replace("July 1, 2016", spelled) if holds else of_day)
        return ingested(regulations, path).error

    part, first, second = "/us/cfr/t8/pt274a", "Part 274a (§§ 274a.1 to 274a.2)", "Part 274a (§ 274a.3 to End)"
    days = [date(year, 7, 1) for year in range(2013, 2017)]
    assert not load(days[1], second, s3="Three.")
    assert not load(days[2], first, s1="One.", s2="Two.")
    assert "2015-07-01 is loaded" in load(days[0], s1="One.", s2="Two.", s3="Three.")
    assert "2015-07-01 is loaded" in load(days[1], first, s1="One.", s2="Two.")
    shares = {f"{part}/{first}": "2015-07-01", f"{part}/{second}": "2014-07-01"}
    assert regulations.documents.get().editions == shares
    assert not load(days[3], s1="One.", s2="Two.", s3="Three.")
    assert "2016-07-01 is loaded" in load(days[2], second, s3="Three.")
    assert regulations.documents.get().editions == shares | {part: "2016-07-01"}


def test_a_part_cut_short_is_refused_whatever_else_its_title_holds(regulations, tmp_path):
    ingested(regulations, part_of(tmp_path, "2016-07-01", "1", **{f"s{n}": "Words." for n in range(1, 9)}))
    run = ingested(regulations, part_of(tmp_path, "2017-07-01", "1", s1="Words."))
    assert run.status == JobRun.Status.FAILED and "nothing was changed" in run.error


def test_summary_and_opinions_of_a_case_leave_each_other_as_they_are(tmp_path):
    cases = Domain.objects.get(slug="supreme_court_cases")
    summary, opinion = tmp_path / "a.jsonl", tmp_path / "b.json"
    summary.write_text(
        '{"locator": "/us/scotus/1/9", "name": "A v. B", "facts": "Dogs.", "decided": "1800-01-02"}'
    )
    opinion.write_text(
        '{"name": "A v. B", "decision_date": "1800-01-02", "citations": [{"cite": "1 U.S. 9"}], "casebody":'
        ' {"opinions": [{"type": "majority", "text": "They bark."}, {"type": "dissent", "text": "*11 No."}]}}'
    )
    for source in (opinion, summary, opinion):
        assert ingested(cases, source).status == JobRun.Status.DONE
    assert current(cases) == {
        "/us/scotus/1/9": "Facts. Dogs.", "/us/scotus/1/9/opinion": "",
        "/us/scotus/1/9/opinion/majority": "They bark.", "/us/scotus/1/9/opinion/dissent": "No.",
    }  # fmt: skip
    dissent = cases.sections.live().get(locator="/us/scotus/1/9/opinion/dissent")
    assert (dissent.citation, dissent.pages, dissent.parent.locator) == (
        "1 U.S. 9 (dissent)", [[0, 11]], "/us/scotus/1/9/opinion",
    )  # fmt: skip
    assert (dissent.parent.parent.text, dissent.parent.parent.valid_from) == ("Facts. Dogs.", date(1800, 1, 2))


NINTH = {
    "name_abbreviation": "Smith v. Jones", "decision_date": "1997-08", "court": {"name_abbreviation": "9th Cir."},
    "citations": [{"cite": "123 F.3d 456"}, {"cite": "97 Daily Journal DAR 1"}],
    "casebody": {"opinions": [{"type": "majority", "text": "Cats purr, as 347 U.S. 483 and 74 S. Ct. 686 hold."}]},
}  # fmt: skip


def written(path: Path, row: dict) -> Path:
    path.write_text(json.dumps(row))
    return path


def test_a_case_of_another_court_keeps_its_court_and_year_and_links_what_cites_it(tmp_path):
    courts, supreme = (Domain.objects.get(slug=f"{name}_cases") for name in ("court", "supreme_court"))
    assert ingested(courts, written(tmp_path / "a.json", NINTH)).status == JobRun.Status.DONE
    document = courts.documents.get()
    assert (document.locator, document.court, document.year) == ("/us/case/f3d/123/456", "9th Cir.", 1997)
    opinion = courts.sections.live().get(level="majority")
    assert opinion.citation == "Smith v. Jones, 123 F.3d 456 (9th Cir. 1997) (majority)"
    assert set(opinion.citations_made.values_list("target_locator", "target")) == {
        ("/us/scotus/347/483", None), ("/us/case/s-ct/74/686", None),
    }  # fmt: skip
    brown = {
        "name_abbreviation": "Brown v. Board of Education", "decision_date": "1954-05-17",
        "citations": [{"cite": "347 U.S. 483"}, {"cite": "74 S. Ct. 686"}],
        "casebody": {"opinions": [{"type": "majority", "text": "Compare 123 F.3d 456."}]},
    }  # fmt: skip
    assert ingested(supreme, written(tmp_path / "b.json", brown)).status == JobRun.Status.DONE
    targets = dict(opinion.citations_made.values_list("target_locator", "target__locator"))
    assert targets == {
        "/us/scotus/347/483": "/us/scotus/347/483", "/us/case/s-ct/74/686": "/us/scotus/347/483/opinion",
    }  # fmt: skip
    cited = supreme.sections.live().get(level="majority").citations_made.get()
    assert cited.target.locator == "/us/case/f3d/123/456"


def test_a_summary_of_a_case_of_another_court_leaves_what_it_does_not_tell(tmp_path):
    courts = Domain.objects.get(slug="court_cases")
    row = {"locator": "/us/case/f3d/123/456", "name": "Smith v. Jones", "facts": "Cats."}
    for told in (NINTH, row):
        assert ingested(courts, written(tmp_path / "a.jsonl", told)).status == JobRun.Status.DONE
    document = courts.documents.get()
    assert (document.court, document.year) == ("9th Cir.", 1997)
    row |= {"court": "9th Cir.", "decided": "1997-08-02"}
    assert ingested(courts, written(tmp_path / "a.jsonl", row)).status == JobRun.Status.DONE
    case = courts.sections.live().get(level="case", valid_to=None)
    assert (case.text, case.citation) == ("Facts. Cats.", "Smith v. Jones, 123 F.3d 456 (9th Cir. 1997)")


def test_a_case_of_the_united_states_reports_is_no_case_of_another_court(tmp_path):
    courts = Domain.objects.get(slug="court_cases")
    run = ingested(courts, written(tmp_path / "a.json", NINTH | {"citations": [{"cite": "347 U.S. 483"}]}))
    assert run.status == JobRun.Status.FAILED and "holds only /us/case" in run.error


def test_a_missing_source_is_named(domain):
    with pytest.raises(SourceRefused, match="no source"):
        staging.own_source("", domain)
    assert re.search(r"no file absent\.xml in /.", ingested(domain, "absent.xml").error)


def test_what_a_domain_names_is_read_where_the_settings_allow_it_and_nowhere_else(domain, settings, tmp_path):
    law, elsewhere = tmp_path / "law", tmp_path / "private"
    for folder in (law, elsewhere):
        folder.mkdir()
        (folder / "lease.xml").write_text("<lease/>")
    (law / "link.xml").symlink_to(elsewhere / "lease.xml")
    settings.ARF_SOURCES = [law]
    assert staging.own_source(str(law / "lease.xml"), domain) == law / "lease.xml"
    refused = set()
    for name in (law / "../private/lease.xml", law / "link.xml", elsewhere / "lease.xml", elsewhere / "no.xml"):
        Domain.objects.filter(pk=domain.pk).update(source=str(name))
        refused.add(ingested(domain, "").error)
    assert len(refused) == 1 and "ARF_SOURCES" in refused.pop()


@pytest.mark.parametrize("named", ["clients", "clients/lease.md", "", "clients/2024"])
def test_no_domain_reads_what_another_names(domain, settings, tmp_path, named):
    (tmp_path / "clients/2024").mkdir(parents=True)
    (tmp_path / "clients/lease.md").write_text("# Lease\n\nThe rent is ninety doubloons.")
    (tmp_path / "mine.md").write_text("# Mine")
    (tmp_path / "alike").symlink_to(tmp_path / "clients")
    settings.ARF_SOURCES = [tmp_path]
    Domain.objects.filter(slug="client_cases").update(source=str(tmp_path / "clients"))
    assert staging.own_source(str(tmp_path / "mine.md"), domain)
    for source in (tmp_path / named, tmp_path / named.replace("clients", "alike")):
        Domain.objects.filter(pk=domain.pk).update(source=str(source))
        assert "Another domain" in ingested(domain, "").error


def test_the_repealed_amendment_is_marked_not_hidden():
    prohibition = Section.objects.live().get(locator="/us/const/amendment/XVIII/section/1")
    assert (prohibition.status, prohibition.valid_to) == ("repealed", None)
    assert prohibition.valid_from == date(1919, 1, 16)


def test_a_chapter_is_cited_by_the_section_that_names_it():
    section = Section(locator="/us/usc/t15/s717w", parent_locator="/us/usc/t15/ch15B/schI")
    text = "This chapter may be cited as the “Natural Gas Act”."
    node = Node(level="section", number="717w", heading="", locator=section.locator, text=text)
    [edge] = citations_of(section, node)
    assert (edge.target_locator, edge.called) == ("/us/usc/t15/ch15B", "Natural Gas Act")
    assert text[edge.start : edge.end] == edge.text == "This chapter"


def resolved(documents: list[SourceDocument]) -> tuple[int, int]:
    """Of the citations that lead into these documents, how many find their place, and how many there are."""
    nodes = [node for document in documents for node in document.root.walk()]
    places = {node.locator for node in nodes} | {anchor.locator for node in nodes for anchor in node.anchors}
    loaded = tuple(f"{document.identifier}/" for document in documents)
    edges = [edge for node in nodes for edge in citations_of(Section(locator=node.locator), node)]
    inside = [edge.target_locator for edge in edges if edge.target_locator.startswith(loaded)]
    return sum(locator in places for locator in inside), len(inside)


@pytest.mark.full
@pytest.mark.slow
@pytest.mark.measuring_data
def test_citations_of_sections_of_the_code_that_is_loaded_find_their_place(measuring_data):
    folder = measuring_data / "uscode/uslm"
    found, of = resolved([uslm.read(folder / f"usc{title}.xml", leaf="section") for title in ("08", "28")])
    assert found / of >= 0.97 and of > 1_500


@pytest.mark.measuring_data
@pytest.mark.slow
@pytest.mark.parametrize("titles", [(1, 4), pytest.param((1, 2, 3, 4, 6, 11), marks=pytest.mark.full)])
def test_citations_of_rules_that_are_loaded_find_their_place(measuring_data, titles):
    found, of = resolved([cfr.read(measuring_data / f"cfr/ecfr/title-{title}.xml") for title in titles])
    assert found / of >= 0.97 and of > 100 * len(titles)
