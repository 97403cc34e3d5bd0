"""The search service: pages, API, admin and commands call `search`, which runs a pipeline by name and logs it."""

import time
import uuid
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import date

import orjson
from django.conf import settings
from django.utils import timezone

from retrieval import pipeline
from retrieval.access import row_security
from retrieval.access.caller import ANONYMOUS, Caller
from retrieval.corpus import statements, subtrees
from retrieval.corpus.absence import absence_at, may_be_told
from retrieval.engines import loaded
from retrieval.errors import NotFound, gettext_noop
from retrieval.models import Domain, Section
from retrieval.ranking import DomainScope, Page, Query, Ranking
from retrieval.request import SearchRequest, check
from retrieval.search import cache
from retrieval.search.afterwards import after_answer
from retrieval.search.log import record
from retrieval.search.response import stage_account, trace_of
from retrieval.stages import llm_verifier
from retrieval.text.capitals import in_capitals
from retrieval.text.normalization import normalize
from retrieval.text.personal_data import scrub


def search(
    request: SearchRequest, caller: Caller = ANONYMOUS, *, channel: str = "command", fresh: bool = False
) -> dict:
    """Answers as the public contract says; `fresh` passes the cache by.

    1. Check the question and what of the domains this caller may see.
    2. Give a finished answer made under the same versions and scope, if there is one.
    3. Else run the pipeline and present its first page.
    4. Log a summary, and the full trace of a search that ran.
    """
    with row_security.as_caller(caller):
        return answered(request, caller, channel=channel, fresh=fresh)


def answered(request: SearchRequest, caller: Caller, *, channel: str, fresh: bool) -> dict:
    started = time.perf_counter()
    check(request)
    visible, versions = in_sight(caller)
    versions["lexical"] = loaded.lexical_index().position
    scopes = asked_of(visible, request.domains)
    check_places(request.within, scopes)
    in_force = statements.versions_for(scopes, versions)
    private = any(scope.private for scope in scopes)
    key = cache_key(request, caller, scopes, in_force, beyond=beyond(request, scopes, visible.values()))
    trace_id = uuid.uuid4()
    ran: list[Ranking] = []

    def make() -> dict:
        page = Page(request.page, request.k, request.whole, request.facets, request.notes)
        ranking = run(request, caller, scopes, in_force, trace_id=trace_id, page=page)
        ran.append(ranking)
        return answer_of(ranking, request, trace_id)

    made, was_cached = (
        (make(), False) if fresh else answers_for(request, scopes, in_force).get_or_make(key, make)
    )
    took_ms = round((time.perf_counter() - started) * 1000, 2)
    asked = made["query"] | {"text": request.text}  # the cached answer's was another's spelling
    answer = made | {"query": asked, "cached": was_cached, "trace_id": str(trace_id), "took_ms": took_ms}

    def log() -> None:
        ranking = ran[0] if ran else None
        record(
            answer,
            trace=ranking and trace_of(ranking),
            shadow=ranking and ranking.shadow,
            cached_from=made["trace_id"] if was_cached else None,
            request=request,
            caller=caller,
            channel=channel,
            strategy=ranking.query.strategy if ranking else "",
            versions=in_force,
            private=private,
        )

    if private:  # names are read under the caller's scope, which ends here
        log()
    else:
        after_answer(log)
    return answer


def check_places(places: Sequence[str], scopes: Sequence[DomainScope]) -> None:
    """Raises NotFound for a place in private law that is not searched: beside public law its name would be logged, and
    what was not found there shared.
    """
    if not places:
        return
    searched = [scope.prefix for scope in scopes]
    private = Domain.objects.filter(visibility=Domain.Visibility.PRIVATE).exclude(locator_prefix__in=searched)
    prefixes = tuple(f"{prefix}/" for prefix in private.values_list("locator_prefix", flat=True))
    if any(f"{place}/".startswith(prefixes) for place in places):
        raise NotFound(gettext_noop("There is no such provision."))


def in_scope(caller: Caller, slugs: Sequence[str] = ()) -> tuple[tuple[DomainScope, ...], dict[str, int]]:
    """The domains asked for, or all that the caller may see, and every version in force for them."""
    visible, versions = in_sight(caller)
    asked = asked_of(visible, slugs)
    return asked, statements.versions_for(asked, versions)


def reading(caller: Caller, day: date | None = None) -> Query:
    """A query that asks nothing, of all that the caller may read on the day."""
    scopes, _ = in_scope(caller)
    return Query("", "", "", "en", scopes, caller=caller, as_of=day)


def in_sight(caller: Caller) -> tuple[dict[str, DomainScope], dict[str, int]]:
    """All domains that the caller may see, by slug, and the versions of what curators made."""
    domains, versions = {}, "{}"
    found = statements.rows(*statements.visible_domains(caller))
    for pk, slug, version, visibility, languages, prefix, always, is_law, style, *names, numbers in found:
        private = visibility == Domain.Visibility.PRIVATE
        known = (tuple(languages), prefix.strip("/").partition("/")[0], prefix, always)
        told = {"names": tuple(filter(None, names)), "holds_law": is_law, "takes_uploads": style == "plain"}
        domains[slug] = DomainScope(pk, slug, version, private, *known, **told)
        versions = numbers
    return domains, orjson.loads(versions)


def asked_of(domains: Mapping[str, DomainScope], slugs: Sequence[str]) -> tuple[DomainScope, ...]:
    """Those asked for, or all. A domain that the caller may not see is answered as one that does not exist."""
    if unknown := [slug for slug in slugs if slug not in domains]:
        raise NotFound(gettext_noop("There is no domain named “%(name)s”."), name=unknown[0])
    return tuple(domain for slug, domain in domains.items() if not slugs or slug in slugs)


def answers_for(
    request: SearchRequest, scopes: Sequence[DomainScope], in_force: dict[str, int]
) -> cache.AnswerCache:
    """What is private, or a question that holds somebody's numbers or address, is remembered by this process alone."""
    if any(scope.private for scope in scopes) or scrub(request.text) != request.text:
        return cache.private_answers.under(in_force.get("grants", 0))
    return cache.answers


def beyond(
    request: SearchRequest, scopes: Sequence[DomainScope], visible: Iterable[DomainScope]
) -> Sequence[DomainScope]:
    """What may be searched besides, where the public law that was asked holds no answer: that it was not, or held none
    either, rests on these as much.
    """
    if request.within or any(scope.private for scope in scopes):
        return ()
    return [scope for scope in visible if not scope.private and scope not in scopes]


def cache_key(
    request: SearchRequest,
    caller: Caller,
    scopes: Sequence[DomainScope],
    in_force: dict[str, int],
    *,
    beyond: Sequence[DomainScope] = (),
) -> str:
    line = pipeline.get(request.pipeline)
    return cache.key_of(
        query=normalize(request.text),
        written=request.text if '"' in request.text else "",
        capitals=in_capitals(request.text),
        domains=sorted(map(repr, scopes)),
        beyond=sorted(map(repr, beyond)),
        scope=caller.scope_key if any(scope.private for scope in scopes) else "public",
        k=request.k,
        page=request.page,
        whole=request.whole,
        facets=request.facets,
        notes=loaded.notes_index().position if request.notes else None,
        within=sorted(request.within),
        language=request.spoken,
        as_of=request.as_of,
        pipeline=repr(line),
        code=cache.code_version(),
        cross_encoder=settings.ARF_CROSS_ENCODER,
        llm=llm_verifier.asked_model(line, caller),
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
    page: Page | None = None,
) -> Ranking:
    """The whole ranking of one question, with its trace; and the page, if one is asked for."""
    query = query_of(request, caller, scopes, in_force)
    return pipeline.get(request.pipeline)(Ranking(replace(query, trace_id=trace_id, page=page)))


def query_of(
    request: SearchRequest, caller: Caller, scopes: tuple[DomainScope, ...], in_force: dict[str, int]
) -> Query:
    """The question as it was asked, which the stage Normalize makes plain. Where all that the search is restricted to
    are whole domains, these are searched.
    """
    bodies = tuple(scope for scope in scopes if scope.prefix in request.within)
    places: Sequence[str] = request.within
    if {scope.prefix for scope in bodies} == set(places):
        scopes, places = bodies or scopes, ()
    return Query(
        original=request.text,
        text=request.text,
        normalized="",
        language=request.spoken,
        domains=scopes,
        caller=caller,
        as_of=request.as_of,
        versions=in_force,
        rules=request.rules,
        within=subtrees.within(places, caller, request.as_of),
        bound=bool(request.within),
    )


def absent_in(query: Query) -> dict | None:
    """What the citation that is unresolved leads to on other days, in what was searched."""
    cited = next((one for one in query.citations if one.normalized == query.unresolved), None)
    if cited is None or not may_be_told(cited.locator, query):
        return None
    known = Section.objects.live().visible_to(query.caller).filter(domain__in=query.domain_ids)
    absence = absence_at(cited.locator, known, query.as_of or timezone.localdate())
    return absence.to_dict() if absence else None


def answer_of(ranking: Ranking, request: SearchRequest, trace_id: uuid.UUID) -> dict:
    query = ranking.query
    account = {
        "text": request.text,
        "normalized": query.normalized,
        "language": query.language,
        "translated": query.translated,
    }
    return {
        "query": account,
        "unresolved": query.unresolved or None,
        "absent": absent_in(query),
        "respelled": query.respelled,
        "widened": [domain.slug for domain in query.domains if request.domains and domain.slug not in request.domains],
        **ranking.shown,
        "trace_id": str(trace_id),
        "stages": [stage_account(report) for report in ranking.reports],
    }
