"""Numbers that stand within the range of one provision."""

import pytest

from retrieval.access.caller import ANONYMOUS
from retrieval.briefs.checking import check_brief
from retrieval.corpus.ranges import ends_of, holding_ranges, key
from retrieval.models import Section
from tests.builders import a_document, a_domain, a_section
from tests.retrieval.corpus.past_law import TITLE, regulations  # noqa: F401
from tests.retrieval.pages.looking import hits, look, look_for

RANGE = f"{TITLE}/s1.106-1.108"


def test_numbers_are_in_their_order():
    numbers = ["9", "293", "293a", "293b", "293aa", "294", "247b-4a", "247b-4b"]
    assert sorted(numbers[:6], key=key) == numbers[:6]
    assert key("247b-4a") < key("247b-4b") < key("247c")


@pytest.mark.parametrize("locator", ["/us/cfr/t26/s1.401-1", "/us/usc/t2/s31-2", "/us/cfr/t37/s1.106/a-1.1"])
def test_a_number_with_a_hyphen_is_no_range(locator):
    assert ends_of(locator) is None


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("place", "held"),
    [("s293a", True), ("s293b/a", True), ("s293c", True), ("s293d", False), ("s292", False), ("s1.2", False)],
)
def test_numbers_of_the_code_lead_to_the_range_that_has_them(place, held):
    document = a_document(a_domain(locator_prefix="/us/usc"), locator="/us/usc/t99")
    section = a_section(document, locator="/us/usc/t99/s293a...293c", status="repealed")
    found = holding_ranges([f"/us/usc/t99/{place}"], Section.objects.readable(ANONYMOUS))
    assert found == ({f"/us/usc/t99/{place}": section} if held else {})


@pytest.mark.django_db
def test_a_reserved_number_is_known_everywhere(client, regulations):  # noqa: F811
    assert client.get(f"/law{TITLE}/s1.107")["Location"] == f"/law{RANGE}"
    assert client.get(f"/api/v1/sections{TITLE}/s1.107").json()["locator"] == RANGE
    (cited,) = client.get("/api/v1/citations/resolve?q=37 CFR 1.107").json()["citations"]
    assert (cited["resolved"], cited["within"]) == (False, RANGE)
    assert hits(look_for(client, "37 CFR 1.107")) == [RANGE]
    (check,) = check_brief("See 37 C.F.R. § 1.107.").citations
    assert (check.stand.status, list(check.findings)) == ("superseded", ["superseded"])
    look(client, f"/law{TITLE}/s1.105", status=404)
