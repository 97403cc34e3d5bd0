"""Pages of what changed: provisions that are new, amended and repealed in some time, and two versions of one."""

from dataclasses import dataclass

from django import forms
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.utils.formats import date_format
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_safe

from retrieval.access.row_security import as_caller
from retrieval.corpus.changes import (
    CHANGED,
    KINDS,
    MOST,
    NEW,
    OVERRULED,
    REPEALED,
    Made,
    Span,
    begins,
    changes,
    versions_of,
)
from retrieval.errors import NotFound
from retrieval.models import Domain, Section
from retrieval.pages.addresses import ReaderForm
from retrieval.pages.fields import DayField, PageField
from retrieval.pages.reader import offered_domains
from retrieval.pages.views import costly
from retrieval.text.redline import Line, excerpt, has_same_words, redline, stretches

PAGE_SIZE = 20
MOST_PAGES = MOST // PAGE_SIZE
LONGEST_EXCERPT = 700  # characters of a change in the list


class ChangesForm(forms.Form):
    """What is looked at; every field stands in the address."""

    domain = forms.ChoiceField(required=False, label=_("Body of law"))
    kind = forms.ChoiceField(
        required=False,
        label=_("Kind of change"),
        choices=[
            ("", _("Any")),
            (NEW, _("New")),
            (CHANGED, _("Amended")),
            (REPEALED, _("Repealed or superseded")),
            (OVERRULED, _("Overruled")),
        ],
    )
    since = DayField(required=False, label=_("Since"))
    until = DayField(required=False, label=_("Until"))
    page = PageField(most=MOST_PAGES)

    def __init__(self, *args, domains: list[Domain], **kwargs):
        super().__init__(*args, **kwargs)
        self.domains = {domain.slug: domain for domain in domains}
        names = [(domain.slug, domain.local_name) for domain in domains]
        self.fields["domain"].choices = [("", _("All")), *names]

    def clean(self) -> dict:
        said = super().clean()
        since, until = said.get("since"), said.get("until")
        if since and until and since > until:
            self.add_error("until", _("This day is before the first one."))
        return said


class VersionsForm(forms.Form):
    """Which two versions of a provision are compared."""

    old = forms.ChoiceField(required=False, label=_("Earlier version"))
    new = forms.ChoiceField(required=False, label=_("Later version"))

    def __init__(self, *args, versions: list[Section], **kwargs):
        super().__init__(*args, **kwargs)
        for name in ("old", "new"):
            self.fields[name].choices = [(key(each), in_force(each)) for each in versions]


@dataclass(frozen=True, slots=True)
class Shown:
    """A change on the page, with the beginning of what it did to the text."""

    made: Made
    lines: list[Line]
    is_layout: bool  # of a table, say: no word is another

    @property
    def key(self) -> str:
        return key(self.made.section)

    @property
    def by_later_law(self) -> list[dict]:
        """What later law did to a text that stayed."""
        return [self.made.by.to_dict()] if self.made.by else []


@require_safe
@costly
def changes_page(request: HttpRequest) -> HttpResponse:
    form = ChangesForm(request.GET, domains=offered_domains(request.caller))
    shown, number, following, older = [], 1, None, None
    if form.is_valid():
        said = form.cleaned_data
        number = said["page"] or 1
        domains = [form.domains[said["domain"]]] if said["domain"] else []
        found, more = changes(
            request.caller,
            Span(said["since"], said["until"]),
            domains=domains,
            kinds=(said["kind"],) if said["kind"] else KINDS,
            page=number,
            size=PAGE_SIZE,
        )
        shown = [
            Shown(made, excerpt(done_by(made), most=LONGEST_EXCERPT), is_layout(made)) for made in found
        ]
        following = number + 1 if more and number < MOST_PAGES else None
        older = found[-1].day if more and not following else None
    answer = {"page": number, "next": following, "previous": number - 1 if number > 1 else None}
    context = {"form": form, "shown": shown, "answer": answer, "older": older, "longest": LONGEST_EXCERPT}
    return render(request, "retrieval/changed.html", context, status=400 if form.errors else 200)


@require_safe
@costly
def compare(request: HttpRequest, path: str) -> HttpResponse:
    """Two versions of a provision, the last two where none are named; as they are read where there is only one. In a
    matter its members read as it does.
    """
    reader = ReaderForm(request.GET).reader(request.caller)
    with as_caller(reader.caller):
        versions = versions_of(reader.caller, f"/{path.strip('/')}") if path.isprintable() else []
    if not versions:
        raise NotFound("There is no such provision.")
    form = VersionsForm(request.GET, versions=versions)
    by_key = {key(version): version for version in versions}
    said = form.cleaned_data if form.is_valid() else {}
    new = by_key.get(said.get("new") or "", versions[-1])
    earlier = versions[: versions.index(new)]
    old = by_key.get(said.get("old") or "", earlier[-1] if earlier else new)
    chosen = VersionsForm({"old": key(old), "new": key(new)}, versions=versions)
    parts = stretches(redline(words_of(old), words_of(new)))
    context = {"form": chosen, "old": old, "new": new, "parts": parts, "versions": versions, "reader": reader}
    problems = [problem for of_field in form.errors.values() for problem in of_field]
    status = 400 if problems else 200
    return render(request, "retrieval/compare.html", context | {"problems": problems}, status=status)


def done_by(made: Made) -> list[Line]:
    """The redline of a change: of what is repealed the whole text; none of what is new, or where the text stayed."""
    if made.by or made.kind == NEW:
        return []
    said = words_of(made.section)
    if made.kind == REPEALED:
        return redline(said, "")
    return redline(words_of(made.before) if made.before else "", said)


def is_layout(made: Made) -> bool:
    return made.before is not None and has_same_words(words_of(made.before), words_of(made.section))


def words_of(section: Section) -> str:
    return "\n".join(filter(None, (section.heading, section.text)))


def key(version: Section) -> str:
    """How an address names it: by a day on which it was in force, or "2016-09-01.2"."""
    day = begins(version).isoformat()
    return f"{day}.{version.of_day}" if version.of_day else day


def in_force(version: Section) -> str:
    """ "1 September 2016 – today"."""
    first = date_format(version.valid_from) if version.valid_from else "…"
    if version.valid_to:
        days = f"{first} – {date_format(version.valid_to)}"
    elif version.valid_from and version.valid_from > timezone.localdate():
        days = gettext("from %(day)s on") % {"day": first}
    else:
        days = f"{first} – {gettext('today')}"
    if not version.of_day:
        return days
    return gettext("%(days)s (text %(number)s of that day)") % {"days": days, "number": version.of_day}
