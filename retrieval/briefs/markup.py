"""A checked brief as people read it: its text with citations and quotations marked, and what was found in words."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date

from django.template.loader import render_to_string
from django.utils.formats import date_format
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from retrieval.briefs.checking import CitationCheck, Finding, QuotationCheck, Report
from retrieval.briefs.wording import Difference
from retrieval.corpus import history
from retrieval.corpus.absence import in_words
from retrieval.corpus.same_titles import apart_by_id
from retrieval.models import Document, Section

SENTENCES = {
    "unknown": _("There is no %(citation)s in the law here."),
    "partial": _("%(citation)s goes deeper than the law here."),
    "superseded": _("%(citation)s was not in force on %(day)s."),
    "overruled": _("%(citation)s was no longer good law on %(day)s."),
    "not_yet_in_force": _("%(citation)s was not yet law on %(day)s."),
    "shared": _("More than one document here is called so. One of them is this:"),
    "name": _("%(citation)s is %(title)s, which is not the name given."),
    "year": _("%(title)s was decided in %(year)s."),
    "overruling": _("What is said here of overruling is not what is known."),
    "altered": _("The source has other words."),
    "misplaced": _("%(citation)s does not have these words; they stand elsewhere."),
    "opinion": _("These words stand in another opinion of this decision than is said:"),
    "contradicted": _("The law cited says something else."),
    "unsupported": _("The law cited does not seem to say this."),
    "outdated": _("This is what the law cited said before it was changed."),
    "not_found": _("%(citation)s does not have these words."),
}
MARKS = "“”„\"'‘’«» "  # of a quotation: the page puts its own around it
BY_LATER_LAW = {
    "repealed": _("Repealed on %(day)s by %(citation)s."),
    "superseded": _("Superseded on %(day)s by %(citation)s."),
    "overruled": _("Overruled on %(day)s by %(citation)s."),
}
WITHDRAWN = _("It was withdrawn on %(day)s.")


@dataclass(frozen=True, slots=True)
class Run:
    """A piece of the text: what it is part of, the numbers of the notes that end with it, and by what it is linked."""

    text: str
    kinds: str = ""
    notes: tuple[int, ...] = ()
    name: str = ""


@dataclass(frozen=True, slots=True)
class Note:
    """A finding in words, and where it leads: to a provision that is nearer, or that has the words."""

    number: int
    words: str
    said: str
    url: str = ""
    name: str = ""
    differences: tuple[Difference, ...] = ()


def runs(report: Report) -> list[Run]:
    """The whole text in pieces, in order."""
    spans = [(c.cited.start, c.cited.end, f"citation {c.stand.status}") for c in report.citations]
    spans += [(q.quotation.start, q.quotation.end, f"quotation {q.status}") for q in report.quotations]
    noted = (found.end for found in report.findings)
    names = {q.quotation.start: f"unchecked-{n}" for n, q in enumerate(unchecked(report), 1)}
    ends = sorted({0, len(report.text), *noted, *(place for a, b, _kinds in spans for place in (a, b))})
    return [
        Run(
            report.text[start:end],
            " ".join(kinds for a, b, kinds in spans if a <= start and end <= b),
            tuple(number for number, found in enumerate(report.findings, 1) if found.end == end),
            names.get(start, ""),
        )
        for start, end in zip(ends, ends[1:], strict=False)
    ]


def unchecked(report: Report) -> list[QuotationCheck]:
    """What a reader has to compare, which is no finding."""
    return [check for check in report.quotations if check.is_left]


def notes(report: Report) -> list[Note]:
    return [note(report, number, found) for number, found in enumerate(report.findings, 1)]


def note(report: Report, number: int, found: Finding) -> Note:
    said = report.text[found.start : found.end]
    if found.kind == "shared":
        return of_title(report, report.citations[found.number], number, said)
    if found.of == "citation":
        return of_citation(report.citations[found.number], found.kind, number, said, report.day)
    if found.of == "proposition":
        number_cited = report.propositions[found.number].citations[0]
        place = report.citations[number_cited].stand.place
        return Note(number, str(SENTENCES[found.kind]), said, f"/law{place.locator}", str(place))
    check = report.quotations[found.number]
    return of_quotation(check, report.citations[check.citation], found.kind, number, said.strip(MARKS))


def of_title(report: Report, check: CitationCheck, number: int, said: str) -> Note:
    """That another document is called so: each has a note of its own, by which it is told from the others."""
    places = [one.stand.place for one in report.citations if one.cited.shared and one.stand.place]
    apart = apart_by_id(map(document_of, places))
    place = check.stand.place
    name = ", ".join(filter(None, (str(place), apart.get(document_of(place).pk))))
    return Note(number, str(SENTENCES["shared"]), said, f"/law{place.locator}", name)


def document_of(place: Section | Document) -> Document:
    return place if isinstance(place, Document) else place.document


def of_citation(check: CitationCheck, kind: str, number: int, said: str, day: date) -> Note:
    section = check.stand.section
    decided = section.valid_from.year if section and section.valid_from else ""
    known = {
        "citation": check.cited.normalized,
        "day": date_format(day),
        "title": section.heading if section else "",
        "year": decided,
    }
    words = [str(SENTENCES[kind]) % known, *why_ended(check, kind, day)]
    missing = kind in ("unknown", "partial", "name")
    nearest = check.meant or (check.stand.place if missing and kind != "name" else None)
    if nearest is None:
        return Note(number, " ".join(words), said)
    words.append(gettext("Perhaps this is meant:"))
    return Note(number, " ".join(words), said, f"/law{nearest.locator}", str(nearest))


def why_ended(check: CitationCheck, kind: str, day: date) -> Iterator[str]:
    if kind == "superseded" and check.stand.withdrawn_on:
        yield str(WITHDRAWN) % {"day": date_format(check.stand.withdrawn_on)}
    if kind in ("superseded", "overruled", "overruling"):
        for change in history.standing(check.cited.locator, day).made:
            if change.effect in BY_LATER_LAW:
                known = {"day": date_format(change.day), "citation": change.citation}
                yield str(BY_LATER_LAW[change.effect]) % known


def of_quotation(check: QuotationCheck, cited: CitationCheck, kind: str, number: int, said: str) -> Note:
    words = str(SENTENCES[kind]) % {"citation": cited.cited.normalized}
    where = check.elsewhere or (check.source if kind in ("altered", "opinion") else None)
    differences = tuple(check.differences) if kind == "altered" else ()
    if where is None:
        return Note(number, words, said)
    return Note(number, words, said, f"/law{where.locator}", where.citation, differences)


def undated(report: Report) -> list[str]:
    """What could not be looked up as the law that is here begins later, each citation once."""
    unknown = {check.cited.normalized: check.stand.absence for check in report.citations if check.stand.known_from}
    return [in_words(absence.to_dict() | {"citation": citation}) for citation, absence in unknown.items()]


def copy_of(report: Report, site: str = "") -> str:
    """A page of HTML that stands alone, in the language of the moment. Its links lead to `site` ("https://law.example"),
    by whose name its reader knows this server.
    """
    return render_to_string("retrieval/checked_copy.html", context_of(report) | {"site": site})


def context_of(report: Report) -> dict:
    left = [
        report.text[check.quotation.start : check.quotation.end].strip(MARKS) for check in unchecked(report)
    ]
    beside = {"notes": notes(report), "unchecked": left, "undated": undated(report)}
    return {"report": report, "runs": runs(report), **beside}
