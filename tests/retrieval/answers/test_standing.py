"""How law that is quoted stands, and what ended it."""

from dataclasses import replace
from datetime import date

import pytest

from retrieval.answers.selection import Passage
from retrieval.answers.standing import ended_by, is_gone, marks, marks_of_cited, stands_whole

PROHIBITION = Passage(1, "/us/const/amendment/XVIII/section/1", "XVIII", "Liquors.", 1, 0.9, "en", (0, 0))
MEETING = replace(PROHIBITION, locator="/us/const/article/I/section/4/clause/2")
WAR = replace(PROHIBITION, locator="/us/const/article/I/section/8/clause/11")


@pytest.mark.parametrize(
    ("passage", "day", "ended", "whole"),
    [
        (PROHIBITION, None, True, False),
        (PROHIBITION, date(1925, 1, 1), False, False),  # it was law then and is not today
        (MEETING, None, False, False),
        (WAR, None, False, True),
        (replace(WAR, locator="/us/scotus/163/537"), None, True, False),
    ],
)
def test_what_is_only_changed_has_not_ended(passage, day, ended, whole):
    assert bool(ended_by(passage, day)) is ended
    assert stands_whole(marks(passage, day)) is whole


def test_what_its_source_calls_repealed_is_law_no_longer():
    assert is_gone(replace(WAR, status="repealed"), None)
    assert not is_gone(WAR, None) and not is_gone(MEETING, None)
    assert is_gone(PROHIBITION, None) and not is_gone(PROHIBITION, date(1925, 1, 1))


@pytest.mark.parametrize(("amended", "standing"), [(True, "amended_since"), (False, "no_longer_in_force")])
def test_an_earlier_text_tells_until_when_it_held(amended, standing):
    earlier = replace(WAR, valid_from=date(2000, 1, 1), valid_to=date(2010, 1, 1), amended=amended)
    told = marks(earlier, date(2005, 1, 1))
    assert (told["standing"], told["valid_to"]) == (standing, "2010-01-01") and not stands_whole(told)


def test_an_earlier_text_of_a_withdrawn_document_tells_since_when():
    earlier = replace(WAR, valid_from=date(2000, 1, 1), valid_to=date(2010, 1, 1), withdrawn=True)
    assert marks(earlier, date(2005, 1, 1))["withdrawn_on"] == "2010-01-01"
    assert marks(replace(earlier, withdrawn=False), None)["withdrawn_on"] is None


def test_what_rests_on_changed_law_is_marked_as_it_is():
    law = [
        {"citations": [{"locator": passage.locator}], **marks(passage, None)} for passage in (WAR, MEETING)
    ]
    assert marks_of_cited({"citations": law[1]["citations"]}, law) == marks(MEETING, None)
    assert marks_of_cited({"citations": law[0]["citations"]}, law)["standing"] is None


def test_what_rests_on_a_summary_of_a_decision_says_so():
    summary = replace(WAR, locator="/us/scotus/1/99", is_summary=True)
    law = [{"citations": [{"locator": one.locator}], **marks(one, None)} for one in (WAR, summary)]
    told = [marks_of_cited({"citations": one["citations"]}, law)["summary_of_decision"] for one in law]
    assert told == [False, True] == [one["summary_of_decision"] for one in law]
