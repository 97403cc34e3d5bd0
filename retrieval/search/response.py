"""A ranking made into JSON-able results, read again from PostgreSQL under the caller's scope."""

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields, replace
from datetime import date

from django.utils import timezone

from retrieval.corpus import history, statements
from retrieval.corpus.moved import GONE
from retrieval.corpus.withdrawn import withdrawn_days
from retrieval.models import Section
from retrieval.parsing.cases import LEVEL, SUMMARY
from retrieval.parsing.tree import page_at
from retrieval.ranking import (
    EXACT,
    NEAR_MISSES,
    REJECTED,
    Candidate,
    Dropped,
    Page,
    Query,
    Ranking,
    StageReport,
)
from retrieval.request import paging
from retrieval.text.analyzer import terms
from retrieval.text.snippets import best_snippet, function_stems

UNLIKELY_IN_A_ROW = 3
MOST_PARTS, LONGEST = 60, 20_000  # provisions below one, and their characters, whose words are put into an answer
STANDINGS = ("in_force", "amended_since", "no_longer_in_force", "not_yet_in_force", *history.OVERTAKEN)
NO_RULES = {  # the account of rules where none had a part
    "fired": [],
    "changed": [],
    "coverage": "joint",
    "policy": "global",
    "rewritten": None,
    "notes": [],
    "redirect": None,
    "withheld": [],
    "uncovered": [],
}


@dataclass(frozen=True, slots=True)
class Provision:
    """A section as it is shown, with what its document and domain say of it, and the chunk that found it."""

    pk: int
    document_id: int
    private: bool
    is_leaf: bool
    level: str
    locator: str
    citation: str
    heading: str
    heading_es: str
    plain_name: str
    plain_name_es: str
    breadcrumb: str
    text: str
    source_url: str
    valid_from: date | None
    valid_to: date | None
    status: str
    notes: list[str]
    pages: str  # JSON, as this connection gives it
    domain: str
    language: str
    document_url: str
    chunk: str | None
    chunk_start: int | None
    length: int | None  # characters of its text; None where it has no chunk
    amended: bool  # a later text took its place
    is_summary: bool  # of a decision, not the court's words
    withdrawn_on: date | None = None  # its document


AS_THEY_ARE = ("locator", "citation", "plain_name", "plain_name_es", "breadcrumb")
OF_SECTION = [field.name for field in fields(Provision)][1:19]
# Long ones are read only where they are shown, or nothing else is there to cut a snippet from.
ON_DEMAND = {
    "text": "CASE WHEN {whole} OR chunk.id IS NULL THEN readable.text ELSE '' END",
    "notes": "CASE WHEN {whole} THEN readable.notes ELSE '{{}}' END",
}
PROVISIONS = f"""
SELECT readable.id, {", ".join(ON_DEMAND.get(name, f"readable.{name}") for name in OF_SECTION)}, domain.slug,
    document.language, document.source_url, chunk.text, chunk.start,
    (SELECT last."end" FROM retrieval_chunk last WHERE last.section_id = readable.id
     ORDER BY last.position DESC LIMIT 1),
    readable.valid_to IS NOT NULL AND EXISTS (
        SELECT FROM retrieval_section later WHERE later.document_id = readable.document_id
        AND later.locator = readable.locator AND later.live AND later.valid_from >= readable.valid_to),
    CASE WHEN readable.level = '{LEVEL}' THEN readable.text ~ '{SUMMARY}' ELSE false END
FROM ({{readable}}) AS readable
JOIN retrieval_document document ON document.id = readable.document_id
JOIN retrieval_domain domain ON domain.id = readable.domain_id
LEFT JOIN retrieval_chunk chunk ON chunk.section_id = readable.id AND chunk.id = ANY(%s)
WHERE readable.id = ANY(%s) AND readable.domain_id = ANY(%s)
"""


def present(ranking: Ranking, asked: Page) -> dict:
    """One page of results and, for an abstaining answer, its near misses."""
    k, page = asked.k, asked.number
    shown = ranking.candidates[(page - 1) * k : page * k]
    provisions = readable_provisions(ranking.query, [*shown, *ranking.near_misses], whole=asked.whole)
    return {
        "results": result_list(ranking.query, shown, provisions, first_rank=(page - 1) * k + 1, whole=asked.whole),
        "abstained": ranking.abstained,
        "confident": is_confident(ranking),
        "likely": likely(ranking),
        "doubtful": ranking.doubtful,
        "near_misses": result_list(
            ranking.query, ranking.near_misses[:NEAR_MISSES], provisions, first_rank=1, whole=asked.whole
        ),
        "suggestions": list(ranking.suggestions),
        "missing_words": list(ranking.missing_words),
        "degraded": list(ranking.degraded),
        "notice": asdict(ranking.notice) if ranking.notice else None,
        "corrected": list(ranking.corrected),
        "rules": {**NO_RULES, **ranking.curated},
        **({"facets": facets(ranking.query, ranking.candidates)} if asked.facets else {}),
        **({"in_notes": list(ranking.in_notes)} if asked.notes else {}),
    } | paging(len(ranking.candidates), k=k, page=page)


def is_confident(ranking: Ranking) -> bool:
    return bool(ranking.candidates) and (ranking.confident or ranking.final) and not ranking.missing_words


def likely(ranking: Ranking) -> int:
    """Where relevance ends: how many come before the first three unlikely ones that follow on one another."""
    end = 0
    for place, candidate in enumerate(ranking.candidates, start=1):
        if ranking.final or is_likely(ranking.query, candidate):
            end = place
        elif place - end == UNLIKELY_IN_A_ROW:
            break
    return end


def is_likely(query: Query, candidate: Candidate) -> bool:
    """What the reranker does not reject; by the gates in a domain without thresholds, from which it has not learned.
    What neither judged, a rule put there or the question cites is.
    """
    exact = candidate.pin is not None or any(reason.code in EXACT for reason in candidate.reasons)
    if exact or candidate.probability is None:
        return True
    learned = candidate.zone and query.thresholds_for(candidate).version
    return candidate.zone != REJECTED if learned else candidate.gate in ("A", "B")


def readable_provisions(
    query: Query, candidates: Sequence[Candidate], *, whole: bool
) -> dict[int, Provision]:
    """By section id, those that the caller may read; `whole` ones with all their text and notes."""
    if not candidates:
        return {}
    readable, scope = statements.readable(query.caller, query.as_of, "id", "domain_id", *OF_SECTION)
    chunks = [candidate.chunk_id for candidate in candidates if candidate.chunk_id]
    sections = [candidate.section_id for candidate in candidates]
    found = statements.rows(
        PROVISIONS.format(readable=readable, whole=whole), [*scope, chunks, sections, query.domain_ids]
    )
    provisions = [Provision(*row) for row in found]
    gone = withdrawn_days({one.document_id for one in provisions if one.valid_to})
    return {one.pk: replace(one, withdrawn_on=gone.get(one.document_id)) for one in provisions}


def result_list(
    query: Query,
    candidates: Sequence[Candidate],
    provisions: Mapping[int, Provision],
    *,
    first_rank: int,
    whole: bool,
) -> list[dict]:
    kept = [candidate for candidate in candidates if candidate.section_id in provisions]
    if not kept:
        return []
    wanted = wanted_stems(query.text)
    return [
        result(query, candidate, provisions[candidate.section_id], rank, wanted, whole=whole)
        for rank, candidate in enumerate(kept, start=first_rank)
    ]


def result(
    query: Query, candidate: Candidate, provision: Provision, rank: int, wanted: frozenset[str], *, whole: bool
) -> dict:
    """One result, as docs/api.md has it."""
    text = opening = ""
    if whole or provision.chunk is None:
        text, opening = texts_of(query, provision)
    read, offset = (opening, 0) if provision.chunk is None else (provision.chunk, provision.chunk_start)
    snippet = best_snippet(read, wanted, language=provision.language)
    pages = json.loads(provision.pages)
    account = shown(provision, query.as_of, provision.document_url, amended=provision.amended) | {
        "rank": rank,
        "pin": candidate.pin,
        "domain": provision.domain,
        "language": provision.language,
        "snippet": snippet.text,
        "marks": [list(mark) for mark in snippet.marks],
        "withdrawn_on": iso(provision.withdrawn_on),
        "passage": [offset + snippet.start, offset + snippet.end],
        "goes_on": offset + snippet.end < (provision.length or len(opening)),
        "page_start": page_at(pages, offset + snippet.start),
        "page_end": page_at(pages, offset + max(snippet.end - 1, snippet.start)),
        "text": text,
        "score": round(candidate.score, 6),
        "probability": None if candidate.probability is None else round(candidate.probability, 4),
        "reasons": [{"code": reason.code, **reason.values} for reason in candidate.reasons],
    }
    return account if whole else {name: value for name, value in account.items() if name not in ON_DEMAND}


def shown(place: Provision | Section, day: date | None, document_url: str, *, amended: bool) -> dict:
    """What results and provisions tell alike of a place, as it stood on that day; `amended`: has a later text."""
    stands = history.standing(place.locator, day)
    begins, ends, status = place.valid_from, stands.end(place.valid_to), stands.status(place.status)
    return {
        **{name: getattr(place, name) for name in AS_THEY_ARE},
        "title": stands.heading(place.heading) or place.citation,
        "title_es": stands.heading(place.heading_es),
        "url": f"/law{place.locator}",
        "source_url": place.source_url or document_url,
        "valid_from": iso(begins),
        "valid_to": iso(ends),
        "summary_of_decision": place.is_summary,
        "status": status,
        "standing": standing_today(begins, ends, status, amended=amended),
        "history": [change.to_dict() for change in stands.made],
        "notes": stands.notes(place.notes),
    }


def standing_today(begins: date | None, ends: date | None, status: str, *, amended: bool) -> str:
    """How a text stands today, whatever day was asked for."""
    return standing_on(timezone.localdate(), begins, ends, status, amended=amended)


def standing_on(day: date, begins: date | None, ends: date | None, status: str, *, amended: bool) -> str:
    """One of STANDINGS."""
    if begins and begins > day:
        return "not_yet_in_force"
    if ends and ends <= day:
        return "amended_since" if amended else "no_longer_in_force"
    if status in history.OVERTAKEN:
        return status
    return "no_longer_in_force" if status in GONE else "in_force"


def iso(day: date | None) -> str | None:
    return day.isoformat() if day else None


def wanted_stems(text: str) -> frozenset[str]:
    """What to mark: the stems of the question's words that say what it is about."""
    return frozenset(terms(text, "en")) - function_stems("en")


def texts_of(query: Query, section: Provision) -> tuple[str, str]:
    """What the provision says, and what a snippet of it is cut from. One with others below it has their words after its
    own where they are few; of a title, which has a million, only the first are read.
    """
    if section.is_leaf:
        return section.text, section.text
    readable = Section.objects.readable(query.caller, query.as_of).filter(document=section.document_id)
    below = readable.below(section.locator).exclude(text="").in_order()
    parts = list(below.values_list("text", flat=True)[: MOST_PARTS + 1])
    whole = "\n\n".join(parts)
    if len(parts) <= MOST_PARTS and len(whole) <= LONGEST:
        return whole, whole
    return section.text, section.text or parts[0]


# -- What the best candidates are of

FACETED = 100  # candidates that are counted
MOST_VALUES = 20  # of one facet, the most frequent
RULES = "/us/cfr/"  # each of its chapters is an agency's, and headed by its name
FACETS = """
SELECT domain.slug, domain.name, domain.name_es, document.locator, document.title,
    CASE document.locator WHEN domain.locator_prefix THEN domain.name_es ELSE '' END, above.locator,
    coalesce(nullif(above.heading, ''), above.citation), coalesce(above.heading_es, ''), readable.status,
    CASE domain.citation_style WHEN 'case'
        THEN coalesce(document.year, extract(year FROM readable.valid_from)::int) END,
    domain.citation_style = 'case', document.court, chapter.locator, chapter.heading
FROM ({readable}) AS readable
JOIN retrieval_document document ON document.id = readable.document_id
JOIN retrieval_domain domain ON domain.id = readable.domain_id
LEFT JOIN retrieval_section above ON above.id = readable.parent_id
LEFT JOIN LATERAL (
    WITH RECURSIVE up AS (
        SELECT above.level, above.locator, above.heading, above.parent_id WHERE starts_with(above.locator, '{rules}')
        UNION ALL
        SELECT next.level, next.locator, next.heading, next.parent_id
        FROM up JOIN retrieval_section next ON next.id = up.parent_id WHERE up.level <> 'chapter'
    ) SELECT locator, heading FROM up WHERE level = 'chapter'
) chapter ON true
WHERE readable.id = ANY(%s)
"""
OF_FACETS = ("id", "domain_id", "document_id", "parent_id", "status", "valid_from")


def facets(query: Query, candidates: Sequence[Candidate]) -> dict:
    """How many of the first candidates are of each domain, document, part, status or, of rules, agency, of decisions,
    court and year; by one statement. A domain is the `value` of domain=, as is a court whose decisions are a body of
    law of their own; a document, a part or the chapter of an agency is that of within=. A single decision is neither.
    """
    readable, scope = statements.readable(query.caller, query.as_of, *OF_FACETS)
    first = [candidate.section_id for candidate in candidates[:FACETED]]
    facets = FACETS.format(readable=readable, rules=RULES)
    found = statements.rows(facets, [*scope, first]) if first else []
    values = {
        "domain": [row[:3] for row in found],
        "document": [row[3:6] for row in found if not row[11]],
        "part": [row[6:9] for row in found if row[6] and not row[11]],
        "agency": [(row[13], agency_of(*row[13:]), "") for row in found if row[13]],
        "status": [(row[9], row[9], "") for row in found if row[9]],
        "court": [(row[12], row[12], "") if row[12] else row[:3] for row in found if row[11]],
        "year": [(str(row[10]), str(row[10]), "") for row in found if row[10]],
    }
    return {"among": len(found)} | {name: counted(named) for name, named in values.items()}


def agency_of(chapter: str, heading: str) -> str:
    """ "DEPARTMENT OF HOMELAND SECURITY (8 CFR)": an agency may have chapters in several titles."""
    title = chapter.removeprefix(RULES).partition("/")[0].removeprefix("t")
    return f"{heading} ({title} CFR)"


def counted(values: Sequence[tuple[str, str, str]]) -> list[dict]:
    """Values with their names in English and Spanish, the most frequent first, equal ones by value."""
    counts = sorted(Counter(values).items(), key=lambda item: (-item[1], item[0]))
    return [
        {"value": value, "name": name, "name_es": name_es, "count": n}
        for (value, name, name_es), n in counts[:MOST_VALUES]
    ]


# -- The trace


def trace_of(ranking: Ranking) -> dict:
    """The full account: stages, and every candidate kept and dropped with its scores and reasons."""
    query = ranking.query
    return {
        "query": query_account(query),
        "stages": [
            stage_account(r) | ({"details": dict(r.details)} if r.details else {}) for r in ranking.reports
        ],
        "candidates": [candidate_account(c) for c in ranking.candidates],
        "dropped": [dropped_account(gone) for gone in ranking.dropped],
    }


def query_account(query: Query) -> dict:
    return {
        "text": query.original,
        "normalized": query.normalized,
        "language": query.language,
        "respelled": query.respelled,
        "translated": query.translated,
        "citations": [asdict(citation) for citation in query.citations],
        "within": [part.value for part in query.within.parts] if query.within else [],
    }


def stage_account(report: StageReport) -> dict:
    return {
        "name": report.name,
        "status": report.status,
        "ms": report.ms,
        "in": report.before,
        "out": report.after,
        "note": report.note,
    }


def candidate_account(candidate: Candidate) -> dict:
    return {
        "locator": candidate.locator,
        "score": round(candidate.score, 6),
        "probability": None if candidate.probability is None else round(candidate.probability, 4),
        "scores": {name: round(float(value), 5) for name, value in candidate.scores.items()},
        "ranks": dict(candidate.ranks),
        "gate": candidate.gate,
        "zone": candidate.zone,
        "reasons": [{"code": reason.code, **reason.values} for reason in candidate.reasons],
    }


def dropped_account(gone: Dropped) -> dict:
    why = {"code": gone.reason.code, **gone.reason.values}
    return candidate_account(gone.candidate) | {"stage": gone.stage, "why": why}
