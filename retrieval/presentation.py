"""A ranking made into what doors show: JSON-able results, read again from Postgres under the caller's scope."""

from collections.abc import Sequence
from dataclasses import asdict

from retrieval import serving
from retrieval.models import Chunk, Section
from retrieval.ranking import Candidate, Dropped, Query, Ranking, StageReport
from retrieval.snippets import best_snippet
from retrieval.textnorm import stems

NEAR_MISSES = 5


def present(ranking: Ranking, *, k: int, page: int) -> dict:
    """One page of results and, for an abstaining answer, its near misses."""
    shown = ranking.candidates[(page - 1) * k : page * k]
    sections = readable_sections(ranking.query, [*shown, *ranking.near_misses])
    results = result_list(ranking.query, shown, sections, first_rank=(page - 1) * k + 1)
    more = len(ranking.candidates) > page * k
    return {
        "results": results,
        "abstained": ranking.abstained,
        "confident": bool(ranking.candidates) and (ranking.confident or ranking.settled),
        "near_misses": result_list(ranking.query, ranking.near_misses[:NEAR_MISSES], sections, first_rank=1),
        "degraded": list(ranking.degraded),
        "total": len(ranking.candidates),
        "page": page,
        "next": page + 1 if more else None,
        "previous": page - 1 if page > 1 else None,
    }


def readable_sections(query: Query, candidates: Sequence[Candidate]) -> dict[int, Section]:
    ids = [candidate.section_id for candidate in candidates]
    readable = Section.objects.readable(query.caller, query.as_of).filter(domain__in=query.domain_ids)
    return readable.select_related("domain", "document").in_bulk(ids)


def result_list(
    query: Query, candidates: Sequence[Candidate], sections: dict[int, Section], *, first_rank: int
) -> list[dict]:
    kept = [candidate for candidate in candidates if candidate.section_id in sections]
    chunks = Chunk.objects.in_bulk([c.chunk_id for c in kept if c.chunk_id])
    wanted = wanted_stems(query.text)
    texts = full_texts(query, [sections[c.section_id] for c in kept])
    return [
        result(candidate, sections[candidate.section_id], rank, chunks, texts, wanted)
        for rank, candidate in enumerate(kept, start=first_rank)
    ]


def result(
    candidate: Candidate,
    section: Section,
    rank: int,
    chunks: dict[int, Chunk],
    texts: dict[int, str],
    wanted: frozenset[str],
) -> dict:
    """One result of the public contract (DESIGN, Public surface)."""
    text = texts[section.pk]
    chunk = chunks.get(candidate.chunk_id)
    offset = chunk.start if chunk else 0
    snippet = best_snippet(chunk.text if chunk else text, wanted, language=section.document.language)
    return {
        "rank": rank,
        "locator": section.locator,
        "pin": candidate.pin,
        "citation": section.citation,
        "title": section.heading or section.citation,
        "title_es": section.heading_es,
        "plain_name": section.plain_name,
        "plain_name_es": section.plain_name_es,
        "breadcrumb": section.breadcrumb,
        "domain": section.domain.slug,
        "language": section.document.language,
        "snippet": snippet.text,
        "marks": [list(mark) for mark in snippet.marks],
        "passage": [offset + snippet.start, offset + snippet.end],
        "text": text,
        "score": round(candidate.score, 6),
        "probability": None if candidate.probability is None else round(candidate.probability, 4),
        "reasons": [{"code": reason.code, **reason.values} for reason in candidate.reasons],
        "url": f"/law/{section.path}",
        "source_url": section.source_url or section.document.source_url,
        "valid_from": section.valid_from.isoformat() if section.valid_from else None,
        "status": section.status,
        "notes": section.notes,
    }


def wanted_stems(text: str) -> frozenset[str]:
    """What to mark: the stems of the question's words that are not mere grammar."""
    return frozenset(serving.lexical_index().terms(text, "en")) | frozenset(
        stem for stem in stems(text, "en") if len(stem) > 3
    )


def full_texts(query: Query, sections: Sequence[Section]) -> dict[int, str]:
    """Each section's text; one with sections below it has theirs in order after its own."""
    texts = {section.pk: section.text for section in sections}
    for section in sections:
        if not section.is_leaf:
            texts[section.pk] = subtree_text(query, section)
    return texts


def subtree_text(query: Query, section: Section) -> str:
    readable = Section.objects.readable(query.caller, query.as_of).filter(document=section.document_id)
    return "\n\n".join(
        text for text in readable.below(section.locator).in_order().values_list("text", flat=True) if text
    )


# -- The trace


def trace_of(ranking: Ranking) -> dict:
    """The full account: stages, and every candidate kept and dropped with its scores and reasons."""
    query = ranking.query
    return {
        "query": query_account(query),
        "stages": [stage_account(report) | details_of(report) for report in ranking.reports],
        "candidates": [candidate_account(c) for c in ranking.candidates],
        "dropped": [dropped_account(gone) for gone in ranking.dropped],
    }


def query_account(query: Query) -> dict:
    return {
        "text": query.original,
        "normalized": query.normalized,
        "language": query.language,
        "translated": query.translated,
        "citations": [asdict(citation) for citation in query.citations],
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


def details_of(report: StageReport) -> dict:
    """What a stage counted, e.g. calls of a language model and their cost; for the trace alone."""
    return {"details": dict(report.details)} if report.details else {}


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
