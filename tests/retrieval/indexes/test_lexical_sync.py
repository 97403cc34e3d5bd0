"""The lexical index follows the change log in Postgres, and is rebuilt where it cannot."""

from dataclasses import replace
from datetime import date

import pytest
from django.core.management import CommandError, call_command
from django.db.models import Max
from django.utils import timezone

from retrieval.access import matters
from retrieval.access.row_security import as_system
from retrieval.engines import loaded
from retrieval.indexes.lexical import LexicalIndex, LexicalWriter
from retrieval.indexes.lexical_sync import (
    KEPT,
    behind,
    belonging,
    catch_up,
    differing,
    indexed_chunks,
    must_rebuild,
    open_writer,
    prune,
)
from retrieval.management.commands.lexical_writer import Command as Writer
from retrieval.models import Chunk, IndexChange, Section
from tests.matters import handed_in
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


def test_an_index_built_from_nothing_holds_every_live_chunk(empty):
    index = build(empty)
    assert index.open().searcher().num_docs == Chunk.objects.filter(section__live=True).count()
    assert behind(index.position) == 0


def test_a_private_file_moves_no_number_that_others_see(firm):
    before = IndexChange.objects.aggregate(last=Max("pk"))["last"]
    document = handed_in(firm.matter, firm.lead)
    matters.close(firm.matter, firm.lead)
    with as_system():
        Section.objects.filter(document=document).update(valid_to=date(2020, 1, 1))
        Chunk.objects.filter(document=document).update(context="Other words")
        document.delete()
    assert IndexChange.objects.aggregate(last=Max("pk"))["last"] == before


def test_a_deleted_chunk_leaves_the_index_with_the_next_commit(empty):
    index = build(empty)
    section = found(index, "quartered soldier house")[0]
    Chunk.objects.filter(section=section).delete()
    assert behind(index.position) > 0
    after = build(empty)
    assert section not in found(after, "quartered soldier house")


def test_changed_text_is_found_by_its_new_words(empty):
    build(empty)
    chunk = Chunk.objects.get(section__locator="/us/const/amendment/III")
    chunk.text = "No zyzzyva shall be quartered."
    chunk.save()
    assert found(build(empty), "zyzzyva") == [chunk.section_id]


def test_applying_the_log_again_changes_nothing(empty):
    build(empty)
    writer = LexicalWriter(empty)
    catch_up(writer, IndexChange.objects.order_by("pk").first().pk - 1)
    writer.close()
    assert LexicalIndex(empty).open().searcher().num_docs == Chunk.objects.filter(section__live=True).count()


def test_an_index_of_another_database_is_rebuilt():
    last = IndexChange.objects.order_by("-pk").first().pk
    assert must_rebuild(last + 1)
    assert not must_rebuild(last)
    first = IndexChange.objects.order_by("pk").first().pk
    assert must_rebuild(first - 2)


def test_old_changes_go_but_the_last_and_an_index_that_lacks_them_is_rebuilt():
    *old, last = IndexChange.objects.order_by("pk").values_list("pk", flat=True)
    IndexChange.objects.update(created_at=timezone.now() - 2 * KEPT)
    assert prune() == len(old) > 1 and prune() == 0
    assert IndexChange.objects.get().pk == last
    assert must_rebuild(old[0]) and not must_rebuild(last)


def test_a_damaged_index_is_set_aside_by_the_writer_and_built_anew(empty):
    before = found(build(empty), "trial by jury")
    file = next(empty.glob("*.store"))
    spoil(file)
    writer = open_writer(empty)
    catch_up(writer, LexicalIndex(empty).position)
    writer.close()
    assert found(LexicalIndex(empty), "trial by jury") == before
    assert (empty.with_name("lexical.damaged") / file.name).exists()


def test_a_writer_at_work_builds_its_index_anew_when_a_file_is_damaged(empty, monkeypatch):
    monkeypatch.setattr("retrieval.management.commands.lexical_writer.close_old_connections", lambda: None)
    before = found(build(empty), "trial by jury")
    writer, position = open_writer(empty), LexicalIndex(empty).position
    reader = LexicalIndex(empty)
    assert found(reader, "trial by jury") == before
    spoil(next(empty.glob("*.fast")))
    writer, after = Writer()._look(writer, position)
    writer.close()
    assert after == position and LexicalIndex(empty).problem == ""
    reader.reload()
    assert found(reader, "trial by jury") == before


def differences(index: LexicalIndex) -> tuple[list[int], list[int]]:
    missing, strange = zip(*differing(index), strict=True)
    return [pk for some in missing for pk in some], [pk for some in strange for pk in some]


def spoilt(path) -> tuple[int, int, int]:
    """An index in which one chunk is missing, one is twice, and one is that is no more: their ids."""
    build(path)
    missing, twice = belonging().order_by("pk").values_list("pk", flat=True)[:2]
    strange = belonging().order_by("-pk").first().pk + 5
    writer = LexicalWriter(path)
    again = list(indexed_chunks([twice]))
    writer.apply([missing], [*again, replace(again[0], chunk=strange)], LexicalIndex(path).position)
    writer.close()
    return missing, twice, strange


def test_what_index_and_database_do_not_have_alike_is_told(empty, monkeypatch):
    monkeypatch.setattr("retrieval.indexes.lexical_sync.COMPARED", 50)
    assert differences(build(empty)) == ([], [])
    missing, twice, strange = spoilt(empty)
    assert differences(LexicalIndex(empty)) == ([missing], [twice, strange])


def test_verify_index_says_what_differs_and_repairs_it(settings, empty, capsys):
    settings.ARF_LEXICAL_DIR = empty
    spoilt(empty)
    with pytest.raises(CommandError, match="lacks 1, and has 2 that should not be there or are there twice"):
        call_command("verify_index")
    call_command("verify_index", "--repair")
    assert "The index was put right." in capsys.readouterr().out
    loaded.lexical_index().reload()
    call_command("verify_index")
    assert "Nothing differs." in capsys.readouterr().out


def test_verify_index_names_a_damaged_file_and_builds_the_index_anew(settings, empty, capsys):
    settings.ARF_LEXICAL_DIR = empty
    build(empty)
    file = next(empty.glob("*.pos"))
    spoil(file)
    with pytest.raises(CommandError, match=f"damaged .{file.name}"):
        call_command("verify_index")
    call_command("verify_index", "--repair")
    call_command("verify_index")
    assert "Nothing differs." in capsys.readouterr().out


def test_verify_index_leaves_the_repair_to_a_writer_that_runs(settings, empty, capsys):
    settings.ARF_LEXICAL_DIR = empty
    spoilt(empty)
    writer, position = open_writer(empty), LexicalIndex(empty).position
    call_command("verify_index", "--repair")
    assert "The writer that runs here puts it right now." in capsys.readouterr().out
    catch_up(writer, position)
    writer.close()
    assert differences(LexicalIndex(empty)) == ([], [])
