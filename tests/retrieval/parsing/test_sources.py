"""What formats a domain is read from."""

import pytest

from retrieval.errors import SourceRefused
from retrieval.models import Domain
from retrieval.parsing.sources import read_source
from tests.retrieval.parsing.uslm.samples import CONSTITUTION, TITLE

LEASES = Domain(slug="leases", name="Leases", locator_prefix="/leases", citation_style="plain")


def test_xml_is_read_as_uslm_to_the_level_of_the_domain():
    lowest = read_source(CONSTITUTION, Domain(result_level=Domain.ResultLevel.LOWEST))
    sections = read_source(CONSTITUTION, Domain(result_level=Domain.ResultLevel.SECTION))
    assert lowest.identifier == sections.identifier
    assert len(list(lowest.root.walk())) > len(list(sections.root.walk()))


def test_the_end_of_a_name_may_be_in_capitals(tmp_path):
    (tmp_path / "usc42.XML").write_text(TITLE)
    assert read_source(tmp_path / "usc42.XML", Domain()).identifier == "/us/usc/t42"


@pytest.mark.parametrize(
    ("filename", "locator"), [("My Lease (2).txt", "/leases/my-lease-2"), ("¿?.txt", "/leases/document")]
)
def test_a_file_has_its_place_by_its_name(tmp_path, filename, locator):
    (tmp_path / filename).write_text("1. Term. A year.\n")
    assert read_source(tmp_path / filename, LEASES).identifier == locator


def test_what_is_missing_or_of_another_domain_is_refused(tmp_path):
    with pytest.raises(SourceRefused, match="There is no file gone.xml"):
        read_source(tmp_path / "gone.xml", LEASES)
    (tmp_path / "a.txt").write_text("words")
    with pytest.raises(SourceRefused, match="in no format that The Code is read from"):
        read_source(tmp_path / "a.txt", Domain(name="The Code", citation_style="bluebook"))
