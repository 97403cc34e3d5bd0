"""Keeps the account of searches: a summary of each, the full trace of those that ran, both for a time only."""

from datetime import timedelta
from typing import TYPE_CHECKING

from django.conf import settings
from django.db import transaction
from django.utils import timezone

from retrieval.errors import NotFound
from retrieval.models import Feedback, SearchLog, Section, Trace
from retrieval.privacy import query_hash, scrub
from retrieval.ranking import Caller

if TYPE_CHECKING:
    from retrieval.search import SearchRequest

MAX_COMMENT = 1_000  # characters kept: scrubbing may lengthen a comment


def record(
    answer: dict,
    *,
    trace: dict | None,
    cached_from: str | None,
    request: "SearchRequest",
    caller: Caller,
    door: str,
    versions: dict[str, int],
    private: bool,
) -> None:
    """Logs one search. The words of a question that reached private domains are never kept."""
    shown = answer["results"] or answer["near_misses"]
    log = SearchLog(
        id=answer["trace_id"],
        query_hash=query_hash(answer["query"]["normalized"]),
        query_text="" if private else scrub(request.text),
        language=answer["query"]["language"],
        domains=list(request.domains),
        pipeline=request.pipeline,
        caller=caller.scope_key,
        door=door,
        took_ms=answer["took_ms"],
        cached=answer["cached"],
        cached_from=cached_from,
        abstained=answer["abstained"],
        degraded=answer["degraded"],
        result_count=len(answer["results"]),
        top_locators=[result["locator"] for result in shown[:10]],
        probability=max((r["probability"] for r in shown if r["probability"] is not None), default=None),
        versions=versions,
    )
    if trace is None:
        log.save(force_insert=True)
        return
    with transaction.atomic():
        log.save(force_insert=True)
        Trace(log=log, detail=without_words(trace) if private else scrubbed(trace)).save(force_insert=True)


def scrubbed(trace: dict) -> dict:
    query = {
        name: scrub(value) if isinstance(value, str) else value for name, value in trace["query"].items()
    }
    stages = [stage | {"note": scrub(stage["note"])} for stage in trace["stages"]]
    return trace | {"query": query, "stages": stages}


def without_words(trace: dict) -> dict:
    """A private trace keeps what ran and which sections it weighed, never what was asked."""
    stages = [stage | {"note": ""} for stage in trace["stages"]]
    return trace | {"query": {"language": trace["query"]["language"]}, "stages": stages}


def trace_for(trace_id: str, caller: Caller) -> dict:
    """One search's account, for staff and for whoever made it; anybody else finds nothing. Raises NotFound.

    Places that this caller may no longer see are left out of it.
    """
    log = SearchLog.objects.filter(pk=trace_id).first()
    if log is None or not may_read(log, caller):
        raise NotFound("There is no such trace, or no longer.")
    return without_hidden(summary(log) | kept_detail(log), caller)


def kept_detail(log: SearchLog) -> dict:
    """The full account while it is kept; of an answer shown again, that of the search which made it."""
    kept = Trace.objects.filter(pk=log.cached_from or log.pk).first()
    return kept.detail if kept else {}


def without_hidden(account: dict, caller: Caller) -> dict:
    weighed = {part: account[part] for part in ("candidates", "dropped") if part in account}
    named = {candidate["locator"] for part in weighed.values() for candidate in part}
    sections = Section.objects.visible_to(caller).filter(locator__in=named.union(account["top_locators"]))
    seen = set(sections.values_list("locator", flat=True))
    return account | {
        "top_locators": [locator for locator in account["top_locators"] if locator in seen],
        **{part: [c for c in candidates if c["locator"] in seen] for part, candidates in weighed.items()},
    }


def may_read(log: SearchLog, caller: Caller) -> bool:
    """Anonymous searches of public law are named by an unguessable id, which only their caller was given."""
    return caller.is_staff or log.caller == caller.scope_key


def summary(log: SearchLog) -> dict:
    return {
        "trace_id": str(log.pk),
        "created_at": log.created_at.isoformat(),
        "pipeline": log.pipeline,
        "took_ms": log.took_ms,
        "cached": log.cached,
        "cached_from": str(log.cached_from) if log.cached_from else None,
        "abstained": log.abstained,
        "degraded": log.degraded,
        "top_locators": log.top_locators,
        "probability": log.probability,
        "versions": log.versions,
    }


def give_feedback(trace_id: str, caller: Caller, *, locator: str, verdict: str, comment: str) -> Feedback:
    """Keeps what a reader said of a result; saying it again changes what was said. Raises NotFound."""
    log = SearchLog.objects.filter(pk=trace_id).first()
    if log is None or not may_read(log, caller):
        raise NotFound("There is no such search, or no longer.")
    if locator and not was_shown(log, locator):
        raise NotFound("That search did not show this provision.")
    feedback, _ = Feedback.objects.update_or_create(
        log=log,
        locator=locator,
        caller=caller.scope_key,
        defaults={"verdict": verdict, "comment": scrub(comment)[:MAX_COMMENT]},
    )
    return feedback


def was_shown(log: SearchLog, locator: str) -> bool:
    """The log holds the first ten of the page; the trace, while it is kept, all that were ranked."""
    if locator in log.top_locators:
        return True
    return any(candidate["locator"] == locator for candidate in kept_detail(log).get("candidates", []))


def prune() -> dict[str, int]:
    """Empties old query texts and deletes old traces and logs, as the settings say; gives how many of each."""
    now = timezone.now()
    texts = SearchLog.objects.exclude(query_text="").filter(
        created_at__lt=now - timedelta(days=settings.ARF_QUERY_TEXT_DAYS)
    )
    traces = Trace.objects.filter(created_at__lt=now - timedelta(days=settings.ARF_TRACE_DAYS))
    logs = SearchLog.objects.filter(created_at__lt=now - timedelta(days=settings.ARF_LOG_DAYS))
    return {
        "texts": texts.update(query_text=""),
        "traces": traces.delete()[0],
        "logs": logs.delete()[0],
    }
