"""The lexical index follows the change log in Postgres, and is rebuilt where it cannot."""

import pytest
from django.utils import timezone

from retrieval.indexes.lexical import LexicalIndex, LexicalWriter
from retrieval.indexes.lexical_sync import KEPT, behind, catch_up, must_rebuild, prune
from retrieval.models import Chunk, IndexChange, Section

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
