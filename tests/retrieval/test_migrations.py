"""Migrations that fill in what is there already: each is run again over rows that lack what it brings."""

from datetime import date
from importlib import import_module

import pytest
from django.apps import apps
from django.contrib.auth import get_user_model
from django.db import connection

from retrieval.access.row_security import as_system
from retrieval.models import Chunk, Deadline, Domain, Matter, MatterMember, Section, Upload
from tests.builders import a_chunk, a_document, a_domain, a_section

pytestmark = pytest.mark.django_db


def run(*statements: str) -> None:
    with connection.cursor() as cursor:
        for statement in statements:
            cursor.execute(statement)


def settle() -> None:
    """Checks now what is checked at the end: PostgreSQL alters no table before."""
    run("SET CONSTRAINTS ALL IMMEDIATE", "SET CONSTRAINTS ALL DEFERRED")


def fill(name: str) -> None:
    settle()
    with connection.schema_editor() as editor:
        import_module(f"retrieval.migrations.{name}").fill(apps, editor)


@as_system()
def test_the_names_that_a_file_is_opened_to_become_those_who_have_them():
    user = get_user_model().objects.create_user("ana")
    grants = ["user:ana", "user:nobody-yet"]
    domain = a_domain(visibility=Domain.Visibility.PRIVATE)
    upload = Upload.objects.create(
        domain=domain, filename="a.txt", grants=grants, principal="user:1", size=1, private=True
    )
    fill("0053_upload_readers")
    upload.refresh_from_db()
    assert upload.readers == [f"user:{user.pk}", "nobody:user:nobody-yet"]


@as_system()
def test_deadlines_are_numbered_within_their_matter_and_members_who_exist_have_come():
    for n in range(2):
        matter = Matter.objects.create(reference=f"M {n}", client="A client")
        for number in (8, 7):
            Deadline.objects.create(matter=matter, what=f"{number}", due_on=date(2030, 1, 1), number=number)
        MatterMember.objects.create(matter=matter, name="user:ana", principal="user:1")
        MatterMember.objects.create(matter=matter, name="user:ben", principal="nobody:user:ben")
    fill("0054_counts_of_others")
    numbers = Deadline.objects.order_by("pk").values_list("what", "number")
    assert list(numbers) == [("8", 1), ("7", 2)] * 2
    assert set(MatterMember.objects.values_list("name", "has_come")) == {("user:ana", True), ("user:ben", False)}


@as_system()
def test_matters_know_the_last_number_of_their_deadlines():
    matters = [Matter.objects.create(reference=f"M {n}", client="A client") for n in range(2)]
    for number in (2, 7):
        Deadline.objects.create(matter=matters[0], what="File", due_on=date(2030, 1, 1), number=number)
    fill("0069_last_deadline")
    assert list(Matter.objects.order_by("pk").values_list("last_deadline", flat=True)) == [7, 0]


@as_system()
def test_private_chunks_get_their_words_in_their_language_and_public_ones_none():
    chunks = [
        a_chunk(a_section(a_document(a_domain(visibility=visibility)), "The tenants paid."))
        for visibility in Domain.Visibility
    ]
    kept = Chunk.objects.filter(pk__in=[chunk.pk for chunk in chunks])
    settle()
    run("ALTER TABLE retrieval_chunk DISABLE TRIGGER words")
    kept.update(words=None)
    settle()
    run("ALTER TABLE retrieval_chunk ENABLE TRIGGER words")
    fill("0058_words_and_notes")
    assert dict(kept.values_list("private", "words")) == {True: "'paid':3 'tenant':2", False: None}


@as_system()
def test_private_notes_get_their_words_in_their_language_and_nothing_counts_as_published():
    sections = [
        a_section(a_document(a_domain(visibility=visibility)), notes=notes)
        for visibility in Domain.Visibility
        for notes in (["The tenants paid.", "Or left."], [])
    ]
    kept = Section.objects.filter(pk__in=[section.pk for section in sections])
    settle()
    run("ALTER TABLE retrieval_section DISABLE TRIGGER words")
    kept.update(note_words=None)
    settle()
    run("ALTER TABLE retrieval_section ENABLE TRIGGER words")
    versions = dict(Domain.objects.values_list("slug", "corpus_version"))
    fill("0063_words_of_notes")
    told = kept.values_list("private", "notes", "note_words")
    words = {(private, bool(notes)): words for private, notes, words in told}
    none = dict.fromkeys([(True, False), (False, True), (False, False)])
    assert words == none | {(True, True): "'left':5 'paid':3 'tenant':2"}
    assert dict(Domain.objects.values_list("slug", "corpus_version")) == versions


@as_system()
def test_which_versions_are_changes_of_the_law_is_kept_with_those_there_are():
    document = a_document(a_domain())
    first, second, third = date(2020, 1, 1), date(2021, 1, 1), date(2022, 1, 1)
    spans = {
        "first": ("kept", first, second),
        "again": ("kept", second, None),
        "gone": ("gone", first, second),
        "new": ("new", third, None),
    }
    versions = {
        name: a_section(document, locator=f"{document.locator}/{place}", valid_from=begin, valid_to=end)
        for name, (place, begin, end) in spans.items()
    }
    Section.objects.filter(document=document).update(began_as="", ended=False)
    fill("0060_kept_changes")
    kept = Section.objects.in_bulk([each.pk for each in versions.values()])
    assert {name: (kept[each.pk].began_as, kept[each.pk].ended) for name, each in versions.items()} == {
        "first": ("", False),
        "again": ("changed", False),
        "gone": ("", True),
        "new": ("new", False),
    }
