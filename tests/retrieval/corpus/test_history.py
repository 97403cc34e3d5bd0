"""What later law did to earlier provisions: each change is asked for a day before and a day after."""

from datetime import date, timedelta

import pytest

from retrieval.citations.finding import only_citation
from retrieval.corpus import history
from retrieval.models import Section
from retrieval.request import SearchRequest
from retrieval.search.service import search
from tests.retrieval.api.asking import API, section
from tests.retrieval.pages.looking import hits, look, look_for

CHANGES = [change for change in history.changes() if change.effect not in history.OVERTAKEN]
OVERTAKINGS = [change for change in history.changes() if change.effect in history.OVERTAKEN]
DAY = timedelta(days=1)
EIGHTEENTH = "/us/const/amendment/XVIII"
ENDED = [change for change in CHANGES if change.ends]


def name_of(change: history.Change) -> str:
    return f"{change.provision} by {change.by}"


def path(locator: str) -> str:
    return locator.removeprefix("/")


def test_changes_concern_what_they_change_what_holds_it_and_what_it_holds():
    changed = {change.provision for change in history.changes()}
    places = changed | {place.rpartition("/")[0] for place in changed} | {f"{place}/a" for place in changed}
    for place in places:
        assert history.concerning(place) == tuple(
            change
            for change in history.changes()
            if history.is_within(place, change.provision) or history.is_within(change.provision, place)
        )


def test_every_amendment_that_changed_earlier_law_is_told():
    changing = {change.by.split("/")[4] for change in CHANGES}
    assert changing == {"XI", "XII", "XIII", "XIV", "XVI", "XVII", "XIX", "XX", "XXI", "XXV", "XXVI"}
    assert {change.provision for change in ENDED} == {
        "/us/const/article/II/section/1/clause/3",
        "/us/const/article/IV/section/2/clause/3",
        EIGHTEENTH,
    }


@pytest.mark.django_db
@pytest.mark.parametrize("change", CHANGES, ids=name_of)
def test_a_change_is_made_by_a_provision_that_is_there_from_the_day_of_its_ratification(change):
    sections = Section.objects.live()
    assert sections.get(locator=change.by).valid_from == change.day
    assert sections.filter(locator=change.provision, valid_from__lt=change.day).exists()
    assert only_citation(change.to_dict()["citation"]).locator == change.by
    assert all({"en", "es"} == told.keys() and all(told.values()) for told in (change.then, change.now))


@pytest.mark.django_db
@pytest.mark.parametrize("change", CHANGES, ids=name_of)
def test_the_day_before_a_change_nothing_tells_of_it(client, change):
    before = section(client, path(change.provision), as_of=change.day - DAY)
    assert change.to_dict() not in before["history"]
    assert (before["status"], before["notes"]) == ("", [])
    assert "repealed" not in before["title"].lower()
    page = look(client, f"/law{change.provision}?as_of={change.day - DAY}")
    assert change.now["en"] not in page.text
    assert "repealed" not in page.text.lower()


@pytest.mark.django_db
@pytest.mark.parametrize("change", CHANGES, ids=name_of)
def test_from_the_day_of_a_change_on_the_provision_tells_of_it_or_is_gone(client, change):
    for day in (change.day, change.day + DAY):
        response = client.get(f"{API}/sections{change.provision}?as_of={day}")
        if change.ends:
            assert response.status_code == 404
        else:
            assert change.to_dict() in response.json()["history"]
            assert change.now["en"] in look(client, f"/law{change.provision}?as_of={day}").text


@pytest.mark.django_db
@pytest.mark.parametrize("change", CHANGES, ids=name_of)
def test_today_each_is_cited_and_marked(client, change):
    told = section(client, path(change.provision))
    assert change.to_dict() in told["history"]
    assert (told["status"], told["valid_to"]) == (
        (change.effect, change.day.isoformat()) if change.ends else ("", None)
    )
    answer = search(SearchRequest(told["citation"]))
    assert answer["results"][0]["locator"] == change.provision
    assert change.to_dict() in answer["results"][0]["history"]
    page = look(client, f"/law{change.provision}")
    assert f"{change.effect.title()} on" in page.text and change.then["en"] in page.text
    assert f"/law{change.by}" in page.links()


@pytest.mark.django_db
@pytest.mark.parametrize("change", ENDED, ids=name_of)
def test_what_ended_is_found_until_the_day_before_and_without_a_day(change):
    words = Section.objects.live().results().below(change.provision).in_order().first().text
    found = {
        day: {
            result["locator"]
            for result in search(SearchRequest(words[:300], as_of=day, pipeline="fusion"))["results"]
        }
        for day in (None, change.day - DAY, change.day + DAY)
    }
    is_found = [any(history.is_within(each, change.provision) for each in found[day]) for day in found]
    assert is_found == [True, True, False]


@pytest.mark.parametrize("change", OVERTAKINGS, ids=name_of)
def test_a_decision_that_later_law_overtook_is_marked_from_that_day_on_and_stays_in_force(change):
    before, after = (history.standing(change.provision, day) for day in (change.day - DAY, change.day))
    assert (before.status(""), after.status(""), after.end(None)) == ("", change.effect, None)
    assert history.standing(f"{change.provision}/opinion", None).status("") == change.effect
    assert change.citation and change.changed and all({"en", "es"} == t.keys() for t in (change.then, change.now))


@pytest.mark.django_db
def test_prohibition_was_in_force_in_1925_and_not_in_2020(client):
    assert Section.objects.live().valid_on(date(1925, 1, 1)).below(EIGHTEENTH).count() == 4
    assert not Section.objects.live().valid_on(date(2020, 1, 1)).below(EIGHTEENTH).exists()
    first = f"{EIGHTEENTH}/section/1"
    then = section(client, path(first), as_of="1925-01-01")
    assert (then["status"], then["valid_to"], then["title"]) == ("", "1933-12-05", "Prohibition of liquor")
    now = section(client, path(first))
    assert (now["status"], now["title"]) == ("repealed", "Prohibition of liquor (repealed)")
    shown = look(client, f"/law{EIGHTEENTH}")
    assert shown.text.count("Repealed on Dec. 5, 1933 by U.S. Const. amend. XXI, § 1.") == 1


@pytest.mark.django_db
def test_what_is_cited_after_its_end_was_not_in_force(client):
    page = look_for(client, "18th amendment", as_of="2020-01-01")
    assert "There was no U.S. Const. amend. XVIII in force on Jan. 1, 2020." in page.text
    assert "There is no 8 U.S.C. § 1158 among the law here." in look_for(client, "8 USC 1158", as_of="2020-01-01").text
    then = look_for(client, "18th amendment", as_of="1925-01-01")
    assert hits(then)[0] == EIGHTEENTH
    assert "Repealed" not in then.text


@pytest.mark.django_db
def test_a_part_that_changed_is_told_by_what_holds_it(client):
    third = section(client, "us/const/article/I/section/3")
    assert [change["provision"][-8:] for change in third["history"]] == ["clause/1", "clause/2"]
    assert (third["status"], third["valid_to"]) == ("", None)
    assert section(client, "us/const/article/II")["status"] == ""


def test_the_notes_of_a_decision_stand_before_it_is_overruled_too():
    before = date(1900, 1, 1)
    assert history.standing("/us/scotus/163/537", before).notes(["Construes it."]) == ["Construes it."]
    assert history.standing("/us/const/amendment/XVIII", date(1925, 1, 1)).notes(["Repealed."]) == []
