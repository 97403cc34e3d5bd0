"""The lexical index: derived from the change log, private text never in it, rebuilt from nothing at will."""

import pytest

from retrieval.engines import loaded
from retrieval.indexes.lexical import LexicalIndex, LexicalWriter, quoted
from retrieval.indexes.lexical_sync import catch_up
from retrieval.models import Section

pytestmark = pytest.mark.django_db


@pytest.fixture
def empty(tmp_path):
    return tmp_path / "lexical"


def build(path) -> LexicalIndex:
    writer = LexicalWriter(path)
    catch_up(writer, LexicalIndex(path).position)
    writer.close()
    return LexicalIndex(path)


def found(index: LexicalIndex, text: str) -> list[int]:
    domains = list(Section.objects.values_list("domain", flat=True).distinct())
    return [hit.section for hit in index.search({"en": text}, domains=domains, as_of=None, limit=10)]


def test_building_twice_gives_the_same_order(empty, tmp_path):
    one, two = build(empty), build(tmp_path / "other")
    assert found(one, "trial by jury") == found(two, "trial by jury")


def test_an_index_of_another_format_is_made_anew(empty):
    build(empty)
    (empty / "format").write_text("0")
    assert not LexicalIndex(empty).exists
    assert build(empty).exists


def test_a_second_writer_is_kept_out(empty):
    writer = LexicalWriter(empty)
    with pytest.raises(ValueError, match="[Ll]ock"):
        LexicalWriter(empty)
    writer.close()


def test_words_of_the_heading_and_of_the_law_both_count():
    index = loaded.lexical_index()
    supremacy = Section.objects.live().get(locator="/us/const/article/VI/clause/2").pk
    assert found(index, "supremacy")[0] == supremacy
    assert supremacy in found(index, "supreme law of the land")[:2]


def test_coverage_lies_between_zero_and_one():
    domains = list(Section.objects.values_list("domain", flat=True).distinct())
    hits = loaded.lexical_index().search(
        {"en": "powers not delegated"}, domains=domains, as_of=None, limit=50
    )
    assert all(0 < hit.coverage <= 1 for hit in hits)


@pytest.mark.parametrize(
    ("text", "phrases"),
    [
        ('say "we the people" now', ["we the people"]),
        ("say “we the people” or «nosotros»", ["we the people", "nosotros"]),
        ('an unbalanced " quote', []),
        ('""', []),
        ("plain", []),
    ],
)
def test_quotes_must_be_balanced(text, phrases):
    assert quoted(text) == phrases
