"""What tells documents of one title apart."""

import pytest

from retrieval.access.caller import ANONYMOUS, Caller
from retrieval.access.row_security import as_caller
from retrieval.corpus.same_titles import told_apart
from tests.builders import a_case_file, a_document, a_domain, a_section

pytestmark = pytest.mark.django_db
ANN = Caller(("user:1001",))


def test_files_tell_documents_of_one_title_apart_and_where_they_do_not_the_time():
    domain = a_domain()
    one, two, same, other = (
        a_document(domain, title=title, filename=name)
        for title, name in (("Lease", "a.txt"), ("LEASE", "b.txt"), ("Lease", "b.txt"), ("Deed", "b.txt"))
    )
    place = a_section(two).locator
    apart = told_apart([one.locator, place, same.locator, other.locator, "/us/const"], ANONYMOUS)
    assert apart.pop(one.locator) == "a.txt"
    assert apart.keys() == {place, same.locator} and all(told.startswith("b.txt, ") for told in apart.values())
    assert told_apart([one.locator, other.locator], ANONYMOUS) == {}


def test_what_one_may_not_read_is_not_told():
    leases = [a_case_file("Lease", "No llamas.", granted_to=ANN).locator for _ in range(2)]
    for caller, told in ((ANN, 2), (ANONYMOUS, 0)):
        with as_caller(caller):
            assert len(told_apart(leases, caller)) == told
