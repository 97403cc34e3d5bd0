"""Aliases, glossary terms and rules as files, in and out. A file is checked row by row before anything is saved."""

import json
from collections.abc import Iterable, Sequence
from functools import cached_property
from itertools import islice

from django.core.exceptions import ValidationError
from django.db.models import QuerySet
from django.utils.translation import gettext as _
from import_export.fields import Field
from import_export.formats.base_formats import CSV, JSON
from import_export.resources import ModelResource
from import_export.results import Error
from import_export.widgets import BooleanWidget, ForeignKeyWidget, Widget
from tablib import Dataset

from retrieval.access.caller import ANONYMOUS, Caller
from retrieval.errors import ArfError, gettext_noop
from retrieval.models import Domain
from retrieval.parsing.rows import UNSTORABLE
from retrieval.text.normalization import fold
from rules.authoring import rule_checks, workflow
from rules.authoring.tables import BadFile, decoded, delimiter_of, escaped, table_rows, unescaped
from rules.models import Alias, GlossaryTerm, QuestionPhrase, Rule

SHOWN = 60  # characters of a cell in a message about it


class PlainError(Error):
    """Told without where in the code it arose."""

    traceback = ""


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
        needed = [self.fields[name].column_name for name in self.get_import_id_fields()]
        if not {*needed} <= {*dataset.headers}:
            dataset.wipe()  # no row says which one it is
            raise BadFile(_("The file needs the columns: %s.") % ", ".join(needed))
        self.rows_about: dict[tuple[str, ...], dict] = {}

    def before_import_row(self, row: dict, **kwargs) -> None:
        """Two rows about the same that differ: which holds nobody says."""
        columns = [self.fields[name].column_name for name in self.get_import_id_fields()]
        about = tuple(str(row[column]).strip() for column in columns)
        if self.rows_about.setdefault(about, dict(row)) != row:
            raise ValidationError({columns[0]: _("An earlier row of the file says something else of the same.")})

    def import_field(self, field: Field, instance, row: dict, *args, **kwargs) -> None:
        """Raises ValueError, which the library tells at the column."""
        try:
            super().import_field(field, instance, row, *args, **kwargs)
        except ValidationError as problem:
            raise ValueError(" ".join(problem.messages)) from problem
        except (ValueError, TypeError, ArithmeticError) as problem:
            raise ValueError(_("“%s” cannot be read.") % str(row[field.column_name])[:SHOWN]) from problem

    @classmethod
    def get_error_result_class(cls) -> type[Error]:
        return PlainError

    def before_save_instance(self, instance, row, **kwargs) -> None:
        instance._change_reason = self.change_reason[:100]

    @cached_property
    def visible(self) -> frozenset[str]:
        """The domains that the importer may see, by slug; looked up once a file."""
        return frozenset(Domain.objects.visible_to(self.caller).values_list("slug", flat=True))

    def check_visible(self, column: str, slugs: Iterable[str | None]) -> None:
        """A domain that the importer may not see is answered like one that does not exist."""
        if hidden := [slug for slug in map(str, slugs) if slug not in self.visible]:
            raise ValidationError({column: _("There is no domain “%s”.") % hidden[0]})


class Switch(BooleanWidget):
    """Yes or no, as people and spreadsheets write it in English and Spanish; None of an empty cell."""

    ON = {"1", "true", "yes", "y", "on", "x", "si", "s", "verdadero"}
    OFF = {"0", "false", "no", "n", "off", "falso"}

    def clean(self, value, row=None, **kwargs) -> bool | None:
        word = "" if value is None else fold(str(value)).strip()
        if word and word not in self.ON | self.OFF:
            raise ValidationError(_("“%s” is neither yes nor no.") % str(value)[:SHOWN])
        return word in self.ON if word else None


class SwitchedResource(CuratedResource):
    """Of rows that are switched off instead of deleted. An empty cell leaves a row as it is; a new one is on."""

    enabled = Field("enabled", "enabled", Switch(), saves_null_values=False)


class AliasResource(SwitchedResource):
    domain = Field("domain", "domain", ForeignKeyWidget(Domain, "slug"))

    class Meta(SwitchedResource.Meta):
        model = Alias
        fields = ("domain", "text", "locator", "sentence", "place", "language", "enabled", "note")
        import_id_fields = ("domain", "text", "locator", "language")

    def before_import_row(self, row: dict, **kwargs) -> None:
        super().before_import_row(row, **kwargs)
        self.check_visible("domain", [row.get("domain")])


class GlossaryResource(SwitchedResource):
    class Meta(SwitchedResource.Meta):
        model = GlossaryTerm
        fields = ("spanish", "english", "enabled")
        import_id_fields = ("spanish",)


class PhraseResource(SwitchedResource):
    class Meta(SwitchedResource.Meta):
        model = QuestionPhrase
        fields = ("text", "language", "use", "answer", "enabled")
        import_id_fields = ("text", "language", "use")


class JSONText(Widget):
    """Lists of objects as JSON text, in a cell or between quotes, an empty one for no object; in a JSON file they may
    stand as they are.
    """

    def clean(self, value, row=None, **kwargs) -> list:
        try:
            return json.loads(value.strip() or "[]") if isinstance(value, str) else value or []
        except (ValueError, RecursionError) as problem:
            raise ValidationError(_("This is not JSON.")) from problem

    def render(self, value, obj=None, **kwargs) -> str:
        return json.dumps(value, ensure_ascii=False)


class Listed(Widget):
    """Names separated by commas; in a JSON file also a list."""

    def clean(self, value, row=None, **kwargs) -> list[str]:
        names = value.split(",") if isinstance(value, str) else value or []
        if not isinstance(names, list):
            raise ValidationError(_("This is no list of names."))
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
        if "domains" not in dataset.headers:  # as in a rule that names none
            dataset.append_col([""] * len(dataset), header="domains")
        super().before_import(dataset, **kwargs)

    def get_queryset(self) -> QuerySet[Rule]:
        return super().get_queryset().visible_to(self.caller)

    def before_import_row(self, row: dict, **kwargs) -> None:
        if isinstance(row["name"], str):
            row["name"] = row["name"].strip()  # as the form does
        try:
            domains = Listed().clean(row["domains"])
            self.check_visible("domains", domains)
        except ValidationError as problem:
            raise ValidationError({"domains": problem.messages}) from problem
        kept = Rule.objects.of_these(domains).filter(name=str(row["name"])).first()
        row["domains"] = ", ".join(kept.domains if kept else sorted(domains))
        super().before_import_row(row, **kwargs)

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


class ReadAsBytes:
    """A format whose files are text in any encoding that spreadsheets write."""

    def is_binary(self) -> bool:
        return True

    def get_read_mode(self) -> str:
        return "rb"


class SafeCSV(ReadAsBytes, CSV):
    """CSV that a spreadsheet opens without running anything: such cells get an apostrophe, taken off on import."""

    def get_title(self) -> str:
        return "csv"

    def export_data(self, dataset: Dataset, **kwargs) -> str:
        """Escapes by itself, since the library's own way drops the first "=" of a cell and leaves other signs."""
        safe = Dataset(*([escaped(cell) for cell in row] for row in dataset), headers=dataset.headers)
        return safe.export("csv", **kwargs)

    def create_dataset(self, in_stream: bytes, **kwargs) -> Dataset:
        """Raises BadFile and TooLong."""
        text = decoded(in_stream)
        rows = ((line, row) for line, row in table_rows(text, delimiter_of(text)) if any(map(str.strip, row)))
        _line, header = next(rows, (0, []))
        cells = ([unescaped(cell) for cell in as_wide(row, header, line)] for line, row in rows)
        return bounded(Dataset(*islice(cells, MOST_ROWS + 1), headers=[name.strip() for name in header]))


def as_wide(row: list[str], header: Sequence[str], line: int) -> list[str]:
    """A cell for each column. Raises BadFile where others hold something."""
    if any(row[len(header) :]):
        told = gettext_noop("Line %(line)s has %(cells)s cells under %(columns)s columns.")
        raise BadFile(told, line=line, cells=len(row), columns=len(header))
    return [*row[: len(header)], *[""] * (len(header) - len(row))]


class PlainJSON(ReadAsBytes, JSON):
    """JSON as it is: nothing in it is ever a formula."""

    def create_dataset(self, in_stream: bytes, **kwargs) -> Dataset:
        """Raises BadFile, UnlikeRows and TooLong."""
        return bounded(aligned(objects_in(decoded(in_stream))))

    def export_data(self, dataset: Dataset, **kwargs) -> str:
        return dataset.export("json", **kwargs)


def objects_in(text: str) -> list[dict]:
    """Raises BadFile."""
    try:
        rows = json.loads(text)
    except (ValueError, RecursionError) as problem:
        raise BadFile(gettext_noop("This is not JSON: %(problem)s"), problem=problem) from problem
    if not isinstance(rows, list) or not all(row and isinstance(row, dict) for row in rows):
        raise BadFile(gettext_noop("The file must be one list of objects: [{…}, {…}]."))
    if UNSTORABLE.search(json.dumps(rows, ensure_ascii=False)):
        raise BadFile(gettext_noop("It holds a character that cannot be shown."))
    return rows


class UnlikeRows(ArfError):
    """A file in which some row has other fields than the first."""

    status = 422


def aligned(rows: list[dict]) -> Dataset:
    """Rows with their fields in the order of the first. Raises UnlikeRows."""
    for number, row in enumerate(rows, start=1):
        if unlike := sorted(row.keys() ^ rows[0].keys()):
            raise UnlikeRows(
                gettext_noop(
                    "Row %(row)s differs from the first in the field “%(field)s”: all rows have the same fields."
                ),
                row=number,
                field=unlike[0],
            )
    header = list(rows[0]) if rows else []
    return Dataset(*([row[name] for name in header] for row in rows), headers=header)


FORMATS = [SafeCSV, PlainJSON]
