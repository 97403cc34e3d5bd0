"""The form of a rule: its three lists edited as rows of drop-downs and boxes instead of JSON, and clauses written out
in words. Without a script there are empty rows at the end; with one, rows are added and boxes that a kind does not use
are hidden.
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django import forms
from django.contrib.postgres.forms import SimpleArrayField
from django.core.exceptions import ValidationError
from django.template.loader import render_to_string
from django.urls import reverse_lazy
from django.utils.datastructures import MultiValueDict
from django.utils.formats import date_format
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from unfold.widgets import UnfoldAdminTextareaWidget, UnfoldAdminTextInputWidget

from retrieval.access.caller import ANONYMOUS, Caller
from retrieval.admin.picker import Offer, described
from retrieval.search.places import as_locator
from rules.admin.base import ReasonedForm
from rules.admin.corpus_browser import LOCATED
from rules.authoring import rule_checks, workflow
from rules.authoring.grammar.names import Draft
from rules.engine.clauses import PAGED
from rules.models import Rule

CRITERIA = (
    ("keywords", gettext_lazy("has one of these words or phrases")),
    ("always", gettext_lazy("always")),
    ("exact", gettext_lazy("is exactly")),
    ("starts_with", gettext_lazy("begins with")),
    ("contains", gettext_lazy("contains the letters")),
    ("regex", gettext_lazy("matches the pattern (RE2)")),
    ("citation", gettext_lazy("cites this place")),
    ("route", gettext_lazy("is probably about the body of law (domain)")),
    ("language", gettext_lazy("is in the language (en, es)")),
    ("domain", gettext_lazy("is asked in the domain")),
    ("jurisdiction", gettext_lazy("is asked in the jurisdiction")),
)
TARGETS = (
    ("section", gettext_lazy("provision with all below it")),
    ("heading", gettext_lazy("provisions whose heading has the words")),
    ("pages", gettext_lazy("pages of every document")),
    ("document", gettext_lazy("document")),
    ("filename", gettext_lazy("file")),
    ("tag", gettext_lazy("documents with the tag")),
    ("metadata", gettext_lazy("documents whose metadata say")),
    ("chunk", gettext_lazy("passages by number")),
    ("cites", gettext_lazy("whatever cites this provision")),
    ("definitions", gettext_lazy("the definitions this provision uses")),
)
ACTIONS = (
    ("pin", gettext_lazy("show at the place")),
    ("restrict", gettext_lazy("search only there")),
    ("boost", gettext_lazy("raise by the factor")),
    ("bury", gettext_lazy("lower by the factor")),
    ("exclude", gettext_lazy("never show")),
    ("alias", gettext_lazy("name as an answer")),
    ("rewrite", gettext_lazy("ask instead")),
    ("synonym", gettext_lazy("look for these words too")),
    ("note", gettext_lazy("answer with the note")),
    ("redirect", gettext_lazy("lead to the provision")),
    ("abstain", gettext_lazy("give no answer")),
)
COMPARISONS = (
    ("is", gettext_lazy("is")),
    ("contains", gettext_lazy("contains")),
    ("at_least", gettext_lazy("at least")),
    ("at_most", gettext_lazy("at most")),
)
CLAUSES = {"criteria": CRITERIA, "targets": TARGETS, "actions": ACTIONS}


def draft_fields(draft: Draft) -> list[tuple[str, str]]:
    """Each field of a draft that is set, with its words."""
    fields = [
        (_("When a question"), clauses_text("criteria", draft.criteria)),
        (_("Upon"), clauses_text("targets", draft.targets)),
        (_("Do"), clauses_text("actions", draft.actions)),
        (_("Domains"), ", ".join(draft.domains) or _("all")),
        (_("First day"), draft.valid_from and date_format(draft.valid_from)),
        (_("Last day"), draft.valid_to and date_format(draft.valid_to)),
        (_("Priority"), str(draft.priority)),
    ]
    return [(name, value) for name, value in fields if value]


def clauses_text(name: str, rows: Iterable[Mapping[str, Any]]) -> str:
    """Of one of a rule's lists: `name` is criteria, targets or actions."""
    return "; ".join(clause_text(row, dict(CLAUSES[name])) for row in rows)


def clause_text(row: Mapping[str, Any], labels: Mapping[str, Any]) -> str:
    """ "document /us/usc/t8, pages 3-5", the kind by its label."""
    compared_as = [row["key"], dict(COMPARISONS)[row.get("comparison", "is")]] if "key" in row else []
    words = [labels[row["kind"]], *compared_as, joined(row.get("value", ""))]
    words += [f"{row['phrase']} →" if row.get("phrase") else "", row.get("text"), row.get("locator")]
    words += [row.get("position"), row.get("factor")]
    pages = _("pages %s") % joined(row["pages"]) if row.get("pages") else None
    stemmed = _("in other forms of the words too") if row.get("stemmed") else None
    return ", ".join(part for part in (" ".join(str(word) for word in words if word), pages, stemmed) if part)


def joined(value: Any, separator: str = ", ") -> str:
    return separator.join(map(str, value)) if isinstance(value, list) else str(value)


EMPTY_ROWS = 2
PLACED = (*LOCATED, "document")  # kinds that name a place
MOST = 60
DECIMAL_COMMA = re.compile(r"\A(\d+),(\d{1,2})\Z")  # not 1,000
NUMBER = re.compile(r"-?\d{1,15}(\.\d{1,6})?")


@dataclass(frozen=True)
class Column:
    """A box of every row. `kinds`: those that have a use for it; `control`: text, select, checkbox or textarea."""

    name: str
    label: Any
    kinds: tuple[str, ...]
    control: str = "text"
    choices: tuple[tuple[str, Any], ...] = ()


class RowsWidget(forms.Widget):
    """`name`: of all rows; `separator`: between values in one box; `places`: the view that offers values while one
    types; `beside`: the template of what stands beside the rows. `caller` reads what is named in them.
    """

    caller = ANONYMOUS

    def __init__(
        self,
        kinds: Sequence[tuple[str, Any]],
        columns: Sequence[Column],
        *,
        name: Any,
        places: Any,
        separator: str = ", ",
        beside: str = "",
    ):
        super().__init__()
        self.kinds, self.columns, self.name, self.separator = kinds, columns, name, separator
        self.places, self.beside = places, beside

    def id_for_label(self, id_: str) -> str:
        """The kind of the first row."""
        return id_ and f"{id_}-0-kind"

    def boxes(self, value: Any) -> list[dict[str, str]]:
        """Of every row that is an object."""
        return [boxes_of(row, self.separator) for row in value or [] if isinstance(row, Mapping)]

    def value_from_datadict(self, data: Mapping, files: MultiValueDict, name: str) -> list[dict[str, str]]:
        names = ["kind", *(column.name for column in self.columns)]
        rows = ({box: data.get(f"{name}-{n}-{box}", "").strip() for box in names} for n in range(MOST))
        return [row for row in rows if row["kind"]]

    def value_omitted_from_data(self, data: Mapping, files: MultiValueDict, name: str) -> bool:
        return f"{name}-0-kind" not in data

    def render(self, name: str, value: Any, attrs: dict | None = None, renderer: Any = None) -> SafeString:
        rows = [*self.boxes(value), *({} for _ in range(EMPTY_ROWS))]
        named = (row.get("value") or row.get("text") for row in rows if row.get("kind") in PLACED)
        shown = described(filter(None, named), self.caller)
        context = {
            "name": name,
            "label": self.name,
            "told_of": (attrs or {}).get("aria-describedby"),
            "kinds": self.kinds,
            "places": self.places,
            "beside": self.beside,
            "most": MOST,
            "rows": [self._row(name, number, row, shown) for number, row in enumerate(rows[:MOST])],
        }
        return SafeString(render_to_string("admin/rules/_rows.html", context))

    def _row(self, name: str, number: int, row: Mapping[str, str], shown: Mapping[str, Offer]) -> dict[str, Any]:
        boxes = [
            {
                "column": column,
                "name": f"{name}-{number}-{column.name}",
                "value": row.get(column.name, ""),
                "offers": column.name in ("value", "text"),
                "shown": shown.get(row.get(column.name, "")) if row.get("kind") in PLACED else None,
            }
            for column in self.columns
        ]
        return {"kind": row.get("kind", ""), "name": f"{name}-{number}", "boxes": boxes}

    class Media:
        js = ["admin/picker.js", "admin/rows.js", "admin/browse.js"]


class RowsField(forms.Field):
    """`read` makes an object of a row's boxes, with what the widget's caller may read; raises ValueError."""

    def __init__(self, *, read: Callable[[dict[str, str], Caller], dict[str, Any]], **kwargs):
        super().__init__(**kwargs)
        self.read = read

    def clean(self, value: list[dict[str, str]]) -> list[dict[str, Any]]:
        rows, problems = [], []
        for number, row in enumerate(value or [], start=1):
            try:
                rows.append(self.read(row, self.widget.caller))
            except ValueError as problem:
                problems.append(_("No. %(number)d: %(problem)s") % {"number": number, "problem": problem})
        if problems:
            raise ValidationError(problems)
        return rows

    def has_changed(self, initial: Any, data: Any) -> bool:
        return self.widget.boxes(initial) != [drop_empty(row) for row in data or []]


def drop_empty(row: Mapping[str, str]) -> dict[str, str]:
    return {name: value for name, value in row.items() if value}


def boxes_of(row: Mapping[str, Any], separator: str = ", ") -> dict[str, str]:
    """What stands in the boxes of a clause; empty ones are left out. What is no clause is shown as it is."""
    return drop_empty(
        {name: str(row.get(name, "")) for name in ("kind", "key", "comparison", "phrase")}
        | {
            "value": joined(row.get("value", ""), separator),
            "pages": joined(row.get("pages", "")),
            "stemmed": "on" if row.get("stemmed") in (True, "on") else "",
            "text": row.get("locator") or row.get("text", ""),
            "amount": str(row.get("amount") or row.get("position") or row.get("factor") or ""),
        }
    )


def read_criterion(boxes: dict[str, str], caller: Caller) -> dict[str, Any]:
    row: dict[str, Any] = {"kind": boxes["kind"]}
    if boxes["kind"] == "keywords":
        values = [word.strip() for word in boxes["value"].split(";") if word.strip()]
        return row | {"value": values, "stemmed": boxes["stemmed"] == "on"}
    value = as_locator(boxes["value"], caller) if boxes["kind"] == "citation" else boxes["value"]
    return row | ({"value": value} if value or boxes["kind"] == "citation" else {})


def read_target(boxes: dict[str, str], caller: Caller) -> dict[str, Any]:
    kind = boxes["kind"]
    value = as_locator(boxes["value"], caller) if kind in PLACED else boxes["value"]
    row: dict[str, Any] = {"kind": kind} | ({} if kind == "pages" else {"value": value})
    if kind == "chunk":
        row["value"] = [number_in(piece) for piece in re.split(r"[,;\s]+", boxes["value"]) if piece]
    if kind == "metadata":
        row |= {"key": boxes["key"], "comparison": boxes["comparison"] or "is"}
        if NUMBER.fullmatch(boxes["value"]):
            row["value"] = number_in(boxes["value"])
    return row | ({"pages": boxes["pages"]} if boxes["pages"] else {})


def number_in(text: str) -> int | float:
    if not NUMBER.fullmatch(text):
        raise ValueError(_("“%s” is no number.") % text[:60])
    return float(text) if "." in text else int(text)


def read_action(boxes: dict[str, str], caller: Caller) -> dict[str, Any]:
    kind = boxes["kind"]
    row: dict[str, Any] = {"kind": kind}
    if boxes["text"]:
        row |= {"locator": as_locator(boxes["text"], caller)} if kind == "redirect" else {"text": boxes["text"]}
    if boxes["phrase"]:
        row["phrase"] = boxes["phrase"]
    if boxes["amount"]:
        amount = DECIMAL_COMMA.sub(r"\1.\2", boxes["amount"])
        row["position" if kind == "pin" else "factor"] = number_in(amount)
    return row


class TagsField(SimpleArrayField):
    """Names between commas; where there is none between two, there is no tag."""

    def to_python(self, value: str | list[str] | None) -> list[str]:
        names = value.split(",") if isinstance(value, str) else value or []
        return super().to_python([name for name in names if name.strip()])


EDITED = ("name", "owner", *workflow.CONTENT)
LABELS = {
    "criteria": gettext_lazy("Criteria"),
    "targets": gettext_lazy("Targets"),
    "actions": gettext_lazy("Actions"),
}
NAMING = ("domains", "criteria", "targets", "actions")
VALUED = tuple(kind for kind, _label in CRITERIA if kind != "always")
NAMED = tuple(kind for kind, _label in TARGETS if kind != "pages")
WORDED = ("rewrite", "synonym", "note", "redirect")
PLACES = reverse_lazy("admin:rules_rule_places")


def rows(name: str, columns: list[Column], read: Callable, **options) -> RowsField:
    """The rows of one of a rule's lists. `options`: those of `RowsWidget`."""
    field = Rule._meta.get_field(name)
    widget = RowsWidget(CLAUSES[name], columns, name=LABELS[name], places=PLACES, **options)
    return RowsField(read=read, widget=widget, label=LABELS[name], required=False, help_text=field.help_text)


class RuleForm(ReasonedForm):
    """Checks what `rules.engine.clauses` checks; a problem is shown at its list."""

    domains = forms.MultipleChoiceField(
        label=gettext_lazy("Domains"),
        required=False,
        widget=forms.CheckboxSelectMultiple,
        help_text=Rule._meta.get_field("domains").help_text,
    )
    criteria = rows(
        "criteria",
        [
            Column("value", gettext_lazy("What; words and phrases separated by ;"), VALUED),
            Column("stemmed", gettext_lazy("other forms of the words too"), ("keywords",), "checkbox"),
        ],
        read_criterion,
        separator="; ",
        beside="admin/rules/_firing.html",
    )
    targets = rows(
        "targets",
        [
            Column("key", gettext_lazy("Name"), ("metadata",)),
            Column("comparison", gettext_lazy("How"), ("metadata",), "select", COMPARISONS),
            Column("value", gettext_lazy("Which"), NAMED),
            Column("pages", gettext_lazy("Pages, like 3-5, 8"), PAGED),
        ],
        read_target,
        beside="admin/rules/_looking.html",
    )
    actions = rows(
        "actions",
        [
            Column("amount", gettext_lazy("Place or factor"), ("pin", "boost", "bury")),
            Column(
                "phrase", gettext_lazy("In place of this phrase; empty: of the whole question"), ("rewrite",)
            ),
            Column("text", gettext_lazy("Text or provision"), WORDED, "textarea"),
        ],
        read_action,
    )
    caller = ANONYMOUS

    class Meta:
        model = Rule
        fields = EDITED
        widgets = {
            "rationale": UnfoldAdminTextareaWidget(attrs={"rows": 3}),
            "tags": UnfoldAdminTextInputWidget,
        }
        field_classes = {"tags": TagsField}
        help_texts = {"tags": gettext_lazy("To find it by, separated by commas.")}

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        for name in CLAUSES.keys() & self.fields.keys():
            self.fields[name].widget.caller = self.caller

    def clean(self) -> dict:
        """A rule that names what is private is seen by whoever may see its domains: they must be ticked."""
        said = super().clean()
        try:
            missing = rule_checks.undeclared(Rule(**{name: said[name] for name in NAMING}), self.caller)
        except (KeyError, ValidationError):
            return said  # shown at its field
        if missing:
            self.add_error("domains", rule_checks.undeclared_message(missing))
        return said
