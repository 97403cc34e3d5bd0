"""Aliases and glossary terms as CSV and JSON, in and out. A file is checked row by row before anything is saved."""

from django.core.exceptions import ValidationError
from django.utils.translation import gettext as _
from import_export.fields import Field
from import_export.formats.base_formats import CSV, JSON
from import_export.resources import ModelResource
from import_export.widgets import ForeignKeyWidget
from tablib import Dataset

from retrieval.models import Domain
from retrieval.ranking import ANONYMOUS, Caller
from rules.models import Alias, GlossaryTerm

FORMULA_SIGNS = ("=", "+", "-", "@", "\t", "\r")  # what spreadsheets take for the beginning of a formula


class SafeCSV(CSV):
    """CSV that a spreadsheet opens without running anything: such cells get an apostrophe, taken off on import."""

    def get_title(self) -> str:
        return "csv"

    def export_data(self, dataset: Dataset, **kwargs) -> str:
        """Escapes by itself, since the library's own way drops the first "=" of a cell and leaves other signs."""
        safe = Dataset(*([escaped(cell) for cell in row] for row in dataset), headers=dataset.headers)
        return safe.export("csv", **kwargs)

    def create_dataset(self, in_stream, **kwargs) -> Dataset:
        read = super().create_dataset(in_stream, **kwargs)
        return Dataset(*([unescaped(cell) for cell in row] for row in read), headers=read.headers)


class PlainJSON(JSON):
    """JSON as it is: nothing in it is ever a formula."""

    def export_data(self, dataset: Dataset, **kwargs) -> str:
        return dataset.export("json", **kwargs)


FORMATS = [SafeCSV, PlainJSON]


def escaped(cell: object) -> object:
    return f"'{cell}" if isinstance(cell, str) and cell.startswith(FORMULA_SIGNS) else cell


def unescaped(cell: object) -> object:
    is_escaped = isinstance(cell, str) and cell.startswith("'") and cell[1:].startswith(FORMULA_SIGNS)
    return cell[1:] if is_escaped else cell


class CuratedResource(ModelResource):
    """Every row passes the model's own validation; a row that says nothing new is left alone."""

    class Meta:
        clean_model_instances = True
        skip_unchanged = True
        report_skipped = True
        use_transactions = True

    def before_import(self, dataset: Dataset, *, file_name: str | None = None, **kwargs) -> None:
        self.change_reason = _("import of %s") % (file_name or _("a file"))

    def before_save_instance(self, instance, row, **kwargs) -> None:
        instance._change_reason = self.change_reason[:100]


class AliasResource(CuratedResource):
    domain = Field("domain", "domain", ForeignKeyWidget(Domain, "slug"))

    class Meta(CuratedResource.Meta):
        model = Alias
        fields = ("domain", "text", "locator", "language", "enabled", "note")
        import_id_fields = ("domain", "text", "locator", "language")

    def __init__(self, caller: Caller = ANONYMOUS):
        super().__init__()
        self.caller = caller

    def before_import_row(self, row: dict, **kwargs) -> None:
        """A domain that the importer may not see is answered like one that does not exist."""
        if not Domain.objects.visible_to(self.caller).filter(slug=row.get("domain")).exists():
            raise ValidationError({"domain": _("There is no domain “%s”.") % row.get("domain")})


class GlossaryResource(CuratedResource):
    class Meta(CuratedResource.Meta):
        model = GlossaryTerm
        fields = ("spanish", "english", "enabled")
        import_id_fields = ("spanish",)
