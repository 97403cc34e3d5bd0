"""Files in and out: an upload is looked through, then imported as a job; lists and runs are downloaded."""

from uuid import UUID

from django import forms
from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from unfold.widgets import UnfoldAdminFileFieldWidget, UnfoldAdminSelectWidget, UnfoldAdminTextInputWidget

from evaluation.models import Judgment, Topic, Upload
from evaluation.topics import importing
from evaluation.topics.importing import Options
from retrieval.access.middleware import caller_of
from retrieval.admin.base import admin_url, page, require
from retrieval.admin.operations import readable_jobs
from retrieval.errors import ArfError
from retrieval.models import Domain, JobRun
from retrieval.models.uploads import in_words

SHOWN = 200  # lines of each kind that a dry run writes out
LAST = 10  # imports listed
MOST_BYTES = 4_000_000  # a file in the admin, under the site's bound of a form; longer ones by the command
NEEDED = ("evaluation.add_judgment", "evaluation.change_judgment", "evaluation.add_topic")
FORMATS = [
    ("auto", gettext_lazy("Recognise it")),
    ("csv", gettext_lazy("Table (CSV)")),
    ("jsonl", gettext_lazy("JSON lines")),
    ("trec", gettext_lazy("TREC qrels")),
    ("topics", gettext_lazy("TREC topics")),
    ("quepid", gettext_lazy("Quepid book or case")),
]
TYPES = {"csv": "text/csv", "jsonl": "application/jsonl", "trec": "text/plain"}


class UploadForm(forms.Form):
    file = forms.FileField(
        label=gettext_lazy("File"),
        widget=UnfoldAdminFileFieldWidget,
        help_text=gettext_lazy("Text of at most 4 MB."),
    )
    format = forms.ChoiceField(label=gettext_lazy("Format"), choices=FORMATS, widget=UnfoldAdminSelectWidget)
    domain = forms.ModelChoiceField(
        Domain.objects.none(),
        label=gettext_lazy("Domain"),
        to_field_name="slug",
        empty_label=None,
        widget=UnfoldAdminSelectWidget,
        help_text=gettext_lazy("Where a line names none."),
    )
    split = forms.ChoiceField(
        label=gettext_lazy("Split"),
        choices=[choice for choice in Topic.Split.choices if choice[0] != Topic.Split.TEST],
        widget=UnfoldAdminSelectWidget,
        help_text=gettext_lazy("Of new topics, where a line names none."),
    )
    judge = forms.CharField(
        label=gettext_lazy("Who judged"),
        max_length=150,
        initial=Options().judge,
        widget=UnfoldAdminTextInputWidget,
        help_text=gettext_lazy("Where a line names none."),
    )
    kind = forms.ChoiceField(
        label=gettext_lazy("Judged by"), choices=Judgment.Kind.choices, widget=UnfoldAdminSelectWidget
    )

    def __init__(self, *args, request: HttpRequest, **kwargs):
        super().__init__(*args, **kwargs)
        self.fields["domain"].queryset = Domain.objects.visible_to(caller_of(request))
        self.fields["domain"].label_from_instance = lambda domain: domain.local_name

    def clean_file(self):
        file = self.cleaned_data["file"]
        if file.size > MOST_BYTES:
            raise forms.ValidationError(
                _("A file has at most 4 MB; a longer one is imported by the command.")
            )
        return file

    def options(self) -> Options:
        said = self.cleaned_data
        return Options(
            domain=said["domain"].slug, judge=said["judge"], kind=said["kind"], split=said["split"]
        )


def import_page(request: HttpRequest) -> HttpResponse:
    """A file to import; POST keeps it and shows what it would change."""
    require(request, *NEEDED)
    posted = (request.POST, request.FILES) if request.method == "POST" else ()
    form = UploadForm(*posted, request=request)
    if posted and form.is_valid():
        file = form.cleaned_data["file"]
        try:
            upload = importing.stage(
                file.read(),
                form.cleaned_data["format"],
                form.options(),
                by=request.user,
                name=file.name[:200],
            )
            return redirect("admin_import_preview", upload.pk)
        except ArfError as problem:
            form.add_error("file", in_words(problem.refusal))
    context = {"title": _("Import topics and judgments"), "form": form, "last": last_imports(request)}
    return page(request, "admin/import.html", context, status=422 if form.errors else 200)


def last_imports(request: HttpRequest) -> list[JobRun]:
    """Each with what it `told`, in the reader's language, and the lines that it `refused`; those of earlier releases
    say why in English alone.
    """
    known = readable_jobs(caller_of(request)).filter(kind="import_judgments", hidden=False)
    last = list(known.order_by("-created_at")[:LAST])
    for run in last:
        is_done = run.status == JobRun.Status.DONE
        run.told = _(importing.COUNTED) % run.state if is_done else run.local_error or run.local_message
        run.refused = [
            (line, in_words(*refusal) if refusal else reason)
            for line, reason, *refusal in run.state.get("refused", ())
        ]
    return last


def preview_page(request: HttpRequest, upload_id: UUID) -> HttpResponse:
    """What an upload would change; POST imports it, or throws it away. Each sees only their own."""
    require(request, *NEEDED)
    upload = get_object_or_404(Upload, pk=upload_id, user=request.user)
    if request.method == "POST":
        return discard(request, upload) if "discard" in request.POST else confirm(request, upload)
    plan = importing.preview(upload.text, upload.format, Options(**upload.options), by=upload.user)
    context = {
        "title": _("What this import would change"),
        "upload": upload,
        "plan": plan,
        "shown": {
            "refused": [(each.line, in_words(each.refusal)) for each in plan.refused[:SHOWN]],
            "changed": plan.changed[:SHOWN],
            "new": plan.new[:SHOWN],
            "topics": plan.topics[:SHOWN],
        },
        "most": SHOWN,
    }
    return page(request, "admin/import_preview.html", context)


def confirm(request: HttpRequest, upload: Upload) -> HttpResponse:
    try:
        run = importing.confirm(upload)
    except ArfError as problem:
        messages.error(request, in_words(problem.refusal))
        return redirect("admin_import_preview", upload.pk)
    messages.success(request, _("The import has begun."))
    return redirect(admin_url(run))


def discard(request: HttpRequest, upload: Upload) -> HttpResponse:
    upload.delete()
    messages.success(request, _("The file is thrown away; nothing was changed."))
    return redirect("admin_import")


def may_import(request: HttpRequest) -> bool:
    return request.user.has_perms(NEEDED)


def download(text: str, name: str, fmt: str) -> HttpResponse:
    """A file under its name; a TREC file ends in .txt."""
    ending = "txt" if fmt == "trec" else fmt
    headers = {"Content-Disposition": f'attachment; filename="{name}.{ending}"'}
    return HttpResponse(text, content_type=f"{TYPES[fmt]}; charset=utf-8", headers=headers)


def written(fmt: str, writers: dict) -> str:
    """The text by the writer of this format. Raises Http404 for another."""
    if fmt not in writers:
        raise Http404
    return writers[fmt]()
