"""Domains are ingested again when their plan says so."""

from datetime import timedelta

import pytest
from django.utils import timezone

from retrieval import jobs
from retrieval.fetching import job as fetching
from retrieval.ingestion import refreshing
from retrieval.models import Domain, JobRun
from tests.retrieval.ingestion.conftest import ingested

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize(
    ("plan", "days", "due"),
    [("never", 400, 0), ("weekly", 6, 0), ("weekly", 7, 1), ("monthly", 29, 0), ("monthly", 30, 1)],
)
def test_a_source_is_ingested_again_when_its_domains_plan_says_so(domain, write, plan, days, due):
    domain.source, domain.refresh_plan = str(write("Words.")), plan
    domain.save()
    ingested(domain, domain.source)
    assert refreshing.begin_due(timezone.localdate() + timedelta(days=days)) == due
    assert [run.params["domain"] for run in JobRun.objects.unfinished()] == ["manual"] * due


def test_law_that_is_officially_published_is_fetched_in_its_turn():
    Domain.objects.filter(slug="uscis_policy").update(refresh_plan="weekly")
    assert (refreshing.begin_due(), refreshing.begin_due()) == (1, 0)
    assert [(run.kind, run.params["domain"]) for run in JobRun.objects.unfinished()] == [("fetch", "uscis_policy")]


def test_what_a_fetch_would_change_refreshes_nothing():
    manual = Domain.objects.get(slug="uscis_policy")
    Domain.objects.filter(pk=manual.pk).update(refresh_plan="weekly")
    run = jobs.create(**fetching.request(manual, dry_run=True))
    JobRun.objects.filter(pk=run.pk).update(status="done", finished_at=timezone.now())
    assert refreshing.begin_due() == 1


def test_what_was_never_ingested_is_due_once_and_without_a_source_never(domain):
    Domain.objects.filter(pk=domain.pk).update(source="manual.xml", refresh_plan="monthly")
    Domain.objects.filter(slug="client_cases").update(source="", refresh_plan="weekly")
    assert (refreshing.begin_due(), refreshing.begin_due()) == (1, 0)
