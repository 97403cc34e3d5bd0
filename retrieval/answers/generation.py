"""An answer in plain words, written by a language model from the passages that the extractive answer quotes.

Every sentence has quotations that stand in these passages and is proven by `retrieval.proof` against them. What is not
proven is withheld, and whatever fails leaves the extractive answer as it is.
"""

import logging
import re
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from retrieval.access.caller import Caller
from retrieval.engines.cross_encoders import CrossEncoderUnavailable
from retrieval.engines.llm import service as llm
from retrieval.engines.llm.answers import TEXT, TRUTH, WHOLE, Unusable, conforms, listed, strict
from retrieval.engines.llm.requests import Attempt, Form, LLMUnavailable, Messages
from retrieval.errors import NotRun
from retrieval.proof.types import Source
from retrieval.proof.verify import verify
from retrieval.ranking import DomainScope
from retrieval.search import cache
from retrieval.stages.llm_verifier import STEERING, fenced, harmless, require_permission
from retrieval.text.language import detect
from retrieval.text.normalization import fold
from retrieval.text.personal_data import scrub

logger = logging.getLogger(__name__)

KIND = "generated"
STAGE = "Generation"  # as `degraded` names it
UNREAD = "unread"  # why a sentence is withheld that could not be proven
TEMPLATE = "retrieval/prompts/answer.txt"
PURPOSE = "answer"
TOKENS = 700  # of a draft: its sentences and their quotations
MOST = 5  # sentences of a draft, and quotations of a sentence
LONGEST = 600  # characters of a sentence or a quotation
FEWEST_QUOTED = 3  # words of a quotation: fewer stand anywhere
# Probability that a sentence is supported, from which it is shown. Of claims kept apart, written as language models
# answer, .47 of the faithful pass, .19 of those that their passage makes false, and .03 of those that go beyond it.
SURE = 0.75
ASKED_AGAIN = ("unproven", "malformed")  # once; what is late or refuses is left alone
SETTLED = ("", "unproven", "declined")  # the model did its part, and would be paid for the same again
LANGUAGES = {"en": "English", "es": "Spanish"}

SCHEMA = strict(instructs=TRUTH, sentences=listed(text=TEXT, quotes=listed(passage=WHOLE, quote=TEXT)))
# Nothing proves these two words; the extractive answer says them where they are certain.
SAYS_YES_OR_NO = re.compile(r"\W*(?:yes\b|s[ií]\s*[,.;:!—–-]|sí\b|no\s*[,.;:!—–-])", re.IGNORECASE)
# Said of law that does not say it, these words leave its exceptions out.
ABSOLUTE = re.compile(
    r"\b(?:never|ever|always|in (?:any|every|all) cases?|without (?:any )?exception|by (?:him|it|her)self|alone"
    r"|absolute(?:ly)?|nunca|jamas|siempre|en (?:todo|ningun) caso|sin excepcion)\b"
)
# Such a sentence is of no use without the one before it.
LEANS = re.compile(
    r"\W*(?:it|they|he|she|this|that|these|those|such|however|but|also|otherwise|then"
    r"|est[eao]s?|es[eao]s?|ell[ao]s?|él|dich[ao]s?|sin embargo|pero|tambi[eé]n|adem[aá]s|entonces)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class AnsweredQuestion:
    """What was asked, and the entries of law that answer it: the passages, numbered from 1."""

    text: str
    law: tuple[dict, ...]


@dataclass(frozen=True, slots=True)
class Draft:
    """What a model wrote for one question: entries of an answer, or the problem for which there are none; and what was
    withheld, with the reason for it.
    """

    entries: list[dict] = field(default_factory=list)
    withheld: list[dict] = field(default_factory=list)
    problem: str = ""


def written(
    questions: Sequence[AnsweredQuestion],
    language: str,
    caller: Caller,
    domains: Sequence[DomainScope],
    kept: cache.AnswerCache,
    log: UUID,
) -> dict | None:
    """{"entries", "withheld"} of each question, and the first "problem"; None where no model may be asked, by the rules
    of `retrieval.stages.llm_verifier`. What failed is not kept; that nothing was proven is.
    """
    try:
        require_permission(caller, domains)
        key = cache.key_of(
            kind=KIND,
            code=cache.code_version(),
            llm=llm.endpoint().model,
            language=language,
            questions=[(one.text, one.law) for one in questions],
        )
        made, _ = kept.get_or_make(key, lambda: account_of(drafted(questions, language, log)))
    except NotRun:  # switched off, or not for this question: nothing failed
        return None
    return made | {"degraded": [STAGE] if made["problem"] else []}


def account_of(drafts: Sequence[Draft]) -> dict:
    problem = next((draft.problem for draft in drafts if draft.problem), "")
    return {
        "entries": [draft.entries for draft in drafts],
        "withheld": [draft.withheld for draft in drafts],
        "problem": problem,
        "degraded": [STAGE] if any(draft.problem not in SETTLED for draft in drafts) else [],  # not kept then
        "widened": [],
    }


def drafted(
    questions: Sequence[AnsweredQuestion],
    language: str,
    log: UUID | None,
    *,
    purpose: str = PURPOSE,
    allowed: float | None = None,
) -> list[Draft]:
    """One draft each, asked for at once; those that do not stand are asked for once more where half of the time is
    left: a draft that comes late is paid for, and counts as a failure of the model. All of it within `allowed` seconds,
    by default those that one search may wait for the model. Raises LLMUnavailable while switched off.
    """
    allowed = allowed or llm.endpoint().timeout
    ends = time.monotonic() + allowed
    drafts = {n: Draft(problem="injected") for n, one in enumerate(questions) if steers(one)}
    waiting = [n for n in range(len(questions)) if n not in drafts]
    for again in (False, True):
        patience = ends - time.monotonic()
        if not waiting or (again and patience < allowed / 2):
            break
        prompts = [prompt_of(questions[n], language, again=again) for n in waiting]
        for n, attempt in zip(waiting, attempts(prompts, log, patience, purpose), strict=True):
            before = drafts[n].withheld if n in drafts else []
            drafts[n] = draft_of(attempt, questions[n].law, language, before)
        waiting = [n for n in waiting if drafts[n].problem in ASKED_AGAIN]
    return [drafts[n] for n in range(len(questions))]


def attempts(
    prompts: Sequence[Messages], log: UUID | None, patience: float, purpose: str
) -> Sequence[Attempt]:
    try:
        asked = llm.ask_all(
            prompts, FORM, purpose=purpose, requests=len(prompts) + 1, log=log, patience=patience
        )
    except LLMUnavailable as problem:
        if problem.reason == "off":
            raise
        return [Attempt(problem.reason)] * len(prompts)
    return asked.answers


# -- The prompt, and the form of what comes back


def steers(question: AnsweredQuestion) -> bool:
    return any(STEERING.search(entry["text"]) for entry in question.law)


def prompt_of(question: AnsweredQuestion, language: str, *, again: bool) -> Messages:
    numbered = [
        f"[{n}] {entry['citations'][0]['citation']}: {entry['text']}"
        for n, entry in enumerate(question.law, start=1)
    ]
    material = {"question": harmless(scrub(question.text)), "passages": harmless("\n\n".join(numbered))}
    told = {"language": LANGUAGES[language], "most": MOST, "fewest": FEWEST_QUOTED, "again": again}
    return fenced(TEMPLATE, material, **told)


def sentences_of(answer: Any) -> list[dict]:
    """Exactly what the schema says and no more than was asked for, or Unusable."""
    conforms(answer, SCHEMA)
    if answer["instructs"]:
        raise Unusable("injected")
    said = answer["sentences"]
    texts = [one["text"] for one in said] + [quote["quote"] for one in said for quote in one["quotes"]]
    if any(len(one) > MOST for one in (said, *(one["quotes"] for one in said))):
        raise Unusable
    if any(len(text) > LONGEST for text in texts):
        raise Unusable
    return said


FORM = Form("answer", SCHEMA, sentences_of, TOKENS)


# -- What of it is shown


def draft_of(attempt: Attempt, law: Sequence[dict], language: str, withheld: Sequence[dict] = ()) -> Draft:
    """It stands where something is proven and nothing contradicted; a sentence that leans on one which is withheld is
    withheld too. `withheld`: of an earlier draft.
    """
    if attempt.outcome != "answered":
        return Draft([], [*withheld], attempt.outcome)
    entries, gone = [], []
    after_gone = True  # as is the first sentence, which has none to lean on
    for said in attempt.value:
        text = " ".join(harmless(said["text"]).split())
        made = proven(text, said["quotes"], law, language)
        if after_gone and LEANS.match(text) and not isinstance(made, str):
            made = "leans"
        if after_gone := isinstance(made, str):
            gone.append({"text": text, "reason": made})
        elif text not in [entry["text"] for entry in entries]:
            entries.append(made)
    if not attempt.value:
        return Draft([], [*withheld], "declined")
    reasons = {one["reason"] for one in gone}
    if UNREAD in reasons:
        return Draft([], [*withheld, *gone], "error")
    stands = entries and "contradicted" not in reasons
    return Draft(entries if stands else [], [*withheld, *gone], "" if stands else "unproven")


def proven(text: str, quotes: Sequence[dict], law: Sequence[dict], language: str) -> dict | str:
    """The entry of a sentence, or why it is withheld: yes_or_no, language, quotation, absolute, unread, a verdict of
    proof, or unsure.
    """
    if SAYS_YES_OR_NO.match(text):
        return "yes_or_no"
    if detect(text) != language:
        return "language"
    places = [place_of(quote, law) for quote in quotes]
    if not places or None in places:
        return "quotation"
    cited = [law[n - 1] for n in sorted({quote["passage"] for quote in quotes})]
    if set(ABSOLUTE.findall(fold(text))) - {
        word for one in cited for word in ABSOLUTE.findall(fold(one["text"]))
    }:
        return "absolute"
    try:
        claims = verify(text, [source_of(entry) for entry in cited], language=language)
    except CrossEncoderUnavailable:
        logger.exception("A sentence that a language model wrote was left unread.")
        return UNREAD
    verdicts = {claim.verdict for claim in claims}
    if wrong := [name for name in ("contradicted", "not_found", "not_a_claim") if name in verdicts]:
        return wrong[0]
    confidence = min((claim.confidence for claim in claims), default=0.0)
    if confidence < SURE:
        return "unsure"
    return {
        "text": text,
        "kind": KIND,
        "citations": places,
        "verdict": "supported",
        "confidence": round(confidence, 4),
        "translation": None,
        "language": language,
    }


def source_of(entry: dict) -> Source:
    place = entry["citations"][0]
    return Source(place["locator"], place["citation"], entry["text"], entry["language"])


def place_of(said: dict, law: Sequence[dict]) -> dict | None:
    """Where the quoted words stand, letter by letter but for blanks; None where they do not."""
    words = said["quote"].split()
    if not 1 <= said["passage"] <= len(law) or len(words) < FEWEST_QUOTED:
        return None
    wanted = re.compile(r"(?<!\w)" + r"\s+".join(map(re.escape, words)) + r"(?!\w)")
    for place in law[said["passage"] - 1]["citations"]:
        if found := wanted.search(place["quote"]):
            begins = place["start"]
            return place | {
                "quote": found[0], "start": begins + found.start(), "end": begins + found.end(),
            }  # fmt: skip
    return None
