"""Aliases, glossary terms and rules as files, in and out. A file is checked row by row before anything is saved."""

import json
from collections.abc import Iterable
from functools import cached_property

from django.core.exceptions import ValidationError
from django.db.models import QuerySet
from django.utils.translation import gettext as _
from import_export.fields import Field
from import_export.formats.base_formats import CSV, JSON
from import_export.resources import ModelResource
from import_export.widgets import ForeignKeyWidget, Widget
from tablib import Dataset

from retrieval.access.caller import ANONYMOUS, Caller
from retrieval.errors import ArfError, gettext_noop
from retrieval.models import Domain
from rules.authoring import rule_checks, workflow
from rules.authoring.tables import escaped, unescaped
from rules.models import Alias, GlossaryTerm, QuestionPhrase, Rule


class CuratedResource(ModelResource):
    """Every row passes the model's own validation; a row that says nothing new is left alone."""

    class Meta:
        clean_model_instances = True
        skip_unchanged = True
        report_skipped = True
        use_transactions = True

    def __init__(self, caller: Caller = ANONYMOUS):
        super().__init__()
        self.caller = caller

    def before_import(self, dataset: Dataset, *, file_name: str | None = None, **kwargs) -> None:
        self.change_reason = _("import of %s") % (file_name or _("a file"))

    def before_save_instance(self, instance, row, **kwargs) -> None:
        instance._change_reason = self.change_reason[:100]

    @cached_property
    def visible(self) -> frozenset[str]:
        """The domains that the importer may see, by slug; looked up once a file."""
        return frozenset(Domain.objects.visible_to(self.caller).values_list("slug", flat=True))

    def check_visible(self, column: str, slugs: Iterable[str | None]) -> None:
        """A domain that the importer may not see is answered like one that does not exist."""
        if hidden := [slug for slug in slugs if slug not in self.visible]:
            raise ValidationError({column: _("There is no domain “%s”.") % hidden[0]})


class AliasResource(CuratedResource):
    domain = Field("domain", "domain", ForeignKeyWidget(Domain, "slug"))

    class Meta(CuratedResource.Meta):
        model = Alias
        fields = ("domain", "text", "locator", "sentence", "place", "language", "enabled", "note")
        import_id_fields = ("domain", "text", "locator", "language")

    def before_import_row(self, row: dict, **kwargs) -> None:
        self.check_visible("domain", [row.get("domain")])


class GlossaryResource(CuratedResource):
    class Meta(CuratedResource.Meta):
        model = GlossaryTerm
        fields = ("spanish", "english", "enabled")
        import_id_fields = ("spanish",)


class PhraseResource(CuratedResource):
    class Meta(CuratedResource.Meta):
        model = QuestionPhrase
        fields = ("text", "language", "use", "answer", "enabled")
        import_id_fields = ("text", "language", "use")


class JSONText(Widget):
    """Lists of objects as JSON text, in a cell or between quotes; in a JSON file they may stand as they are."""

    def clean(self, value, row=None, **kwargs) -> list:
        try:
            return json.loads(value) if isinstance(value, str) else value or []
        except ValueError as problem:
            raise ValidationError(_("This is not JSON.")) from problem

    def render(self, value, obj=None, **kwargs) -> str:
        return json.dumps(value, ensure_ascii=False)


class Listed(Widget):
    """Names separated by commas; in a JSON file also a list."""

    def clean(self, value, row=None, **kwargs) -> list[str]:
        names = value.split(",") if isinstance(value, str) else value or []
        return [str(name).strip() for name in names if str(name).strip()]

    def render(self, value, obj=None, **kwargs) -> str:
        return ", ".join(value or [])


class RuleResource(CuratedResource):
    """Rules by name and domains. What is imported is a draft, whatever it was where it came from."""

    domains = Field("domains", "domains", Listed())
    tags = Field("tags", "tags", Listed())
    criteria = Field("criteria", "criteria", JSONText())
    targets = Field("targets", "targets", JSONText())
    actions = Field("actions", "actions", JSONText())

    class Meta(CuratedResource.Meta):
        model = Rule
        fields = ("name", *workflow.CONTENT)
        import_id_fields = ("name", "domains")

    def before_import(self, dataset: Dataset, **kwargs) -> None:
        super().before_import(dataset, **kwargs)
        if "domains" not in dataset.headers:  # as in a rule that names none
            dataset.append_col([""] * len(dataset), header="domains")

    def get_queryset(self) -> QuerySet[Rule]:
        return super().get_queryset().visible_to(self.caller)

    def before_import_row(self, row: dict, **kwargs) -> None:
        self.check_visible("domains", Listed().clean(row.get("domains")))

    def before_save_instance(self, instance: Rule, row, **kwargs) -> None:
        super().before_save_instance(instance, row, **kwargs)
        if hidden := rule_checks.undeclared(instance, self.caller):
            raise ValidationError({"domains": rule_checks.undeclared_message(hidden)})
        workflow.as_draft(instance)


MOST_ROWS, MOST_COLUMNS = 20_000, 100  # twice what ships; each row takes some ms


class TooLong(ArfError):
    """A file whose import would keep a web worker for minutes."""

    status = 422


def bounded(read: Dataset) -> Dataset:
    """Raises TooLong."""
    if len(read) > MOST_ROWS or read.width > MOST_COLUMNS:
        raise TooLong(
            _("A file has at most %(rows)s rows and %(columns)s columns.")
            % {"rows": MOST_ROWS, "columns": MOST_COLUMNS}
        )
    return read


class SafeCSV(CSV):
    """CSV that a spreadsheet opens without running anything: such cells get an apostrophe, taken off on import."""

    def get_title(self) -> str:
        return "csv"

    def export_data(self, dataset: Dataset, **kwargs) -> str:
        """Escapes by itself, since the library's own way drops the first "=" of a cell and leaves other signs."""
        safe = Dataset(*([escaped(cell) for cell in row] for row in dataset), headers=dataset.headers)
        return safe.export("csv", **kwargs)

    def create_dataset(self, in_stream, **kwargs) -> Dataset:
        read = bounded(super().create_dataset(in_stream, **kwargs))
        return Dataset(*([unescaped(cell) for cell in row] for row in read), headers=read.headers)


class PlainJSON(JSON):
    """JSON as it is: nothing in it is ever a formula."""

    def create_dataset(self, in_stream, **kwargs) -> Dataset:
        return bounded(super().create_dataset(aligned(in_stream), **kwargs))

    def export_data(self, dataset: Dataset, **kwargs) -> str:
        return dataset.export("json", **kwargs)


class UnlikeRows(ArfError):
    """A file in which some row has other fields than the first."""

    status = 422


def aligned(text: str | bytes) -> str | bytes:
    """JSON rows with their fields in the order of the first, by whose names the library reads them all, whatever they
    are called. Raises UnlikeRows.
    """
    rows = json.loads(text)
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        return text  # which the library refuses
    for number, row in enumerate(rows, start=1):
        if unlike := sorted(row.keys() ^ rows[0].keys()):
            raise UnlikeRows(
                gettext_noop(
                    "Row %(row)s differs from the first in the field “%(field)s”: all rows have the same fields."
                ),
                row=number,
                field=unlike[0],
            )
    return json.dumps([{name: row[name] for name in rows[0]} for row in rows])


FORMATS = [SafeCSV, PlainJSON]
