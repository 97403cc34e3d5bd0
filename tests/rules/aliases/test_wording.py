"""BM25 over what curators call provisions."""

import pytest

from rules.aliases.wording import K1, B, Wording, idf

NAMES = [("/a", "search warrant"), ("/a", "hous search"), ("/b", "due process"), ("/c", "warrant")]


def test_all_names_of_a_provision_are_one_document():
    wording = Wording.of(NAMES)
    assert wording.locators == ["/a", "/b", "/c"]
    (weight,) = wording.postings("search")[1]
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
