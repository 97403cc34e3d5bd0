"""Summaries as pages and the API show them: sentences of the law, read again under the caller's scope from the versions
they stand in, each with its place and our translation, or beside it a machine's for who reads in Spanish; and what a
language model wrote of these versions, each sentence with the words of law that it rests on.
"""

from collections.abc import Iterable, Sequence
from datetime import date

from django.db.models import QuerySet
from django.db.models.functions import Length

from retrieval.access.caller import Caller
from retrieval.answers.passages import pins
from retrieval.answers.spanish import Machine, same_sentences
from retrieval.answers.units import LEADS_IN
from retrieval.citations.citation import cite
from retrieval.corpus.translations import LANGUAGE as TRANSLATED
from retrieval.corpus.translations import translation
from retrieval.models import Document, Section, Summary, WrittenSummary
from retrieval.models.corpus import SectionQuerySet

LONG = 1_500  # characters of a provision that is summarised: three sentences have 600
Level = Summary.Level
ORIGINAL = "en"
Place = list[int]  # section, start, end
Told = dict[str, str | int | dict | None]  # a sentence, where it stands, as `text_es` our translation, or a machine's


def of_section(section: Section, readable: SectionQuerySet, reader: str = ORIGINAL) -> list[Told]:
    """Of what stands below it, else of its own text if that is long. `reader`: the language that is read in."""
    if section.is_leaf and len(section.text) <= LONG:
        return []
    kept = section.summaries.filter(level=Level.PROVISION if section.is_leaf else Level.PART)
    return sentences_of(kept, readable, reader).get(section.pk, [])


def of_document(document: Document, readable: SectionQuerySet, reader: str = ORIGINAL) -> list[Told]:
    return sentences_of(document.summaries.filter(section=None), readable, reader).get(None, [])


def with_summaries(
    results: Sequence[dict], caller: Caller, day: date | None, reader: str = ORIGINAL
) -> list[dict]:
    """Results of a search, long ones with the `summary` of their text and what is written of it: read by what each is,
    whatever was asked.
    """
    readable = Section.objects.readable(caller, day)
    named = readable.filter(locator__in=[result["locator"] for result in results])
    long = named.annotate(length=Length("text")).filter(length__gt=LONG)
    places = {
        (domain, locator): pk for pk, domain, locator in long.values_list("pk", "domain__slug", "locator")
    }
    kept = Summary.objects.filter(section__in=places.values(), level=Level.PROVISION)
    found = sentences_of(kept, readable, reader)
    told_of = written(places.values(), readable)
    at = [places.get((result["domain"], result["locator"])) for result in results]
    return [
        result | {"summary": found.get(pk, []), "summary_written": told_of.get(pk, [])}
        for result, pk in zip(results, at, strict=True)
    ]


def written_of(section: Section, readable: SectionQuerySet) -> list[dict]:
    """Of a long provision."""
    is_long = section.is_leaf and len(section.text) > LONG
    return written([section.pk], readable).get(section.pk, []) if is_long else []


def written(sections: Iterable[int], readable: SectionQuerySet) -> dict[int, list[dict]]:
    """By section, what a language model wrote last in each language of this very version."""
    kept = WrittenSummary.objects.filter(section__in=readable.filter(pk__in=list(sections)))
    last = kept.exclude(sentences=[]).order_by("section_id", "language", "-written_at")
    rows = list(last.distinct("section_id", "language").select_related("section"))
    places = [
        (row.section_id, start)
        for row in rows
        for sentence in row.sentences
        for start, _ in sentence["places"]
    ]
    named = pins(places)
    found: dict[int, list[dict]] = {}
    for row in rows:
        found.setdefault(row.section_id, []).append(as_written(row, named))
    return found


def as_written(row: WrittenSummary, named: dict[tuple[int, int], str]) -> dict:
    sentences = [
        {
            "text": sentence["text"],
            "confidence": sentence["confidence"],
            "citations": [quoted(row.section, start, end, named) for start, end in sentence["places"]],
        }
        for sentence in row.sentences
    ]
    return {
        "language": row.language,
        "model": row.model,
        "written_at": row.written_at,
        "sentences": sentences,
    }


def quoted(section: Section, start: int, end: int, named: dict[tuple[int, int], str]) -> dict:
    """As an answer quotes the law."""
    pin = named.get((section.pk, start))
    return {
        "locator": section.locator,
        "citation": (pin and cite(pin)) or section.citation,
        "pin": pin,
        "quote": section.text[start:end],
        "start": start,
        "end": end,
    }


def headings(documents: Sequence[Document], readable: SectionQuerySet) -> dict[int, list[Section]]:
    """By document, the provisions that stand for it, if several do: what a list of documents has room for."""
    kept = Summary.objects.filter(document__in=documents, section=None).values_list("document", "sentences")
    stored = {document: [place[0] for place in places] for document, places in kept}
    standing = [pk for pks in stored.values() for pk in pks]
    sections = readable.exclude(heading="").only("heading", "heading_es").in_bulk(standing)
    shown = {document: [sections[pk] for pk in pks if pk in sections] for document, pks in stored.items()}
    return {document: found for document, found in shown.items() if len(found) > 1}


def sentences_of(
    kept: QuerySet[Summary], readable: SectionQuerySet, reader: str
) -> dict[int | None, list[Told]]:
    """By section, in reading order, without what only leads into a list. Nothing is told of what may not be read whole:
    a later text is no summary of an earlier day's.
    """
    stored = dict(kept.values_list("section", "sentences"))
    wanted = {place[0] for places in stored.values() for place in places}
    sections = readable.select_related("document").in_bulk(wanted)
    machine = Machine() if reader == TRANSLATED else None
    return {
        of: [
            sentence(sections[pk], start, end, machine)
            for pk, start, end in in_order(places, sections)
            if not leads_in(sections[pk], start, end)
        ]
        for of, places in stored.items()
        if places and all(place[0] in sections for place in places)
    }


def leads_in(section: Section, start: int, end: int) -> bool:
    """Whether it breaks off before provisions of their own: "The Congress shall have Power"."""
    return not section.is_leaf and LEADS_IN.search(section.text, start, end) is not None


def in_order(places: Sequence[Place], sections: dict[int, Section]) -> list[Place]:
    return sorted(places, key=lambda place: (sections[place[0]].position, place))


def sentence(section: Section, start: int, end: int, machine: Machine | None) -> Told:
    """`machine`: what is asked for its Spanish where we have none; None where nothing is."""
    document, text = section.document, section.text[start:end]
    translated = "\n".join(translation(section.locator, section.text))
    unread = machine is not None and not translated and document.language == ORIGINAL
    return {
        "locator": section.locator,
        "citation": section.citation,
        "heading": section.heading,
        "heading_es": section.heading_es,
        "start": start,
        "end": end,
        "text": text,
        "text_es": same_sentences(section.text, translated, [(start, end)]) if translated else "",
        "translation": machine.translation([text], private=document.private) if unread else None,
    }
