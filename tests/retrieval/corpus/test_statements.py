"""The statements of every search say what the QuerySets say; what is kept packed comes back as it was."""

from datetime import date

import pytest
from django.db import connection

from retrieval.access.caller import ANONYMOUS, Caller
from retrieval.access.row_security import as_caller
from retrieval.corpus import statements
from retrieval.corpus.statements import current_versions
from retrieval.models import Document, Domain, EmbeddingModel, SearchLog, Section, Trace
from retrieval.request import SearchRequest
from retrieval.search.service import in_scope, search
from rules.models import Alias, DomainThreshold, Rule
from rules.thresholds.publishing import publish
from tests.builders import a_case_file, a_document, a_domain, a_section
from tests.rule_searches import ALWAYS

ANA, BEN = Caller(("key:901",)), Caller(("user:902", "group:7"))


@pytest.fixture
def sections(db):
    law = a_document(a_domain())
    a_section(law, valid_from=date(1900, 1, 1), valid_to=date(1950, 1, 1))
    a_section(law, valid_from=date(1950, 1, 1))
    a_section(law, live=False)
    a_case_file("Matter of Ana", "The brigade burned her bakery.", granted_to=ANA)


@pytest.mark.parametrize("caller", [ANONYMOUS, ANA, BEN])
@pytest.mark.parametrize("day", [None, date(1920, 5, 1)])
def test_a_statement_shows_what_its_queryset_does(sections, caller, day):
    with as_caller(caller):
        shown = statements.rows(*statements.readable(caller, day, "id", "locator"))
        assert shown
        assert set(shown) == set(Section.objects.readable(caller, day).values_list("id", "locator"))
        visible = [row[0] for row in statements.rows(*statements.visible_domains(caller))]
        assert visible == list(Domain.objects.visible_to(caller).values_list("id", flat=True))


def test_rows_that_are_inserted_read_as_they_were_written(db):
    log = SearchLog(
        query_hash="hash", language="en", channel="api", took_ms=1.5, domains=["a", "b"], versions={"x": 1}
    )
    detail = {"candidates": [{"locator": "/us/const/amendment/I", "score": 0.5, "reasons": []}] * 100}
    statements.insert(log, Trace(log_id=log.pk, detail=detail))
    kept = SearchLog.objects.select_related("trace").get()
    assert [(f.name, f.value_from_object(kept)) for f in SearchLog._meta.fields] == [
        (f.name, f.value_from_object(log)) for f in SearchLog._meta.fields
    ]
    assert kept.trace.detail == detail


def test_bytes_come_as_they_are_stored_and_their_statement_is_seen(db, django_assert_num_queries):
    sql, stored = "SELECT 7, %s::bytea WHERE 1 = ANY(%s)", bytes(range(256))
    with django_assert_num_queries(1):
        assert statements.rows_of_bytes(sql, [stored, [1, 2]]) == [(7, stored)]


def test_every_domain_searched_has_its_corpus_version(db):
    domains, versions = in_scope(ANONYMOUS, ["us_constitution"])
    assert versions["corpus:us_constitution"] == domains[0].corpus_version
    assert [name for name in versions if name.startswith("corpus:")] == ["corpus:us_constitution"]


def test_what_curators_change_is_another_version(db):
    before = current_versions()["aliases"]
    Alias.objects.first().delete()
    assert current_versions()["aliases"] > before


def test_grants_are_a_version_of_private_searches_alone(db):
    ana = Caller(("key:901",))
    a_case_file("Matter of Ana", "The brigade burned her bakery.", granted_to=ana)
    with as_caller(ana):
        assert "grants" not in in_scope(ana, ["us_constitution"])[1]
        assert "grants" in in_scope(ana, ["client_cases"])[1]


def numbers_given() -> int:
    with connection.cursor() as cursor:
        cursor.execute("SELECT last_value FROM retrieval_version_number")
        return cursor.fetchone()[0]


@pytest.mark.parametrize("said", [{"title": "Acts"}, {"tags": ["old"]}])
def test_many_documents_changed_at_once_count_once(db, said):
    law = a_domain()
    for number in range(3):
        a_document(law, locator=f"/us/act/{number}")
    acts, before = Document.objects.filter(domain=law), numbers_given()
    acts.update(**said)
    law.refresh_from_db()
    assert law.corpus_version == numbers_given() == before + 1
    acts.update(**said)
    assert numbers_given() == before + 1


def test_rules_count_when_what_searches_apply_changes(db):
    before = numbers_given()
    for number in range(3):
        Rule.objects.create(name=f"r{number}")
    assert numbers_given() == before
    for rule in Rule.objects.all():
        rule.live = rule.content
        rule.save()
    before = numbers_given()
    Rule.objects.update(rationale="Why", status=Rule.Status.RETIRED)
    assert numbers_given() == before
    Rule.objects.update(version=7)
    assert current_versions()["rules"] == numbers_given() == before + 1


def rule_in_force(*slugs: str) -> Rule:
    rule = Rule(name="Acts", domains=list(slugs), criteria=ALWAYS, actions=[{"kind": "abstain"}], version=1)
    rule.live = rule.content
    rule.save()
    return rule


def a_private_rule(files: Domain) -> None:
    rule = rule_in_force(files.slug)
    rule.version = 2
    rule.save()
    rule.delete()


def a_private_name(files: Domain) -> None:
    alias = Alias.objects.create(domain=files, text="the Zzyzx lease", locator="/client_cases/1")
    alias.vectors.create(model=EmbeddingModel.objects.first(), vector=b"", stems="zzyzx lease")
    alias.text = "the Zzyzx deed"
    alias.save()
    alias.delete()


def private_thresholds(files: Domain) -> None:
    publish(DomainThreshold(domain=files, answer_minimum=0.5, reason="tuned"))


@pytest.mark.parametrize("decide", [a_private_rule, a_private_name, private_thresholds])
def test_what_is_decided_of_private_domains_alone_changes_no_number_of_public_answers(db, decide):
    request = SearchRequest("freedom of speech")
    a_case_file("Matter of Ana", "The brigade burned her bakery.", granted_to=ANA)
    search(request)
    public, given = in_scope(ANONYMOUS), numbers_given()
    with as_caller(ANA):
        private = in_scope(ANA, ["client_cases"])
    decide(Domain.objects.get(slug="client_cases"))
    assert in_scope(ANONYMOUS) == public and numbers_given() == given and search(request)["cached"]
    with as_caller(ANA):
        assert in_scope(ANA, ["client_cases"]) != private


def test_a_rule_that_leaves_public_law_counts_for_it(db):
    rule = rule_in_force("client_cases", "us_constitution")
    before = numbers_given()
    rule.domains = ["client_cases"]
    rule.live = rule.content
    rule.save()
    assert current_versions()["rules"] == numbers_given() == before + 1


def test_an_empty_domain_that_is_made_public_brings_what_was_decided_of_it(db):
    law = a_domain(visibility="private")
    rule_in_force(law.slug)
    before = current_versions().get("rules", 0)
    law.visibility = "public"
    law.save()
    assert current_versions()["rules"] > before


def test_rules_of_private_domains_alone_are_unknown_to_public_answers(db):
    rule_in_force("client_cases")
    assert "no rule is published" in str(search(SearchRequest("freedom of speech"))["stages"])


def test_only_guards_fire_for_each_row(db):
    """They set who may read a row before row-level security checks it, or what a row of private text holds; what counts
    or logs does so by statement.
    """
    with connection.cursor() as cursor:
        cursor.execute("SELECT DISTINCT tgname FROM pg_trigger WHERE NOT tgisinternal AND tgtype & 1 = 1")
        assert {name for (name,) in cursor.fetchall()} == {"privacy", "scope", "ownership", "words", "words_follow"}
