"""The words of found provisions, read again from PostgreSQL under the caller's scope, for whoever quotes them."""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, replace
from datetime import date
from functools import reduce
from operator import or_

from django.db.models import Exists, OuterRef, Q
from django.utils import timezone

from retrieval.access.caller import Caller
from retrieval.answers.editions import Edition
from retrieval.answers.selection import OF_CASES, PROVISIONS, Meaning, Passage, Scored, places_read
from retrieval.answers.units import Span, Window, key_of
from retrieval.corpus import history
from retrieval.corpus.defined import scopes_of, terms_in
from retrieval.corpus.editions import is_in_last
from retrieval.models import Anchor, Section
from retrieval.models.corpus import SectionQuerySet
from retrieval.parsing.cases import holding_begins, is_summary
from retrieval.parsing.designators import leading, lines_of
from retrieval.text.later_law import departed_from
from retrieval.text.separate_opinions import SEPARATE

WINDOW = 6_000  # characters read of a long provision, around what the search found
OPENING = 2_500  # characters read of its beginning besides, to the end of a line
POINTED = (500, 1_500)  # characters read before and behind where a sentence begins that names point to, whole lines
LEAD = 1_500  # characters read at most of what stands above a place that is read: "(a) An alien is inadmissible who—"
FAR_LESS = 0.3  # of the best one's probability
MOST_BELOW = 40  # provisions read below one that has no words of its own
WORD = re.compile(r"\w+")
ENDING = re.compile(r"[^\w\n]*(?:[.;:—\n]|$)")  # of a sentence, behind its last word
COLUMNS = (
    "id", "locator", "citation", "heading", "text", "document__language", "private", "level", "is_leaf", "valid_from",
    "valid_to", "status", "amended", "outlasted", "parent_locator", "document__locator", "document__title",
    "document__publication", "document__retrieved_at", "domain__locator_prefix", "domain__name_es", "domain__holds_law",
)  # fmt: skip
TEXT, LEAF, DOMAIN = 4, 8, len(COLUMNS)  # where they are in a row
UNFOUND = {"rank": 99, "probability": None, "passage": (0, 0)}  # of what is read though no search found it


def passages_of(
    results: Sequence[dict], caller: Caller, day: date | None, meaning: Meaning | None = None
) -> list[Passage]:
    """Of the first results, best first; of one that has others below it, theirs. Each place once. Of long law what the
    search found, how it begins, what stands above that, and where `meaning` is given what it points to.
    """
    readable = readable_on(caller, day)
    found: dict[int, Passage] = {}
    first = worth_reading(results)
    rows = readable.filter(locator__in=[one["locator"] for one in first]).values_list(
        *COLUMNS, "domain__slug"
    )
    by_place = {(row[1], row[DOMAIN]): row[:DOMAIN] for row in rows}
    for result in first:
        row = by_place.get((result["locator"], result["domain"]))
        for one in below(row, readable) if row else ():
            found.setdefault(one[0], passage(one, result, is_part=one is not row))
    return with_leads(with_pointed(list(found.values()), meaning))


def worth_reading(results: Sequence[dict]) -> list[dict]:
    """The first, and of the next those that are not far less probable than the best: a word of the question in one says
    little.
    """
    first = results[:PROVISIONS]
    least = FAR_LESS * max((one["probability"] or 0.0 for one in first), default=0.0)
    return first[:1] + [one for one in first[1:] if one["probability"] is None or one["probability"] >= least]


def passages_at(locator: str, results: Sequence[dict], caller: Caller, day: date | None) -> list[Passage]:
    """Of one provision of public law, whether or not it is among what was found; none where it is not here."""
    readable = readable_on(caller, day)
    row = readable.filter(locator=locator, private=False).values_list(*COLUMNS).first()
    result = next((one for one in results if one["locator"] == locator), UNFOUND)
    every = below(row, readable) if row else []
    return with_leads([passage(one, result, is_part=one is not row) for one in every])


def readable_on(caller: Caller, day: date | None) -> SectionQuerySet:
    """With whether a later text took a section's place, and whether others of its document outlast it."""
    same = Section.objects.live().filter(document=OuterRef("document"), locator=OuterRef("locator"))
    later = same.filter(valid_from__gte=OuterRef("valid_to"))
    others = Section.objects.live().filter(document=OuterRef("document"))
    outlasting = others.filter(Q(valid_to__isnull=True) | Q(valid_to__gt=OuterRef("valid_to")))
    return Section.objects.readable(caller, day).annotate(amended=Exists(later), outlasted=Exists(outlasting))


def below(row: tuple, readable: SectionQuerySet) -> list[tuple]:
    """The provision itself where it has no others below it, else these, in order."""
    if row[LEAF]:
        return [row]
    parts = readable.below(row[1]).exclude(text="").in_order()
    return list(parts.values_list(*COLUMNS)[:MOST_BELOW])


def passage(row: tuple, result: dict, *, is_part: bool) -> Passage:
    (
        section, locator, citation, heading, text, language, private, level, is_leaf, begins, ends, status, amended,
        outlasted, above, document, title, publication, read, whole_domain, domain_es, of_law,
    ) = row  # fmt: skip
    found = (0, 0) if is_part else tuple(result["passage"])
    start, end = window(text, *found)
    summary = is_summary(level, text)
    if summary and (holding := holding_begins(text)) < end:
        start = max(start, holding)  # what was decided answers, what happened before does not
    opening = opening_before(start, text) if not locator.startswith(OF_CASES) else []
    if summary and not history.concerning(locator) and departed_from(text[start:end]):
        status = status or history.DEPARTED  # since when is not known
    return Passage(
        section=section,
        locator=locator,
        citation=citation,
        text=text,
        rank=result["rank"],
        probability=result["probability"] or 0.0,
        language=language,
        found=found,
        heading=heading,
        private=private,
        is_leaf=is_leaf,
        valid_from=begins,
        valid_to=ends,
        status=status,
        amended=amended,
        withdrawn=ends is not None and not outlasted,
        is_summary=summary,
        is_separate=level in SEPARATE,
        domain=result.get("domain", ""),
        result=result.get("locator", locator),
        windows=merged([*opening, Window(start, end)]),
        scopes=scopes_of(document, above, locator),
        edition=Edition(
            title,
            domain_es if document == whole_domain else "",
            *((publication, timezone.localdate(read)) if is_in_last(ends) else ("", None)),
            of_law,
        ),
    )


def opening_before(start: int, text: str) -> list[Window]:
    """The lines with which enacted law begins, where these lie before what is read: its general rule is there."""
    end = text.find("\n", OPENING, start)
    return [Window(0, start if end < 0 else end)] if start else []


def with_pointed(read: Sequence[Passage], meaning: Meaning | None) -> list[Passage]:
    """And of long provisions what lies around the sentences that names near to the question point to."""
    cut = [one for one in read if is_long(one)]
    pointed = meaning.openings(places_read(cut)) if meaning and cut else {}
    return [
        replace(one, windows=merged([*one.windows, *around(one.text, pointed.get(one.rank, ()))]))
        if is_long(one)
        else one
        for one in read
    ]


def around(text: str, openings: Iterable[str]) -> Iterator[Window]:
    """Whole lines about where these sentences begin, those that are in the text."""
    for opening in openings:
        words = WORD.findall(opening)
        written = r"\b" + r"\W+".join(map(re.escape, words))
        places = re.finditer(written, text, re.IGNORECASE) if words else ()
        at = next((place.start() for place in places if begins_so(text, place, key_of(opening))), None)
        if at is not None and (lines := lines_about(text, at)):
            yield lines


def begins_so(text: str, place: re.Match[str], wanted: int) -> bool:
    """Whether a sentence with this key begins there; one shorter than its key must end there too."""
    whole = key_of(place[0]) == wanted and ENDING.match(text, place.end())
    return bool(whole) or key_of(text[place.start() : place.start() + LEAD]) == wanted


def lines_about(text: str, at: int) -> Window | None:
    """None where they are too long to be read."""
    before, behind = max(at - POINTED[0], 0), at + POINTED[1]
    least, most = max(before - LEAD, 0), behind + LEAD
    start = text.rfind("\n", least, before)
    start = start if start >= 0 or not least else text.find("\n", before, at)
    end = text.find("\n", behind, most)
    end = end if end >= 0 or most >= len(text) else text.rfind("\n", at, behind)
    if start < 0 and least or end < 0 and most < len(text):
        return None
    return Window(start + 1, len(text) if end < 0 else end)


def with_leads(read: Sequence[Passage]) -> list[Passage]:
    """With the lines that lead to what is read of long provisions: "(a) An alien is inadmissible who—"."""
    cut = [(one.section, each.start) for one in read if is_long(one) for each in one.windows if each.start]
    above: dict[int, list[Span]] = defaultdict(list)
    if cut:
        holding = reduce(or_, (Q(section=section, start__lte=start, end__gt=start) for section, start in cut))
        found = Anchor.objects.filter(holding).order_by("start", "-end")
        for section, *place in found.values_list("section_id", "start", "end"):
            above[section].append(tuple(place))
    return [
        replace(one, windows=tuple(led(one.text, each, above[one.section]) for each in one.windows))
        for one in read
    ]


def led(text: str, window: Window, above: Sequence[Span]) -> Window:
    """With the lines of the numbered places that it stands in, and what stands before the first of all."""
    inside = [start for start, end in above if start <= window.start < end]
    starts = [start for start in inside if start < window.start]
    if inside and not leading(text, 0, LEAD):
        starts = [0, *starts]
    leads = merged_spans(lead(text, start, window.start) for start in starts)
    return window._replace(leads=tuple((start, end) for start, end in leads if start < end))


def lead(text: str, start: int, before: int) -> Span:
    """The line of a numbered place, and those behind it up to the next number; nothing where these are too long."""
    past = start
    for first, last in lines_of(text[start : min(start + LEAD, before)]):
        if first and leading(text, start + first, start + last):
            return start, past
        past = start + last
    return start, past if before <= start + LEAD else start


def is_long(one: Passage) -> bool:
    """Whether only a part of its text is read."""
    return len(one.text) > WINDOW


def merged(windows: Iterable[Window]) -> tuple[Window, ...]:
    """In order; those that touch or overlap are one. None has leads yet."""
    return tuple(Window(*span) for span in merged_spans((one.start, one.end) for one in windows))


def merged_spans(spans: Iterable[Span]) -> tuple[Span, ...]:
    found: list[Span] = []
    for start, end in sorted(spans):
        if found and start <= found[-1][1] + 1:
            found[-1] = found[-1][0], max(end, found[-1][1])
        else:
            found.append((start, end))
    return tuple(found)


def window(text: str, start: int, end: int) -> tuple[int, int]:
    """What is read of a text around a place: all of a short one, else whole lines."""
    if len(text) <= WINDOW:
        return 0, len(text)
    middle = (start + end) // 2
    first = max(0, min(middle - WINDOW // 2, len(text) - WINDOW))
    first = text.rfind("\n", 0, first) + 1 if first else 0
    last = text.find("\n", max(first + WINDOW, end))
    return first, len(text) if last < 0 or last - first > 2 * WINDOW else last


def pins(places: Sequence[tuple[int, int]]) -> dict[tuple[int, int], str]:
    """The locator of the deepest numbered place at each (section, offset); sections must be readable by the caller."""
    if not places:
        return {}
    at = reduce(or_, (Q(section=section, start__lte=offset, end__gt=offset) for section, offset in places))
    rows = Anchor.objects.filter(at).order_by("start", "-end")
    anchors = list(rows.values_list("section_id", "start", "end", "locator"))
    return {
        (section, offset): locator
        for section, offset in places
        for of, start, end, locator in anchors  # the deepest comes last
        if of == section and start <= offset < end
    }


# -- What defines the words


def definitions_in(chosen: Iterable[Scored], caller: Caller, day: date | None) -> list[dict]:
    """Of the words that are quoted, what defines them on that day."""
    quoted: dict[tuple[str, ...], str] = defaultdict(str)
    for one in chosen:
        quoted[one.passage.scopes] += "".join(one.passage.text[start:end] + "\n" for start, end in one.unit.spans)
    terms = terms_in(quoted, Section.objects.readable(caller, day)) if quoted else []
    return [asdict(term) | {"url": f"/law{term.locator}"} for term in terms]
