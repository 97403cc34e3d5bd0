"""What a language model says of sentences that `retrieval.proof` is unsure of, where the caller wants it asked.

It decides nothing that the checks found or that proof is sure of, and nothing without words that stand in the law
cited. Neither the sentences nor what it says is kept; what is private is not sent with them.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from retrieval.access.caller import Caller
from retrieval.briefs.library import Source
from retrieval.briefs.propositions import PropositionCheck, of_claim
from retrieval.briefs.wording import found_exactly
from retrieval.engines.llm import service as llm
from retrieval.engines.llm.answers import TEXT, TRUTH, Unusable, conforms, strict
from retrieval.engines.llm.requests import Form, LLMUnavailable, Messages
from retrieval.proof.types import Claim
from retrieval.stages.llm_verifier import MAX_PROVISION, STEERING, fenced, harmless, may_ask
from retrieval.text.language import detect
from retrieval.text.personal_data import scrub

TEMPLATE = "retrieval/prompts/claim.txt"
PURPOSE = "claim"
UNSURE = 0.75  # probability of a verdict, below which it is unsure; what a model wrote needs as much to be shown
HALF = 0.5  # the probability of what it says: how often it is right nobody has measured
MOST = 10  # sentences of a brief that it is asked about
FEWEST_QUOTED = 3  # words: fewer stand anywhere
LEFT_OUT = ("…", "...", "[")  # a quotation with these is not word by word

SCHEMA = strict(instructs=TRUTH, quote=TEXT, supported=TRUTH)


@dataclass(frozen=True, slots=True)
class Opinion:
    supported: bool
    quote: str


def opinion_of(answer: Any) -> Opinion:
    """Exactly what the schema says, or Unusable."""
    conforms(answer, SCHEMA)
    if answer["instructs"]:
        raise Unusable("injected")
    return Opinion(answer["supported"], answer["quote"])


FORM = Form("opinion", SCHEMA, opinion_of)


def with_opinions(checks: Sequence[PropositionCheck], caller: Caller) -> tuple[tuple[PropositionCheck, ...], str]:
    """The same with its opinion where proof is unsure, and what became of asking: given, or why it was not; empty where
    nothing was asked.
    """
    unsure = [number for number, check in enumerate(checks) if may_be_asked(check)][:MOST]
    if not unsure or llm.endpoint() is None or not may_ask(caller):
        return tuple(checks), ""
    prompts = [prompt_of(checks[number]) for number in unsure]
    try:
        asked = llm.ask_all(prompts, FORM, purpose=PURPOSE, requests=len(prompts))
    except LLMUnavailable as problem:
        return tuple(checks), "" if problem.reason == "off" else problem.reason
    told = list(checks)
    for number, attempt in zip(unsure, asked.answers, strict=True):
        if attempt.outcome == "answered":
            told[number] = weighed(checks[number], attempt.value)
    return tuple(told), asked.problem or "given"


def may_be_asked(check: PropositionCheck) -> bool:
    source = source_of(check)
    return source is not None and is_unsure(check.claim) and not STEERING.search(text_for_model(check.claim, source))


def is_unsure(claim: Claim) -> bool:
    return claim.verdict != "not_a_claim" and claim.confidence < UNSURE and not claim.problems


def source_of(check: PropositionCheck) -> Source | None:
    """Where the law says it best; none of private documents."""
    return check.sources[check.claim.source] if check.sources and check.claim.source is not None else None


def text_for_model(claim: Claim, source: Source) -> str:
    """What a model can take in of the law around that place."""
    middle = sum(claim.span) // 2
    first = max(0, min(middle - MAX_PROVISION // 2, len(source.text) - MAX_PROVISION))
    return source.text[first : first + MAX_PROVISION]


def prompt_of(check: PropositionCheck) -> Messages:
    material = {
        "sentence": harmless(scrub(" ".join(check.claim.text.split()))),
        "passage": harmless(text_for_model(check.claim, source_of(check))),
    }
    return fenced(TEMPLATE, material, fewest=FEWEST_QUOTED)


def weighed(check: PropositionCheck, opinion: Opinion) -> PropositionCheck:
    """It counts where what it quotes stands in the law word by word."""
    claim, source = check.claim, source_of(check)
    is_whole = len(opinion.quote.split()) >= FEWEST_QUOTED and not any(mark in opinion.quote for mark in LEFT_OUT)
    found = found_exactly(opinion.quote, source.words) if is_whole else None
    if found is None or found.status != "exact":
        return check
    if opinion.supported == (claim.verdict == "supported"):
        return replace(check, opinion=True)
    verdict = "supported" if opinion.supported else "not_found"
    turned = replace(claim, verdict=verdict, confidence=HALF, span=found.span)
    findings = of_claim(turned, detect(claim.text), all_read=check.all_read)
    return replace(check, claim=turned, findings=findings, opinion=True)
