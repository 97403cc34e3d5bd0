"""What this site measures about itself, for everybody: searches, declines, correctness with intervals, how its reranker
came to be, and how old its law is. Counts and public bodies of law only: nothing of who asked, or what.
"""

from datetime import timedelta

from django.core.cache import cache
from django.db.models import Count, Max, Q
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_safe
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.views import APIView

from evaluation.measuring import answer_runs
from evaluation.measuring.measuring_job import SPLIT
from evaluation.measuring.quality import DAYS
from evaluation.measuring.runs import named
from evaluation.models import RetrainingRun, Run
from retrieval import pipeline
from retrieval.access.caller import ANONYMOUS
from retrieval.access.row_security import as_caller
from retrieval.api.base import AlwaysJson, InEnglish, reply
from retrieval.models import Document, Domain
from retrieval.pages.views import rationed
from retrieval.search.statistics import searches_since

SHOWN = ("nDCG@10", "MRR@10")
MEANINGS = {
    "nDCG@10": _("How well the first ten results are ordered: 1 is as well as can be, 0 is nothing found."),
    "MRR@10": _("How far up the first good result stands: 1 is at the top, 0.5 second, 0.33 third, 0 not among ten."),
}
DECLINES = ("declined_answerable", "unanswerable", "declined_unanswerable")
DECISIONS = 20  # on rerankers, newest first
FRESH = 600  # seconds for which figures are kept, so that reading them costs next to nothing


@require_safe
@rationed
def quality_page(request: HttpRequest) -> HttpResponse:
    told = kept_figures()
    context = {
        "figures": told,
        "answers": answer_runs.in_words(told["answers"]),
        "outcomes": dict(RetrainingRun.Outcome.choices),
        "meanings": MEANINGS,
        "holds_law": not told["law"] or any(one.get("holds_law", True) for one in told["law"]),  # as was kept before
    }
    return render(request, "evaluation/quality.html", context)


@extend_schema(exclude=True)
class QualityView(InEnglish, APIView):
    """The same figures as JSON, whatever is asked for; nothing in them is read as anybody."""

    content_negotiation_class = AlwaysJson

    def get(self, request: Request) -> HttpResponse:
        return reply(kept_figures())


def kept_figures() -> dict:
    return cache.get_or_set("public-quality", figures, FRESH)


def figures() -> dict:
    """All of it, as anybody may see it; moments are ISO 8601."""
    with as_caller(ANONYMOUS):
        domains = {domain.slug: domain for domain in Domain.objects.visible_to(ANONYMOUS)}
        return {
            "as_of": timezone.now().isoformat(timespec="seconds"),
            "searches": searches(),
            "correctness": [told for domain in domains.values() if (told := correctness(domain))],
            "answers": answer_runs.last(held_out=True),
            "reranker": decisions(),
            "law": law(domains),
        }


def searches() -> dict:
    """Of the last days; times in milliseconds."""
    told = searches_since(timezone.now() - timedelta(days=DAYS), Q(private=False))
    return {
        "days": DAYS,
        "count": told.count,
        "declined_percent": round(told.abstained_percent, 1),
        "cached_percent": round(told.cached_percent, 1),
        "p50_ms": told.p50,
        "p95_ms": told.p95,
    }


def correctness(domain: Domain) -> dict | None:
    """The usual pipeline's last run on the judged test questions to a public body of law."""
    last = last_run(f"{domain.slug}/{SPLIT}")
    if last is None:
        return None
    return {
        "domain": domain.slug,
        "name": domain.name,
        "name_es": domain.name_es,
        "measured_on": timezone.localdate(last.created_at).isoformat(),
        "questions": last.summary.get("topics"),
        "measures": shown_of(last),
        **{name: last.summary.get(name) for name in DECLINES},
        "degraded": last.summary.get("degraded", {}),
        "everywhere": everywhere(domain),
    }


def everywhere(domain: Domain) -> dict | None:
    """The same questions put to all bodies of law together; None where only one was there."""
    last = last_run(named(f"{domain.slug}/{SPLIT}", everywhere=True))
    if last is None:
        return None
    right_body = last.summary.get("groups", {}).get(domain.slug, {}).get("right_body")
    return {
        "measured_on": timezone.localdate(last.created_at).isoformat(),
        "questions": last.summary.get("topics"),
        "measures": shown_of(last),
        "right_body": right_body,
        **{name: last.summary.get(name) for name in DECLINES},
    }


def last_run(topics: str) -> Run | None:
    return Run.objects.filter(topics=topics, pipeline=pipeline.USUAL).order_by("-created_at").first()


def shown_of(run: Run) -> dict:
    measures = run.summary.get("measures", {})
    return {name: measures[name] for name in SHOWN if name in measures}


def decisions() -> list[dict]:
    """Attempts to train a better reranker, and what the gate decided of each; a dry run's was no decision."""
    ended = RetrainingRun.objects.exclude(outcome=RetrainingRun.Outcome.RUNNING).order_by("-created_at")
    ended = ended.exclude(report__contains={"dry_run": True})
    return [
        {"day": timezone.localdate(day).isoformat(), "outcome": outcome}
        for day, outcome in ended.values_list("created_at", "outcome")[:DECISIONS]
    ]


def law(domains: dict[str, Domain]) -> list[dict]:
    """How many documents of each public body of law there are, and when the last one was read from its source."""
    rows = Document.objects.filter(domain__slug__in=domains, private=False).order_by("domain__slug")
    counted = rows.values_list("domain__slug").annotate(documents=Count("pk"), last=Max("retrieved_at"))
    return [
        {
            "domain": slug,
            "name": domains[slug].name,
            "name_es": domains[slug].name_es,
            "holds_law": domains[slug].holds_law,
            "documents": documents,
            "read_on": last and timezone.localdate(last).isoformat(),
        }
        for slug, documents, last in counted
    ]
