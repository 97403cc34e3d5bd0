"""How what curators decide goes live."""

from django.db import transaction
from django.db.models import Max

from retrieval.jobs import lock
from retrieval.models import Domain
from rules.models import DomainThreshold


def publish_threshold(domain: Domain, *, by, **values) -> DomainThreshold:
    """Makes the next version of a domain's thresholds and puts it in force; the one before stays as history."""
    with transaction.atomic():
        lock(f"thresholds {domain.slug}")
        last = domain.thresholds.aggregate(last=Max("version"))["last"] or 0
        domain.thresholds.filter(active=True).update(active=False)
        return DomainThreshold.objects.create(domain=domain, version=last + 1, active=True, created_by=by, **values)
