"""The index of notes holds those of live public sections, and nothing that the lexical index reads changes by it."""

import pytest
from django.core.management import CommandError, call_command

from retrieval.engines import loaded
from retrieval.indexes import notes
from retrieval.indexes.lexical import LexicalIndex, LexicalWriter
from retrieval.indexes.lexical_sync import begin_log_anew
from retrieval.indexes.notes import BY_WORDS, NUMBERED, belonging, catch_up, differing, indexed_notes, note_of
from retrieval.models import Section
from tests.builders import a_chunk, a_document, a_domain, a_section
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


def test_only_sections_of_which_the_log_tells_are_looked_at(index, django_assert_num_queries, monkeypatch):
    document = a_document(a_domain())
    stays, goes = (a_section(document, notes=["Zyzzyva."]) for _ in range(2))
    catch_up(index)
    with django_assert_num_queries(1):
        catch_up(index)
    asked = []
    monkeypatch.setattr(notes, "indexed_notes", lambda some: asked.extend(some) or indexed_notes(some))
    comes = a_section(document, notes=["Zyzzyva."], live=False)
    a_section(document, "No notes.")
    a_chunk(stays)
    Section.objects.filter(pk=goes.pk).update(live=False)
    Section.objects.filter(pk=comes.pk).update(live=True)
    Section.objects.filter(pk=stays.pk).update(valid_to="2020-01-01", heading="Closed")
    catch_up(index)
    assert sorted(asked) == [goes.pk, comes.pk]
    assert sorted(found(index, "zyzzyva")) == [(stays.pk, 0), (comes.pk, 0)]
    Section.objects.filter(pk__in=[goes.pk, comes.pk]).delete()
    catch_up(index)
    assert asked[2:] == [comes.pk] and found(index, "zyzzyva") == [(stays.pk, 0)]


def test_all_are_compared_where_that_is_asked_for(settings, tmp_path, capsys):
    settings.ARF_LEXICAL_DIR = tmp_path / "lexical"
    call_command("lexical_writer", "--once")
    section, other = (a_section(a_document(a_domain()), notes=["Zyzzyva."]) for _ in range(2))
    call_command("lexical_writer", "--once")
    index = loaded.notes_index()
    writer = LexicalWriter(index.path)
    writer.apply([section.pk], indexed_notes([other.pk]), writer.position, by="section")
    writer.apply([other.pk], [], writer.position, by="section")
    writer.close()
    index.reload()
    assert list(differing(index)) == [section.pk, other.pk]
    with pytest.raises(CommandError, match=f"the notes of 2 sections differ .such as {section.pk}"):
        call_command("verify_index")
    call_command("verify_index", "--repair")
    index.reload()
    assert list(differing(index)) == []
    call_command("verify_index")
    assert found(index, "zyzzyva") == [(section.pk, 0), (other.pk, 0)]


def test_a_damaged_index_is_made_anew_and_so_is_one_whose_changes_were_pruned(index):
    section = a_section(a_document(a_domain()), notes=["Zyzzyva."])
    catch_up(index)
    index.reload()
    spoil(next(index.path.glob("*.idx")))
    index.look()
    catch_up(index)
    assert found(index, "zyzzyva") == [(section.pk, 0)]
    assert index.chunks_between(section.pk * NUMBERED, (section.pk + 1) * NUMBERED - 1) == [section.pk * NUMBERED]
    begin_log_anew()
    catch_up(index)
    assert found(index, "zyzzyva") == [(section.pk, 0)]
