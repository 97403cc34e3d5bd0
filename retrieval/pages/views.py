"""The public pages: each view reads a form, calls one function and renders."""

from collections.abc import Callable
from functools import wraps
from uuid import UUID

from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.cache import add_never_cache_headers, patch_vary_headers
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.translation import get_language, gettext, gettext_noop
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_GET, require_POST, require_safe
from django.views.i18n import set_language
from django_htmx.http import HttpResponseClientRedirect

from retrieval.api.throttles import seconds_to_wait
from retrieval.errors import ArfError, NotFound, SearchUnavailable
from retrieval.models.access import caller_for
from retrieval.pages import reader
from retrieval.pages.forms import FeedbackForm, ReaderForm, ResultForm, SearchForm
from retrieval.search.log import give_feedback, note_click, trace_for
from retrieval.search.service import search

View = Callable[..., HttpResponse]

# Questions that are answered, one of each kind, in both languages of the pages (held by a test).
EXAMPLES = {
    "en": [
        (gettext_noop("By citation"), "en", "14th Amendment, section 1"),
        (gettext_noop("By name"), "en", "commerce clause"),
        (gettext_noop("In your own words"), "en", "Can the police search my phone?"),
        (gettext_noop("In Spanish"), "es", "¿Qué edad debe tener el presidente?"),
    ],
    "es": [
        (gettext_noop("By citation"), "es", "Decimocuarta Enmienda, sección 1"),
        (gettext_noop("By name"), "es", "cláusula de comercio"),
        (gettext_noop("In your own words"), "es", "¿La policía puede registrar mi teléfono?"),
        (gettext_noop("In English"), "en", "How old must the president be?"),
    ],
}
FEWEST_SHOWN = 3  # where nothing is certain, the best may be any of them
# What the search service says of a question that no form field catches.
PROBLEMS = [gettext_noop("Ask something: the query is empty.")]


def personal(view: View) -> View:
    """A page for one caller: what a signed-in person sees is stored nowhere on the way to them; what is not there for
    the caller is a page that is not there.
    """

    @wraps(view)
    def marked(request: HttpRequest, *args, **kwargs) -> HttpResponse:
        request.caller = caller_for(request.user)
        try:
            response = view(request, *args, **kwargs)
        except NotFound as absent:
            raise Http404 from absent
        if request.caller.principals:
            add_never_cache_headers(response)
        return response

    return marked


def unlisted(view: View) -> View:
    """Kept out of search engines."""

    @wraps(view)
    def marked(request: HttpRequest, *args, **kwargs) -> HttpResponse:
        response = view(request, *args, **kwargs)
        response["X-Robots-Tag"] = "noindex"
        return response

    return marked


def rationed(view: View) -> View:
    """Refuses who asks too often, by the same count as the API."""

    @wraps(view)
    def counted(request: HttpRequest, *args, **kwargs) -> HttpResponse:
        if wait := seconds_to_wait(request):
            response = render(request, "429.html", {"seconds": wait}, status=429)
            response["Retry-After"] = str(wait)
            return response
        return view(request, *args, **kwargs)

    return counted


@require_safe
@personal
def home(request: HttpRequest) -> HttpResponse:
    domains = reader.offered_domains(request.caller)
    context = {
        "form": SearchForm(domains=domains),
        "domains": domains,
        "examples": EXAMPLES[get_language()],
    }
    return render(request, "retrieval/home.html", context)


@require_safe
@unlisted
@rationed
@personal
def search_page(request: HttpRequest) -> HttpResponse:
    """The whole page, or only its results when htmx asks for them; where a rule leads elsewhere, the way there."""
    domains = reader.offered_domains(request.caller)
    form = SearchForm(request.GET, domains=domains)
    answer = answer_to(form, request) if form.is_valid() and "q" in request.GET else None
    if answer and (leads := answer["rules"]["redirect"]) and answer["page"] == 1:
        return HttpResponseClientRedirect(leads["url"]) if request.htmx else redirect(leads["url"])
    results = answer["results"] or answer["near_misses"] if answer else []
    shown, less_likely = parted(answer, results)
    context = {
        "form": form,
        "answer": answer,
        "results": results,
        "shown": shown,
        "less_likely": less_likely,
        "above": reader.ancestors_by_locator([result["locator"] for result in results], request.caller),
        "domain_names": {domain.slug: domain.local_name for domain in domains},
        "examples": EXAMPLES[get_language()],
    }
    part = request.htmx and not request.htmx.history_restore_request
    template = "retrieval/_results.html" if part else "retrieval/search.html"
    response = render(request, template, context, status=400 if form.errors else 200)
    patch_vary_headers(response, ["HX-Request"])
    return response


def parted(answer: dict | None, results: list[dict]) -> tuple[list[dict], list[dict]]:
    """What is shown at once, to where relevance ends, and what is folded away; of later pages nothing is."""
    if not answer or answer["page"] > 1:
        return results, []
    end = max(answer["likely"], FEWEST_SHOWN if not answer["confident"] else 1)
    return results[:end], results[end:]


def answer_to(form: SearchForm, request: HttpRequest) -> dict | None:
    """The service's answer; what it objects to is said beside the box. Raises SearchUnavailable."""
    try:
        return search(form.request(), request.caller, channel="page")
    except SearchUnavailable:
        raise
    except ArfError as problem:
        form.add_error("q", gettext(problem.message))
        return None


@require_safe
@personal
def law(request: HttpRequest) -> HttpResponse:
    return render(request, "retrieval/law.html", {"library": reader.library(request.caller)})


@require_safe
@personal
def provision(request: HttpRequest, path: str) -> HttpResponse:
    """A provision, a whole document's contents, or the way to where a deeper place stands."""
    options = ReaderForm(request.GET).reader(request.caller)
    match page := reader.open_locator(f"/{path.strip('/')}", options):
        case str():
            return HttpResponseRedirect(page)
        case reader.Contents():
            return render(request, "retrieval/document.html", {"page": page, "reader": options})
    canonical = request.build_absolute_uri(reverse("retrieval:provision", args=[page.section.path]))
    return render(
        request, "retrieval/provision.html", {"page": page, "reader": options, "canonical": canonical}
    )


@require_safe
@unlisted
@personal
def trace(request: HttpRequest, trace_id: UUID) -> HttpResponse:
    return render(request, "retrieval/trace.html", {"trace": trace_for(str(trace_id), request.caller)})


@require_POST
@unlisted
@rationed
@personal
def feedback(request: HttpRequest) -> HttpResponse:
    """Keeps a thumb; thanks in place of the buttons with htmx, on a page of its own without."""
    form = FeedbackForm(request.POST)
    if not form.is_valid():
        return render(request, "400.html", status=400)
    said = form.cleaned_data
    told = {"locator": said["locator"], "verdict": said["verdict"], "comment": ""}
    give_feedback(str(said["trace_id"]), request.caller, **told)
    template = "retrieval/_thanks.html" if request.htmx else "retrieval/thanks.html"
    return render(request, template, {"next": own_address(request, said["next"])})


@csrf_exempt  # the ping of a link carries no token; it must name a search that is its sender's
@require_POST
@unlisted
@rationed
@personal
def click(request: HttpRequest) -> HttpResponse:
    """A browser's ping that a result was opened: what is answered nobody reads."""
    form = ResultForm(request.GET)
    if not form.is_valid():
        return HttpResponse(status=400)
    result = form.cleaned_data
    note_click(str(result["trace_id"]), request.caller, locator=result["locator"])
    return HttpResponse(status=204)


def own_address(request: HttpRequest, address: str) -> str:
    """An address of this site that a form names, else the home page."""
    ours = url_has_allowed_host_and_scheme(address, allowed_hosts={request.get_host()})
    return address if ours else reverse("retrieval:home")


# No token: another site can at worst change the language of a page, and pages so need no cookie.
language = csrf_exempt(set_language)


@require_GET
def robots(request: HttpRequest) -> HttpResponse:
    return render(request, "retrieval/robots.txt", content_type="text/plain")
