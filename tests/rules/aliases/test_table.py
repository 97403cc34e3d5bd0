"""Curated names are found word for word in a question."""

import pytest

from rules.aliases.table import AliasTable


def table_of(*names: tuple[str, str, str]) -> AliasTable:
    """Of (text, locator, language)."""
    return AliasTable.of((number, *name) for number, name in enumerate(names))


def matched(table: AliasTable, text: str) -> list[str]:
    return [match.text for match in table.matches(text, "en")]


def test_an_alias_matches_whole_phrases_without_case_accents_or_plurals():
    table = table_of(("search warrant", "/a", "en"), ("café", "/b", "en"))
    assert matched(table, "Did they need SEARCH WARRANTS?") == ["search warrant"]
    assert matched(table, "the cafe") == ["café"]
    assert matched(table, "research warranty") == []
    assert matched(table, "search without a warrant") == []


def test_a_name_in_capitals_is_not_the_common_word():
    table = table_of(("US", "/a", "en"), ("WHO", "/b", "en"), ("ADA", "/c", "en"), ("US citizen", "/d", "en"))
    assert matched(table, "can they make us leave, and who decides") == []
    assert matched(table, "Can the US leave the WHO?") == ["US", "WHO"]
    assert matched(table, "may the us sue under the ada") == ["US", "ADA"]
    assert matched(table, "am i a us citizen") == ["US citizen"]
    assert table.exactly("who", "en") == [] and table.exactly("WHO", "en") == [("WHO", "/b")]


def test_the_longer_alias_wins_where_two_overlap():
    table = table_of(("due process", "/a", "en"), ("substantive due process", "/b", "en"))
    assert matched(table, "Is it substantive due process?") == ["substantive due process"]
    assert matched(table, "due process, substantive due process") == [
        "due process",
        "substantive due process",
    ]


def test_a_name_is_found_in_its_own_language_alone_and_told_with_all_that_share_it():
    table = table_of(("bail", "/a", "en"), ("bail", "/b", "es"), ("Bail", "/c", "en"), ("jury", "/d", "en"))
    found = table.matches("is bail a right", "en")
    assert [(one.text, one.locator, one.words, one.shared) for one in found] == [
        ("bail", "/a", 1, 2),
        ("Bail", "/c", 1, 2),
    ]
    assert [one.locator for one in table.matches("bail", "es")] == ["/b"]


def test_a_name_that_is_all_of_a_text_is_told_apart_from_one_in_it():
    table = table_of(("grand jury", "/a", "en"), ("jury", "/b", "en"))
    assert table.exactly("Grand juries", "en") == [("grand jury", "/a")]
    assert table.exactly("the grand jury room", "en") == [] == table.exactly("", "en")


@pytest.mark.parametrize("text", ["", "…", "nothing of it"])
def test_without_names_or_words_nothing_is_found(text):
    assert matched(table_of(("grand jury", "/a", "en")), text) == [] == matched(table_of(), text)


def test_a_phrase_without_words_is_no_name():
    assert len(table_of(("…", "/a", "en"), ("jury", "/b", "en"))) == 1


def test_where_the_last_name_went_nothing_is_found():
    table = table_of(("grand jury", "/a", "en")).again({"/a"}, [])
    assert len(table) == 0 and matched(table, "is a grand jury needed") == [] == table.exactly("grand jury", "en")
