"""The search service: every door calls `search`, which runs a pipeline by name and keeps an account of it."""

import time
import uuid
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date

from django.utils import timezone

from retrieval import cache, language, pipeline, row_access, serving, statements, verification, versions
from retrieval.errors import ArfError, NotFound
from retrieval.models import Domain
from retrieval.presentation import present, stage_account, trace_of
from retrieval.privacy import scrub
from retrieval.ranking import ANONYMOUS, Caller, DomainScope, Query, Ranking, RulesAsked, Shadow, StageReport
from retrieval.searchlog import record
from retrieval.textnorm import normalize

MAX_QUERY = 2_000  # characters: a situation told at length; more is a document, not a question
MAX_K = 100
MAX_DEPTH = 1_000  # results that paging reaches


class BadQuery(ArfError):
    """The question cannot be asked like this; the message says what to change."""

    code = "bad_query"


@dataclass(frozen=True, slots=True)
class SearchRequest:
    """A question as a door passes it on. No domain means all that the caller may see."""

    text: str
    domains: tuple[str, ...] = ()
    k: int = 10
    page: int = 1
    language: str | None = None
    as_of: date | None = None
    pipeline: str = pipeline.USUAL
    rules: RulesAsked = RulesAsked()


def search(
    request: SearchRequest, caller: Caller = ANONYMOUS, *, door: str = "command", fresh: bool = False
) -> dict:
    """Answers as the public contract says; `fresh` passes the cache by.

    1. Check the question and what of the domains this caller may see.
    2. Give a finished answer made under the same versions and scope, if there is one.
    3. Else run the pipeline and present its first page.
    4. Log a summary, and the full trace of a search that ran.
    """
    with row_access.as_caller(caller):
        return answered(request, caller, door=door, fresh=fresh)


def answered(request: SearchRequest, caller: Caller, *, door: str, fresh: bool) -> dict:
    started = time.perf_counter()
    check(request)
    scopes = visible_domains(caller, request.domains)
    in_force = versions.current(scopes) | {"lexical": serving.lexical_index().position}
    key = cache_key(request, caller, scopes, in_force)
    trace_id = uuid.uuid4()
    ran: list[tuple[dict, Shadow | None]] = []

    def make() -> dict:
        ranking = run(request, caller, scopes, in_force, trace_id=trace_id)
        answer = answer_of(ranking, request, trace_id)
        ran.append((trace_of(ranking), ranking.shadow))
        return answer

    made, was_cached = (
        (make(), False) if fresh else answers_for(request, scopes, in_force).get_or_make(key, make)
    )
    took_ms = round((time.perf_counter() - started) * 1000, 2)
    asked = made["query"] | {"text": request.text}  # the cached answer's was another's spelling
    answer = made | {"query": asked, "cached": was_cached, "trace_id": str(trace_id), "took_ms": took_ms}
    trace, shadow = ran[0] if ran else (None, None)
    record(
        answer,
        trace=trace,
        shadow=shadow,
        cached_from=made["trace_id"] if was_cached else None,
        request=request,
        caller=caller,
        door=door,
        versions=in_force,
        private=any(scope.private for scope in scopes),
    )
    return answer


def check(request: SearchRequest) -> None:
    """Raises BadQuery; nothing that fails here reaches a stage."""
    if not normalize(request.text):
        raise BadQuery("Ask something: the query is empty.")
    if len(request.text) > MAX_QUERY:
        raise BadQuery(f"The query is longer than {MAX_QUERY} characters.")
    if not 1 <= request.k <= MAX_K:
        raise BadQuery(f"k must lie between 1 and {MAX_K}.")
    if not request.page >= 1 or request.page * request.k > MAX_DEPTH:
        raise BadQuery(f"Pages reach at most the first {MAX_DEPTH} results.")
    if request.language not in (None, "en", "es"):
        raise BadQuery("language must be en or es.")


def visible_domains(caller: Caller, slugs: Sequence[str]) -> tuple[DomainScope, ...]:
    """The domains asked for, or all. One that the caller may not see is answered as one that does not exist."""
    visible = statements.rows(*statements.visible_domains(caller))
    domains = {
        slug: DomainScope(
            pk,
            slug,
            version,
            visibility == Domain.Visibility.PRIVATE,
            tuple(languages),
            prefix.strip("/").partition("/")[0],
        )
        for pk, slug, version, visibility, languages, prefix in visible
    }
    if unknown := [slug for slug in slugs if slug not in domains]:
        raise NotFound(f"There is no domain named “{unknown[0]}”.")
    return tuple(domain for slug, domain in domains.items() if not slugs or slug in slugs)


def answers_for(
    request: SearchRequest, scopes: Sequence[DomainScope], in_force: dict[str, int]
) -> cache.AnswerCache:
    """What is private, or a question that holds somebody's numbers or address, is remembered by this process alone."""
    if any(scope.private for scope in scopes) or scrub(request.text) != request.text:
        return cache.private_answers.under(in_force.get("grants", 0))
    return cache.answers


def cache_key(
    request: SearchRequest, caller: Caller, scopes: Sequence[DomainScope], in_force: dict[str, int]
) -> str:
    line = pipeline.get(request.pipeline)
    return cache.key_of(
        query=normalize(request.text),
        written=request.text if '"' in request.text else "",
        domains=sorted(scope.slug for scope in scopes),
        scope=caller.scope_key if any(scope.private for scope in scopes) else "public",
        k=request.k,
        page=request.page,
        language=request.language,
        as_of=request.as_of,
        pipeline=repr(line),
        llm=verification.asked_model(line, caller),
        rules=repr(request.rules),
        day=timezone.localdate(),  # rules hold from one day to another
        versions=in_force,
    )


def run(
    request: SearchRequest,
    caller: Caller,
    scopes: tuple[DomainScope, ...],
    in_force: dict[str, int],
    *,
    trace_id: uuid.UUID | None = None,
) -> Ranking:
    """The whole ranking of one question, with its trace."""
    started = time.perf_counter()
    query = replace(normalized_query(request, caller, scopes, in_force), trace_id=trace_id)
    report = StageReport(
        "Normalize",
        "applied",
        round((time.perf_counter() - started) * 1000, 3),
        0,
        0,
        f"language {query.language}",
    )
    return pipeline.get(request.pipeline)(Ranking(query, reports=(report,)))


def normalized_query(
    request: SearchRequest, caller: Caller, scopes: tuple[DomainScope, ...], in_force: dict[str, int]
) -> Query:
    """The question in plain characters, with its language: the one asked for, else the one it is written in."""
    text = " ".join(request.text.split())
    return Query(
        original=text,
        text=text,
        normalized=normalize(text),
        language=request.language or language.detect(text).code,
        domains=scopes,
        caller=caller,
        as_of=request.as_of,
        versions=in_force,
        rules=request.rules,
    )


def answer_of(ranking: Ranking, request: SearchRequest, trace_id: uuid.UUID) -> dict:
    """The answer with its last stage, presentation, in the account."""
    started = time.perf_counter()
    shown = present(ranking, k=request.k, page=request.page)
    ms = round((time.perf_counter() - started) * 1000, 3)
    presented = StageReport("Present", "applied", ms, len(ranking.candidates), len(shown["results"]))
    query = ranking.query
    account = {
        "text": request.text,
        "normalized": query.normalized,
        "language": query.language,
        "translated": query.translated,
    }
    stages = [stage_account(report) for report in (*ranking.reports, presented)]
    return {
        "query": account,
        "unresolved": query.unresolved or None,
        "respelled": query.respelled,
        **shown,
        "trace_id": str(trace_id),
        "stages": stages,
    }
