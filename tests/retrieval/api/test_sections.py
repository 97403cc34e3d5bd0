"""One provision, its place, and what cites it."""

from datetime import date

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from retrieval.access.caller import Caller
from retrieval.api import sections, serializers
from retrieval.models import Domain, Section
from tests.builders import a_case_file, a_document, a_domain, a_section, grant
from tests.retrieval.api.asking import API, assert_shape, section
from tests.retrieval.api.keys import key_with
from tests.retrieval.api.refusals import assert_refused, post

pytestmark = pytest.mark.django_db


def test_a_provision_is_read_by_its_locator(client):
    answer = section(client, "us/const/amendment/I")
    assert_shape(answer, serializers.Provision)
    assert answer["text"].startswith("Congress shall make no law")
    assert answer["citation"] == "U.S. Const. amend. I"
    assert answer["next"]["locator"] == "/us/const/amendment/II"
    assert answer["domain"] == answer["document"]["domain"] == "us_constitution"


def test_a_node_above_the_result_level_reads_as_all_below_it(client):
    article = section(client, "us/const/article/III")
    assert [child["locator"][-1] for child in article["children"]] == ["1", "2", "3"]
    first = section(client, "us/const/article/III/section/1")
    last = section(client, "us/const/article/III/section/3/clause/2")
    assert article["text"].startswith(first["text"]) and article["text"].endswith(last["text"])
    assert article["next"]["locator"] == "/us/const/article/IV/section/1"
    assert article["previous"]["locator"] == "/us/const/article/II/section/4"
    assert first["parent"] == {key: article[key] for key in ("locator", "citation", "title")}


def test_an_anchor_reads_as_its_section_with_the_place_as_pin(client):
    second = Section.objects.get(locator="/us/const/amendment/II")
    second.anchors.create(locator=f"{second.locator}/a", level="paragraph", number="a", start=0, end=10)
    answer = section(client, "us/const/amendment/II/a")
    assert (answer["locator"], answer["pin"]) == (second.locator, f"{second.locator}/a")
    assert answer["anchors"][0]["end"] == 10


def test_citations_are_shown_both_ways(client):
    source = Section.objects.get(locator="/us/const/amendment/I")
    target = Section.objects.get(locator="/us/const/amendment/V")
    source.citations_made.create(
        target=target, target_locator=target.locator, text="the Fifth", start=0, end=9
    )
    made = section(client, source.path)["citations"]["made"]
    received = section(client, target.path)["citations"]["received"]
    assert (made[-1]["locator"], made[-1]["end"]) == (target.locator, 9)
    assert source.locator in [edge["locator"] for edge in received]


def test_a_provision_is_read_as_it_was_on_a_day(client):
    path = "us/const/amendment/XVI"
    assert section(client, path, as_of="2000-01-01")["valid_from"] == "1913-02-03"
    assert_refused(client.get(f"{API}/sections/{path}?as_of=1900-01-01"), 404, "not_found")


def test_what_had_ended_a_provision_by_the_day_is_told(client):
    path = "us/const/amendment/XVIII"
    ended = client.get(f"{API}/sections/{path}?as_of=1940-01-01")
    assert_refused(ended, 404, "not_found")
    assert ended.json()["error"]["message"] == (
        "There was no U.S. Const. amend. XVIII in force on 1940-01-01. "
        "It was repealed on 1933-12-05 by U.S. Const. amend. XXI, § 1."
    )
    early = client.get(f"{API}/sections/{path}?as_of=1900-01-01").json()["error"]["message"]
    assert early == "There was no U.S. Const. amend. XVIII in force on 1900-01-01: it begins on 1919-01-16."
    for never in (f"{path}/foo?as_of=1940-01-01", f"{path}/section/9?as_of=1940-01-01"):
        told = client.get(f"{API}/sections/{never}").json()["error"]["message"]
        assert told == "There is no such provision."


def test_an_old_version_is_read_with_its_own_neighbours(client):
    new = Section.objects.get(locator="/us/const/amendment/XXVII")
    Section.objects.filter(pk=new.pk).update(valid_to=date(2001, 1, 1))
    assert_refused(client.get(f"{API}/sections/{new.path}"), 404)
    assert section(client, new.path, as_of="2000-01-01")["valid_to"] == "2001-01-01"
    assert section(client, "us/const/amendment/XXVI/section/2")["next"] is None


def test_a_document_is_read_by_its_locator(client):
    answer = section(client, "us/const")
    assert_shape(answer, serializers.Provision)
    assert (answer["level"], answer["domain"], answer["parent"]) == ("document", "us_constitution", None)
    assert len(answer["children"]) == answer["children_total"] == 35
    assert answer["text"].startswith("We the People") and answer["text_complete"]
    assert answer["text"].endswith(section(client, "us/const/amendment/XXVII")["text"])
    assert section(client, "us/const/amendment/I")["parent"]["locator"] == "/us/const"


def test_above_documents_stand_their_domain_and_what_holds_several(client):
    domain = a_domain(locator_prefix="/us/made", name="Made Law")
    document = a_document(domain)
    words = a_section(document, "Some words.")
    made = section(client, "us/made")
    assert_shape(made, serializers.Provision)
    assert (made["title"], made["level"], made["text"], made["document"]) == ("Made Law", "domain", "", None)
    assert [child["locator"] for child in made["children"]] == [document.locator]
    assert section(client, document.locator.strip("/"))["parent"]["locator"] == "/us/made"
    assert section(client, words.path)["parent"]["locator"] == document.locator
    above = section(client, "us")
    assert_shape(above, serializers.Provision)
    assert {"/us/const", "/us/made"} <= {child["locator"] for child in above["children"]}


def test_the_text_of_a_chapter_is_that_of_its_sections_whatever_their_locators(client):
    """Sections of a code are numbered through: /us/usc/t8/s1158 is in /us/usc/t8/ch12."""
    document = a_document(a_domain())
    chapter = a_section(document, locator=f"{document.locator}/ch1", is_leaf=False)
    for number in (1, 2):
        a_section(document, f"Words {number}.", parent_locator=chapter.locator, depth=1)
    a_section(document, "Of another chapter.")
    assert section(client, chapter.path)["text"] == "Words 1.\n\nWords 2."


def test_of_what_is_too_long_the_children_are_read_instead(client, monkeypatch):
    monkeypatch.setattr(sections, "LONGEST", 1_000)
    monkeypatch.setattr(sections, "MAX_CHILDREN", 5)
    answer = section(client, "us/const")
    assert (answer["text"], answer["text_complete"]) == ("", False)
    assert (len(answer["children"]), answer["children_total"]) == (5, 35)
    assert section(client, "us/const/amendment/I")["text_complete"] is True


@pytest.mark.parametrize(
    "path",
    ["us/const/amendment/XXX", "u", "client_cases", "x", "a%00b", "%ff", "us//const", "a" * 400, "é", "%0a"],
)
def test_what_is_no_provision_is_not_found(client, path):
    assert_refused(client.get(f"{API}/sections/{path}"), 404, "not_found")


def resolve(client, q):
    answer = client.get(f"{API}/citations/resolve", {"q": q}).json()
    assert_shape(answer, sections.ResolvedCitations)
    return answer["citations"]


def test_citations_in_a_text_are_resolved(client):
    text = "Compare U.S. Const. amend. XIV, § 1 with 8 U.S.C. § 1158(a)(2)(B)."
    fourteenth, asylum = resolve(client, text)
    assert fourteenth["locator"] == "/us/const/amendment/XIV/section/1" and fourteenth["resolved"] is True
    assert asylum["locator"] == "/us/usc/t8/s1158/a/2/B" and asylum["resolved"] is False
    assert fourteenth["within"] is None and asylum["within"] is None
    assert text[asylum["start"] : asylum["end"]] == asylum["text"]


def test_of_a_place_that_is_not_here_the_one_above_it_is_told(client):
    document = a_document(a_domain(locator_prefix="/us/usc"), locator="/us/usc/t8")
    a_section(document, locator=document.locator, level="title", is_result=False)
    section = a_section(document, "(a) Aliens.", locator=f"{document.locator}/s1158")
    section.anchors.create(locator=f"{section.locator}/a", level="subsection", number="a", start=0, end=11)
    told = resolve(client, "8 U.S.C. § 1158(a)(2)(B), 8 U.S.C. § 1158(b), 8 U.S.C. § 1158(a), 8 U.S.C. § 9999")
    assert [one["within"] for one in told] == [f"{section.locator}/a", section.locator, None, None]
    assert [one["resolved"] for one in told] == [False, False, True, False]


def test_a_lone_citation_may_be_written_loosely(client):
    assert resolve(client, "art 1 s 8 c 3")[0]["locator"] == "/us/const/article/I/section/8/clause/3"
    assert resolve(client, "no citation here") == []


def test_citations_of_documents_of_ones_own_are_resolved(client):
    document = a_document(a_domain(name="Marlow County Code"), title="county-code-title-4")
    locator = a_section(document, number="4-12").locator
    text = "See county-code-title-4, § 4-12(b); under Sec. 4-12; Marlow County Code § 4-12. County Code § 4-99."
    read = resolve(client, text)
    assert [(one["locator"], one["resolved"]) for one in read] == [(locator, True)] * 3
    assert [text[one["start"] : one["end"]] for one in read] == [one["text"] for one in read]
    assert resolve(client, "sec. 4-12")[0]["locator"] == locator


def test_what_a_document_of_ones_own_does_not_have_is_not_resolved(client):
    document = a_document(a_domain(slug="ward", locator_prefix="/ward"), locator="/ward/guide", title="Ward Guide")
    a_section(document, "Of beds.", locator="/ward/guide/1", number="1")
    (cited,) = resolve(client, "ward guide § 9")
    assert (cited["normalized"], cited["resolved"]) == ("Ward Guide, § 9", False)


def test_a_place_that_does_not_exist_is_not_resolved(client):
    assert [found["resolved"] for found in resolve(client, "U.S. Const. amend. XIV, § 9")] == [False]


def test_long_texts_are_resolved_by_post(client):
    sentence = "See 8 U.S.C. § 1182. "
    text = (sentence * 3100)[:64_000]
    answer = post(client, {"q": text}, url=f"{API}/citations/resolve").json()
    assert len(answer["citations"]) == 250 and answer["complete"] is False
    answer = post(client, {"q": sentence * 250}, url=f"{API}/citations/resolve").json()
    assert len(answer["citations"]) == 250 and answer["complete"] is True
    assert_refused(post(client, {"q": "é" * 64_001}, url=f"{API}/citations/resolve"), 400, "bad_parameter")
    assert_refused(post(client, {"q": "a" * 800_000}, url=f"{API}/citations/resolve"), 413, "too_large")


def domains(client, headers=None):
    answer = client.get(f"{API}/domains", **(headers or {})).json()
    assert_shape(answer, sections.DomainList)
    return {domain["slug"]: domain for domain in answer["domains"]}


def test_public_domains_are_listed_with_what_there_is_to_read(client):
    here = Section.objects.live().filter(domain__slug="us_constitution", valid_to=None)
    constitution = domains(client)["us_constitution"]
    assert (constitution["locator"], constitution["languages"]) == ("/us/const", ["en"])
    assert constitution["corpus_version"] == Domain.objects.get(slug="us_constitution").corpus_version
    assert constitution["documents"] == 1 and constitution["sections"] == here.count()
    assert constitution["results"] == here.results().count()


def test_a_private_domain_is_listed_to_who_may_read_in_it_with_what_that_caller_may_read(client):
    key, granted = key_with("search")
    a_case_file("Matter of A", "some words", "more words", granted_to=Caller((f"key:{key.pk}",)))
    a_case_file("Matter of B", "other words")
    cases = domains(client, granted)["client_cases"]
    assert (cases["private"], cases["documents"], cases["sections"]) == (True, 1, 2)
    assert cases["corpus_version"] is None
    assert "client_cases" not in domains(client)
    assert "client_cases" not in domains(client, key_with("search")[1])


def test_what_a_caller_may_read_in_private_domains_is_counted_at_once(client):
    key, granted = key_with("search")
    a_case_file("Matter of A", "some words", granted_to=Caller((f"key:{key.pk}",)))
    domains(client, granted)  # what is counted once for all is counted now
    with CaptureQueriesContext(connection) as before:
        domains(client, granted)
    matter = a_document(a_domain(visibility="private"))
    a_section(matter)
    grant(matter, Caller((f"key:{key.pk}",)))
    with CaptureQueriesContext(connection) as after:
        assert domains(client, granted)[matter.domain.slug]["sections"] == 1
    assert len(after) == len(before)


def test_domains_take_no_parameters(client):
    assert_refused(client.get(f"{API}/domains?k=1"), 400, "unknown_parameter")


def test_a_provision_of_a_document_that_was_withdrawn_says_since_when(client):
    document = a_document(a_domain())
    gone = a_section(document, "Wigs are worn.", valid_to=date(2021, 3, 4))
    for place in (gone, document):
        refused = client.get(f"{API}/sections{place.locator}")
        assert refused.status_code == 404 and "withdrawn on 2021-03-04" in refused.json()["error"]["message"]
        assert section(client, place.locator[1:], as_of="2021-03-03")["withdrawn_on"] == "2021-03-04"
    assert section(client, "us/const/amendment/I")["withdrawn_on"] is None
