"""The legs that find provisions by their curated names."""

from dataclasses import replace
from datetime import date

import numpy as np
import pytest
from django.core.exceptions import ValidationError

from retrieval.access.caller import ANONYMOUS
from retrieval.errors import NotRun
from retrieval.indexes.terms import NONE, Frequencies
from retrieval.models import Domain, Section, Version
from retrieval.ranking import Candidate, Query, Ranking, Reason
from retrieval.request import SearchRequest
from retrieval.search.service import in_scope, query_of, search
from retrieval.stages.fusion import weight_of
from retrieval.targets import Part, Selection
from rules import published
from rules.aliases import embedding, retrievers
from rules.aliases.retrievers import (
    AliasRetriever,
    CompareNames,
    CompareTexts,
    LexicalAliasRetriever,
    NearestAliasRetriever,
    dense_ranks,
    is_meant,
    most_have_names,
    named_sections,
    strength,
)
from rules.aliases.table import AliasTable
from rules.aliases.vectors import AliasVectors
from rules.aliases.wording import Wording
from rules.defaults import rows_of
from rules.models import Alias, AliasVector
from tests.builders import embedding_in_use
from tests.retrieval.pages.looking import look_for
from tests.retrieval.stages.leg_contract import LegContract

pytestmark = pytest.mark.django_db


FIRST, SECOND, THIRD = (f"/us/const/amendment/{number}" for number in ("I", "II", "III"))


@pytest.fixture
def query() -> Query:
    scopes, in_force = in_scope(ANONYMOUS, ["us_constitution"])
    return query_of(SearchRequest("a question"), ANONYMOUS, scopes, in_force)


def number(locator: str) -> int:
    return Section.objects.live().get(locator=locator).pk


def test_provisions_are_given_in_the_order_asked_and_unknown_ones_left_out(query):
    version = published.version_of("aliases", query.versions)
    named = published.named_places(query.domains[0].id, version, query.domains[0].corpus_version)
    assert {FIRST, THIRD} <= named.keys()
    found = named_sections(query, [THIRD, "/us/const/amendment/XCIX", FIRST])
    assert found == [(THIRD, number(THIRD)), (FIRST, number(FIRST))]


def test_rules_decide_which_provisions_are_left(query):
    without = replace(query, exclude=Selection((Part("section", FIRST),)))
    assert named_sections(without, [FIRST, THIRD]) == [(THIRD, number(THIRD))]
    only = replace(query, include=Selection((Part("section", FIRST),)))
    assert named_sections(only, [FIRST, THIRD]) == [(FIRST, number(FIRST))]


def test_what_was_not_in_force_on_the_day_is_not_named(query):
    Section.objects.filter(locator=FIRST).update(valid_from="1791-12-15")
    assert named_sections(replace(query, as_of=date(1790, 1, 1)), [FIRST]) == []


class TestAliasRetriever(LegContract):
    leg = AliasRetriever()


@pytest.fixture
def domain():
    return Domain.objects.get(slug="us_constitution")


def ask(text: str, **fields) -> dict:
    return search(SearchRequest(text=text, **fields))


def test_a_long_name_of_one_provision_is_stronger_than_a_short_shared_one():
    names = [("jury", "/a"), ("jury", "/b"), ("civil jury trial", "/c")]
    table = AliasTable.of((number, *name, "en") for number, name in enumerate(names))
    (civil,) = table.matches("civil jury trial", "en")
    shared = table.matches("a jury", "en")
    assert strength(civil) > max(map(strength, shared))
    assert dense_ranks([0.5, 3.0, 0.5]) == [2, 1, 2]


def test_a_new_alias_is_found_by_the_next_search(domain):
    third = "/us/const/amendment/III"
    before = ask("flibbertigibbet rule")
    assert third not in [result["locator"] for result in before["results"][:1]]
    Alias.objects.create(domain=domain, text="flibbertigibbet rule", locator=third)
    embedding.embed_all()
    answer = ask("flibbertigibbet rule")
    assert answer["results"][0]["locator"] == third
    assert {"code": "alias", "alias": "flibbertigibbet rule"} in answer["results"][0]["reasons"]


def test_a_disabled_alias_is_not_found(domain):
    Alias.objects.create(
        domain=domain, text="flibbertigibbet", locator="/us/const/amendment/III", enabled=False
    )
    reasons = [reason["code"] for result in ask("flibbertigibbet")["results"] for reason in result["reasons"]]
    assert "alias" not in reasons


@pytest.mark.parametrize(
    "change",
    [
        lambda: Alias.objects.first().delete(),
        lambda: Alias.objects.filter(pk__lt=50).update(note="checked"),
        lambda: Alias.objects.bulk_create(
            [
                Alias(
                    domain=Domain.objects.get(slug="us_constitution"),
                    text="x y",
                    locator="/us/const/preamble",
                )
            ]
        ),
    ],
)
def test_every_way_of_changing_aliases_counts_their_version_up(change):
    before = Version.objects.get(name="aliases").number
    change()
    assert Version.objects.get(name="aliases").number > before


def test_an_alias_must_name_a_provision_that_exists(domain):
    with pytest.raises(ValidationError, match="No provision"):
        Alias(domain=domain, text="a name", locator="/us/const/amendment/XXX").full_clean()
    with pytest.raises(ValidationError, match="letter or digit"):
        Alias(domain=domain, text="¿?", locator="/us/const/amendment/I").full_clean()


class TestNearestAliasRetriever(LegContract):
    leg = NearestAliasRetriever()


def near(answer: dict) -> dict[str, str]:
    """The alias that brought each result by its meaning."""
    return {
        result["locator"]: reason["alias"]
        for result in answer["results"]
        for reason in result["reasons"]
        if reason["code"] == "alias_near"
    }


def test_an_alias_that_means_nearly_what_is_asked_brings_its_provision(domain):
    Alias.objects.create(domain=domain, text="zebras kept as pets", locator="/us/const/amendment/III")
    question = "I want to keep a zebra at home, is that allowed"
    assert near(ask(question)).get("/us/const/amendment/III") != "zebras kept as pets"
    assert embedding.embed_all() == 1
    assert near(ask(question))["/us/const/amendment/III"] == "zebras kept as pets"


def test_a_disabled_alias_is_not_near_either():
    question = "may cops look through the photos on my mobile"
    best = near(ask(question))["/us/const/amendment/IV"]
    Alias.objects.filter(text=best).update(enabled=False)
    assert near(ask(question))["/us/const/amendment/IV"] != best


class TestLexicalAliasRetriever(LegContract):
    leg = LexicalAliasRetriever()


TEN = "I II III IV V VI VII VIII IX X"


def amendments(text: str, **fields) -> str:
    results = search(SearchRequest(text=text, **fields))["results"]
    return " ".join(result["locator"].removeprefix("/us/const/amendment/") for result in results)


@pytest.mark.parametrize(
    ("question", "wanted"),
    [
        ("Reconstruction amendments", "XIII XIV XV"),
        ("What are the Civil War amendments?", "XIII XIV XV"),
        ("the first ten amendments", TEN),
        ("first 10 amendments to the Constitution", TEN),
        ("Bill of Rights", TEN),
        ("what does the Bill of Rights say", TEN),
        ("voting rights amendments", "XV XIX XXIV XXVI"),
        ("which amendments make up the Bill of Rights?", TEN),
        ("What are the 3 Reconstruction amendments called", "XIII XIV XV"),
        ("¿Cuáles son las primeras diez enmiendas?", TEN),
        ("Carta de Derechos", TEN),
        ("enmiendas de la Reconstrucción", "XIII XIV XV"),
        ("enmiendas de la guerra civil", "XIII XIV XV"),
        ("enmiendas sobre el derecho al voto", "XV XIX XXIV XXVI"),
    ],
)
def test_all_that_a_name_means_comes_in_order(question, wanted):
    assert amendments(question) == wanted


@pytest.mark.parametrize(
    ("question", "wanted"),
    [
        ("what replaced the fugitive slave clause", "amendment/XIII/section/1 article/IV/section/2/clause/3"),
        ("¿Qué enmienda derogó la ley seca?", "amendment/XXI/section/1 amendment/XVIII/section/1"),
        (
            "what superseded the three-fifths clause",
            "amendment/XIV/section/2 amendment/XVI article/I/section/2/clause/3",
        ),
    ],
)
def test_what_is_called_by_a_name_is_answered_by_what_changed_it(question, wanted):
    results = search(SearchRequest(text=question))["results"]
    assert " ".join(result["locator"].removeprefix("/us/const/") for result in results) == wanted
    assert results[-1]["reasons"][0]["code"] == "alias"


def test_a_name_of_what_never_changed_is_searched_for():
    assert len(search(SearchRequest(text="what changed double jeopardy"))["results"]) > 2


def test_on_a_day_only_what_was_law_by_then_comes():
    assert amendments("voting rights amendments", as_of=date(1950, 1, 1)) == "XV XIX"


def test_a_longer_question_is_searched_for():
    assert amendments("Is the Bill of Rights a complete list?").split()[0] == "IX"


def test_the_page_says_why(client):
    assert (
        "It is one of the provisions that “Bill of Rights” names together."
        in look_for(client, "bill of rights").text
    )


def test_every_shipped_name_is_in_order_and_without_gaps():
    places: dict[str, list[int]] = {}
    for row in rows_of("collective_names.csv"):
        places.setdefault(row["alias"], []).append(int(row["place"]))
    assert all(given == [*range(1, len(given) + 1)] and len(given) > 1 for given in places.values())


def test_curators_add_names_which_are_none_of_a_single_provision():
    domain = Domain.objects.get(slug="us_constitution")
    for place, number in ((2, "II"), (1, "V")):
        locator = f"/us/const/amendment/{number}"
        Alias.objects.create(domain=domain, text="flibbertigibbet pair", locator=locator, place=place)
    embedding.embed_all()
    assert amendments("the flibbertigibbet pair") == "V II"
    assert not AliasVector.objects.filter(alias__text="flibbertigibbet pair").exists()
    assert "flibbertigibbet" not in published.alias_table(domain.pk, (-1, 0)).words["en"]
    assert not published.alias_table(domain.pk, (-1, 0)).matches("flibbertigibbet pair", "en")


SEARCHED = Query("Can police search my phone?", "Can police search my phone?", "", "en", ())


@pytest.fixture
def searched():
    """A question with its vector, as the legs of names read it."""
    scopes, in_force = in_scope(ANONYMOUS, ["us_constitution"])
    model, embedder = embedding_in_use()
    vector = embedder.embed_query(SEARCHED.text)
    return Ranking(replace(SEARCHED, domains=scopes, versions=in_force, vector=vector, embedded_by=model.pk))


def test_most_provisions_of_the_constitution_have_names_and_few_of_a_larger_body(searched, monkeypatch):
    domain, versions = searched.query.domains[0].id, searched.query.versions
    assert published.names_most(domain, versions)
    monkeypatch.setattr(published, "stored_counts", lambda *_: Frequencies(5_000, 100.0, NONE, NONE))
    assert not published.names_most(domain, versions)
    monkeypatch.setattr(published, "stored_counts", lambda *_: None)
    assert published.names_most(domain, versions)
    assert not published.names_most(Domain.objects.get(slug="us_code").pk, versions)  # it has no names


@pytest.mark.parametrize("leg", [NearestAliasRetriever(k=50, least=0.3), LexicalAliasRetriever(k=50, few=5)])
def test_where_few_provisions_have_names_only_the_surest_come(searched, monkeypatch, leg):
    every = leg(searched).candidates
    monkeypatch.setattr(published, "names_most", lambda *_: False)
    surest = leg(searched).candidates
    assert 0 < len(surest) <= 5 < len(every)
    assert [each.locator for each in surest] == [each.locator for each in every[: len(surest)]]
    assert all(each.scores.get("alias_near", 1.0) >= 0.6 for each in surest)


def test_words_of_names_count_less_where_few_have_names(searched, monkeypatch):
    leg = LexicalAliasRetriever(weight=1.0, weight_of_few=0.3)
    assert weight_of(leg, searched.query) == 1.0
    monkeypatch.setattr(published, "names_most", lambda *_: False)
    assert weight_of(leg, searched.query) == 0.3
    assert weight_of(AliasRetriever(weight=2.0), searched.query) == 2.0


@pytest.mark.parametrize("leg", [NearestAliasRetriever(), LexicalAliasRetriever(), AliasRetriever()])
def test_what_is_to_be_nameless_is_found_by_no_name(searched, leg):
    first = Section.objects.get(pk=leg(searched).candidates[0].section_id)
    query = replace(searched.query, nameless=frozenset({first.locator}))
    assert first.pk not in [each.section_id for each in leg(Ranking(query)).candidates]


def by_texts(ranking: Ranking, *locators: str, depth: int = 100) -> tuple[Candidate, ...]:
    """Candidates that begin in this order, each a little better than the next."""
    begun = [candidate(locator).but(score=0.5 - n / 10_000) for n, locator in enumerate(locators)]
    return CompareTexts(depth=depth)(ranking.with_candidates(begun)).candidates


def test_where_few_have_names_whole_texts_that_have_the_words_come_first(searched, monkeypatch):
    begun = (FIRST, THIRD, FOURTH)
    assert [each.locator for each in by_texts(searched, *begun)] == list(begun)
    monkeypatch.setattr(published, "names_most", lambda *_: False)
    first, *others = by_texts(searched, *begun)
    assert first.locator == FOURTH and 1 >= first.scores["whole_text"] > 0
    assert not any("whole_text" in each.scores for each in others)
    assert by_texts(searched, *begun, depth=2)[-1].locator == FOURTH


@pytest.mark.parametrize(
    ("text", "has_all"), [("unreasonable searches by pirates", 0.0), ("unreasonable searches", 1.0)]
)
def test_what_has_all_words_is_told_whatever_synonyms_a_rule_adds(searched, monkeypatch, text, has_all):
    monkeypatch.setattr(published, "names_most", lambda *_: False)
    query = replace(searched.query, text=text, synonyms=("corsairs",))
    [found] = by_texts(replace(searched, query=query), FOURTH)
    assert found.scores["all_words"] == has_all


def test_words_that_a_heading_alone_has_are_told_too(searched, monkeypatch):
    monkeypatch.setattr(published, "names_most", lambda *_: False)
    monkeypatch.setattr(retrievers, "bm25", lambda asked, texts: np.zeros(len(texts.words)))
    query = replace(searched.query, text="unreasonable searches")
    assert by_texts(replace(searched, query=query), FOURTH)[0].scores["all_words"] == 1.0


def test_what_has_the_codes_of_the_question_comes_before_what_has_its_words(searched, monkeypatch):
    monkeypatch.setattr(published, "names_most", lambda *_: False)
    assert by_texts(searched, FOURTH, THIRD)[0].locator == FOURTH
    monkeypatch.setattr(retrievers, "having_codes", lambda asked, texts: np.array([0.0, 1.0]))
    assert by_texts(searched, FOURTH, THIRD)[0].locator == THIRD


def test_parts_of_a_cited_decision_are_meant(searched):
    cited = (Reason("citation", {"locator": "/us/scotus/347/483"}),)
    assert is_meant(candidate(FIRST).but(reasons=cited))


def scores_by_texts(ranking: Ranking) -> list[float]:
    """Of candidates that begin with .5, none of which has words of the question."""
    found = [candidate(locator).but(score=0.5, **told) for locator, told in TOLD.items()]
    compared = CompareTexts(weight=0.1, scale=1.0, depth=3)(ranking.with_candidates(found)).candidates
    return [{c.locator: c.score for c in compared}[locator] for locator in TOLD]


def test_how_near_a_text_is_counts_and_what_was_not_found_is_as_near_as_the_farthest(searched, monkeypatch):
    monkeypatch.setattr(published, "names_most", lambda *_: False)
    assert scores_by_texts(searched)[:2] == pytest.approx([0.58, 0.54])


def test_what_is_cited_says_all_and_what_stands_behind_the_first_nothing(searched, monkeypatch):
    monkeypatch.setattr(published, "names_most", lambda *_: False)
    assert scores_by_texts(searched)[2:] == pytest.approx([0.64, 0.5])


def test_what_stands_below_what_is_cited_is_compared_as_all_others(searched, monkeypatch):
    monkeypatch.setattr(published, "names_most", lambda *_: False)
    below = (Reason("citation", {"locator": "/us/const/amendment"}),)
    monkeypatch.setitem(TOLD, THIRD, TOLD[THIRD] | {"reasons": below})
    assert scores_by_texts(searched)[2] == pytest.approx(0.54)


def test_a_text_that_means_the_opposite_lowers_no_score(searched, monkeypatch):
    monkeypatch.setattr(published, "names_most", lambda *_: False)
    monkeypatch.setitem(TOLD, FIRST, {"scores": {"dense": -0.5}})
    assert scores_by_texts(searched)[:2] == pytest.approx([0.5, 0.5])


def test_one_name_in_a_private_domain_keeps_no_text_from_being_compared(searched, monkeypatch):
    query = replace(searched.query, domains=tuple(replace(domain, private=True) for domain in searched.query.domains))
    assert not most_have_names(query) and most_have_names(searched.query)


TOLD = {
    FIRST: {"scores": {"dense": 0.8}},
    SECOND: {"scores": {"lexical": 3.0}},
    THIRD: {"scores": {"dense": 0.4}, "reasons": (Reason("citation", {"locator": THIRD}),)},
    "/us/const/amendment/XXVII": {"scores": {"dense": 0.9}},
}
NAMES_SAY = ("named", "name_near", "name_words")


def candidate(locator: str) -> Candidate:
    row = Section.objects.live().get(locator=locator)
    return Candidate(row.pk, domain_id=row.domain_id, locator=locator, scores={"dense": 0.5})


def compared(ranking: Ranking, *locators: str) -> dict[str, dict[str, float]]:
    """What names say of each candidate, where it has some."""
    found = CompareNames()(ranking.with_candidates([candidate(locator) for locator in locators]))
    told = {each.locator: {name: each.scores.get(name) for name in NAMES_SAY} for each in found.candidates}
    return {locator: scores for locator, scores in told.items() if scores["named"]}


FOURTH = "/us/const/amendment/IV"


def test_each_candidate_is_told_what_its_names_say_whether_or_not_a_leg_brought_it(searched):
    told = compared(searched, FIRST, FOURTH)
    assert told[FOURTH]["name_near"] > told[FIRST]["name_near"] > 0
    assert 1 >= told[FOURTH]["name_words"] > told[FIRST]["name_words"] >= 0
    legs = {each.section_id: each for each in NearestAliasRetriever()(searched).candidates}
    assert told[FOURTH]["name_near"] == legs[number(FOURTH)].scores["alias_near"]


def test_what_has_no_names_is_told_apart_from_what_has_others(searched):
    Alias.objects.filter(locator=FIRST).update(enabled=False)
    query = replace(searched.query, versions={**searched.query.versions, "aliases": -1})
    assert compared(Ranking(query), FIRST, FOURTH).keys() == {FOURTH}
    assert compared(Ranking(replace(query, nameless=frozenset({FOURTH}))), FIRST, FOURTH) == {}


def test_without_a_vector_nothing_is_compared(searched):
    with pytest.raises(NotRun) as raised:
        compared(Ranking(replace(searched.query, vector=None)), FOURTH)
    assert not raised.value.degrades


def test_what_has_no_vector_of_the_serving_embedder_yet_is_not_said_to_have_other_names(searched):
    assert compared(Ranking(replace(searched.query, embedded_by=-1)), FIRST, FOURTH) == {}


def test_names_that_change_during_a_search_are_not_taken_for_those_that_were_compared(searched, monkeypatch):
    before = compared(searched, FIRST, FOURTH)
    assert LexicalAliasRetriever()(searched).candidates and NearestAliasRetriever()(searched).candidates
    others = Wording.of([("/us/const/amendment/0", "arm")]), AliasVectors.of([])
    monkeypatch.setattr(published, "wording", lambda *_: others[0])
    monkeypatch.setattr(published, "alias_vectors", lambda *_: others[1])
    assert compared(searched, FIRST, FOURTH) == before
    asked_anew = replace(searched.query, text="another question", vector=-searched.query.vector)
    assert compared(Ranking(asked_anew), FIRST, FOURTH) == {}
