"""A rule's criteria, targets or actions edited as rows of a form: drop-downs and boxes instead of JSON. Without a
script there are empty rows at the end; with one, rows are added and boxes that a kind does not use are hidden.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.template.loader import render_to_string
from django.utils.datastructures import MultiValueDict
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from rules.admin.clause_labels import joined

EMPTY_ROWS = 2
MOST = 60
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
    """`separator`: between values in one box; `places`: the view that offers values while one types; `beside`: the
    template of what stands beside the rows.
    """

    def __init__(
        self,
        kinds: Sequence[tuple[str, Any]],
        columns: Sequence[Column],
        *,
        places: Any,
        separator: str = ", ",
        beside: str = "",
    ):
        super().__init__()
        self.kinds, self.columns, self.separator = kinds, columns, separator
        self.places, self.beside = places, beside

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
        context = {
            "name": name,
            "kinds": self.kinds,
            "places": self.places,
            "beside": self.beside,
            "most": MOST,
            "rows": [self._row(name, number, row) for number, row in enumerate(rows[:MOST])],
        }
        return SafeString(render_to_string("admin/rules/_rows.html", context))

    def _row(self, name: str, number: int, row: Mapping[str, Any]) -> dict[str, Any]:
        boxes = [
            {"column": column, "name": f"{name}-{number}-{column.name}", "value": row.get(column.name, "")}
            for column in self.columns
        ]
        return {"kind": row.get("kind", ""), "name": f"{name}-{number}", "boxes": boxes}

    class Media:
        js = ["admin/rows.js", "admin/browse.js"]


class RowsField(forms.Field):
    """`read` makes an object of a row's boxes; raises ValueError."""

    def __init__(self, *, read: Callable[[dict[str, str]], dict[str, Any]], **kwargs):
        super().__init__(**kwargs)
        self.read = read

    def clean(self, value: list[dict[str, str]]) -> list[dict[str, Any]]:
        rows, problems = [], []
        for number, row in enumerate(value or [], start=1):
            try:
                rows.append(self.read(row))
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


def read_criterion(boxes: dict[str, str]) -> dict[str, Any]:
    row: dict[str, Any] = {"kind": boxes["kind"]}
    if boxes["kind"] == "keywords":
        values = [word.strip() for word in boxes["value"].split(";") if word.strip()]
        return row | {"value": values, "stemmed": boxes["stemmed"] == "on"}
    return row | ({"value": boxes["value"]} if boxes["value"] or boxes["kind"] == "citation" else {})


def read_target(boxes: dict[str, str]) -> dict[str, Any]:
    kind = boxes["kind"]
    row: dict[str, Any] = {"kind": kind} | ({} if kind == "pages" else {"value": boxes["value"]})
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


def read_action(boxes: dict[str, str]) -> dict[str, Any]:
    kind = boxes["kind"]
    row: dict[str, Any] = {"kind": kind}
    if boxes["text"]:
        row["locator" if kind == "redirect" else "text"] = boxes["text"]
    if boxes["phrase"]:
        row["phrase"] = boxes["phrase"]
    if boxes["amount"]:
        row["position" if kind == "pin" else "factor"] = number_in(boxes["amount"])
    return row
