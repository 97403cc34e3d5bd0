"""What the pages read from an address or a form; a wrong value is said beside its field."""

import re
from datetime import date

from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext_lazy as _

from retrieval.access.caller import Caller
from retrieval.models import Domain, Feedback
from retrieval.pages.reader import Reader
from retrieval.pages.typesetting import Offsets
from retrieval.request import MAX_DEPTH, MAX_QUERY, SearchRequest

PAGE_SIZE = 10
PASSAGE = re.compile(r"(\d{1,7})-(\d{1,7})")


class SearchForm(forms.Form):
    """A question with its filters; every field stands in the address, so that a search can be shared."""

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
    as_of = forms.DateField(
        required=False,
        label=_("Law in force on"),
        input_formats=["%Y-%m-%d"],
        widget=forms.DateInput(format="%Y-%m-%d", attrs={"type": "date"}),
        error_messages={"invalid": _("There is no such day. Write it like 1791-12-15.")},
    )
    page = forms.IntegerField(required=False, min_value=1, max_value=MAX_DEPTH // PAGE_SIZE)

    def __init__(self, *args, domains: list[Domain], **kwargs):
        super().__init__(*args, **kwargs)
        self.fields["domain"].choices = [(domain.slug, domain.local_name) for domain in domains]

    @property
    def is_filtered(self) -> bool:
        return any(self[name].value() for name in ("domain", "language", "as_of"))

    def request(self) -> SearchRequest:
        """What to ask the search service; only of a valid form."""
        said = self.cleaned_data
        return SearchRequest(
            text=said["q"],
            domains=tuple(said["domain"]),
            k=PAGE_SIZE,
            page=said["page"] or 1,
            language=said["language"] or None,
            as_of=said["as_of"],
        )


class PassageField(forms.Field):
    """Offsets into a provision's text, "120-400"."""

    def to_python(self, value: str | None) -> Offsets | None:
        if not value:
            return None
        if match := PASSAGE.fullmatch(value):
            return int(match[1]), int(match[2])
        raise ValidationError(_("This is no passage."))


class ReaderForm(forms.Form):
    """How a provision is read: on which day, and with which words highlighted."""

    q = forms.CharField(required=False, max_length=MAX_QUERY)
    passage = PassageField(required=False)
    as_of = forms.DateField(required=False, input_formats=["%Y-%m-%d"])

    def reader(self, caller: Caller) -> Reader:
        """A value that cannot be read is left out: an old or mangled link still leads to its provision."""
        self.is_valid()
        said = self.cleaned_data
        as_of: date | None = said.get("as_of")
        return Reader(caller, as_of, said.get("q", ""), said.get("passage"))


class SharingForm(forms.Form):
    """One act on a private document; `name` and `role` are of whom it is shared with."""

    action = forms.ChoiceField(
        choices=[(each, each) for each in ("share", "take_back", "leave", "accept", "withdraw")]
    )
    name = forms.CharField(required=False, max_length=160)
    role = forms.ChoiceField(
        required=False, choices=[(each, each) for each in ("reader", "contributor", "owner")]
    )


class ResultForm(forms.Form):
    """One result of one search."""

    trace_id = forms.UUIDField()
    locator = forms.CharField(max_length=300)


class FeedbackForm(ResultForm):
    """A reader's thumb up or down on a result, and where they were."""

    verdict = forms.ChoiceField(choices=Feedback.Verdict.choices)
    next = forms.CharField(required=False, max_length=8_000)
