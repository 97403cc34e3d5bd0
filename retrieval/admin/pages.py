"""The admin's front page, and “Try this query”: a search through the same code as everybody's, with its whole
account.
"""

from datetime import timedelta

from django import forms
from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from unfold.widgets import UnfoldAdminSelectWidget, UnfoldAdminTextInputWidget, UnfoldBooleanWidget

from retrieval import pipeline
from retrieval.access.caller import Caller
from retrieval.access.middleware import caller_of
from retrieval.admin.base import page, require
from retrieval.admin.operations import failed_jobs
from retrieval.admin.picker import LocatorField
from retrieval.errors import ArfError
from retrieval.models import Domain
from retrieval.models.uploads import in_words
from retrieval.request import MAX_QUERY, SearchRequest
from retrieval.search import statistics
from retrieval.search.query_inspector import Trial, try_out

DAYS = 7


def dashboard(request: HttpRequest, context: dict) -> dict:
    """Each figure for those who may view what it counts."""
    may = request.user.has_perm
    if may("retrieval.view_searchlog"):
        context["searches"] = statistics.searches_since(timezone.now() - timedelta(days=DAYS))
        context["missing_parts"] = statistics.missing_parts()
    if may("retrieval.view_domain"):
        context["corpora"] = statistics.corpora()
        context["index_lag"] = statistics.index_lag()
    if may("retrieval.view_jobrun"):
        context["failed_jobs"] = failed_jobs(request)
        context["failing_processes"] = statistics.failing_processes()
        context["jobs"] = statistics.unfinished_jobs()
    return context


class TryForm(forms.Form):
    q = forms.CharField(
        max_length=MAX_QUERY,
        label=gettext_lazy("Question"),
        widget=UnfoldAdminTextInputWidget({"autofocus": True}),
    )
    domain = forms.ChoiceField(required=False, label=gettext_lazy("Domain"), widget=UnfoldAdminSelectWidget)
    language = forms.ChoiceField(
        choices=[
            ("", gettext_lazy("detected")),
            ("en", gettext_lazy("English")),
            ("es", gettext_lazy("Spanish")),
        ],
        required=False,
        label=gettext_lazy("Language"),
        widget=UnfoldAdminSelectWidget,
    )
    pipeline = forms.ChoiceField(
        required=False, label=gettext_lazy("Pipeline"), widget=UnfoldAdminSelectWidget
    )
    as_of = forms.DateField(
        required=False,
        label=gettext_lazy("Law in force on"),
        widget=UnfoldAdminTextInputWidget({"type": "date"}),
    )
    locator = LocatorField(
        max_length=300,
        required=False,
        label=gettext_lazy("Why not this provision?"),
        help_text=gettext_lazy("A locator or a citation: what became of it."),
    )
    fresh = forms.BooleanField(
        required=False, label=gettext_lazy("Without the cache"), widget=UnfoldBooleanWidget
    )

    def __init__(self, *args, caller: Caller, **kwargs):
        super().__init__(*args, **kwargs)
        self.fields["locator"].widget.caller = caller
        visible = [(domain.slug, domain.local_name) for domain in Domain.objects.visible_to(caller)]
        self.fields["domain"].choices = [("", _("all that you may search")), *visible]
        self.fields["pipeline"].choices = [(name, name) for name in pipeline.names()]

    def request(self) -> SearchRequest:
        asked = self.cleaned_data
        return SearchRequest(
            text=asked["q"],
            domains=(asked["domain"],) if asked["domain"] else (),
            language=asked["language"] or None,
            as_of=asked["as_of"],
            pipeline=asked["pipeline"] or "default",
        )


def try_query(request: HttpRequest) -> HttpResponse:
    """Open to staff who may read the search log; the search itself sees what this person may see."""
    require(request, "retrieval.view_searchlog")
    caller = caller_of(request)
    form = TryForm(request.GET if "q" in request.GET else None, caller=caller)
    trial = tried(form, caller) if form.is_valid() else None
    context = {
        "title": _("Try this query"),
        "form": form,
        "trial": trial,
        "again_fresh": f"?{with_fresh(request)}",
    }
    return page(request, "admin/try_query.html", context)


def tried(form: TryForm, caller: Caller) -> Trial | None:
    """The trial; a question that cannot be asked is told in the form."""
    asked = form.cleaned_data
    try:
        return try_out(form.request(), caller, fresh=asked["fresh"], locator=asked["locator"])
    except ArfError as problem:
        form.add_error(None, in_words(problem.refusal))
        return None


def with_fresh(request: HttpRequest) -> str:
    query = request.GET.copy()
    query["fresh"] = "on"
    return query.urlencode()
