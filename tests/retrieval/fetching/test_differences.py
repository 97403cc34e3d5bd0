"""What a source would change, told without changing it."""

import json
from pathlib import Path

import pytest

from retrieval.errors import SourceRefused
from retrieval.fetching.differences import differences
from retrieval.models import Domain
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
        return differences(code, read_next(path, code, Place()).document, edition, **options)

    return comparing


def test_new_changed_and_repealed_sections_are_told_apart(compared, code):
    before = current(code)
    found = compared("One.", "Two, amended.", "Three.", "", "Five.", "Six.")
    assert found.new == ("/us/usc/t8/s6",)
    assert found.changed == ("/us/usc/t8/s2",)
    assert found.repealed == ("/us/usc/t8/s4",)
    assert found.to_dict()["new"] == 1 and found.to_dict()["new_named"] == ["/us/usc/t8/s6"]
    assert current(code) == before


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
    source = read_next(under(2, text="Others.", valid_from="2999-01-01"), code, Place()).document
    found = differences(code, source, "2025-01-01")
    assert found.changed == ("/us/usc/t4/s1", "/us/usc/t4/s2")


def test_less_than_four_fifths_is_refused_unless_forced(compared):
    with pytest.raises(SourceRefused, match="3 sections where 5 are known"):
        compared("One.", "Two.", "Three.")
    assert len(compared("One.", "Two.", "Three.", force=True).repealed) == 2


def test_an_older_edition_is_refused(compared):
    with pytest.raises(SourceRefused, match="in their order"):
        compared(*TEXTS, edition="2023-01-01")
