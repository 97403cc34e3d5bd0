"""CSV and JSON files that a spreadsheet opens safely."""

from import_export.formats.base_formats import CSV, JSON
from tablib import Dataset

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
