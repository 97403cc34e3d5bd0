"""The domains that a caller may see, and how much of each."""

from functools import lru_cache

from django.db.models import Count, Q
from django.http import HttpResponse
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request

from retrieval.access.caller import ANONYMOUS, Caller
from retrieval.api.authentication import caller_of
from retrieval.api.base import ApiView, answers, as_stored, reply
from retrieval.api.parameters import Nothing
from retrieval.api.serializers import DomainList
from retrieval.models import Domain, Section


class DomainsView(ApiView):
    @extend_schema(operation_id="domains", responses=answers(DomainList, 401, 429))
    def get(self, request: Request) -> HttpResponse:
        """List the bodies of law that the caller may see, and how much of each the caller may read today."""
        Nothing.from_url(request)
        caller = caller_of(request)
        return reply({"domains": [account(domain, caller) for domain in Domain.objects.visible_to(caller)]})


def account(domain: Domain, caller: Caller) -> dict:
    """A private domain's version counts what others change in it, so it is told to nobody."""
    named = as_stored(domain, "slug", "name", "name_es", "description", "description_es", "languages")
    return named | {
        "locator": domain.locator_prefix,
        "private": domain.is_private,
        "corpus_version": None if domain.is_private else domain.corpus_version,
        **(
            counts(domain.pk, caller)
            if domain.is_private
            else public_counts(domain.pk, domain.corpus_version)
        ),
    }


@lru_cache(maxsize=1_000)
def public_counts(domain: int, corpus_version: int) -> dict[str, int]:
    """Counted once for each version of the corpus."""
    return counts(domain, ANONYMOUS)


def counts(domain: int, caller: Caller) -> dict[str, int]:
    readable = Section.objects.readable(caller).filter(domain=domain)
    return readable.aggregate(
        documents=Count("document", distinct=True),
        sections=Count("pk"),
        results=Count("pk", filter=Q(is_result=True)),
    )
