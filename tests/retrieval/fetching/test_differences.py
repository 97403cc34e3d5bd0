"""What a source would change, told without changing it."""

import json
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from retrieval.errors import SourceRefused
from retrieval.fetching.differences import differences
from retrieval.models import Domain, JobRun
from retrieval.parsing.sources import Place, read_next
from tests.retrieval.fetching.laws import title
from tests.retrieval.ingestion.conftest import current, ingested

pytestmark = pytest.mark.django_db
TEXTS = ("One.", "Two.", "Three.", "Four.", "Five.")


@pytest.fixture
def code():
    return Domain.objects.get(slug="us_code")


@pytest.fixture
def compared(code, tmp_path):
    """ingest TEXTS, then compare what is given."""
    path = tmp_path / "usc08.xml"
    path.write_text(title(*TEXTS))
    ingested(code, path, edition="2024-01-01")

    def comparing(*texts: str, edition: str = "2025-01-01", n: int = 8, **options):
        Path(path).write_text(title(*texts, n=n))
        return differences(code, read_next(path, code, Place()), edition, **options)

    return comparing


def test_new_changed_and_repealed_sections_are_told_apart(compared, code):
    before = current(code)
    found = compared("One.", "Two, amended.", "Three.", "", "Five.", "Six.")
    assert found.new == ("/us/usc/t8/s6",)
    assert found.changed == ("/us/usc/t8/s2",)
    assert found.repealed == ("/us/usc/t8/s4",)
    assert found.to_dict()["new"] == 1 and found.to_dict()["new_named"] == ["/us/usc/t8/s6"]
    assert current(code) == before


def test_a_dry_run_of_an_ingestion_says_what_would_change_and_changes_nothing(code, tmp_path, capsys):
    files = [tmp_path / f"usc{n:02}.xml" for n in (8, 9)]
    files[0].write_text(title(*TEXTS))
    ingested(code, files[0], edition="2024-01-01")
    before = current(code)
    files[0].write_text(title("One.", "Two, amended.", "Three."))
    files[1].write_text(title("Nine.", n=9))
    asked = ("ingest", "us_code", str(tmp_path), "--edition", "2025-01-01", "--dry-run")
    call_command(*asked)
    told = capsys.readouterr().out
    assert told.startswith("US Code: sections 2 new, 1 changed, 2 repealed, in 2 of 2 documents")
    assert "/us/usc/t8/s2\n" in told and "/us/usc/t9/s1\n" in told and "2 repealed\n  /us/usc/t8/s4\n" in told
    files[0].write_text(title("One.", "Two."))
    with pytest.raises(CommandError, match="2 sections where 5 are known"):
        call_command(*asked)
    call_command(*asked, "--force")
    assert current(code) == before and not code.documents.filter(locator="/us/usc/t9").exists()
    assert not JobRun.objects.filter(params__edition="2025-01-01").exists()


def test_what_is_the_same_differs_in_nothing(compared):
    found = compared(*TEXTS)
    assert not (found.new or found.changed or found.repealed)


def test_what_only_stands_elsewhere_until_it_changes_is_changed(code, tmp_path):
    path = tmp_path / "t4.jsonl"

    def under(chapter: int, **said: str):
        above = {"path": f"/us/usc/t4/ch{chapter}"}
        rows = (above | {"locator": f"/us/usc/t4/s{n}", "text": "Words."} | said for n in (1, 2))
        path.write_text("".join(json.dumps(row) + "\n" for row in rows))
        return path

    ingested(code, under(1), edition="2024-01-01")
    source = read_next(under(2, text="Others.", valid_from="2999-01-01"), code, Place())
    found = differences(code, source, "2025-01-01")
    assert found.changed == ("/us/usc/t4/s1", "/us/usc/t4/s2")


def test_less_than_four_fifths_is_refused_unless_forced(compared):
    with pytest.raises(SourceRefused, match="3 sections where 5 are known"):
        compared("One.", "Two.", "Three.")
    assert len(compared("One.", "Two.", "Three.", force=True).repealed) == 2


def test_an_older_edition_is_refused(compared):
    with pytest.raises(SourceRefused, match="in their order"):
        compared(*TEXTS, edition="2023-01-01")
