"""The admin's front page: each figure for those who may view what it counts."""

from datetime import timedelta

from django.http import HttpRequest
from django.utils import timezone

from retrieval.search import statistics

DAYS = 7


def dashboard(request: HttpRequest, context: dict) -> dict:
    may = request.user.has_perm
    if may("retrieval.view_searchlog"):
        context["searches"] = statistics.searches_since(timezone.now() - timedelta(days=DAYS))
        context["missing_parts"] = statistics.missing_parts()
    if may("retrieval.view_domain"):
        context["corpora"] = statistics.corpora()
        context["index_lag"] = statistics.index_lag()
    if may("retrieval.view_jobrun"):
        context["jobs"] = statistics.unfinished_jobs()
    return context
