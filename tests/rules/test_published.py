"""Published names, found in a question."""

import pytest

from retrieval.ingestion.embedding import embedding_in_use
from rules import published
from rules.models import Alias, AliasVector
from rules.published import K1, AliasTable, B, Wording, idf
from tests.builders import a_domain

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("kept", [published.alias_table, published.wording])
def test_what_is_kept_of_names_is_made_anew_where_one_was_changed_and_nowhere_else(kept):
    name, other = (an_alias(f"search {word}") for word in ("warrant", "incident"))
    before = [kept(alias.domain_id, 1) for alias in (name, other)]
    name.text = "warrant to search"
    name.save()
    after = [kept(alias.domain_id, 2) for alias in (name, other)]
    assert after[0] is not before[0] and after[1] is before[1]


def test_what_is_kept_of_names_forgets_one_that_is_gone_and_knows_one_that_came():
    name = an_alias("search warrant")
    domain = name.domain_id
    assert matched(published.alias_table(domain, 1), "a search warrant") == ["search warrant"]
    name.delete()
    assert matched(published.alias_table(domain, 2), "a search warrant") == []
    AliasVector.objects.create(
        alias=an_alias("due process", domain=name.domain), model=embedding_in_use()[0], vector=b"", stems="due process"
    )
    assert matched(published.alias_table(domain, 3), "of due process") == ["due process"]
    assert published.wording(domain, 3).locators == ("/a",)


def test_the_places_of_names_are_looked_up_again_where_the_law_changed_and_not_where_other_names_did():
    domain = an_alias("search warrant").domain_id
    before = published.named_places(domain, (1, 0), 1)
    an_alias("incident of search")
    assert published.named_places(domain, (2, 0), 1) is before
    assert published.named_places(domain, (2, 0), 2) is not before


def test_a_table_made_from_the_last_is_as_one_made_anew():
    before = AliasTable([("search warrant", "/a", "en"), ("warrant", "/b", "en"), ("fianza", "/c", "es")])
    rows = [("search warrant", "/a", "en"), ("search warrant", "/d", "en"), ("due process", "/b", "en")]
    after, anew = AliasTable(rows, before), AliasTable(rows)
    for part in ("texts", "locators", "phrases", "others", "lengths", "words"):
        assert getattr(after, part) == getattr(anew, part)
    assert after.words == {"en": {"search": 2, "warrant": 2, "due": 1, "process": 1}}


def an_alias(text: str, **fields) -> Alias:
    return Alias.objects.create(**{"domain": a_domain(), "text": text, "locator": "/a", "language": "en"} | fields)


def matched(table: AliasTable, text: str) -> list[str]:
    return [match.text for match in table.matches(text, "en")]


def test_an_alias_matches_whole_phrases_without_case_accents_or_plurals():
    table = AliasTable([("search warrant", "/a", "en"), ("café", "/b", "en")])
    assert matched(table, "Did they need SEARCH WARRANTS?") == ["search warrant"]
    assert matched(table, "the cafe") == ["café"]
    assert matched(table, "research warranty") == []
    assert matched(table, "search without a warrant") == []


def test_the_longer_alias_wins_where_two_overlap():
    table = AliasTable([("due process", "/a", "en"), ("substantive due process", "/b", "en")])
    assert matched(table, "Is it substantive due process?") == ["substantive due process"]
    assert matched(table, "due process, substantive due process") == [
        "due process",
        "substantive due process",
    ]


NAMES = [("/a", "search warrant"), ("/a", "hous search"), ("/b", "due process"), ("/c", "warrant")]


def test_all_names_of_a_provision_are_one_document():
    wording = Wording.of(NAMES)
    assert wording.locators == ("/a", "/b", "/c")
    (weight,) = wording.postings["search"][1]
    twice_in_four_words = 2 * (K1 + 1) / (2 + K1 * (1 - B + B * 4 / (7 / 3)))
    assert weight == pytest.approx(idf(1, 3) * twice_in_four_words)


def best(wording, stems, k):
    return wording.best(*wording.scores(stems), k)


def test_the_best_provisions_come_first_with_their_share_of_the_reachable():
    found = best(Wording.of(NAMES), ["warrant"], k=5)
    assert [locator for locator, _, _ in found] == ["/c", "/a"]
    assert all(0 < share < 1 for _, _, share in found)
    assert best(Wording.of(NAMES), ["warrant"], k=1) == found[:1]


def test_a_word_that_no_name_has_lowers_the_share_alone():
    wording = Wording.of(NAMES)
    (_, score, share), (_, other_score, other_share) = (
        best(wording, stems, k=1)[0] for stems in (["process"], ["process", "zebra"])
    )
    assert score == other_score and other_share < share


def test_equal_provisions_stand_by_locator_and_no_names_give_nothing():
    assert [found[0] for found in best(Wording.of([("/y", "tax"), ("/z", "tax")]), ["tax"], k=2)] == [
        "/y",
        "/z",
    ]
    assert best(Wording.of([]), ["tax"], k=2) == []
