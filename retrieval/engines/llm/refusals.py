"""Remembers what a server refused in a request, by endpoint and model: another endpoint is asked for everything."""

from collections.abc import Set

from retrieval.engines.llm.requests import Endpoint
from retrieval.models import LLMRefusal


def refused_options(endpoint: Endpoint) -> frozenset[str]:
    rows = LLMRefusal.objects.filter(endpoint=endpoint.fingerprint)
    return frozenset(rows.values_list("option", flat=True))


def remember(endpoint: Endpoint, options: Set[str]) -> None:
    rows = [LLMRefusal(endpoint=endpoint.fingerprint, option=option) for option in sorted(options)]
    LLMRefusal.objects.bulk_create(rows, ignore_conflicts=True)


def forget(endpoint: Endpoint) -> None:
    """What it refused is asked for again."""
    LLMRefusal.objects.filter(endpoint=endpoint.fingerprint).delete()
