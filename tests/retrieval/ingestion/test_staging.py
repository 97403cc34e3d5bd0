"""Sources are compared with what is published; bad ones are refused before anything is written."""

import re
from datetime import date

import pytest

from retrieval.errors import SourceRefused
from retrieval.ingestion import staging
from retrieval.models import Anchor, JobRun, Section
from tests.retrieval.ingestion.conftest import current, ingested, manual, rows

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


def test_a_missing_source_is_named(domain):
    with pytest.raises(SourceRefused, match="no source"):
        staging.source_path("")
    assert re.search(r"no file absent\.xml in /.", ingested(domain, "absent.xml").error)


def test_the_repealed_amendment_is_marked_not_hidden():
    prohibition = Section.objects.live().get(locator="/us/const/amendment/XVIII/section/1")
    assert (prohibition.status, prohibition.valid_to) == ("repealed", None)
    assert prohibition.valid_from == date(1919, 1, 16)
