"""Curated content that ships. Loading it again adds rows never seen here; what staff changed or deleted stays so."""

import json
from collections.abc import Container, Iterable, Iterator, Mapping
from itertools import zip_longest
from pathlib import Path

from django.db import transaction
from django.db.models import BooleanField, QuerySet
from django.db.models.expressions import RawSQL
from simple_history.utils import bulk_create_with_history, bulk_update_with_history

from retrieval.models import Domain
from rules.models import Alias, DomainThreshold, GlossaryTerm
from rules.shipped import FIXTURES, GLOSSARY, SPOKEN_GLOSSARY, rows_of
from rules.thresholds.publishing import publish

WAITING = FIXTURES / "waiting"  # a file for each domain that is loaded later, if at all: a provision's names a line
BEGINS = '{"locator": "'  # each of their lines
BATCH = 2_000  # rows written at a time
SHIPPED = "Calibration fitted on "  # the beginning of the reason of thresholds that shipped
NAMED_BY = ("text", "locator", "language")

Key = tuple[str, str, str]  # what NAMED_BY names


def load() -> dict[str, int]:
    """How many rows of each kind were added."""
    return {"aliases": load_aliases(), "glossary": load_glossary(), "thresholds": load_thresholds()}


def load_aliases() -> int:
    rows = (*rows_of("aliases.csv"), *rows_of("questions.csv"), *rows_of("collective_names.csv"))
    return add_names(Domain.objects.get(slug="us_constitution"), rows)


def load_arrived() -> int:
    """As `load_aliases`, the names of other law that waited for their provisions, and these are here by now."""
    added = 0
    for path in sorted(WAITING.rglob("*.jsonl")):
        domain = Domain.objects.filter(slug=path.stem).first()
        if domain is None:  # staff deleted it
            continue
        law = domain.sections.live().filter(valid_to=None)
        if law.exists() and (here := of_these(law, list(map(locator_of, lines_of(path))))):
            added += add_names(domain, names_in(path, here))
    return added


def of_these(law: QuerySet, locators: list[str]) -> set[str]:
    """Those of tens of thousands that are there: as one array, since Django binds each value of an IN by itself."""
    there = law.filter(RawSQL("retrieval_section.locator = ANY(%s)", [locators], BooleanField()))
    return set(there.values_list("locator", flat=True))


def names_in(path: Path, here: Container[str] | None = None) -> Iterator[dict]:
    """A row for each name, as `rows_of` gives them; those of the locators that are `here` alone, if told. `answers` has
    the number of the sentence that each points to, from 1; 0 for none.
    """
    for line in lines_of(path):
        if here is not None and locator_of(line) not in here:
            continue
        row = json.loads(line)
        sentences = ["", *row.get("sentences", [])]
        for language in sorted({"en", "es"} & row.keys()):
            numbers = row.get("answers", {}).get(language, [])
            for text, number in zip_longest(row[language], numbers, fillvalue=0):
                told = {"alias": text, "language": language, "sentence": sentences[number]}
                yield {"locator": row["locator"], **told}


def lines_of(path: Path) -> Iterator[str]:
    with path.open(encoding="utf-8") as file:
        yield from file


def locator_of(line: str) -> str:
    """Without reading all of a line: of 48 MB little may be of law that is here. Raises ValueError for a line that does
    not begin with its locator.
    """
    before, begins, rest = line.partition(BEGINS)
    if before or not begins:
        raise ValueError(f"a line of names begins with {BEGINS}, not with {line[:40]}")
    return rest[: rest.index('"')]


def add_names(domain: Domain, rows: Iterable[dict]) -> int:
    """Adds names, and to those that shipped before the sentences that they point to."""
    shipped = {(row["alias"], row["locator"], row["language"]): row for row in rows}
    seen = set(domain.aliases.values_list(*NAMED_BY)) | set(
        Alias.history.filter(domain=domain).values_list(*NAMED_BY)
    )
    new = [
        Alias(
            **dict(zip(NAMED_BY, key, strict=True)),
            domain=domain,
            place=row.get("place"),
            sentence=row.get("sentence") or "",
        )
        for key, row in shipped.items()
        if key not in seen
    ]
    point(domain, {key: row["sentence"] for key, row in shipped.items() if row.get("sentence")})
    return len(bulk_create_with_history(new, Alias, batch_size=BATCH)) if new else 0


def point(domain: Domain, sentences: Mapping[Key, str]) -> None:
    """To their sentences, names that point to none, unless somebody took away what they pointed to."""
    pointless = domain.aliases.filter(sentence="").values_list("pk", *NAMED_BY)
    left = {pk: key for pk, *names in pointless if (key := tuple(names)) in sentences}
    if not left:
        return
    taken = set(Alias.history.filter(domain=domain).exclude(sentence="").values_list(*NAMED_BY))
    pointing = [pk for pk, key in sorted(left.items()) if key not in taken]
    for start in range(0, len(pointing), BATCH):
        with transaction.atomic():
            rows = Alias.objects.filter(pk__in=pointing[start : start + BATCH], sentence="")
            aliases = list(rows.select_for_update())
            for alias in aliases:
                alias.sentence = sentences[left[alias.pk]]
            bulk_update_with_history(aliases, Alias, ["sentence"])


def load_glossary() -> int:
    seen = set(GlossaryTerm.objects.values_list("spanish", flat=True))
    seen |= set(GlossaryTerm.history.values_list("spanish", flat=True))
    rows = (*rows_of(GLOSSARY), *rows_of(SPOKEN_GLOSSARY))
    new = [GlossaryTerm(**row) for row in rows if row["spanish"] not in seen]
    return len(GlossaryTerm.objects.bulk_create(new))


def load_thresholds() -> int:
    """Publishes the thresholds that ship where a domain has none, or still those that shipped before; what others
    published stays.
    """
    added = 0
    for row in json.loads((FIXTURES / "thresholds.json").read_text()):
        domain = Domain.objects.get(slug=row.pop("domain"))
        last = domain.thresholds.order_by("version").last()
        if last is None or (last.active and last.reason.startswith(SHIPPED) and last.reason != row["reason"]):
            publish(DomainThreshold(domain=domain, **row))
            added += 1
    return added
