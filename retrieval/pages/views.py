"""The public pages: each view reads a form, calls one function and renders. A wrong value is said beside its field."""

import re
from collections.abc import Callable
from functools import wraps
from uuid import UUID

from django import forms
from django.conf import settings
from django.contrib.auth.decorators import login_required
from django.contrib.auth.views import redirect_to_login
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import redirect, render
from django.urls import reverse
from django.urls.converters import UUIDConverter
from django.utils import timezone, translation
from django.utils.cache import add_never_cache_headers, patch_vary_headers
from django.utils.http import url_has_allowed_host_and_scheme, urlencode
from django.utils.translation import get_language, gettext_noop
from django.utils.translation import gettext_lazy as _
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_GET, require_POST, require_safe
from django.views.i18n import set_language
from django_htmx.http import HttpResponseClientRedirect

from retrieval.access.matters import caller_in, matter_of, searched_in
from retrieval.access.middleware import caller_of
from retrieval.access.row_security import as_caller
from retrieval.api.authentication import seconds_to_wait
from retrieval.corpus.same_titles import told_apart
from retrieval.corpus.suggested import questions_near
from retrieval.corpus.withdrawn import withdrawn_on
from retrieval.errors import ArfError, NotFound, SearchUnavailable
from retrieval.models import Domain, Feedback, Matter
from retrieval.models.uploads import in_words
from retrieval.pages import reader
from retrieval.pages.absent import ended_by_then, lost
from retrieval.pages.addresses import FILTERS, Reader, ReaderForm, Unreadable
from retrieval.pages.fields import DayField, PageField, PlacesField
from retrieval.request import MAX_DEPTH, MAX_QUERY, SearchRequest
from retrieval.search.log import give_feedback, note_click, trace_for
from retrieval.search.places import described
from retrieval.search.service import search
from retrieval.summaries.shown import of_section, with_summaries

PAGE_SIZE = 10


class QuestionForm(forms.Form):
    """A question with its filters; every field stands in the address, so that what was asked can be shared."""

    q = forms.CharField(
        required=False,
        max_length=MAX_QUERY,
        strip=True,
        label=_("Your question"),
        error_messages={
            "max_length": _("Ask in at most %(limit_value)d characters; these are %(show_value)d.")
        },
    )
    domain = forms.MultipleChoiceField(
        required=False,
        label=_("Search in"),
        error_messages={"invalid_choice": _("There is nothing to search under “%(value)s”.")},
    )
    language = forms.ChoiceField(
        required=False,
        label=_("Question written in"),
        choices=[("", _("Either language")), ("en", _("English")), ("es", _("Spanish"))],
    )
    as_of = DayField(required=False, label=_("Law in force on"))

    def __init__(self, *args, domains: list[Domain], **kwargs):
        super().__init__(*args, **kwargs)
        self.fields["domain"].choices = [(domain.slug, domain.local_name) for domain in domains]

    @property
    def is_filtered(self) -> bool:
        filters = ("domain", "language", "as_of", "within")
        return any(self[name].value() for name in filters if name in self.fields)


class SearchForm(QuestionForm):
    """What is searched for, and where its results are read on."""

    notes = forms.BooleanField(required=False, label=_("Also in notes"))
    within = PlacesField(required=False, widget=forms.MultipleHiddenInput)
    page = PageField(most=MAX_DEPTH // PAGE_SIZE)
    matter = forms.UUIDField(required=False)

    @property
    def filters(self) -> dict[str, object]:
        """What a result's page needs to lead back, beside the question, its day and its matter; of a valid form."""
        return {name: value for name in FILTERS if (value := self.cleaned_data[name])}

    def request(self, matter: Matter | None) -> SearchRequest:
        """What to ask the search service; only of a valid form. Raises NotFound for a matter without documents."""
        said = self.cleaned_data
        domains = searched_in(matter, said["domain"]) if matter else said["domain"]
        return SearchRequest(
            text=said["q"],
            domains=tuple(domains),
            k=PAGE_SIZE,
            page=said["page"] or 1,
            language=said["language"] or None,
            as_of=said["as_of"],
            within=said["within"],
            facets=True,
            notes=said["notes"],
            reader=get_language(),
        )


class ResultForm(forms.Form):
    """One result of one search."""

    trace_id = forms.UUIDField()
    locator = forms.CharField(max_length=300)


class FeedbackForm(ResultForm):
    """A reader's thumb up or down on a result, and where they were."""

    verdict = forms.ChoiceField(choices=Feedback.Verdict.choices)
    next = forms.CharField(required=False, max_length=8_000)


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
FACETS = {  # what each facet is called, and the parameter that its values restrict a search by
    "domain": (_("Body of law"), "domain"),
    "document": (_("Document"), "within"),
    "part": (_("Part"), "within"),
    "agency": (_("Agency"), "within"),
    "status": (_("Status"), ""),
    "court": (_("Court"), "domain"),
    "year": (_("Year"), ""),
}
FEWEST_SHOWN = 3  # where nothing is certain, the best may be any of them


def personal(view: View) -> View:
    """A page for one caller: what a signed-in person sees is stored nowhere on the way to them; what is not there for
    the caller is a page that is not there, and an address that cannot be read says why. In a matter, whether there is
    such a one or not, nobody reads who has not signed in.
    """

    @wraps(view)
    def marked(request: HttpRequest, *args, **kwargs) -> HttpResponse:
        caller = caller_of(request)
        try:
            response = view(request, *args, **kwargs)
        except NotFound as absent:
            if request.user.is_authenticated or not re.fullmatch(UUIDConverter.regex, request.GET.get("matter", "")):
                raise Http404 from absent
            response = redirect_to_login(request.get_full_path())
            return HttpResponseClientRedirect(response.url) if request.htmx else response
        except Unreadable as problem:
            response = render(request, "400.html", {"problem": in_words(problem.refusal)}, status=400)
        if caller.principals:
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
        return refusal(request) or view(request, *args, **kwargs)

    return counted


def costly(view: View) -> View:
    """A page that takes work to make."""
    return unlisted(rationed(personal(view)))


def signed_in(view: View) -> View:
    """A page of somebody's own."""
    return unlisted(login_required(personal(view)))


def form_on(page: str, *kept: str, fragment: str = "") -> Callable[[View], View]:
    """An address that only takes a form: who opens it, as after signing in again or in another language, is led to the
    page where that form stands. `kept`: the parts of its address that the page's address has too.
    """

    def leading_back(view: View) -> View:
        @wraps(view)
        def led(request: HttpRequest, *args, **kwargs) -> HttpResponse:
            if request.method not in ("GET", "HEAD"):
                return require_POST(view)(request, *args, **kwargs)
            address = reverse(page, kwargs={name: kwargs[name] for name in kept})
            return redirect(f"{address}{fragment}")

        return led

    return leading_back


def refusal(request: HttpRequest, *, cost: int = 1, counted: int = 0) -> HttpResponse | None:
    """Counts a request as so many, less what of it is `counted`; the page for who asks too often, None for others."""
    wait = seconds_to_wait(request, cost=cost, counted=counted)
    return too_often(request, wait) if wait else None


def too_often(request: HttpRequest, wait: int) -> HttpResponse:
    response = render(request, "429.html", {"seconds": wait}, status=429)
    response["Retry-After"] = str(wait)
    return response


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
@costly
def search_page(request: HttpRequest) -> HttpResponse:
    """The whole page, or only its results when htmx asks for them; where a rule leads elsewhere, the way there. In a
    matter its members search as it does.
    """
    number = request.GET.get("matter")
    if number and not re.fullmatch(UUIDConverter.regex, number):
        raise Http404
    matter = matter_of(UUID(number), request.caller) if number else None
    request.caller = caller_in(matter, request.caller) if matter else request.caller
    with as_caller(request.caller):
        return found(request, matter)


def found(request: HttpRequest, matter: Matter | None) -> HttpResponse:
    domains = reader.offered_domains(request.caller)
    form = SearchForm(request.GET, domains=domains)
    answer = None
    if form.is_valid() and "q" in request.GET:
        answer = answered(form, lambda: search(form.request(matter), request.caller, channel="page"))
    if answer and (leads := answer["rules"]["redirect"]) and answer["page"] == 1:
        return HttpResponseClientRedirect(leads["url"]) if request.htmx else redirect(leads["url"])
    results = answer["results"] or answer["near_misses"] if answer else []
    if results:
        results = with_summaries(results, request.caller, form.cleaned_data["as_of"])
    shown, less_likely = parted(answer, results)
    documents = answer["facets"]["document"] if answer else []
    compared = [*(result["locator"] for result in results), *(each["value"] for each in documents)]
    context = {
        "form": form,
        "answer": answer,
        "results": results,
        "shown": shown,
        "less_likely": less_likely,
        "above": reader.ancestors_by_locator([result["locator"] for result in results], request.caller),
        "domain_names": {domain.slug: domain.local_name for domain in domains},
        "private_domains": {domain.slug: domain.is_private for domain in domains},
        "examples": EXAMPLES[get_language()],
        "restrictions": restrictions(form, request),
        "facets": facets_of(answer) if answer else [],
        "apart": told_apart(compared, request.caller),
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


def restrictions(form: SearchForm, request: HttpRequest) -> list[tuple[str, str]]:
    """The places that the search is restricted to, each with the query string of the search without it."""
    locators = form.cleaned_data.get("within", ()) if form.is_bound else ()
    names = described(locators, request.caller) if locators else {}
    found = []
    for locator in locators:
        without = request.GET.copy()
        without.setlist("within", [other for other in locators if other != locator])
        without.pop("page", None)
        found.append((names[locator].citation if locator in names else locator, f"?{without.urlencode()}"))
    return found


def facets_of(answer: dict) -> list[tuple[str, str, list[dict]]]:
    """Name, parameter and values of each facet that divides the candidates."""
    counted = [(*FACETS[name], answer["facets"][name]) for name in FACETS]
    return [facet for facet in counted if len(facet[2]) > 1]


def answered(form: QuestionForm, ask: Callable[[], dict]) -> dict | None:
    """The service's answer; what it objects to is said beside the box. Raises SearchUnavailable."""
    try:
        return ask()
    except SearchUnavailable:
        raise
    except ArfError as problem:
        form.add_error("q", in_words(problem.refusal))
        return None


@require_safe
@personal
def law(request: HttpRequest) -> HttpResponse:
    return render(request, "retrieval/law.html", {"library": reader.library(request.caller), "reader": Reader()})


@require_safe
@personal
def provision(request: HttpRequest, path: str) -> HttpResponse:
    """A provision, a whole document's contents, or the way to where a deeper place stands."""
    options = ReaderForm(request.GET).reader(request.caller)
    with as_caller(options.caller):
        return read_page(request, f"/{path.strip('/')}", options)


def read_page(request: HttpRequest, locator: str, options: Reader) -> HttpResponse:
    try:
        page = reader.open_locator(locator, options)
    except NotFound:
        told = {} if "\x00" in locator else lost(locator, options)
        return render(request, "404.html", told | {"reader": options}, status=404)
    match page:
        case str():
            return HttpResponseRedirect(page)
        case Domain():
            return shelf(request, page, options)
        case reader.Contents():
            context = {"page": page, "reader": options, "withdrawn": withdrawn_on(page.document)}
            return render(request, "retrieval/document.html", context)
    here = options.url_on(options.as_of, page.section.locator, options.version)
    ends, today = page.section.valid_to, timezone.localdate()
    context = {
        "page": page,
        "reader": options,
        "ended": ends and ends <= today,
        "absence": ended_by_then(page.section, options),
        "permanent": request.build_absolute_uri(here),
        "withdrawn": page.section.valid_to and withdrawn_on(page.document),
        "apart": told_apart([each.locator for each in (*page.cited_by, *page.related)], options.caller),
        "not_yet": bool(page.section.valid_from and page.section.valid_from > today),
        "canonical": request.build_absolute_uri(reverse("retrieval:provision", args=[page.section.path])),
        "questions": [] if options.as_of else questions_near(page.section, get_language(), options.caller),
    }
    return render(request, "retrieval/provision.html", context)


@require_safe
@costly
def summary(request: HttpRequest, path: str) -> HttpResponse:
    """Of a long result, in the reader's language: asked for where it is unfolded, so that no search waits for it."""
    if "\x00" in path:
        raise Http404
    options = ReaderForm(request.GET).reader(request.caller)
    with as_caller(options.caller):
        section = options.readable.filter(locator=f"/{path}").select_related("document").first()
        if section is None:
            raise Http404
        told = of_section(section, options.readable, get_language())
        context = {"sentences": told, "language": section.document.language, "private": section.document.private}
        return render(request, "retrieval/_summary.html", context)


def shelf(request: HttpRequest, domain: Domain, options: Reader) -> HttpResponse:
    """A domain's documents on the day read, a page at a time."""
    number = request.GET.get("page", "1")
    first = (int(number) - 1) * reader.A_PAGE if re.fullmatch("[1-9][0-9]{0,3}", number) else 0
    shown = reader.shelf_of(domain, request.caller, range(first, first + reader.A_PAGE), options.as_of)
    if not shown.documents and (first or domain.is_private or options.as_of is None):
        raise Http404
    pages = range(1, -(-shown.total // reader.A_PAGE) + 1)
    context = {"shelf": shown, "pages": pages, "page": first // reader.A_PAGE + 1, "reader": options}
    return render(request, "retrieval/shelf.html", context)


@require_safe
@costly
def trace(request: HttpRequest, trace_id: UUID) -> HttpResponse:
    return render(request, "retrieval/trace.html", {"trace": trace_for(str(trace_id), request.caller)})


@form_on("retrieval:home")
@costly
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
@costly
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


@csrf_exempt  # another site can at worst change the language, and pages with this form set no cookie for a token
@never_cache
@unlisted
def language(request: HttpRequest) -> HttpResponse:
    """Keeps the language that a form chose in a cookie, and comes back here: a browser that kept none is told so."""
    if request.method == "POST":
        response = set_language(request)
        if settings.LANGUAGE_COOKIE_NAME in response.cookies and "Location" in response:
            chosen = {"language": request.POST["language"], "next": response["Location"]}
            response["Location"] = f"{reverse('retrieval:language')}?{urlencode(chosen)}"
        return response
    back, chosen = own_address(request, request.GET.get("next", "")), request.GET.get("language")
    if chosen not in dict(settings.LANGUAGES) or settings.LANGUAGE_COOKIE_NAME in request.COOKIES:
        return redirect(back)
    translation.activate(chosen)
    return render(request, "retrieval/not_kept.html", {"next": back})


@require_GET
def robots(request: HttpRequest) -> HttpResponse:
    return render(request, "retrieval/robots.txt", content_type="text/plain")
