"""Domains whose plan says so are ingested again from their source, without being asked."""

from datetime import date, timedelta

from django.utils import timezone

from retrieval import jobs
from retrieval.ingestion import ingest
from retrieval.models import Domain, JobRun

EVERY = {Domain.RefreshPlan.WEEKLY: timedelta(days=7), Domain.RefreshPlan.MONTHLY: timedelta(days=30)}


def begin_due(today: date | None = None) -> int:
    """Enqueues the ingestions that are due, which take turns; gives how many."""
    today = today or timezone.localdate()
    planned = Domain.objects.filter(refresh_plan__in=EVERY).exclude(source="")
    due = [domain for domain in planned if is_due(domain, today)]
    for domain in due:
        jobs.enqueue(**ingest.request(domain), queues=True)
    return len(due)


def is_due(domain: Domain, today: date) -> bool:
    """By the day of its last ingestion, whoever asked for that and however it ended."""
    begun = JobRun.objects.filter(kind="ingest", params__domain=domain.slug).order_by("-created_at")
    last = begun.values_list("created_at", flat=True).first()
    return last is None or timezone.localdate(last) + EVERY[domain.refresh_plan] <= today
