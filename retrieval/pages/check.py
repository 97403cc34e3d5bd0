"""The page on which a brief is checked: pasted or handed in, and sent back marked up. Nothing of it is kept."""

from datetime import date
from functools import partial
from hashlib import sha256

from django import forms
from django.conf import settings
from django.core.signing import BadSignature, Signer
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import translation
from django.utils.formats import number_format
from django.utils.functional import lazy
from django.utils.text import format_lazy
from django.utils.translation import gettext_lazy as _
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods
from django.views.i18n import set_language

from retrieval.api.authentication import cost_of, cost_of_text
from retrieval.api.sections import BYTES_A_REQUEST
from retrieval.briefs.checking import MAX_TEXT, Report, check_brief
from retrieval.briefs.markup import context_of, copy_of
from retrieval.briefs.reading import Read, checked_length, read_brief
from retrieval.errors import Unprocessable
from retrieval.models.uploads import in_words
from retrieval.pages.fields import DayField
from retrieval.pages.views import personal, refusal, unlisted
from retrieval.parsing.files.formats import READERS

grouped = lazy(partial(number_format, force_grouping=True), str)  # 64,000


class CheckForm(forms.Form):
    """A brief, pasted or as a file."""

    bytes_a_request = BYTES_A_REQUEST

    text = forms.CharField(
        required=False,
        strip=False,
        label=_("Text of the brief"),
        help_text=format_lazy(_("At most {most} characters."), most=grouped(MAX_TEXT)),
        widget=forms.Textarea,
    )
    file = forms.FileField(
        required=False,
        label=_("Or a file"),
        help_text=_("Text, Markdown, HTML, DOCX or PDF of at most 2.5 MB, with as many characters."),
        widget=forms.FileInput(attrs={"accept": ",".join(READERS)}),
    )
    as_of = DayField(required=False, label=_("Law in force on"))
    scanned_pages = forms.CharField(required=False, widget=forms.HiddenInput)  # of the file that the text was read of

    def brief(self) -> Read:
        """Raises Unprocessable. Lines end as they did before a browser sent them."""
        if file := self.cleaned_data["file"]:
            return read_brief(file.name, file.read())
        text = checked_length(self.cleaned_data["text"].replace("\r\n", "\n"))
        return Read(text, scanned_of(text, self.cleaned_data["scanned_pages"]))


def signed(read: Read) -> str:
    """The scanned pages of a file, with the text that was read of it: they are not told of another."""
    return Signer(salt=__name__).sign_object([digest(read.text), read.scanned_pages]) if read.scanned_pages else ""


def scanned_of(text: str, written: str) -> tuple[int, ...]:
    try:
        of, pages = Signer(salt=__name__).unsign_object(written)
    except BadSignature:
        return ()
    return tuple(pages) if of == digest(text) else ()


def digest(text: str) -> str:
    return sha256(text.strip().encode()).hexdigest()


@sensitive_post_parameters()
@require_http_methods(["GET", "HEAD", "POST"])
@unlisted
@personal
def check_page(request: HttpRequest) -> HttpResponse:
    """The form, and below it the brief marked up; or that as a file, where a copy is asked for. As the text is kept
    nowhere, it comes along where another language is chosen.
    """
    if request.method != "POST":
        return page(request, CheckForm())
    language = request.POST.get("language")
    if language not in dict(settings.LANGUAGES):
        return checked(request)
    translation.activate(language)
    response = checked(request)
    response.cookies.update(set_language(request).cookies)
    return response


def checked(request: HttpRequest) -> HttpResponse:
    """What a file holds more than was sent is charged once it is read."""
    charged = cost_of(request, CheckForm)
    if refused := refusal(request, cost=charged):
        return refused
    form = CheckForm(request.POST, request.FILES)
    if not form.is_valid():
        return page(request, form, status=400)
    try:
        read = form.brief()
    except Unprocessable as refused:
        form.add_error("file" if form.cleaned_data["file"] else "text", in_words(refused.refusal))
        return page(request, form, status=refused.status)
    if not read.text.strip():
        form.add_error("text", _("Paste a text, or choose a file."))
        return page(request, form, status=400)
    if refused := refusal(request, cost=cost_of_text(read.text, CheckForm), counted=charged):
        return refused
    day: date | None = form.cleaned_data["as_of"]
    report = check_brief(*read, as_of=day, caller=request.caller)
    return copied(request, report) if "copy" in request.POST else page(request, said(read, day), report=report)


def said(read: Read, day: date | None) -> CheckForm:
    """The form with what was read of a file."""
    return CheckForm(initial={"text": read.text, "scanned_pages": signed(read), "as_of": day})


def copied(request: HttpRequest, report: Report) -> HttpResponse:
    headers = {
        "Content-Disposition": 'attachment; filename="checked-brief.html"',
        "Cache-Control": "no-store",
    }
    return HttpResponse(copy_of(report, f"{request.scheme}://{request.get_host()}"), headers=headers)


def page(
    request: HttpRequest, form: CheckForm, *, report: Report | None = None, status: int = 200
) -> HttpResponse:
    context = {"form": form, **(context_of(report) if report else {})}
    response = render(request, "retrieval/check.html", context, status=status)
    response["Cache-Control"] = "no-store"
    return response
