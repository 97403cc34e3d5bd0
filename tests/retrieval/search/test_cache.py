"""Answers that are kept: who gets them again, and what makes them unreachable."""

import json
import re
from dataclasses import replace
from datetime import date, timedelta

import pytest
from django.apps import apps
from django.contrib.auth.models import User
from django.contrib.postgres.fields import ArrayField
from django.db import IntegrityError, connection, models, transaction
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from retrieval.access.caller import ANONYMOUS, Caller
from retrieval.access.row_security import as_system
from retrieval.models import (
    Anchor,
    CacheEntry,
    Chunk,
    Citation,
    Document,
    DocumentGrant,
    Domain,
    EmbeddingModel,
    LLMPolicy,
    RankerModel,
    Section,
    Trace,
    Vocabulary,
)
from retrieval.request import SearchRequest
from retrieval.search import cache, log
from retrieval.search.service import beyond, cache_key, in_scope, in_sight, search
from rules.models import Alias, AliasVector, DomainThreshold, GlossaryTerm, Rule
from tests.builders import a_case_file, a_document, a_domain, a_section, embedded

pytestmark = pytest.mark.django_db


def ask(text: str, caller: Caller = Caller(), **fields) -> dict:
    return search(SearchRequest(text=text, **fields), caller)


def test_the_second_answer_comes_from_the_cache_and_says_the_same():
    first, second = ask("who appoints judges"), ask("Who appoints JUDGES?")
    assert (first["cached"], second["cached"]) == (False, True)
    assert first["results"] == second["results"]
    assert first["trace_id"] != second["trace_id"]


def test_a_cached_answer_survives_the_process_in_the_table():
    ask("who appoints judges")
    cache.answers.answers.clear()
    assert ask("who appoints judges")["cached"]


def test_a_process_keeps_so_many_bytes_of_answers_the_last_used_ones():
    kept, made = cache.PrivateAnswerCache(size=60_000), []

    def answer(key: str) -> dict:
        text = "".join(chr(33 + hash((key, n)) % 90) for n in range(20_000))
        return kept.get_or_make(key, lambda: made.append(key) or {"degraded": [], "widened": [], "text": text})[0]

    first = answer("a")
    for key in ("b", "a", "c", "d", "a", "e"):
        answer(key)
    assert sum(len(packed) for _, packed in kept.answers.values()) <= 60_000
    assert answer("a") == first and made == ["a", "b", "c", "d", "e"]


def test_on_a_full_disk_a_search_is_answered_and_nothing_written(monkeypatch):
    for module in (cache, log):
        monkeypatch.setattr(module, "has_room", lambda: False)
    with CaptureQueriesContext(connection) as asked:
        assert ask("who appoints judges")["results"]
    assert not [query["sql"] for query in asked if "INSERT" in query["sql"]]
    assert ask("who appoints judges")["cached"], "by this process"


def test_a_damaged_answer_in_the_table_is_made_anew(caplog):
    made = ask("who appoints judges")
    with connection.cursor() as cursor:
        cursor.execute("UPDATE retrieval_cacheentry SET answer = overlay(answer PLACING '\\x0badbad0'::bytea FROM 40)")
    cache.answers.answers.clear()
    again = ask("who appoints judges")
    assert (again["cached"], again["results"]) == (False, made["results"])
    assert "is damaged" in caplog.text
    cache.answers.answers.clear()
    assert ask("who appoints judges")["cached"]


def test_a_question_with_somebodys_numbers_in_it_is_not_written_down():
    for _ in range(2):
        assert ask("I am 123-45-6789 at jane@example.org, who appoints judges")["results"]
    written = json.dumps(
        [entry.answer for entry in CacheEntry.objects.all()] + [t.detail for t in Trace.objects.all()]
    )
    assert not re.search(r"(?<!\d)6789|45\W?6789|jane", written)  # a score may have these digits


def test_a_change_of_the_corpus_makes_cached_answers_unreachable():
    ask("who appoints judges")
    Section.objects.filter(locator="/us/const/amendment/I").update(heading="Freedom")
    assert not ask("who appoints judges")["cached"]


def test_an_answer_of_law_that_was_not_asked_is_kept_until_any_public_law_changes():
    first = ask("can the police search my phone", domains=("us_code",))
    again = ask("can the police search my phone", domains=("us_code",))
    assert first["widened"] and again["cached"] and again["widened"] == first["widened"]
    assert again["results"] == first["results"]
    Section.objects.filter(locator="/us/const/amendment/I").update(heading="Freedom")
    assert not ask("can the police search my phone", domains=("us_code",))["cached"]


def test_what_other_law_may_hold_is_no_part_of_a_search_that_is_never_widened():
    visible, _ = in_sight(ANONYMOUS)
    asked = [visible["us_code"]]
    others = beyond(SearchRequest("rent"), asked, visible.values())
    assert {scope.slug for scope in others} == visible.keys() - {"us_code"}
    assert not beyond(SearchRequest("rent", within=("/us/usc",)), asked, visible.values())
    assert not beyond(SearchRequest("rent"), [replace(asked[0], private=True)], visible.values())


def test_filters_pages_and_pipelines_do_not_share_answers():
    ask("taxes")
    for other in ({"k": 3}, {"page": 2}, {"language": "es"}, {"pipeline": "fusion"}, {"whole": True}):
        assert not ask("taxes", **other)["cached"]


# -- Every setting that can change an answer is part of its key

READ = [
    Domain, Document, Section, Chunk, Anchor, Citation, EmbeddingModel, RankerModel, LLMPolicy, Vocabulary, Alias,
    AliasVector, GlossaryTerm, DomainThreshold, Rule, DocumentGrant,
]  # fmt: skip
CANNOT_MATTER = {
    Domain: dict.fromkeys(
        ("name", "name_es", "description", "description_es", "position", "holds_law"), "pages read it themselves"
    )
    | dict.fromkeys(("citation_style", "result_level", "source", "refresh_plan"), "read when a source is ingested"),
    Document: dict.fromkeys(("content_hash", "pages", "scanned_pages", "title_given"), "read at the next upload")
    | {"editions": "read at the next ingestion"}
    | dict.fromkeys(("offered_to", "retrieved_at", "staged_description"), "no search reads it")
    | {"domain": "a document never moves", "private": "its domain's, which never changes once it has documents"},
    Section: {"private": "the database keeps it as its domain is"},
    Citation: dict.fromkeys(("document", "private"), "the database keeps them as its source has them")
    | {"target": "followed into the domains searched alone, where what is published counts"},
    Chunk: {"words": "the database makes them of text and context, and of the document's language"},
    Rule: dict.fromkeys(
        (
            "name", "domains", "criteria", "targets", "actions", "priority", "valid_from", "valid_to", "rationale",
            "tags", "owner", "status", "proposed_by", "published_by", "published_at",
        ),
        "of the draft; searches apply `live`",
    ),
}  # fmt: skip
ANA = Caller(("key:901",))
REFUSED = {"Domain.visibility", "Section.document", "Chunk.section", "AliasVector.model"}  # by the database
NOT_SETTINGS = {
    "retrieval_version": "the versions themselves",
    "retrieval_cacheentry": "the answers",
    "retrieval_searchlog": "the log",
    "retrieval_trace": "the log",
    "retrieval_jobrun": "tells of a failed training alone, whose answers are degraded and not kept",
    "retrieval_chunkvector": "written before its model serves or its section is live, and never changed",
    "rules_namedprovision": "tells which names are others, which count themselves",
    "retrieval_sectionterms": "written with its section; how it is cited follows citations, and an index change",
}


def key() -> str:
    scopes, in_force = in_scope(ANA, ())
    return cache_key(SearchRequest(text="who appoints judges"), ANA, scopes, in_force)


def another(field: models.Field, value: object) -> object:
    """A value of that field unlike this one."""
    match field:
        case models.ForeignKey():
            return field.related_model.objects.exclude(pk=value).values_list("pk", flat=True).first()
        case models.BooleanField():
            return not value
        case models.JSONField():
            return {"another": 1}
        case ArrayField():
            return [*value, another(field.base_field, None)]
        case models.DateTimeField():
            return timezone.now() + timedelta(days=1)
        case models.DateField():
            return date(1999, 9, 9)
        case models.IntegerField() | models.FloatField() | models.DecimalField():
            return 7 if value != 7 else 8
        case models.BinaryField():
            return bytes([*(value or b""), 1])
        case models.CharField() if field.choices:
            return next(choice for choice, _ in field.choices if choice != value)
        case _:
            return f"{value or ''}x"[-(field.max_length or 1_000) :]


@pytest.fixture
def one_of_each(db):
    """Rows of which a fresh installation has none, and a second of what others name."""
    document = a_case_file("Matter of Ana", "See the Fourth Amendment.", granted_to=ANA)
    section = embedded(a_section(a_document(a_domain()), "See U.S. Const. amend. IV."))[0]
    Anchor.objects.create(section=section, locator="/a", level="a", number="1", start=0, end=1)
    Citation.objects.create(source=section, target_locator="/a", text="a", start=0, end=1)
    RankerModel.objects.create(artifact=b"a", sha256="a")
    LLMPolicy.objects.get_or_create(pk=1)
    Rule.objects.create(name="A rule", live=Rule(name="A rule").content)
    User.objects.create(username="ada")
    return document


def changes_the_key(model: type[models.Model], field: models.Field) -> bool | None:
    """None where the database refuses the change."""
    row = model.objects.filter(live=True).last() if model is Section else model.objects.last()
    value = another(field, field.value_from_object(row))
    before = key()
    try:
        with transaction.atomic():
            model.objects.filter(pk=row.pk).update(**{field.attname: value})
            changed = key() != before
            transaction.set_rollback(True)
    except IntegrityError:
        return None
    return changed


@as_system()
def test_every_field_that_a_search_reads_is_part_of_the_key(one_of_each):
    found = {
        f"{model.__name__}.{field.name}": changes_the_key(model, field)
        for model in READ
        for field in model._meta.concrete_fields
        if not (field.primary_key or field.generated or field.name in CANNOT_MATTER.get(model, {}))
    }
    assert {name for name, changed in found.items() if changed is False} == set()
    refused = {name for name, changed in found.items() if changed is None}
    assert refused == REFUSED


def test_every_table_that_a_search_reads_is_looked_at_above(db):
    known = {model._meta.db_table for model in READ} | NOT_SETTINGS.keys()
    with CaptureQueriesContext(connection) as asked:
        for question in (
            "who appoints judges",
            "¿quién nombra a los jueces?",
            "Article II, section 2",
            "due process",
        ):
            ask(question)
    sent = {word for query in asked for word in re.findall(r"\w+", query["sql"])}
    tables = sent & {model._meta.db_table for model in apps.get_models()}
    assert tables and tables - known == set()


def test_a_language_more_is_another_key(db):
    ask("quién nombra a los jueces")
    Domain.objects.filter(slug="us_constitution").update(languages=["en", "es"])
    assert not ask("quién nombra a los jueces")["cached"]


def test_another_version_of_the_code_is_another_key(monkeypatch):
    ask("who appoints judges")
    monkeypatch.setattr(cache, "code_version", lambda: "another")
    assert not ask("who appoints judges")["cached"]


def test_the_version_of_the_code_reads_all_that_makes_answers(settings, tmp_path):
    for name in (
        "retrieval/text/analyzer.py",
        "rules/fixtures/a.json",
        "templates/retrieval/prompts/verify.txt",
    ):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("")
    settings.BASE_DIR = tmp_path
    version = cache.code_version.__wrapped__
    for path in tmp_path.rglob("*.*"):
        before = version()
        path.write_text("changed")
        assert version() != before
