"""The system checks of what curators decided."""

import pytest
from django.db import connection
from django.db.migrations.recorder import MigrationRecorder

from retrieval.models import Domain
from rules import checks
from rules.models import DomainThreshold, GlossaryTerm

pytestmark = pytest.mark.django_db


OLD = 0


DEFAULT = {"app_configs": None, "databases": ["default"]}


@pytest.fixture
def domain():
    return Domain.objects.get(slug="us_constitution")


def row_of(domain: Domain, **fields) -> DomainThreshold:
    """The thresholds in force, after these fields of theirs were changed where they stand."""
    domain.thresholds.filter(active=True).update(**fields)
    return domain.thresholds.get(active=True)


def test_what_ships_is_of_this_scale_and_what_is_not_is_told_with_its_remedy(domain):
    assert checks.answer_minimums(**DEFAULT) == []
    row_of(domain, answer_minimum=0.065, answer_scale=OLD)
    [told] = checks.answer_minimums(**DEFAULT)
    assert told.id == "arf.W009"
    assert told.msg == (
        "The answer minimum of us_constitution, 0.065, was chosen on another scale than the reranker's; "
        "0.5 holds instead."
    )
    assert told.hint == "Run `manage.py tune_thresholds us_constitution --publish`."


def test_the_check_passes_by_a_database_that_is_not_migrated_yet():
    with connection.cursor() as cursor:
        cursor.execute("ALTER TABLE rules_domainthreshold DROP COLUMN answer_scale")
    recorder = MigrationRecorder(connection)
    recorder.record_unapplied(*max(one for one in recorder.applied_migrations() if one[0] == "rules"))
    assert checks.answer_minimums(**DEFAULT) == []


def test_a_term_without_a_word_is_told():
    assert checks.terms_of_the_glossary(**DEFAULT) == []
    GlossaryTerm.objects.create(spanish="!!", english="x")
    [told] = checks.terms_of_the_glossary(**DEFAULT)
    assert told.id == "arf.W012" and "“!! → x”" in told.msg
