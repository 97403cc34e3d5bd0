"""What changed, over the API."""

from datetime import date

import pytest

from retrieval.access.row_security import as_system
from retrieval.api import changes as api_changes
from retrieval.api.changes import ChangeList
from retrieval.corpus.changes import keep
from retrieval.models import Section
from tests.builders import a_case_file, a_document, a_domain, a_section
from tests.retrieval.api.asking import API, assert_shape
from tests.retrieval.api.refusals import assert_refused

pytestmark = pytest.mark.django_db
DAY = date(2021, 1, 1)


@pytest.fixture
def changed():
    document = a_document(a_domain(slug="manual", locator_prefix="/manual"))
    place = {"locator": f"{document.locator}/1", "citation": "Manual § 1"}
    a_section(document, "May.", valid_from=date(2020, 1, 1), valid_to=DAY, **place)
    section = a_section(document, "Shall.", valid_from=DAY, **place)
    keep(document.pk)
    return section


def test_changes_are_listed(client, changed):
    answer = client.get(f"{API}/changes", {"domain": "manual", "since": "2021-01-01"}).json()
    assert_shape(answer, ChangeList)
    (made,) = answer["changes"]
    assert made == {
        "locator": changed.locator, "citation": "Manual § 1", "title": "Manual § 1", "kind": "changed",
        "day": "2021-01-01", "domain": "manual", "before": "2020-01-01", "by": None,
        "version": None, "before_version": None, "url": f"/changes{changed.locator}",
    }  # fmt: skip
    assert (answer["page"], answer["next"], answer["previous"]) == (1, None, None)
    assert client.get(f"{API}/changes", {"domain": "manual", "kind": "new"}).json()["changes"] == []


def test_texts_of_one_day_are_read_by_their_numbers(client, changed):
    Section.objects.filter(pk=changed.pk).update(valid_to=DAY)
    for text, days in (("Must.", {"valid_to": DAY}), ("Will.", {})):
        a_section(changed.document, text, locator=changed.locator, valid_from=DAY, **days)
    keep(changed.document_id)
    made = client.get(f"{API}/changes", {"domain": "manual"}).json()["changes"]
    assert [(each["before"], each["before_version"]) for each in made] == [
        ("2020-01-01", None), ("2021-01-01", 1), ("2021-01-01", 2),
    ]  # fmt: skip
    assert [(each["day"], each["version"]) for each in made] == [(str(DAY), number) for number in (1, 2, None)]
    address = f"{API}/sections{changed.locator}"
    asked = [{"as_of": DAY, "version": 1}, {"as_of": DAY, "version": 2}, {"as_of": DAY}]
    assert [client.get(address, each).json()["text"] for each in asked] == ["Shall.", "Must.", "Will."]
    assert_refused(client.get(address, {"as_of": DAY, "version": 3}), 404, "not_found")


def test_a_provision_that_was_added_and_revised_on_one_day_is_new_and_then_changed(client, changed):
    for text, days in (("Cats purr.", {"valid_to": DAY}), ("Cats meow.", {})):
        a_section(changed.document, text, locator="/manual/1/cats", valid_from=DAY, **days)
    keep(changed.document_id)
    asked = client.get(f"{API}/changes", {"domain": "manual"}).json()["changes"]
    made = [each for each in asked if each["locator"] == "/manual/1/cats"]
    assert [(each["kind"], each["version"]) for each in made] == [("new", 1), ("changed", None)]
    assert [(each["before"], each["before_version"]) for each in made] == [(None, None), (str(DAY), 1)]
    (new,) = client.get(f"{API}/changes", {"domain": "manual", "kind": "new"}).json()["changes"]
    read = client.get(f"{API}/sections/manual/1/cats", {"as_of": new["day"], "version": new["version"]})
    assert read.json()["text"] == "Cats purr."


def test_a_repeal_by_later_law_names_it(client):
    answer = client.get(f"{API}/changes", {"domain": "us_constitution", "kind": "repealed", "k": 1}).json()
    (made,) = answer["changes"]
    assert (made["locator"], made["day"]) == ("/us/const/amendment/XVIII", "1933-12-05")
    assert (made["by"], answer["next"]) == ("/us/const/amendment/XXI/section/1", 2)


def test_what_the_caller_may_not_see_is_not_there(client, changed):
    private = a_section(a_case_file("Lease", "Old."), "New rent.", valid_from=DAY)
    with as_system():
        keep(private.document_id)
    assert_refused(client.get(f"{API}/changes", {"domain": "client_cases"}), 404, "not_found")
    assert "client_cases" not in client.get(f"{API}/changes").content.decode()


@pytest.mark.parametrize("asked", [{"page": 501}, {"page": 101, "k": 100}, {"page": 1000, "k": 100}])
def test_pages_that_read_very_much_before_them_are_refused(client, asked):
    refused = client.get(f"{API}/changes", asked)
    assert_refused(refused, 400, "bad_parameter")
    assert "first 10,000 changes: ask for older ones by until" in refused.json()["error"]["message"]
    assert client.get(f"{API}/changes", {"page": 500}).json()["changes"] == []


def test_the_last_page_names_none_after_it(client, monkeypatch):
    monkeypatch.setattr(api_changes, "MOST", 3)
    asked = {"domain": "us_constitution", "kind": "repealed", "k": 1}
    followed = [client.get(f"{API}/changes", asked | {"page": page}).json()["next"] for page in (1, 2)]
    monkeypatch.setattr(api_changes, "MOST", 2)
    assert followed == [2, 3] and client.get(f"{API}/changes", asked | {"page": 2}).json()["next"] is None


def test_days_in_the_wrong_order_are_refused(client):
    refused = client.get(f"{API}/changes", {"since": "2020-01-01", "until": "2010-01-01"})
    assert_refused(refused, 400, "bad_parameter")
