"""The index of notes holds those of live public sections, and nothing that the lexical index reads changes by it."""

import pytest

from retrieval.indexes.lexical import LexicalIndex
from retrieval.indexes.notes import BY_WORDS, NUMBERED, belonging, bring_up, catch_up, note_of
from retrieval.models import Section
from tests.builders import a_document, a_domain, a_section
from tests.spoiling import spoil

pytestmark = pytest.mark.django_db


@pytest.fixture
def index(tmp_path):
    return LexicalIndex(tmp_path / "notes")


def found(index: LexicalIndex, text: str) -> list[tuple[int, int]]:
    index.reload()
    domains = list(Section.objects.values_list("domain", flat=True).distinct())
    hits = index.search({"en": text}, domains=domains, as_of=None, limit=10, weights=BY_WORDS, every=True)
    return [note_of(hit.chunk) for hit in hits]


def test_each_note_is_found_by_its_words_also_beside_no_text(index):
    section = a_section(a_document(a_domain()), notes=["Amendments 1996.", "Zyzzyva repeal of 1997."], is_result=False)
    catch_up(index)
    assert found(index, "zyzzyva 1997") == [(section.pk, 1)]
    assert found(index, "zyzzyva 1996") == [], "a note has all the words, not the section's notes together"
    assert found(index, '"repeal of 1997"') == [(section.pk, 1)]
    assert found(index, '"1997 repeal"') == []


def test_what_is_staged_private_or_gone_is_not_there(index):
    document, private = a_document(a_domain()), a_document(a_domain(visibility="private"))
    gone = a_section(document, notes=["Zyzzyva one."])
    catch_up(index)
    a_section(document, notes=["Zyzzyva two."], live=False)
    a_section(private, notes=["Zyzzyva three."])
    new = a_section(document, notes=["Zyzzyva four."])
    gone.delete()
    catch_up(index)
    assert found(index, "zyzzyva") == [(new.pk, 0)]
    assert set(belonging().values_list("private", flat=True)) == {False}


def test_it_is_compared_only_where_a_corpus_has_changed(index, django_assert_num_queries):
    section = a_section(a_document(a_domain()), notes=["Zyzzyva."])
    catch_up(index)
    with django_assert_num_queries(1):
        catch_up(index)
    Section.objects.filter(pk=section.pk).update(live=False)
    catch_up(index)
    assert found(index, "zyzzyva") == []


def test_notes_are_never_there_twice_and_a_damaged_index_is_made_anew(index):
    section = a_section(a_document(a_domain()), notes=["Zyzzyva."])
    catch_up(index)
    index.reload()
    bring_up(None, index, section.pk)  # nothing to write
    spoil(next(index.path.glob("*.idx")))
    index.look()
    catch_up(index)
    assert found(index, "zyzzyva") == [(section.pk, 0)]
    assert index.chunks_between(section.pk * NUMBERED, (section.pk + 1) * NUMBERED - 1) == [section.pk * NUMBERED]
