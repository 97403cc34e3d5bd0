"""The files of curated content that ships. Reads files only."""

import csv
from collections.abc import Iterator
from pathlib import Path

FIXTURES = Path(__file__).parent / "fixtures"
GLOSSARY = "glossary.csv"  # terms of law, which Spanish answers are put into Spanish with too
SPOKEN_GLOSSARY = "spoken_glossary.csv"  # what people say, for English alone


def rows_of(name: str) -> Iterator[dict[str, str]]:
    with (FIXTURES / name).open(encoding="utf-8", newline="") as file:
        yield from csv.DictReader(file)
