"""Keeps the account of searches: a summary of each, the full trace of those that ran, both for a time only."""

import time
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import suppress
from datetime import timedelta
from itertools import chain
from threading import BoundedSemaphore

from django.conf import settings
from django.db.models import Q
from django.utils import timezone

from retrieval.access import row_security
from retrieval.access.caller import Caller
from retrieval.access.matters import is_member
from retrieval.corpus.statements import PRIVATE_VERSIONS, insert
from retrieval.database import has_room
from retrieval.errors import NotFound
from retrieval.models import Click, Domain, Feedback, LLMVerdict, SearchLog, Section, ShadowRanking, Trace
from retrieval.ranking import Shadow
from retrieval.request import SearchRequest
from retrieval.search.afterwards import write_now
from retrieval.text.normalization import normalize
from retrieval.text.personal_data import query_hash, scrub

WEIGHED = ("candidates", "dropped")
SUMMARY = (
    "pipeline", "took_ms", "cached", "abstained", "degraded", "top_locators", "probability", "versions",
)  # fmt: skip
PRIVATE = "private:"  # before the number of a private section; a locator begins with a slash
PAUSES = (0.01, 0.03, 0.06, 0.1, 0.2)  # seconds between looks for a search that was answered a moment ago
WAITING = BoundedSemaphore(2)  # threads of a process that look again
READ = 1_000  # searches that are gone through at once
MAX_COMMENT = 1_000  # characters kept: scrubbing may lengthen a comment


def record(
    answer: dict,
    *,
    trace: dict | None,
    shadow: Shadow | None = None,
    cached_from: str | None,
    request: SearchRequest,
    caller: Caller,
    channel: str,
    strategy: str,
    versions: dict[str, int],
    private: bool,
) -> None:
    """Logs one search. Of one that reached private domains neither the words are kept, nor the names of what it found:
    private sections stand in log and trace by number, and get their names back for who may read them. On a full disk
    none is logged.
    """
    if not has_room():
        return
    names = kept_names(places_of(answer, trace)) if private else {}
    log = SearchLog(
        id=answer["trace_id"],
        private=private,
        caller=caller.scope_key,
        channel=channel,
        cached_from=cached_from,
        strategy=strategy,
        versions=versions,
        **columns_asked(request, answer, private=private),
        **columns_found(answer, names),
    )
    insert(log, *([] if trace is None else detail_rows(log, trace, shadow, names)))


def columns_asked(request: SearchRequest, answer: dict, *, private: bool) -> dict:
    """Of a search that reached private domains none of its words and places."""
    normalized, language = answer["query"]["normalized"], answer["query"]["language"]
    columns = {"language": language, "domains": list(request.domains), "pipeline": request.pipeline}
    if private:
        return columns | {"query_hash": None, "query_text": "", "within": []}
    words = {"query_hash": query_hash(normalized), "query_text": scrub(request.text)}
    return columns | words | {"within": list(request.within)}


def columns_found(answer: dict, names: Mapping[str, str]) -> dict:
    """`names`: what the log of a search that reached private domains calls its places; otherwise empty."""
    shown = [result["locator"] for result in shown_by(answer)]
    return {
        "result_count": len(answer["results"]),
        "top_locators": [names[locator] if names else locator for locator in shown[:10]],
        "probability": best_probability(answer),
        **{name: answer[name] for name in ("took_ms", "cached", "abstained", "degraded", "corrected")},
        "rules_fired": stored(rule["id"] for rule in answer["rules"]["fired"]),
        "rules_changed": stored(answer["rules"]["changed"]),
    }


def detail_rows(
    log: SearchLog, trace: dict, shadow: Shadow | None, names: Mapping[str, str]
) -> list[Trace | ShadowRanking]:
    """What is kept beside the log of a search that ran."""
    detail = without_words(trace, names) if log.private else scrubbed(trace)
    kept = [Trace(log_id=log.pk, detail=detail)]
    return kept if shadow is None else [*kept, shadow_row(log, shadow, private=log.private)]


def shown_by(answer: dict) -> list[dict]:
    return answer["results"] or answer["near_misses"]


def places_of(answer: dict, trace: dict | None) -> set[str]:
    """The locators that an answer and its trace name."""
    return {place["locator"] for place in chain(shown_by(answer), weighed(trace or {}))}


def stored(rules: Iterable[int]) -> list[int]:
    """Without the rules that a call brought along, which are numbered downwards from -1."""
    return [number for number in rules if number > 0]


def shadow_row(log: SearchLog, shadow: Shadow, *, private: bool) -> ShadowRanking:
    """Of private domains how far the two agree, and nothing of what was asked or found."""
    served, instead = shadow.served, shadow.instead
    told = {} if private else {"query_hash": log.query_hash, "served": [*served], "instead": [*instead]}
    return ShadowRanking(
        log_id=log.pk,
        model_id=shadow.model_id,
        overlap=len({*served} & {*instead}) / len(served),
        same_first=served[0] == instead[0],
        **told,
    )


def best_probability(answer: dict) -> float | None:
    return max((r["probability"] for r in shown_by(answer) if r["probability"] is not None), default=None)


def scrubbed(trace: dict) -> dict:
    query = {
        name: scrub(value) if isinstance(value, str) else value for name, value in trace["query"].items()
    }
    stages = [stage | {"note": scrub(stage["note"])} for stage in trace["stages"]]
    return trace | {"query": query, "stages": stages}


def without_words(trace: dict, names: Mapping[str, str]) -> dict:
    """A private trace keeps what ran and which sections it weighed, never what was asked or what they are called."""
    return {
        "query": {"language": trace["query"]["language"]},
        "stages": [stage | {"note": ""} for stage in trace["stages"]],
        **{part: [without_name(place, names) for place in trace[part]] for part in WEIGHED if part in trace},
    }


def without_name(place: dict, names: Mapping[str, str]) -> dict:
    reasons = {"reasons": [speechless(reason) for reason in place["reasons"]]}
    why = {"why": speechless(place["why"])} if "why" in place else {}
    return place | {"locator": names[place["locator"]]} | reasons | why


def speechless(reason: dict) -> dict:
    """The reason with its code and numbers; words, which may be the question's, are left out of it."""
    return {
        name: value if name == "code" or isinstance(value, int | float) else "…"
        for name, value in reason.items()
    }


def weighed(account: dict) -> Iterator[dict]:
    """Every candidate of a trace, kept or dropped."""
    return chain.from_iterable(account.get(part, ()) for part in WEIGHED)


def kept_names(locators: Collection[str]) -> dict[str, str]:
    """What a log calls these places: a public one by its locator, any other by the number of its section."""
    known = Section.objects.filter(locator__in=locators).values_list("locator", "pk", "private")
    names = {locator: f"{PRIVATE}{pk}" if private else locator for locator, pk, private in known}
    return {locator: names.get(locator, f"{PRIVATE}0") for locator in locators}


def names_back(names: Collection[str], caller: Caller) -> dict[str, str]:
    """The locators of those places that this caller may see, by what the log calls them."""
    numbers = [name.removeprefix(PRIVATE) for name in names if name.startswith(PRIVATE)]
    sections = Section.objects.visible_to(caller).filter(Q(locator__in=names) | Q(pk__in=numbers))
    return {
        f"{PRIVATE}{pk}" if private else locator: locator
        for locator, pk, private in sections.values_list("locator", "pk", "private")
    }


def trace_for(trace_id: str, caller: Caller) -> dict:
    """One search's account, for staff and for whoever made it; anybody else finds nothing. Raises NotFound.

    Places that this caller may no longer see are left out of it.
    """
    log = search_of(trace_id, caller)
    told = summary(log) if caller.is_staff else without_others(summary(log))
    with row_security.as_caller(caller):
        return without_hidden(told | kept_detail(log), caller)


def explanation_of(trace_id: str, caller: Caller) -> dict:
    """What is added to an answer that is to be explained: nothing where its search was not logged, on a full disk."""
    try:
        return {"explanation": trace_for(trace_id, caller)}
    except NotFound:
        return {}


def without_others(account: dict) -> dict:
    """Without the numbers that grow with what others hand in and share, and without another's search."""
    private = Domain.objects.filter(visibility=Domain.Visibility.PRIVATE).values_list("slug", flat=True)
    counting = {*PRIVATE_VERSIONS, *(f"corpus:{slug}" for slug in private)}
    versions = {name: number for name, number in account["versions"].items() if name not in counting}
    return account | {"cached_from": None, "versions": versions}


def kept_detail(log: SearchLog) -> dict:
    """The full account while it is kept; of an answer shown again, that of the search which made it."""
    kept = Trace.objects.filter(pk=log.cached_from or log.pk).first()
    return kept.detail if kept else {}


def without_hidden(account: dict, caller: Caller) -> dict:
    names = names_back({*account["top_locators"], *(place["locator"] for place in weighed(account))}, caller)
    visible = {"top_locators": [names[name] for name in account["top_locators"] if name in names]}
    for part in account.keys() & WEIGHED:
        places = [place for place in account[part] if place["locator"] in names]
        visible[part] = [place | {"locator": names[place["locator"]]} for place in places]
    return account | visible


def may_read(log: SearchLog, caller: Caller) -> bool:
    """Anonymous searches of public law are named by an unguessable id, which only their caller was given. What was
    searched in a matter, its members may read.
    """
    return caller.is_staff or log.caller == caller.scope_key or is_member(log.caller, caller)


def summary(log: SearchLog) -> dict:
    return {
        "trace_id": str(log.pk),
        "created_at": log.created_at.isoformat(),
        "cached_from": str(log.cached_from) if log.cached_from else None,
        **{name: getattr(log, name) for name in SUMMARY},
    }


def give_feedback(trace_id: str, caller: Caller, *, locator: str, verdict: str, comment: str) -> Feedback:
    """Keeps what a reader said of a result; saying it again changes what was said. Of a search that reached private
    domains no comment is kept, as its words are not. Raises NotFound.
    """
    log = search_of(trace_id, caller)
    with row_security.as_caller(caller):
        name = kept_name(log, locator) if locator else ""
    words = "" if log.private else scrub(comment)[:MAX_COMMENT]
    feedback, _ = Feedback.objects.update_or_create(
        log=log, locator=name, caller=caller.scope_key, defaults={"verdict": verdict, "comment": words}
    )
    return feedback


def note_click(trace_id: str, caller: Caller, *, locator: str) -> None:
    """Keeps that a reader opened a result; opening it again adds nothing. Raises NotFound."""
    log = search_of(trace_id, caller)
    with row_security.as_caller(caller):
        click = Click(log=log, locator=kept_name(log, locator))
    Click.objects.bulk_create([click], ignore_conflicts=True)


def search_of(trace_id: str, caller: Caller) -> SearchLog:
    """A search that this caller may read. Raises NotFound."""
    log = logged(trace_id)
    if log is None or not may_read(log, caller):
        raise NotFound("There is no such search, or no longer.")
    return log


def logged(trace_id: str) -> SearchLog | None:
    """The row of a search; that of an answer which another process has just sent is written a moment later. Few wait
    for that at a time: who names searches that never were holds up nobody else.
    """
    known = SearchLog.objects.filter(pk=trace_id)
    if (found := known.first()) or not WAITING.acquire(blocking=False):
        return found
    try:
        with suppress(TimeoutError):  # what is not written by then is not found
            write_now()
        for pause in PAUSES:
            if found := known.first():
                return found
            time.sleep(pause)
        return known.first()
    finally:
        WAITING.release()


def kept_name(log: SearchLog, locator: str) -> str:
    """What the log calls a place that the search showed: the log holds the first ten of the page; the trace, while it
    is kept, all that were ranked. Raises NotFound.
    """
    name = kept_names([locator])[locator]
    for called in (locator, name):
        if called in log.top_locators or any(
            c["locator"] == called for c in kept_detail(log).get("candidates", [])
        ):
            return called
    raise NotFound("That search did not show this provision.")


def forget_some(scope: str, sections: Collection[int], reached: str | None = None) -> str | None:
    """Goes through some searches of a scope and private ones after `reached`, and deletes what they tell of these
    private sections and the searches of the scope. Gives how far it went; None at the end.
    """
    write_now()
    names = {f"{PRIVATE}{pk}" for pk in sections}
    after = Q(pk__gt=reached) if reached else Q()
    batch = list(SearchLog.objects.filter(after, Q(caller=scope) | Q(private=True)).order_by("pk")[:READ])
    found = [log.pk for log in batch if log.caller == scope or names.intersection(log.top_locators)]
    SearchLog.objects.filter(pk__in=found).delete()
    for trace in Trace.objects.filter(log__in=batch).iterator(chunk_size=100):
        if any(place["locator"] in names for place in weighed(trace.detail)):
            trace.delete()
    return str(batch[-1].pk) if len(batch) == READ else None


def forget_opinions(sections: Collection[int]) -> None:
    """Deletes what readers and language models said of these private sections."""
    names = [f"{PRIVATE}{pk}" for pk in sections]
    Feedback.objects.filter(locator__in=names).delete()
    Click.objects.filter(locator__in=names).delete()
    LLMVerdict.objects.filter(section_id__in=sections).delete()


def forget_words(questions: Collection[str], principal: str) -> None:
    """Empties these questions in the log where this person asked them, and deletes what their traces tell."""
    write_now()
    asked = SearchLog.objects.filter(
        query_hash__in={query_hash(normalize(question)) for question in questions},
        caller__regex=rf"(^|,){principal}(,|$)",
    )
    Trace.objects.filter(log__in=asked).delete()
    asked.update(query_text="")


def prune() -> dict[str, int]:
    """Empties old query texts and deletes old traces and logs, as the settings say; gives how many of each."""
    now = timezone.now()
    texts = SearchLog.objects.exclude(query_text="").filter(
        created_at__lt=now - timedelta(days=settings.ARF_QUERY_TEXT_DAYS)
    )
    month = now - timedelta(days=settings.ARF_TRACE_DAYS)
    traces = Trace.objects.filter(created_at__lt=month)
    shadows = ShadowRanking.objects.filter(created_at__lt=month)
    logs = SearchLog.objects.filter(created_at__lt=now - timedelta(days=settings.ARF_LOG_DAYS))
    return {
        "texts": texts.update(query_text=""),
        "traces": traces.delete()[0],
        "shadows": shadows.delete()[0],
        "logs": logs.delete()[0],
    }
