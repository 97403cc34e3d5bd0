"""The answer as callers get it: its shape, its pages, near misses."""

import json
from datetime import date

import pytest

from retrieval.access.caller import Caller
from retrieval.ranking import Candidate, Page, Query, Ranking
from retrieval.request import SearchRequest
from retrieval.search import response
from retrieval.search.response import present
from retrieval.search.service import in_scope, search
from tests.builders import a_document, a_domain, a_section

pytestmark = pytest.mark.django_db
PAST, FUTURE = date(2010, 1, 1), date(2999, 1, 1)


def ask(text: str, caller: Caller = Caller(), **fields) -> dict:
    return search(SearchRequest(text=text, **fields), caller)


def test_a_node_above_the_result_level_has_its_childrens_text_in_order():
    text = ask("14th amendment", whole=True)["results"][0]["text"]
    assert text.startswith("All persons born or naturalized")
    assert text.endswith("the provisions of this article.")


def test_a_node_with_much_below_it_has_its_own_words_and_a_snippet_of_the_first(monkeypatch):
    monkeypatch.setattr(response, "LONGEST", 500)
    whole = search(SearchRequest("14th amendment", whole=True), fresh=True)["results"][0]
    assert whole["text"] == "" and whole["snippet"].startswith("All persons born or naturalized")


def test_the_answer_has_the_shape_of_the_contract():
    answer = ask("freedom of speech at school", whole=True)
    assert set(answer) >= {
        "query", "results", "abstained", "near_misses", "cached", "degraded", "page", "next", "previous",
        "trace_id", "took_ms", "stages",
    }  # fmt: skip
    assert set(answer["results"][0]) >= {
        "rank", "locator", "pin", "citation", "title", "breadcrumb", "snippet", "text", "score", "probability",
        "reasons", "url", "source_url", "valid_from",
    }  # fmt: skip
    assert set(answer["stages"][0]) == {"name", "status", "ms", "in", "out", "note"}
    json.dumps(answer)


def test_long_texts_and_notes_are_read_only_where_they_are_asked_for():
    brief, whole = (ask("freedom of speech at school", whole=whole)["results"][0] for whole in (False, True))
    assert whole.keys() - brief.keys() == {"text", "notes"}
    assert {name: whole[name] for name in brief} == brief


def test_pages_follow_on_one_another():
    pages = [ask("the power of Congress", k=5, page=page) for page in (1, 2, 3)]
    ranks = [result["rank"] for page in pages for result in page["results"]]
    assert ranks == list(range(1, 16))
    assert len({result["locator"] for page in pages for result in page["results"]}) == 15
    assert (pages[0]["previous"], pages[0]["next"], pages[2]["previous"]) == (None, 2, 2)


def test_an_unknown_question_abstains_with_near_misses_labelled():
    answer = ask("best pizza dough hydration for a home oven")
    assert answer["abstained"]
    assert answer["results"] == []
    assert 0 < len(answer["near_misses"]) <= 5


@pytest.mark.parametrize(
    ("begins", "ends", "status", "amended", "standing"),
    [
        (None, None, "", False, "in_force"),
        (PAST, None, "reserved", False, "no_longer_in_force"),
        (PAST, FUTURE, "", True, "in_force"),
        (PAST, PAST, "", True, "amended_since"),
        (PAST, PAST, "repealed", False, "no_longer_in_force"),
        (PAST, None, "omitted", False, "no_longer_in_force"),
        (FUTURE, None, "", False, "not_yet_in_force"),
        (PAST, None, "overruled", False, "overruled"),
        (PAST, None, "departed", False, "departed"),
    ],
)
def test_how_a_text_stands_today(begins, ends, status, amended, standing):
    assert response.standing_today(begins, ends, status, amended=amended) == standing


def test_a_text_of_another_day_says_that_it_was_amended_since(client):
    law = a_document(a_domain(slug="manual"))
    old = a_section(law, "Dogs must be led.", locator="/manual/1", valid_from=PAST, valid_to=date(2015, 1, 1))
    new = a_section(law, "Dogs must be led and muzzled.", locator="/manual/1", valid_from=date(2015, 1, 1))
    for day, section, standing in ((date(2012, 1, 1), old, "amended_since"), (None, new, "in_force")):
        query = Query("dogs", "dogs", "dogs", "en", in_scope(Caller(), ["manual"])[0], as_of=day)
        ranking = Ranking(query, (Candidate(section.pk, law.domain_id, section.locator),))
        assert present(ranking, Page())["results"][0]["standing"] == standing
        asked = {"as_of": day.isoformat()} if day else {}
        assert client.get("/api/v1/sections/manual/1", asked).json()["standing"] == standing


def test_a_text_of_another_day_says_that_its_document_was_withdrawn():
    law = a_document(a_domain(slug="manual"))
    gone = a_section(law, "Dogs must be led.", valid_from=PAST, valid_to=date(2015, 1, 1))
    query = Query("dogs", "dogs", "dogs", "en", in_scope(Caller(), ["manual"])[0], as_of=date(2012, 1, 1))
    ranking = Ranking(query, (Candidate(gone.pk, law.domain_id, gone.locator),))
    assert present(ranking, Page())["results"][0]["withdrawn_on"] == "2015-01-01"
    a_section(law, "Cats may stray.")
    assert present(ranking, Page())["results"][0]["withdrawn_on"] is None


def test_facets_count_decisions_by_court_and_year_and_other_law_by_neither():
    first, other = (a_domain(citation_style="case", name=name) for name in ("First Circuit", "Ninth Circuit"))
    decided = [a_section(a_document(court), valid_from=PAST) for court in (first, other, other)]
    statute = a_section(a_document(a_domain()), valid_from=PAST)
    query = Query("dogs", "dogs", "dogs", "en", ())
    counted = response.facets(query, [Candidate(section.pk) for section in (*decided, statute)])
    assert counted["among"] == 4
    assert counted["court"] == [
        {"value": other.slug, "name": "Ninth Circuit", "name_es": other.name_es, "count": 2},
        {"value": first.slug, "name": "First Circuit", "name_es": first.name_es, "count": 1},
    ]
    assert counted["year"] == [{"value": "2010", "name": "2010", "name_es": "", "count": 3}]
    assert [each["value"] for each in counted["document"]] == [statute.document.locator]


def test_rules_are_counted_by_the_agency_whose_chapter_they_are_in():
    rules, sections = a_domain(slug="rules", locator_prefix="/us/cfr"), []
    for title, count in (("6", 1), ("8", 2)):
        law = a_document(rules, locator=f"/us/cfr/t{title}")
        above = a_section(law, locator=law.locator, level="title", is_result=False)
        at = {"heading": "DEPARTMENT OF HOMELAND SECURITY", "locator": f"{law.locator}/chI", "parent": above}
        chapter = a_section(law, level="chapter", is_result=False, **at)
        part = a_section(law, level="part", locator=f"{law.locator}/pt5", is_result=False, parent=chapter)
        sections += [a_section(law, parent=part) for _ in range(count)]
    code = a_document(a_domain(slug="statutes", locator_prefix="/us/usc"), locator="/us/usc/t8")
    statutory = a_section(code, level="chapter", locator="/us/usc/t8/ch12", heading="ALIENS", is_result=False)
    sections.append(a_section(code, parent=statutory))
    counted = response.facets(Query("dogs", "dogs", "dogs", "en", ()), [Candidate(each.pk) for each in sections])
    assert [(each["value"], each["name"], each["count"]) for each in counted["agency"]] == [
        ("/us/cfr/t8/chI", "DEPARTMENT OF HOMELAND SECURITY (8 CFR)", 2),
        ("/us/cfr/t6/chI", "DEPARTMENT OF HOMELAND SECURITY (6 CFR)", 1),
    ]


def test_the_parts_of_a_decision_are_no_parts_of_law():
    decision = a_document(a_domain(citation_style="case"))
    case = a_section(decision, level="case", heading="Smith v. Jones", is_result=False)
    opinion = a_section(decision, parent=case)
    counted = response.facets(Query("dogs", "dogs", "dogs", "en", ()), [Candidate(opinion.pk)])
    assert (counted["among"], counted["part"]) == (1, [])


def test_decisions_of_one_domain_are_counted_by_the_courts_and_years_of_their_documents():
    courts = a_domain(citation_style="case")
    of = (("9th Cir.", 1997), ("9th Cir.", 1998), ("S.D.N.Y.", 1998))
    decided = [a_section(a_document(courts, court=court, year=year), valid_from=PAST) for court, year in of]
    counted = response.facets(Query("dogs", "dogs", "dogs", "en", ()), [Candidate(each.pk) for each in decided])
    assert [(each["value"], each["name"], each["count"]) for each in counted["court"]] == [
        ("9th Cir.", "9th Cir.", 2), ("S.D.N.Y.", "S.D.N.Y.", 1),
    ]  # fmt: skip
    assert [(each["value"], each["count"]) for each in counted["year"]] == [("1998", 2), ("1997", 1)]
