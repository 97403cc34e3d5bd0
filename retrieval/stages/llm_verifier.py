"""The stage that asks a language model about what the reranker is unsure of, and about nothing else.

Its verdicts only permute the uncertain candidates among the places they hold. Whatever fails leaves the order as
the reranker made it.
"""

import hashlib
import re
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import cache
from typing import Any

from django.template.loader import get_template

from retrieval import pipeline
from retrieval.access.caller import Caller
from retrieval.engines.llm import service as llm
from retrieval.engines.llm.answers import TEXT, TRUTH, WHOLE, Unusable, conforms, strict
from retrieval.engines.llm.requests import Form, LLMUnavailable, Messages
from retrieval.errors import NotRun
from retrieval.models import ApiKey, LLMVerdict
from retrieval.pipeline import Pipeline, unless_final
from retrieval.ranking import UNCERTAIN, Candidate, DomainScope, Query, Ranking, Reason
from retrieval.search.response import Provision, readable_provisions
from retrieval.text.personal_data import query_hash, scrub

TEMPLATE = "retrieval/prompts/verify.txt"
MAX_PROVISION = 6_000  # characters, about 1,500 tokens: more than nine tenths of all provisions of public law
MAX_REASON = 500  # characters kept

VERDICT_SCHEMA = strict(reason=TEXT, instructs=TRUTH, score={**WHOLE, "enum": list(range(10))})

# What a provision of law never says, but one written to steer a model does.
STEERING = re.compile(
    r"\b(ignore|disregard|forget)\s+(all\s+|any\s+|the\s+|your\s+|my\s+|of\s+)*"
    r"(previous|prior|above|earlier|preceding|system)\s+(instruction|prompt|message|direction)"
    r"|\b(system|developer)\s+prompt\b|\byou\s+are\s+an?\s+(ai|llm|language\s+model|assistant)\b"
    r"|[\"']?\b(score|instructs)\b[\"']?\s*[:=]\s*[\"']?(\d|true|false)",
    re.IGNORECASE,
)
CONTROL = re.compile(
    r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff\ud800-\udfff]"
)
CHAT_MARKS = re.compile(r"<\s*\|[^<>|]{0,40}\|\s*>|\[/?(?:INST|SYS)\]|<</?SYS>>|</?s>", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Verdict:
    """Relevance 0 to 9 and why, in the model's words."""

    score: int
    reason: str


@dataclass(frozen=True, slots=True)
class Verdicts:
    """By section, or the problem for which there are none; with the requests made and their cost in US dollars."""

    by_section: Mapping[int, Verdict]
    problem: str = ""
    requests: int = 0
    cost: Decimal = Decimal(0)


@dataclass(frozen=True)
class LLMVerifier:
    """Has the first `calls` uncertain candidates among the first `depth` judged, and orders the uncertain anew, a
    verdict weighing as much as its domain's thresholds say.

    `calls` bounds all requests, retries included. Private domains are never sent, and callers without the scope for
    it never cause a call. A search in which the model failed is degraded: nothing remembers its answer.
    """

    calls: int = 3
    depth: int = 20

    @unless_final
    def __call__(self, ranking: Ranking) -> Ranking:
        require_permission(ranking.query.caller, ranking.query.domains)
        places = uncertain_places(ranking.candidates[: self.depth])
        if len(places) < 2:
            return ranking.noting("fewer than two candidates are uncertain", skipped=True)
        chosen = [ranking.candidates[place] for place in places[: self.calls]]
        verdicts = judged(ranking.query, chosen, requests=self.calls)
        account = account_of(verdicts, chosen)
        if verdicts.problem:
            failed = replace(ranking, degraded=(*ranking.degraded, type(self).__name__))
            return failed.noting(f"the order is kept: {verdicts.problem}", **account)
        weights = [ranking.query.thresholds_for(ranking.candidates[place]).llm_weight for place in places]
        candidates = permuted(ranking.candidates, places, verdicts.by_section, weights)
        note = f"{len(chosen)} of {len(places)} uncertain judged, {verdicts.requests} asked"
        return replace(ranking, candidates=candidates).noting(note, **account)


def account_of(verdicts: Verdicts, chosen: Sequence[Candidate]) -> dict[str, float]:
    """For the trace; `llm_candidates`: how many were put to the model, now or when their verdict was remembered."""
    put = len(chosen) if verdicts.by_section or verdicts.requests else 0
    return {"llm_candidates": put, "llm_calls": verdicts.requests, "llm_cost": float(verdicts.cost)}


MAY_ASK = Caller(scopes=frozenset({ApiKey.Scope.PIPELINES.value}))  # a command's caller, whom a language model answers


def may_ask(caller: Caller) -> bool:
    return caller.is_staff or "pipelines" in caller.scopes


def asks(line: Pipeline) -> bool:
    return any(isinstance(stage, LLMVerifier) for stage in line.stages)


def asked_model(line: Pipeline, caller: Caller) -> str:
    """The model and the prompt that may shape what this pipeline answers this caller; empty where none is asked."""
    endpoint = llm.endpoint()
    return f"{endpoint.model} {prompt_version()}" if asks(line) and endpoint and may_ask(caller) else ""


def usual_pipeline(caller: Caller) -> str:
    """For a client application that names none: the verified order if its key may ask a model and there is one."""
    return pipeline.VERIFIED if llm.endpoint() and may_ask(caller) else pipeline.USUAL


def require_permission(caller: Caller, domains: Sequence[DomainScope]) -> None:
    """Raises NotRun where no language model may see a question about these domains, or nobody may pay for it."""
    if llm.endpoint() is None:
        raise LLMUnavailable("off", "no language model is configured")
    if any(domain.private for domain in domains):
        raise NotRun("private domains are never sent to a language model", degrades=False)
    if not may_ask(caller):
        raise NotRun("a language model needs a key with the scope pipelines", degrades=False)


# -- The order. Pure.


def uncertain_places(candidates: Sequence[Candidate]) -> list[int]:
    """Indices of those that verdicts may move; what a curator pinned stays."""
    return [n for n, candidate in enumerate(candidates) if candidate.zone == UNCERTAIN and not candidate.pin]


def multiplier(score: int, weight: float) -> float:
    """0.5 + score / 9 at full weight: 0.5 for 0, 1.5 for 9; 1 at weight 0."""
    return 1.0 + weight * (score / 9 - 0.5)


def permuted(
    candidates: Sequence[Candidate],
    places: Sequence[int],
    verdicts: Mapping[int, Verdict],
    weights: Sequence[float],
) -> tuple[Candidate, ...]:
    """The uncertain ones ordered among their places; a place keeps its score, so that every other one stands. One
    weight for each place's candidate.

    What a verdict multiplies is the probability that belongs to the place: the band's own, falling. So equal
    verdicts, like none, leave the reranker's order.
    """
    band = [candidates[place] for place in places]
    bases = sorted((candidate.probability or 0.0 for candidate in band), reverse=True)
    moved = [
        base * multiplier(verdicts[c.section_id].score, weight) if c.section_id in verdicts else base
        for base, c, weight in zip(bases, band, weights, strict=True)
    ]
    order = sorted(range(len(band)), key=lambda n: (-moved[n], n))
    result = list(candidates)
    for place, n in zip(places, order, strict=True):
        result[place] = with_verdict(band[n].but(score=candidates[place].score), verdicts)
    return tuple(result)


def with_verdict(candidate: Candidate, verdicts: Mapping[int, Verdict]) -> Candidate:
    verdict = verdicts.get(candidate.section_id)
    if verdict is None:
        return candidate
    return candidate.but(reasons=(*candidate.reasons, Reason("llm_verdict", {"score": verdict.score})))


# -- Verdicts


def judged(query: Query, chosen: Sequence[Candidate], *, requests: int) -> Verdicts:
    """Verdicts on all of them, remembered or asked for now; on none when one fails. Good ones are remembered. The
    model reads the question as it was typed, in its own language. Raises LLMUnavailable while switched off.
    """
    asked_hash = query_hash(query.normalized)
    known = remembered(asked_hash, chosen)
    missing = [candidate for candidate in chosen if candidate.section_id not in known]
    if not missing:
        return Verdicts(known)
    provisions = provisions_of(query, missing)
    if len(provisions) < len(missing):
        return Verdicts({}, "a provision cannot be read")
    if any(STEERING.search(text) for text in provisions.values()):
        return Verdicts({}, "injected: a provision speaks to the model")
    prompts = [prompt_of(query.original, provisions[candidate.section_id]) for candidate in missing]
    try:
        asked = llm.ask_all(prompts, FORM, purpose="verify", requests=requests, log=query.trace_id)
    except LLMUnavailable as problem:
        if problem.reason == "off":
            raise
        return Verdicts({}, problem.message)
    fresh = {
        candidate.section_id: answer.value
        for candidate, answer in zip(missing, asked.answers, strict=True)
        if answer.outcome == "answered"
    }
    remember(asked_hash, fresh)
    if asked.problem:
        return Verdicts({}, asked.problem, asked.requests, asked.cost)
    return Verdicts({**known, **fresh}, "", asked.requests, asked.cost)


def remembered(asked_hash: str, chosen: Sequence[Candidate]) -> dict[int, Verdict]:
    sections = [candidate.section_id for candidate in chosen]
    rows = LLMVerdict.objects.filter(section_id__in=sections, **kept_under(asked_hash))
    return {row.section_id: Verdict(row.score, row.reason) for row in rows}


def remember(asked_hash: str, verdicts: Mapping[int, Verdict]) -> None:
    """The first verdict stays, whoever asked at the same time."""
    key = kept_under(asked_hash)
    rows = [
        LLMVerdict(section_id=section, score=verdict.score, reason=verdict.reason, **key)
        for section, verdict in verdicts.items()
    ]
    LLMVerdict.objects.bulk_create(rows, ignore_conflicts=True)


def kept_under(asked_hash: str) -> dict[str, str]:
    """Another model or another prompt is another judge."""
    model = llm.endpoint().model[:120]
    return {"query_hash": asked_hash, "model": model, "prompt_version": prompt_version()}


def verdict_of(value: Any) -> Verdict:
    """Exactly what the schema says, or Unusable: a doubtful answer is no verdict, never a middling one."""
    conforms(value, VERDICT_SCHEMA)
    if value["instructs"]:
        raise Unusable("injected")
    return Verdict(value["score"], " ".join(CONTROL.sub(" ", value["reason"]).split())[:MAX_REASON])


FORM = Form("verdict", VERDICT_SCHEMA, verdict_of)


# -- The prompt


@cache
def prompt_version() -> str:
    """SHA-256 of the template: another wording is another judge."""
    return hashlib.sha256(get_template(TEMPLATE).template.source.encode()).hexdigest()


def prompt_of(question: str, provision: str, *, fence: str = "") -> Messages:
    return fenced(TEMPLATE, {"question": harmless(scrub(question)), "provision": harmless(provision)}, fence)


def fenced(template: str, material: Mapping[str, str], fence: str = "", **told: Any) -> Messages:
    """Instructions as the system's message, material as the user's, between fences nobody foresees. `told`: what the
    instructions say besides.
    """
    fence = fence or f"<<{secrets.token_hex(16)}>>"
    if any(fence in text for text in material.values()):
        raise ValueError("the fence stands in the material")
    rendered = get_template(template).render({"fence": fence, **told, **material})
    system, user = rendered.split("\n=====\n", 1)
    return {"role": "system", "content": system.strip()}, {"role": "user", "content": user.strip()}


def harmless(text: str) -> str:
    """Without invisible characters and the marks by which servers tell one speaker from another."""
    text = CONTROL.sub(" ", text)
    while CHAT_MARKS.search(text):
        text = CHAT_MARKS.sub(" ", text)
    return text


def provisions_of(query: Query, candidates: Sequence[Candidate]) -> dict[int, str]:
    """What each candidate says, with its citation and headings, as this caller may read it; long ones by the
    stretch around the best chunk.
    """
    found = readable_provisions(query, candidates, whole=True)
    return {provision.pk: text_for_model(provision) for provision in found.values() if not provision.private}


def text_for_model(provision: Provision) -> str:
    text = provision.text
    headings = [provision.citation, provision.breadcrumb, provision.heading, provision.plain_name]
    first = max(0, min(provision.chunk_start or 0, len(text) - MAX_PROVISION))
    return "\n".join([*filter(None, headings), text[first : first + MAX_PROVISION]])
