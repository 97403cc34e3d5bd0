"""What tells documents of one title apart."""

from datetime import date

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from retrieval.access.caller import ANONYMOUS, Caller
from retrieval.access.row_security import as_caller
from retrieval.corpus import same_titles
from retrieval.corpus.same_titles import told_apart
from tests.builders import a_case_file, a_document, a_domain, a_section

pytestmark = pytest.mark.django_db
ANN, BEN = Caller(("user:1001",)), Caller(("user:1002",))


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


def test_a_document_is_told_from_those_of_its_title_and_domain_that_are_not_shown():
    domain = a_domain()
    one, two, ended, elsewhere, other = (
        a_document(place, title=title, filename=name)
        for place, title, name in (
            (domain, "Lease", "a.txt"), (domain, "Lease", "b.txt"), (domain, "Will", "c.txt"),
            (a_domain(), "Deed", "d.txt"), (domain, "Deed", "e.txt"),
        )
    )  # fmt: skip
    a_section(a_document(domain, title="Will"), valid_to=date(2020, 1, 1))
    for document in (one, two, ended, elsewhere, other):
        a_section(document)
    assert told_apart([one.locator], ANONYMOUS) == {one.locator: "a.txt"}
    assert told_apart([ended.locator, other.locator], ANONYMOUS) == {}


def test_how_many_there_are_of_a_title_costs_nothing_more(monkeypatch):
    monkeypatch.setattr(same_titles, "MOST", 3)
    domain = a_domain()
    documents = [a_document(domain, title="Lease", filename=f"{n}.txt") for n in range(6)]
    for document in documents:
        a_section(document)
    with CaptureQueriesContext(connection) as sent:
        apart = told_apart([documents[-1].locator], ANONYMOUS)
    assert apart[documents[-1].locator].startswith("5.txt, ") and len(sent) <= 4
    assert told_apart(["/us/const"], ANONYMOUS) == {}


def test_many_of_one_title_or_not_in_force_hide_none_of_another(monkeypatch):
    monkeypatch.setattr(same_titles, "MOST", 3)
    domain = a_domain()
    for n in range(5):
        a_section(a_document(domain, title="Lease", filename=f"{n}.txt"))
        a_section(a_document(domain, title="Will", filename=f"{n}.txt"), valid_to=date(2020, 1, 1))
    lease, deed, other, will, last = (
        a_document(domain, title=title, filename=name)
        for title, name in (
            ("Lease", "l.txt"), ("Deed", "d.txt"), ("deed", "e.txt"), ("Will", "w.txt"), ("Will", "x.txt")
        )
    )  # fmt: skip
    for document in (lease, deed, other, will, last):
        a_section(document)
    apart = told_apart([lease.locator, deed.locator, will.locator], ANONYMOUS)
    assert (apart[deed.locator], apart[will.locator]) == ("d.txt", "w.txt")
    assert apart[lease.locator].startswith("l.txt, ")


def test_what_one_may_not_read_is_not_told():
    leases = [a_case_file("Lease", "No llamas.", granted_to=ANN).locator for _ in range(2)]
    own = a_case_file("Lease", "No dogs.", granted_to=BEN).locator
    for caller, told in ((ANN, 2), (BEN, 0), (ANONYMOUS, 0)):
        with as_caller(caller):
            assert len(told_apart([*leases, own], caller)) == told
            assert len(told_apart(leases[:1], caller)) == min(told, 1)
