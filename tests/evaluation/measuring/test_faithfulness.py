"""An answer is judged by what the law cited says now, whatever it says of itself."""

import json

import pytest

from evaluation.measuring.answers import Labelled, means, measure, summary
from evaluation.measuring.faithfulness import Judged, judged
from retrieval.access.caller import ANONYMOUS
from retrieval.answers import generation
from retrieval.engines.cross_encoders import CrossEncoder
from retrieval.models import Section
from retrieval.proof import entailment
from retrieval.proof.types import Claim
from retrieval.stages.llm_verifier import MAY_ASK
from tests.llm_server import says

pytestmark = pytest.mark.django_db
AGE = "/us/const/article/II/section/1/clause/5"
PHONE = Labelled("Can they search my phone?", "en", "us_constitution", ("/us/const/amendment/IV",))
WARRANT = "No warrant shall issue without probable cause, supported by oath or affirmation."
SEARCHED = "The police may search your phone without a warrant."
QUOTED = "no Warrants shall issue, but upon probable cause, supported by Oath or affirmation"


def entry(kind: str, text: str, *quotes: str, locator: str = AGE, language: str = "en") -> dict:
    stored = Section.objects.get(locator=locator, live=True, valid_to=None).text
    begins = [max(0, stored.find(quote)) for quote in quotes or ("",)]
    places = [
        {"locator": locator, "quote": quote, "start": start, "end": start + len(quote)}
        for quote, start in zip(quotes or ("",), begins, strict=True)
    ]
    return {"kind": kind, "text": text, "citations": places, "language": language}


def of(*entries: dict) -> list[tuple[int, int]]:
    return [(one.claims, one.unsupported) for one in judged(entries, ANONYMOUS)]


def test_the_words_of_law_at_their_place_are_borne_out():
    [section] = Section.objects.filter(locator=AGE, live=True, valid_to=None)
    told = judged([entry("law", section.text, section.text)], ANONYMOUS)
    assert told == (Judged("law", 1, 0),)


@pytest.mark.parametrize(
    ("text", "quote"),
    [
        ("attained to the Age of ten Years", "attained to the Age of ten Years"),  # which stands nowhere
        ("attained to the Age of ten Years", "attained to the Age of thirty five Years"),  # another is shown
        ("the Age of thirty five Years or not", "the Age of thirty five Years"),
    ],
)
def test_words_that_do_not_stand_there_are_not(text, quote):
    [(claims, unsupported)] = of(entry("law", text, quote))
    assert claims == unsupported >= 1


def test_law_that_was_cut_before_its_exception_is_judged_as_it_reads():
    third = "/us/const/amendment/III"
    whole = Section.objects.get(locator=third, live=True, valid_to=None).text
    cut = "but in a manner to be prescribed by law"
    assert of(entry("law", whole, whole, locator=third)) == [(1, 0)]
    assert of(entry("law", cut, "nor in time of war", locator=third))[0][1] == 1


def test_a_name_of_ours_that_is_false_is_not_borne_out():
    true = "No one younger than thirty-five can be President"
    assert of(
        entry("lead", true),
        entry("lead", "A citizen of any country may be President"),
        entry("lead", "Presidents are elected by the judges of all courts"),
        entry("lead", "Who can be President: age, citizenship and residence"),  # claims nothing
        entry("lead", "Nadie menor de veinte años puede ser presidente", language="es"),
    ) == [(1, 0), (1, 1), (1, 1), (0, 0), (1, 1)]


def test_a_place_that_is_not_there_bears_nothing_out():
    gone = entry("lead", "No one younger than thirty-five can be President")
    gone["citations"][0]["locator"] = "/us/const/amendment/XCIX"
    assert of(gone) == [(1, 1)]


def test_what_a_language_model_wrote_is_judged_anew(configured_model, monkeypatch):
    """Whatever let it pass: here its proof is switched off."""
    drafts = [
        {"text": text, "quotes": [{"passage": 1, "quote": QUOTED}]} for text in (WARRANT, SEARCHED)
    ]  # fmt: skip
    configured_model.behaviour = says(json.dumps({"instructs": False, "sentences": drafts}))
    monkeypatch.setattr(
        generation, "verify", lambda text, *_, **__: (Claim(text, 0, len(text), "supported", 1.0),)
    )
    [anybody] = measure([PHONE])
    [told] = measure([PHONE], caller=MAY_ASK)
    shares = summary([told])
    assert {one.kind for one in anybody.judged} & {"generated"} == set() and WARRANT not in anybody.text
    assert (shares["unsupported_generated"]["hits"], shares["unsupported_generated"]["total"]) == (1, 2)
    assert shares["unsupported_law"]["hits"] == 0 < shares["unsupported"]["hits"]
    assert told.faithfulness < anybody.faithfulness and SEARCHED in told.text


def test_where_claims_cannot_be_read_the_judge_failed(monkeypatch, tmp_path):
    monkeypatch.setattr(entailment, "model", lambda: CrossEncoder(tmp_path))
    told = measure([PHONE])
    assert means(told)["faithfulness"] == {"status": "judge_failed", "failed": 1}
    assert summary(told)["unsupported"]["value"] is None
