"""Domains whose plan says so are brought up to date without being asked: fetched from where they are published, else
ingested again from their source.
"""

from datetime import date, timedelta

from django.utils import timezone

from retrieval import jobs
from retrieval.fetching import job as fetching
from retrieval.ingestion import ingest
from retrieval.models import Domain, JobRun

EVERY = {Domain.RefreshPlan.WEEKLY: timedelta(days=7), Domain.RefreshPlan.MONTHLY: timedelta(days=30)}


def begin_due(today: date | None = None) -> int:
    """Enqueues what is due, which takes turns; gives how many."""
    today = today or timezone.localdate()
    planned = Domain.objects.filter(refresh_plan__in=EVERY)
    due = [
        domain
        for domain in planned
        if (domain.source or fetching.address_of(domain)) and is_due(domain, today)
    ]
    for domain in due:
        jobs.enqueue(**refresh(domain), queues=True)
    return len(due)


def refresh(domain: Domain) -> dict:
    """What to hand to `jobs.enqueue` to bring a domain up to date."""
    return fetching.refresh_request(domain) if fetching.address_of(domain) else ingest.request(domain)


def is_due(domain: Domain, today: date) -> bool:
    """By the day of its last ingestion, whoever asked for that and however it ended."""
    begun = JobRun.objects.that_read_law().filter(params__domain=domain.slug)
    last = begun.order_by("-created_at").values_list("created_at", flat=True).first()
    return last is None or timezone.localdate(last) + EVERY[domain.refresh_plan] <= today
