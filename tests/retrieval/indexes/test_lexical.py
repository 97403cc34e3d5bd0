"""The lexical index: derived from the change log, private text never in it, rebuilt from nothing at will."""

from dataclasses import replace
from datetime import date
from functools import partial

import pytest

from retrieval.engines import loaded
from retrieval.indexes import lexical
from retrieval.indexes.lexical import (
    PLAIN,
    BuiltAnew,
    Counted,
    IndexedChunk,
    LexicalIndex,
    LexicalWriter,
    Weights,
    set_aside,
)
from retrieval.indexes.lexical_sync import behind, catch_up, rebuild
from retrieval.models import Section
from tests.spoiling import spoil

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


def test_a_damaged_index_is_not_searched_and_is_searched_again_once_it_is_mended(empty, monkeypatch):
    monkeypatch.setattr("retrieval.indexes.lexical.LOOKS_EVERY", 0.0)
    index = build(empty)
    assert index.problem == "" and found(index, "trial by jury")
    file = next(empty.glob("*.idx"))
    whole = file.read_bytes()
    spoil(file)
    assert f"damaged ({file.name})" in index.problem
    with file.open("r+b") as opened:
        opened.write(whole)
    assert index.problem == "" and found(index, "trial by jury")


def test_a_new_index_is_not_searched_before_it_has_caught_up(empty):
    writer = LexicalWriter(empty)
    assert "being built" in LexicalIndex(empty).problem
    writer.close()
    assert build(empty).problem == "", "though its first writer was killed"


def test_an_index_that_is_being_rebuilt_is_not_searched(empty):
    build(empty)
    writer = LexicalWriter(empty)
    writer.clear()
    assert "being built" in LexicalIndex(empty).problem
    assert rebuild(writer) and LexicalIndex(empty).problem == ""
    writer.close()


def test_what_is_read_while_an_index_is_built_anew_is_not_believed_and_then_all_is_seen_at_once(empty, monkeypatch):
    """A reader sees a commit only a while later: it would find nothing in the index that it saw emptied."""
    index = build(empty)
    before = found(index, "freedom of religion")
    writer, best = LexicalWriter(empty), LexicalIndex._best
    assert before == found(index, "freedom of religion")

    def late(*arguments, **named):
        """The index is emptied and filled again between a search and the look after it."""
        writer.clear()
        rebuild(writer)
        return best(*arguments, **named)

    with monkeypatch.context() as patched:
        patched.setattr(LexicalIndex, "_best", late)
        with pytest.raises(BuiltAnew):
            found(index, "freedom of religion")
    assert index.problem == "" and found(index, "freedom of religion") == before
    writer.close()


def test_what_is_read_before_an_index_is_complete_is_not_believed_and_its_reader_is_not_kept(empty):
    writer, index = LexicalWriter(empty), LexicalIndex(empty)
    with pytest.raises(BuiltAnew):
        found(index, "freedom of religion")
    rebuild(writer)
    assert index.problem == "" and found(index, "freedom of religion")
    writer.close()


@pytest.mark.parametrize("name", ["format", "position"])
def test_bytes_that_are_no_text_in_what_describes_the_index_are_no_error(empty, name):
    build(empty)
    (empty / name).write_bytes(b"\xff\x80")
    index = LexicalIndex(empty)
    assert (index.exists, index.position) in {(False, index.position), (True, 0)}
    assert build(empty).problem == "" and behind(LexicalIndex(empty).position) == 0


def test_a_damaged_index_is_set_aside_and_the_last_such_is_kept(empty):
    for _ in range(2):
        build(empty)
        assert set_aside(empty) == empty.with_name("lexical.damaged")
        assert not empty.exists()
    assert [folder.name for folder in empty.parent.iterdir()] == ["lexical.damaged"]


def test_an_index_that_a_writer_has_open_is_not_set_aside(empty):
    writer = LexicalWriter(empty)
    with pytest.raises(ValueError, match="lock"):
        set_aside(empty)
    writer.close()


def test_a_writer_sees_that_a_file_was_changed(empty):
    build(empty)
    writer = LexicalWriter(empty)
    assert not writer.is_damaged
    kept = (empty / "position").read_text()
    (empty / "position").write_text("7 or so")
    assert writer.is_damaged
    (empty / "position").write_text(kept)
    assert not writer.is_damaged
    next(empty.glob("*.term")).unlink()
    assert writer.is_damaged
    writer.abandon()


@pytest.fixture
def known(tmp_path):
    """An index of three texts with the same words, of which the last is cited and called something."""
    writer = LexicalWriter(tmp_path / "known")
    chunk = partial(IndexedChunk, domain=1, language="en", head="", body="dogs", valid_from=None, valid_to=None)
    cited = chunk(chunk=3, section=3, called="Canine Control Act", cited_by=20)
    writer.apply([], [chunk(chunk=1, section=1), chunk(chunk=2, section=2), cited], 1)
    writer.complete()
    writer.close()
    return LexicalIndex(tmp_path / "known")


def sections(index: LexicalIndex, text: str, weights: Weights = Weights()) -> list[int]:
    hits = index.search({"en": text}, domains=[1], as_of=None, limit=2, weights=weights)
    return [hit.section for hit in hits]


@pytest.fixture
def crowded(tmp_path):
    """Domain 1 is most of the index; some of its chunks have ended, and what domain 2 has ranks among them."""
    writer = LexicalWriter(tmp_path / "crowded")
    chunks = [
        IndexedChunk(
            chunk=n,
            section=n,
            domain=2 if n % 7 == 0 else 1,
            language="en",
            head="ships" * (n % 3 == 0),
            body=" ".join(["ship"] * (n % 5 + 1) + ["sea"] * (n % 11)),
            valid_from=None,
            valid_to=date(2020, 1, 1) if n % 4 == 0 else None,
            cited_by=n % 13,
        )
        for n in range(1, 300)
    ]
    writer.apply([], chunks, 1)
    writer.complete()
    writer.close()
    return LexicalIndex(tmp_path / "crowded")


@pytest.mark.parametrize("domains", [[1], [2], [1, 2], [3]])
@pytest.mark.parametrize("deepest", [10, 100, 1_000])
def test_what_is_left_out_after_a_search_is_what_filters_leave_out(crowded, monkeypatch, domains, deepest):
    monkeypatch.setattr(lexical, "DEEPEST", deepest)
    search = partial(crowded.search, {"en": "ship sea"}, domains=domains, limit=10)
    hits = search(as_of=None)
    assert hits == search(as_of=date(2021, 1, 1))  # a day is filtered by
    expected = [n for n in range(1, 300) if n % 4 and (2 if n % 7 == 0 else 1) in domains]
    assert bool(hits) == bool(expected) and {hit.chunk for hit in hits} <= {*expected}


def test_of_equals_the_section_that_others_cite_comes_first(known):
    assert sections(known, "dogs") == [3, 1]
    assert sections(known, "dogs", PLAIN) == [1, 2]


def test_a_section_is_found_by_what_others_call_it(known):
    assert sections(known, "canine act") == [3]
    assert sections(known, "canine act", PLAIN) == []


def test_how_a_section_is_cited_covers_nothing_of_the_question(known):
    hits = known.search({"en": "dogs"}, domains=[1], as_of=None, limit=3)
    assert len({hit.coverage for hit in hits}) == 1


def test_words_weigh_what_they_do_in_the_body_that_is_searched(empty):
    """“whale” is common in all that is loaded, and rare in body 1."""
    writer = LexicalWriter(empty)
    bodies = {1: ["court fees", "court rules", "whale"], 2: ["whale meat", "whale oil", "whale bone", "whale", "ships"]}
    texts = [(domain, text) for domain, texts in bodies.items() for text in texts]
    writer.apply([], [a_text(number, domain, text) for number, (domain, text) in enumerate(texts, start=1)], 1)
    writer.complete()
    search = partial(LexicalIndex(empty).search, {"en": "court whale"}, domains=[1], as_of=None, limit=3)
    assert search()[0].chunk != 3
    first, *others = search(counted=Counted(100_000, {"court": 60_000, "whale": 10}))
    assert first.chunk == 3
    assert first.coverage > max(other.coverage for other in others)


def a_text(number: int, domain: int, text: str) -> IndexedChunk:
    return IndexedChunk(number, number, domain, "en", "", text, None, None)


def test_what_is_quoted_stands_together_in_the_language_of_each_text(empty):
    writer = LexicalWriter(empty)
    spanish = replace(a_text(1, 1, "El debido proceso de ley."), language="es")
    english = [a_text(2, 1, "Due process of law."), a_text(3, 1, "Law in process that is due.")]
    writer.apply([], [spanish, *english], 1)
    writer.complete()
    search = partial(LexicalIndex(empty).search, domains=[1], as_of=None, limit=9)
    asked = {"en": 'what is "due process" "law"', "es": 'qué es el "debido proceso" "ley"'}
    assert {hit.chunk for hit in search(asked)} == {1, 2}
    assert {hit.chunk for hit in search({"en": asked["en"]})} == {2}


def test_a_text_weighs_the_same_beside_many_in_another_language(empty, tmp_path):
    """In fields of their own, Spanish texts beside 400 English ones would have an eighth of their score."""
    free = ["vacaciones", "licencias", "vacaciones", "licencias", "vacaciones"]
    spanish = [
        replace(a_text(n, 1, f"Las {one} del empleado son de {n} días."), language="es")
        for n, one in enumerate(free, start=1)
    ]
    english = [a_text(n, 1, f"The court fees of the clerk are {n}.") for n in range(6, 406)]
    scores = []
    for path, texts in ((empty, spanish), (tmp_path / "beside", [*spanish, *english])):
        writer = LexicalWriter(path)
        writer.apply([], texts, 1)
        writer.complete()
        hits = LexicalIndex(path).search({"es": "vacaciones"}, domains=[1], as_of=None, limit=9)
        assert {hit.chunk for hit in hits} == {1, 3, 5}
        scores.append([hit.score for hit in hits])
    assert scores[1] == pytest.approx(scores[0], rel=0.02)


def test_a_word_of_nearly_all_texts_never_counts_against_one(empty):
    """Texts that were replaced count in tantivy's frequencies until their segment is merged."""
    writer = LexicalWriter(empty)
    writer.apply([], [a_text(number, 1, "law of whales") for number in range(1, 101)], 1)
    writer.apply(range(1, 61), [a_text(number, 1, "law of ships") for number in range(1, 61)], 2)
    writer.complete()
    search = partial(LexicalIndex(empty).search, {"en": "law whales"}, domains=[1], as_of=None, limit=100)
    for counted in (None, Counted(100, {"law": 100, "whale": 40})):
        hits = search(counted=counted)
        assert len(hits) == 100 and min(hit.score for hit in hits) > 0
        assert {hit.chunk for hit in hits[:40]} == set(range(61, 101))
        assert all(0 < hit.coverage <= 1 for hit in hits)
