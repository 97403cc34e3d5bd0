"""Published names, found in a question."""

import pytest

from rules.published import AliasTable

pytestmark = pytest.mark.django_db


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
