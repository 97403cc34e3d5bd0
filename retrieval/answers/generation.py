"""An answer in plain words, written by a language model from the passages that the extractive answer quotes.

Every sentence has quotations that stand in these passages and is proven by `retrieval.proof` against them. What is not
proven is withheld, and whatever fails leaves the extractive answer as it is.
"""

import logging
import re
import time
from collections.abc import Generator, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from retrieval.access.caller import Caller
from retrieval.engines.cross_encoders import CrossEncoderUnavailable
from retrieval.engines.llm import service as llm
from retrieval.engines.llm.answers import TEXT, TRUTH, WHOLE, Unusable, conforms, listed, strict
from retrieval.engines.llm.requests import Attempt, Form, Heard, LLMUnavailable, Messages, result_of
from retrieval.errors import NotRun
from retrieval.proof.types import Source
from retrieval.proof.verify import verify
from retrieval.ranking import DomainScope
from retrieval.search import cache
from retrieval.stages.llm_verifier import STEERING, fenced, harmless, require_permission
from retrieval.text import strict_json
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

SENTENCE = strict(text=TEXT, quotes=listed(passage=WHOLE, quote=TEXT))
SCHEMA = strict(instructs=TRUTH, sentences={"type": "array", "items": SENTENCE})
# How an answer begins that no passage instructs; one that begins otherwise is read when it is whole.
BEGINS = re.compile(r'\s*\{\s*"instructs"\s*:\s*false\s*,\s*"sentences"\s*:\s*\[\s*')
COMMA = re.compile(r"\s*,\s*")
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


# The number of a question, and an entry that is proven; None where what was told of it is withdrawn.
Told = tuple[int, dict | None]


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
        made, _ = kept.get_or_make(
            key_of(questions, language), lambda: account_of(drafted(questions, language, log))
        )
    except NotRun:  # switched off, or not for this question: nothing failed
        return None
    return made | {"degraded": [STAGE] if made["problem"] else []}


def writing(
    questions: Sequence[AnsweredQuestion],
    language: str,
    caller: Caller,
    domains: Sequence[DomainScope],
    kept: cache.AnswerCache,
    log: UUID,
) -> Generator[Told, None, dict | None]:
    """As `written`, and hands out what is proven while the model writes on. Who asks the same meanwhile does not wait
    for it, but asks the model too.
    """
    try:
        require_permission(caller, domains)
        key = key_of(questions, language)
        if (made := kept.find(key)) is None:
            made = account_of((yield from drafting(questions, language, log, stream=True)))
            kept.keep(key, made)
    except NotRun:
        return None
    return made | {"degraded": [STAGE] if made["problem"] else []}


def key_of(questions: Sequence[AnsweredQuestion], language: str) -> str:
    return cache.key_of(
        kind=KIND,
        code=cache.code_version(),
        llm=llm.endpoint().model,
        language=language,
        questions=[(one.text, one.law) for one in questions],
    )


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
    return result_of(drafting(questions, language, log, purpose=purpose, allowed=allowed))


def drafting(
    questions: Sequence[AnsweredQuestion],
    language: str,
    log: UUID | None,
    *,
    purpose: str = PURPOSE,
    allowed: float | None = None,
    stream: bool = False,
) -> Generator[Told, None, list[Draft]]:
    """As `drafted`; `stream`: hands out each entry once it is proven. It must be seen to its end."""
    allowed = allowed or llm.endpoint().timeout
    ends = time.monotonic() + allowed
    drafts = {n: Draft(problem="injected") for n, one in enumerate(questions) if steers(one)}
    waiting = [n for n in range(len(questions)) if n not in drafts]
    for again in (False, True):
        patience = ends - time.monotonic()
        if not waiting or (again and patience < allowed / 2):
            break
        prompts = [prompt_of(questions[n], language, again=again) for n in waiting]
        readings = [Reading(questions[n].law, language) for n in waiting]
        asking = attempts(prompts, log, patience, purpose, stream=stream)
        answers = yield from heard(asking, waiting, readings)
        for n, attempt, reading in zip(waiting, answers, readings, strict=True):
            before = drafts[n].withheld if n in drafts else []
            drafts[n] = draft_of(attempt, reading, before)
            if reading.told and not drafts[n].entries:
                yield n, None
        waiting = [n for n in waiting if drafts[n].problem in ASKED_AGAIN]
    return [drafts[n] for n in range(len(questions))]


def heard(
    asking: Generator[Heard, None, Sequence[Attempt]], numbers: Sequence[int], readings: "Sequence[Reading]"
) -> Generator[Told, None, Sequence[Attempt]]:
    """What the answers say so far, as far as it is proven, by the numbers of their questions."""
    while True:
        try:
            so_far = next(asking)
        except StopIteration as ended:
            return ended.value
        yield from ((numbers[so_far.prompt], one) for one in readings[so_far.prompt].hear(so_far))


def attempts(
    prompts: Sequence[Messages], log: UUID | None, patience: float, purpose: str, *, stream: bool
) -> Generator[Heard, None, Sequence[Attempt]]:
    requests = len(prompts) + 1
    try:
        asked = yield from llm.hear_all(
            prompts, FORM, purpose=purpose, requests=requests, log=log, patience=patience, stream=stream
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
    if len(said) > MOST or any(exceeds(one) for one in said):
        raise Unusable
    return said


def exceeds(said: dict) -> bool:
    texts = [said["text"], *(quote["quote"] for quote in said["quotes"])]
    return len(said["quotes"]) > MOST or any(len(text) > LONGEST for text in texts)


def sentences_so_far(content: str) -> list[dict]:
    """Those that are whole of an answer that is being written; none before it tells that no passage instructs it."""
    begins = BEGINS.match(content)
    found: list[dict] = []
    while begins and len(found) < MOST:
        try:
            said, end = strict_json.value_at(content, begins.end())
            conforms(said, SENTENCE)
        except (ValueError, RecursionError):
            break
        if exceeds(said):
            break
        found.append(said)
        begins = COMMA.match(content, end)
    return found


FORM = Form("answer", SCHEMA, sentences_of, TOKENS)


# -- What of it is shown


class Reading:
    """A draft that is read sentence by sentence: what of it is proven, and what is withheld. A sentence that leans on
    one which is withheld is withheld too.
    """

    def __init__(self, law: Sequence[dict], language: str):
        self.law, self.language = law, language
        self.attempt, self.told = 0, 0  # that is heard; entries of it that were handed out
        self.begin()

    def begin(self) -> None:
        self.said: list[dict] = []
        self.entries: list[dict] = []
        self.gone: list[dict] = []
        self.after_gone = True  # as is the first sentence, which has none to lean on

    @property
    def reasons(self) -> set[str]:
        return {one["reason"] for one in self.gone}

    @property
    def falls(self) -> bool:
        """Whether nothing of it will be shown, whatever comes."""
        return not self.reasons.isdisjoint(("contradicted", UNREAD))

    def hear(self, so_far: Heard) -> Iterator[dict | None]:
        """The entries that are new in what has come; None where another attempt takes the place of those told."""
        if so_far.attempt != self.attempt:
            if self.told:
                yield None
            self.attempt, self.told = so_far.attempt, 0
            self.begin()
        for said in sentences_so_far(so_far.content)[len(self.said) :]:
            if (entry := self.take(said)) and not self.falls:
                self.told += 1
                yield entry

    def take(self, said: dict) -> dict | None:
        """The entry of the next sentence, where it is proven."""
        self.said.append(said)
        text = " ".join(harmless(said["text"]).split())
        made = proven(text, said["quotes"], self.law, self.language)
        if self.after_gone and LEANS.match(text) and not isinstance(made, str):
            made = "leans"
        self.after_gone = isinstance(made, str)
        if self.after_gone:
            self.gone.append({"text": text, "reason": made})
            return None
        if text in [entry["text"] for entry in self.entries]:
            return None
        self.entries.append(made)
        return made

    def finish(self, sentences: Sequence[dict]) -> None:
        """Reads what has not been heard of the whole answer, all of it where it is another."""
        if self.said != sentences[: len(self.said)]:
            self.begin()
        for said in sentences[len(self.said) :]:
            self.take(said)


def draft_of(attempt: Attempt, reading: Reading, withheld: Sequence[dict] = ()) -> Draft:
    """It stands where something is proven and nothing contradicted. `withheld`: of an earlier draft."""
    if attempt.outcome != "answered":
        return Draft([], [*withheld], attempt.outcome)
    if not attempt.value:
        return Draft([], [*withheld], "declined")
    reading.finish(attempt.value)
    gone = [*withheld, *reading.gone]
    if UNREAD in reading.reasons:
        return Draft([], gone, "error")
    stands = reading.entries and not reading.falls
    return Draft(reading.entries if stands else [], gone, "" if stands else "unproven")


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
