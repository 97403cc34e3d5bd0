"""Sections of the Immigration and Nationality Act in title 8."""

import pytest

from retrieval.citations.ina import CODE_SECTION
from tests.conftest import MEASURING_DATA

TITLE_8 = MEASURING_DATA / "uscode/uslm/usc08.xml"


@pytest.mark.parametrize(
    ("act", "code"), [("208", "1158"), ("212", "1182"), ("240A", "1229b"), ("101", "1101"), ("349", "1481")]
)
def test_well_known_sections_are_where_lawyers_look(act, code):
    assert CODE_SECTION[act] == code


@pytest.mark.measuring_data
def test_sections_of_the_act_lead_to_sections_of_title_8():
    title = TITLE_8.read_text(encoding="utf-8")
    repealed = {"1161", "1324d", "1432", "1434", "1456", "1482", "1484", "1485", "1486", "1487", "1440-1"}
    absent = {s for s in CODE_SECTION.values() if f'identifier="/us/usc/t8/s{s}"' not in title}
    assert absent <= repealed
