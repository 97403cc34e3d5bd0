"""What changed, as the API tells it: provisions that are new, changed and repealed in some time."""

from datetime import date

from django.urls import reverse
from rest_framework import serializers as s
from rest_framework.request import Request

from retrieval.access.caller import Caller
from retrieval.api.authentication import caller_of
from retrieval.api.base import ApiView, operation
from retrieval.api.errors import BadParameter
from retrieval.api.parameters import Choice, Day, Names, Number, Parameters, Text
from retrieval.api.sections import reference
from retrieval.api.serializers import Reference, Turned
from retrieval.corpus.changes import KINDS, MOST, Made, Span, begins, changes
from retrieval.errors import NotFound
from retrieval.models import Domain
from retrieval.request import MOST_PAGES

MAX_K = 100


class ChangeParameters(Parameters):
    domain = Names(
        child=Text(max_length=50), required=False, help_text="All that the caller may see by default."
    )
    kind = Names(child=Choice(choices=KINDS), required=False, help_text="All kinds by default.")
    since = Day(required=False, help_text="The first day looked at.")
    until = Day(required=False, help_text="The last day looked at.")
    k = Number(min_value=1, max_value=MAX_K, default=20, help_text="Changes on a page.")
    page = Number(
        min_value=1,
        max_value=MOST_PAGES,
        default=1,
        help_text=f"Pages reach the first {MOST:,} changes; `until` leads to older ones.",
    )


class MadeChange(Reference):
    kind = s.ChoiceField(KINDS)
    day = s.DateField(help_text="On which it took effect.")
    domain = s.CharField()
    before = s.DateField(
        allow_null=True, help_text="A day on which the version that it replaced was in force."
    )
    version = s.IntegerField(
        allow_null=True, help_text="Which of the day's texts it is, where it was not the last; `sections` reads it."
    )
    before_version = s.IntegerField(allow_null=True, help_text="The same of the version that it replaced.")
    by = s.CharField(
        allow_null=True, help_text="The locator of the later law that did this to a text which stayed as it was."
    )
    url = s.CharField(help_text="The page that compares its versions.")


class ChangeList(Turned):
    changes = MadeChange(many=True)


class ChangesView(ApiView):
    @operation("changes", ChangeList, 404, url=ChangeParameters)
    def get(self, request: Request, asked: dict) -> dict:
        """List provisions that are new, changed or repealed and decisions that were overruled, newest first."""
        return account(caller_of(request), **asked)


def account(
    caller: Caller,
    *,
    k: int,
    page: int,
    domain: tuple[str, ...] = (),
    kind: tuple[str, ...] = KINDS,
    since: date | None = None,
    until: date | None = None,
) -> dict:
    """Raises NotFound for a domain that the caller may not see, and BadParameter for days in the wrong order and pages
    past the first `MOST` changes.
    """
    if since and until and since > until:
        raise BadParameter("until is before since.")
    if page * k > MOST:
        raise BadParameter(f"Pages reach the first {MOST:,} changes: ask for older ones by until.")
    domains = list(Domain.objects.visible_to(caller).filter(slug__in=domain))
    if unknown := set(domain) - {each.slug for each in domains}:
        raise NotFound(f"There is no domain named “{min(unknown)}”.")
    found, more = changes(caller, Span(since, until), domains=domains, kinds=kind, page=page, size=k)
    return {
        "changes": [to_dict(made) for made in found],
        "page": page,
        "next": page + 1 if more and page < MOST_PAGES and (page + 1) * k <= MOST else None,
        "previous": page - 1 if page > 1 else None,
    }


def to_dict(made: Made) -> dict:
    section = made.section
    return reference(section.locator, section.citation, section.heading) | {
        "kind": made.kind,
        "day": made.day,
        "domain": section.domain.slug,
        "before": made.before and begins(made.before),
        "version": section.of_day,
        "before_version": made.before and made.before.of_day,
        "by": made.by and made.by.by,
        "url": reverse("retrieval:compare", args=[section.path]),
    }
