"""The page that answers a question with sentences of the law. It works without scripts; its address holds all that was
asked and nothing of who asked.
"""

from django import forms
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import get_language, gettext
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_safe

from retrieval.access.row_security import as_caller
from retrieval.answers.service import FULL, SHORT, AnswerRequest, answer
from retrieval.errors import ArfError, SearchUnavailable
from retrieval.pages import reader
from retrieval.pages.views import EXAMPLES, QuestionForm, personal, rationed, refusal, unlisted
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

    def request(self) -> AnswerRequest:
        """What to answer; only of a valid form."""
        said = self.cleaned_data
        return AnswerRequest(
            f"{said['about']} {said['q']}".strip(),
            domains=tuple(said["domain"]),
            language=said["language"] or None,
            as_of=said["as_of"],
            style=said["style"] or SHORT,
        )


@require_safe
@unlisted
@rationed
@personal
def ask_page(request: HttpRequest) -> HttpResponse:
    """Every question more of one text counts as a request more."""
    with as_caller(request.caller):
        domains = reader.offered_domains(request.caller)
        form = AskForm(request.GET, domains=domains)
        asked = form.request() if form.is_valid() and "q" in request.GET else None
        more = len(asked.questions) - 1 if asked else 0
        if more and (refused := refusal(request, cost=more)):
            return refused
        made = answer_to(form, asked, request) if asked else None
    context = {"form": form, "answer": made, "examples": EXAMPLES[get_language()], "page_to_ask": True}
    return render(request, "retrieval/ask.html", context, status=400 if form.errors else 200)


def answer_to(form: AskForm, asked: AnswerRequest, request: HttpRequest) -> dict | None:
    """The answer; what cannot be asked is said beside the box. Raises SearchUnavailable."""
    try:
        return answer(asked, request.caller, channel="page")
    except SearchUnavailable:
        raise
    except ArfError as problem:
        form.add_error("q", gettext(problem.message))
        return None
