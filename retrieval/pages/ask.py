"""The page that answers a question with sentences of the law. It works without scripts; its address holds all that was
asked and nothing of who asked.
"""

from collections.abc import Iterator, Mapping, Sequence
from urllib.parse import urlencode

from django import forms
from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import get_language
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_safe

from retrieval.access.caller import Caller
from retrieval.access.row_security import as_caller
from retrieval.answers import history
from retrieval.answers.service import FULL, SHORT, AnswerRequest, by_law, complete, in_plain_words
from retrieval.corpus.same_titles import told_apart
from retrieval.corpus.suggested import questions_near
from retrieval.models import Domain, Section
from retrieval.pages import reader
from retrieval.pages.views import EXAMPLES, QuestionForm, answered, costly, form_on, refusal, signed_in
from retrieval.request import MAX_QUERY


class AskForm(QuestionForm):
    """A question, and for one that goes on from another the words it goes on from, which its asker sees and edits."""

    about = forms.CharField(
        required=False, max_length=MAX_QUERY, strip=True, label=_("Your question goes on from")
    )
    style = forms.ChoiceField(
        required=False,
        label=_("How much to quote"),
        choices=[(SHORT, _("Only what answers best")), (FULL, _("All that answers"))],
    )

    def clean(self) -> dict:
        said = super().clean()
        length = len(f"{said.get('about', '')} {said.get('q', '')}".strip())
        if length > MAX_QUERY:
            told = {"limit_value": MAX_QUERY, "show_value": length}
            self.add_error("q", _("Ask in at most %(limit_value)d characters; these are %(show_value)d.") % told)
        elif not said.get("q"):
            said["q"], said["about"] = said.get("about", ""), ""
        return said

    def request(self) -> AnswerRequest:
        """What to answer; only of a valid form."""
        said = self.cleaned_data
        return AnswerRequest(
            said["q"],
            about=said["about"],
            domains=tuple(said["domain"]),
            language=said["language"] or None,
            as_of=said["as_of"],
            style=said["style"] or SHORT,
            reader=get_language(),
        )

    @property
    def address(self) -> str:
        """The query string of what was asked; only of a valid form."""
        return query_string(self.cleaned_data)

    @property
    def address_of_search(self) -> str:
        """The query string of a search for the same; only of a valid form."""
        asked = self.request()
        filters = {"domain": asked.domains, "language": asked.language, "as_of": asked.as_of}
        return query_string({"q": " ".join(asked.questions) if asked.about else asked.text, **filters})


def query_string(values: Mapping[str, object]) -> str:
    return urlencode({name: value for name, value in values.items() if value}, doseq=True)


class HistoryForm(forms.Form):
    """One act on one's kept questions; `number` is of the one that is erased."""

    action = forms.ChoiceField(choices=[(each, each) for each in ("keep", "stop", "erase", "erase_all")])
    number = forms.IntegerField(required=False, min_value=1)


@require_safe
@costly
def ask_page(request: HttpRequest) -> HttpResponse:
    """Every question more of one text counts as a request more."""
    with as_caller(request.caller):
        domains = reader.offered_domains(request.caller)
        form = AskForm(request.GET, domains=domains)
        asked = form.request() if form.is_valid() and "q" in request.GET else None
        more = len(asked.questions) - 1 if asked else 0
        if more and (refused := refusal(request, cost=more)):
            return refused
        made = asked and answered(form, lambda: answer_of(asked, request.caller))
        if made and (leads := made["redirect"]):
            return redirect(leads["url"])
        context = {
            "form": form,
            "answer": made,
            "examples": EXAMPLES[get_language()],
            "page_to_ask": True,
            "about": about_next(made) if made else "",
            "questions": asked_next(made, request.caller) if made else [],
            "apart": told_apart([place["locator"] for place in places_of(made)], request.caller) if made else {},
            "kept": keep(made, form, request.caller) if made else None,
            "history": None if made else history_of(request.caller, domains),
        }
        return render(request, "retrieval/ask.html", context, status=400 if form.errors else 200)


def answer_of(asked: AnswerRequest, caller: Caller) -> dict:
    """The answer, with the hotlines for a cry for help by themselves: they stand above all else."""
    quoted = by_law(asked, caller, channel="page")
    made, hotlines = complete(quoted if quoted.redirect else in_plain_words(quoted)), quoted.hotlines
    beside = made["notice"]
    for told in hotlines:
        beside = beside.replace(told, "").strip()
    return made | {"notice": beside, "hotlines": hotlines}


def places_of(made: dict) -> Iterator[dict]:
    """All that the answer quotes, and where it quotes nothing what was looked at."""
    for part in [made, *made["parts"]]:
        yield from (place for item in part["answer"] for place in item.get("citations", ()))
        yield from (part["not_found"] or {}).get("looked_at", ())


def about_next(made: dict) -> str:
    """What a next question goes on from: the last one, as it was read."""
    return made["parts"][-1]["question"] if made["parts"] else made["question"]


def asked_next(made: dict, caller: Caller) -> list[str]:
    """Other questions on the first place that the answer quotes, and near to it; on law of another day none."""
    if made["as_of"]:
        return []
    quoted = [
        place["locator"] for item in made["answer"] if item["kind"] == "law" for place in item["citations"]
    ]
    section = Section.objects.readable(caller).filter(locator__in=quoted[:1]).first()
    asked = [made["question"], *(part["question"] for part in made["parts"])]
    return questions_near(section, made["language"], caller, but=asked) if section else []


def keep(made: dict, form: AskForm, caller: Caller) -> str | None:
    """Keeps the question for who wants that: what became of it."""
    domains, language = form.cleaned_data["domain"], made["language"]
    searched = [part["question"] for part in made["parts"]] or [made["question"]]
    return history.keep(
        made["question"],
        searched=searched,
        language=language,
        address=form.address,
        domains=domains,
        caller=caller,
    )


def history_of(caller: Caller, domains: Sequence[Domain]) -> dict | None:
    """What the page shows of the caller's questions; nothing of who has no account."""
    if history.person(caller) is None:
        return None
    names = {domain.slug: domain.local_name for domain in domains}
    questions = list(history.kept_of(caller))
    for one in questions:
        asked = QueryDict(one.address)
        one.filters = [*(names.get(slug, slug) for slug in asked.getlist("domain")), *asked.getlist("as_of")]
    return {"on": history.is_on(caller), "questions": questions, "days": settings.ARF_HISTORY_DAYS}


@form_on("retrieval:ask", fragment="#history")
@signed_in
def change_history(request: HttpRequest) -> HttpResponse:
    form = HistoryForm(request.POST)
    if history.person(request.caller) is None or not form.is_valid():
        raise Http404
    match form.cleaned_data["action"], form.cleaned_data["number"]:
        case "keep", _:
            history.turn_on(request.caller)
        case "stop", _:
            history.turn_off(request.caller)
        case "erase_all", _:
            history.erase(request.caller)
        case _, int(number):
            history.erase(request.caller, number)
    return redirect(f"{reverse('retrieval:ask')}#history")
