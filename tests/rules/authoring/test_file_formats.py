"""Files that a spreadsheet opens without running a formula."""

import csv
import io
import json

import pytest

from rules.authoring.file_formats import SafeCSV, escaped, unescaped
from rules.models import Alias
from tests.rules.alias_pages import ALIASES

pytestmark = pytest.mark.django_db


def export_form(number: str) -> dict:
    fields = ("domain", "text", "locator", "language", "enabled", "note")
    return {"format": number, "resource": "0"} | {f"aliasresource_{field}": "on" for field in fields}


def test_exports_escape_formulas_and_imports_take_that_back(client, curator, constitution):
    Alias.objects.create(domain=constitution, text="=SUM(A1)", locator="/us/const/amendment/I", note="+1")
    text = client.post(f"{ALIASES}export/?q=SUM", export_form("0")).content.decode()
    row = next(row for row in csv.DictReader(io.StringIO(text)) if "SUM" in row["text"])
    assert (row["text"], row["note"]) == ("'=SUM(A1)", "'+1")
    back = SafeCSV().create_dataset(text).dict
    assert any(row["text"] == "=SUM(A1)" for row in back)
    as_json = json.loads(client.post(f"{ALIASES}export/?q=SUM", export_form("1")).content)
    assert any(row["text"] == "=SUM(A1)" for row in as_json)


@pytest.mark.parametrize("cell", ["=1", "+1", "-1", "@x", "\tx", "plain", "'quoted'", "", 5, None])
def test_escaping_is_taken_back_exactly(cell):
    assert unescaped(escaped(cell)) == cell
