"""Answers a question by the words of the law: searches, chooses sentences, frames and cites them, has a language model
say them plainly where one may be asked, and says when it does not know. Pages, API and commands call `answer`.
"""

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime
from uuid import UUID

from django.db.models import Count, Sum
from django.utils import timezone, translation
from django.utils.translation import gettext as _

from retrieval import pipeline
from retrieval.access import row_security
from retrieval.access.caller import ANONYMOUS, Caller
from retrieval.answers import elsewhere, generation
from retrieval.answers import passages as reading
from retrieval.answers.editions import notice
from retrieval.answers.leads import lead_items, standing_leads
from retrieval.answers.meaning import EmbeddedQuestion
from retrieval.answers.polarity import polarity
from retrieval.answers.quoting import deepest, law_item, places_of
from retrieval.answers.selection import (
    PROVISIONS,
    Meaning,
    Passage,
    Scored,
    asked_of,
    best_units,
    may_answer,
    scored,
    telling_overruling,
)
from retrieval.answers.spanish import Machine
from retrieval.answers.standing import bears_yes_or_no, is_gone, marks, marks_of_cited, not_here
from retrieval.answers.successors import (
    Asked,
    as_changed,
    in_new_words,
    overruling,
    with_what_ended,
    without_mere_overrulings,
)
from retrieval.answers.tables import with_near_rows
from retrieval.citations.finding import whole_citations
from retrieval.engines.embedders import EmbeddingUnavailable
from retrieval.engines.llm import service as llm
from retrieval.errors import NotRun
from retrieval.models import LLMCall
from retrieval.proof.types import outcome
from retrieval.ranking import ANOTHER_COUNTRY, CRISIS
from retrieval.request import SearchRequest
from retrieval.search.service import answers_for, in_scope, search
from retrieval.stages.llm_verifier import may_ask
from retrieval.stages.query import EmbedQuery
from retrieval.text.language import detect
from retrieval.text.question_parts import MOST as MOST_PARTS
from retrieval.text.question_parts import own_words, searched

SHORT, FULL = "short", "full"
MOST = {SHORT: 1, FULL: 4}  # units that are quoted
SOURCES = 10  # results that are told beside an answer
EMBEDDING = EmbedQuery.__name__  # the stage of a search, which degrades where nothing can be embedded


@dataclass(frozen=True, slots=True)
class AnswerRequest:
    """What a caller asks. No domain means all that the caller may see; `style`: short quotes the one place that
    answers best, full also what stands near to it in weight, in reading order; `about`: what the question goes on from.
    """

    text: str
    domains: tuple[str, ...] = ()
    language: str | None = None
    as_of: date | None = None
    style: str = SHORT
    pipeline: str = pipeline.USUAL
    reader: str = "en"  # as of a search
    about: str = ""

    @property
    def spoken(self) -> str:
        """The language it is written in, as it says itself or as it is detected."""
        return self.language or detect(self.text, otherwise=detect(self.about, otherwise=self.reader))

    @property
    def whole(self) -> str:
        """With what it goes on from."""
        return f"{self.about} {self.text}".strip()

    @property
    def questions(self) -> tuple[str, ...]:
        """What is searched, each by itself; of a list of citations each."""
        cited = () if self.about else whole_citations(self.text)
        if 1 < len(cited) <= MOST_PARTS and all(citation.text for citation in cited):  # in a range some have none
            return tuple(citation.normalized for citation in cited)
        return searched(self.text, self.about, self.spoken)

    def search(self, language: str) -> SearchRequest:
        return SearchRequest(
            self.text, self.domains, SOURCES, language=language, as_of=self.as_of, pipeline=self.pipeline
        )


@dataclass(frozen=True, slots=True)
class Part:
    """One question, what its search found, the units that answer it and the entries made of them."""

    question: str
    found: dict
    chosen: list[Scored]
    items: list[dict]
    day: date | None = None

    @property
    def holding(self) -> tuple[dict, ...]:
        """Of the law that it quotes what is law still: a language model is shown no other."""
        ended = {one.passage.locator for one in self.chosen if is_gone(one.passage, self.day)}
        return tuple(item for item in law_of(self) if item["citations"][0]["locator"] not in ended)

    @property
    def can_be_told(self) -> bool:
        return bool(self.holding)

    def to_dict(self, number: int, asks_law: bool) -> dict:
        return {
            "question": self.question,
            "answer": [item | {"part": number} for item in self.items],
            "sources": self.found["results"],
            "not_found": None if self.items else not_found([self], asks_law),
            "trace_id": self.found["trace_id"],
        } | rules_and_doubt([self])


@dataclass(frozen=True, slots=True)
class Quoted:
    """A question answered by the words of the law, and what a language model `wrote` of it, once one was asked."""

    request: AnswerRequest
    caller: Caller
    parts: list[Part]
    began: datetime
    took: float  # seconds
    wrote: dict | None = None

    @property
    def items(self) -> list[dict]:
        return items_of_parts(self.parts)

    @property
    def hotlines(self) -> list[str]:
        """What is told to a cry for help, each once."""
        return list(dict.fromkeys(told["text"] for told in notices(self.parts) if told["code"] == CRISIS))


    @property
    def redirect(self) -> dict | None:
        """Where a rule leads instead."""
        return redirect_of(self.parts)


def answer(request: AnswerRequest, caller: Caller = ANONYMOUS, *, channel: str = "command") -> dict:
    """Answers as docs/answers.md says. Of law that is quoted it keeps nothing: what a search keeps, its search keeps.

    1. A text that asks several questions is searched once for each.
    2. Each question is answered by the sentences of what its search found, or declined as its search declines.
    3. A language model says them in plain words, where this caller may ask one.
    4. The answers of several questions are merged, each sentence with the number of its part, with what defines their
       words; where nothing answers, pages of other sites are told, if the settings name any.
    """
    return complete(in_plain_words(by_law(request, caller, channel=channel)))


def by_law(request: AnswerRequest, caller: Caller, *, channel: str) -> Quoted:
    """The first two steps of `answer`."""
    started, began, language = time.perf_counter(), timezone.now(), request.spoken
    with row_security.as_caller(caller), translation.override(language):
        made: list[Part] = []
        for one in request.questions:
            quoted = [unit for part in made for unit in part.chosen]
            made.append(part_of(replace(request, text=one, about=""), caller, language, channel, quoted))
    return Quoted(request, caller, made, began, time.perf_counter() - started)


def in_plain_words(quoted: Quoted) -> Quoted:
    """The third step of `answer`."""
    started, language = time.perf_counter(), quoted.request.spoken
    with row_security.as_caller(quoted.caller), translation.override(language):
        wrote = written(quoted.request, quoted.parts, quoted.caller, language)
        told = with_entries(quoted.parts, wrote)
    return replace(quoted, parts=told, wrote=wrote, took=quoted.took + time.perf_counter() - started)


def complete(quoted: Quoted) -> dict:
    """The last step of `answer`."""
    started, language = time.perf_counter(), quoted.request.spoken
    request, caller, made, wrote = quoted.request, quoted.caller, quoted.parts, quoted.wrote
    with row_security.as_caller(caller), translation.override(language):
        whole = merged(request, made, caller, wrote["degraded"] if wrote else ())
        whole |= {"generation": generation_of(made, wrote, caller), "cost": cost_of(made, quoted.began)}
        chosen = [one for part in made for one in part.chosen]
        whole["definitions"] = reading.definitions_in(chosen, caller, request.as_of)
    whole["elsewhere"] = pages_elsewhere(quoted)
    return whole | {"took_ms": round((quoted.took + time.perf_counter() - started) * 1000, 2)}


def part_of(request: AnswerRequest, caller: Caller, language: str, channel: str, before: Sequence[Scored]) -> Part:
    """`before`: what other parts quote."""
    found = search(request.search(language), caller, channel=channel)
    put = Asked(question_of(found), request.text, request.as_of, caller)
    asked = asked_of(found["results"])
    results = asked if not found["abstained"] and may_answer(asked, doubtful=found["doubtful"]) else []
    read, chosen, degraded = best_of(results, found, request, caller, before)
    found = found | {"degraded": [*found["degraded"], *degraded]}
    chosen = with_what_ended(in_new_words(chosen, found, put), read, found, put)
    return Part(request.text, found, chosen, items_of(found, chosen, language, request.as_of), request.as_of)


def best_of(
    results: Sequence[dict], found: dict, request: AnswerRequest, caller: Caller, before: Sequence[Scored]
) -> tuple[list[Passage], list[Scored], Sequence[str]]:
    """What is read of these results, the units of it that are quoted, and what did not run."""

    def with_meaning(meaning: Meaning | None) -> tuple[list[Passage], list[Scored]]:
        read = as_changed(reading.passages_of(results, caller, request.as_of, meaning), found, request.as_of)
        return read, choose(found, request, read, meaning, before)

    if not results or EMBEDDING in found["degraded"]:
        return *with_meaning(None), ()
    try:
        meaning = EmbeddedQuestion(question_of(found))
        return *with_meaning(meaning), meaning.degraded
    except (NotRun, EmbeddingUnavailable):
        return *with_meaning(None), (EMBEDDING,)


def merged(request: AnswerRequest, made: Sequence[Part], caller: Caller, degraded: Sequence[str]) -> dict:
    items, language = items_of_parts(made), request.spoken
    proof = outcome(item["verdict"] for item in items)
    quoted = [one.passage for part in made for one in part.chosen]
    editions = [one.edition for one in quoted if one.edition]
    asks_law = all(part.items for part in made) or searches_law(request, caller)
    is_law = any(one.of_law for one in editions) if editions else asks_law
    undated = any(one.valid_from is None for one in quoted)
    told = notice(editions, request.as_of, language, undated=undated, is_law=is_law)
    parts = made if len(made) > 1 or request.about else []
    return {
        "question": request.whole,
        "style": request.style,
        "answer": items,
        "parts": [part.to_dict(n, asks_law) for n, part in enumerate(parts, start=1)],
        "sources": sources_of(made),
        "not_found": None if items else not_found(made, asks_law),
        "language": language,
        "as_of": request.as_of and request.as_of.isoformat(),
        "verified": proof == "verified",
        "verification": proof,
        "notice": " ".join([*beside_answer(made), told]),
        "trace_id": made[0].found["trace_id"],
        "degraded": sorted({*degraded, *(name for part in made for name in part.found["degraded"])}),
    } | rules_and_doubt(made)


def items_of_parts(made: Sequence[Part]) -> list[dict]:
    """All entries, each with the number of its part where there are several."""
    several = len(made) > 1
    return [item | {"part": n if several else None} for n, part in enumerate(made, start=1) for item in part.items]


def sources_of(made: Sequence[Part]) -> list[dict]:
    """What was found for any part, each place once, the best of every part first."""
    every = sorted((one for part in made for one in part.found["results"]), key=lambda one: one["rank"])
    return list({(one["domain"], one["locator"]): one for one in reversed(every)}.values())[::-1]


def question_of(found: dict) -> str:
    """As it is compared with the law: in English where it was translated, without its slips of spelling."""
    query = found["query"]
    return query["translated"] or found["respelled"] or query["text"]


# -- What is quoted


def choose(
    found: dict,
    request: AnswerRequest,
    read: Sequence[Passage],
    meaning: Meaning | None,
    before: Sequence[Scored],
) -> list[Scored]:
    """The units that are quoted. Words that a part carries over from another weigh nothing."""
    over = overruling(found["results"])
    ranked = scored(own_words(question_of(found)), request.text, read, meaning)
    ranked = telling_overruling(ranked, lambda passage: passage.rank in over)
    ranked = without_mere_overrulings(ranked, request.text, over)
    return best_units(with_near_rows(ranked), MOST[request.style], before)


def items_of(found: dict, chosen: Sequence[Scored], language: str, day: date | None) -> list[dict]:
    """A lead in our words, a yes or no where it is certain, and the law."""
    if not chosen:
        return []
    pins = reading.pins([deepest(one, place) for one in chosen for place in places_of(one)])
    machine = Machine()
    law = [law_item(one, pins, language, machine) | marks(one.passage, day) for one in chosen]
    best = max(range(len(chosen)), key=lambda n: chosen[n].probability)
    if told := standing_leads(found, chosen, language, day):
        return [*told, *law]
    sure = len(chosen) == 1 and bears_yes_or_no(law[best])
    said = verdict_item(question_of(found), chosen[best], law[best]) if sure else []
    leads = best == 0 and not is_gone(chosen[best].passage, day)
    lead = lead_items(found, chosen[best], language) if leads else []  # of what is read next
    return [*lead, *said, *law]


def verdict_item(question: str, best: Scored, law: dict) -> list[dict]:
    """Yes or no, where the one sentence quoted leaves no doubt."""
    passage, unit = best.passage, best.unit
    if passage.language != "en" or len(unit.spans) > 1:
        return []
    said = polarity(question, passage.text[unit.start : unit.end])
    if not said:
        return []
    text = _("Yes.") if said == "yes" else _("No.")
    return [law | {"text": text, "kind": said, "translation": None}]


# -- What a language model wrote of it


def written(request: AnswerRequest, made: Sequence[Part], caller: Caller, language: str) -> dict | None:
    """As `generation.written` tells of the parts that are answered."""
    asked = asked_of_model(request, made, caller, language)
    return generation.written(*asked) if asked else None


def asked_of_model(request: AnswerRequest, made: Sequence[Part], caller: Caller, language: str) -> tuple | None:
    """What `generation` takes; None where no model may be asked. Nothing private is sent."""
    answered = [part for part in made if part.can_be_told]
    if not answered or llm.endpoint() is None or not may_ask(caller):
        return None
    if any(one.passage.private for part in answered for one in part.chosen):
        return None
    widened = [slug for part in made for slug in part.found["widened"]]
    scopes, in_force = in_scope(caller, (*request.domains, *widened) if request.domains else ())
    kept = answers_for(request.search(language), scopes, in_force)
    questions = [generation.AnsweredQuestion(part.question, part.holding) for part in answered]
    return questions, language, caller, scopes, kept, UUID(made[0].found["trace_id"])


def law_of(part: Part) -> tuple[dict, ...]:
    return tuple(item for item in part.items if item["kind"] == "law")


def with_entries(made: Sequence[Part], wrote: dict | None) -> list[Part]:
    """Each part with what was written of it above the words of law it rests on."""
    entries = iter(wrote["entries"] if wrote else ())
    return [replace(part, items=above_law(part, next(entries, []))) if part.can_be_told else part for part in made]


def above_law(part: Part, entries: Sequence[dict]) -> list[dict]:
    said = [item for item in part.items if item["kind"] != "law"]
    law = law_of(part)
    return [*said, *(entry | marks_of_cited(entry, law) for entry in entries), *law]


def generation_of(made: Sequence[Part], wrote: dict | None, caller: Caller) -> dict | None:
    """What became of it; what was withheld is for staff."""
    if wrote is None:
        return None
    numbers = [n if len(made) > 1 else None for n, part in enumerate(made, start=1) if part.can_be_told]
    withheld = [
        one | {"part": number}
        for number, of_part in zip(numbers, wrote["withheld"], strict=True)
        for one in of_part
    ]
    return {"outcome": wrote["problem"] or "generated", "withheld": withheld if caller.is_staff else []}


def cost_of(made: Sequence[Part], began: datetime) -> dict:
    """What language models were asked for this answer and its searches."""
    searches = [part.found["trace_id"] for part in made]
    spent = {"calls": 0, "usd": None}
    if llm.endpoint():
        calls = LLMCall.objects.filter(created_at__gte=began, log__in=searches)
        spent = calls.aggregate(calls=Count("pk"), usd=Sum("cost"))
    return {"llm_calls": spent["calls"], "llm_usd": float(spent["usd"] or 0)}


# -- What is said beside it


def pages_elsewhere(quoted: Quoted) -> dict | None:
    """What other sites say, where nothing here answers what was searched. Nothing private is sent."""
    request, caller = quoted.request, quoted.caller
    unsearched = any(not told["searched"] for told in notices(quoted.parts))
    if quoted.items or unsearched or not elsewhere.is_configured():
        return None
    with row_security.as_caller(caller):
        scopes, _versions = in_scope(caller, request.domains)
    return None if any(scope.private for scope in scopes) else elsewhere.pages_about(request.whole, request.spoken)


def searches_law(request: AnswerRequest, caller: Caller) -> bool:
    """Whether any domain that is searched holds law; of those with nothing in them it is not asked."""
    scopes, _versions = in_scope(caller, request.domains)
    return any(scope.holds_law for scope in scopes if scope.corpus_version)


def not_found(made: Sequence[Part], asks_law: bool) -> dict:
    """That nothing here answers, what was looked at, and what would help."""
    if unsearched := [told["text"] for told in notices(made) if not told["searched"]]:
        return {"message": unsearched[0], "looked_at": [], "would_help": []}
    near = [place(one) for part in made for one in looked_at(part.found)]
    looked = [one for n, one in enumerate(near) if one not in near[:n]]
    if other_law := [told["text"] for told in notices(made) if told["code"] == ANOTHER_COUNTRY]:
        return {"message": other_law[0], "looked_at": looked, "would_help": []}
    return {
        "message": _("I don't know: nothing here answers this well enough."),
        "looked_at": looked,
        "would_help": list(dict.fromkeys(told for part in made for told in helps(part.found, part.day, asks_law))),
    }


def rules_and_doubt(made: Sequence[Part]) -> dict:
    """What rules tell beside an answer, where one leads instead, and whether the search is sure of what it found."""
    notes = [note for part in made for note in part.found["rules"]["notes"]]
    answered = [part for part in made if part.items]
    return {
        "notes": [note for n, note in enumerate(notes) if note not in notes[:n]],
        "redirect": redirect_of(made),
        "confident": bool(answered) and all(part.found["confident"] for part in answered),
    }


def redirect_of(made: Sequence[Part]) -> dict | None:
    return made[0].found["rules"]["redirect"] if len(made) == 1 else None


def looked_at(found: dict) -> list[dict]:
    """What the search declined to show, or showed and was too improbable to be quoted."""
    return found["near_misses"] or found["results"][:PROVISIONS]


def notices(made: Sequence[Part]) -> list[dict]:
    """What was told before a search: hotlines, or why nothing was searched."""
    return [part.found["notice"] for part in made if part.found["notice"]]


def beside_answer(made: Sequence[Part]) -> Iterator[str]:
    is_answered = any(part.items for part in made)  # else the message says what is another country's
    shown = (told for told in notices(made) if told["searched"])
    yield from (told["text"] for told in shown if is_answered or told["code"] != ANOTHER_COUNTRY)
    if missing := [words for part in made if part.items for words in part.found["missing_words"]]:
        quoted = {"words": ", ".join(f"“{words}”" for words in missing)}
        yield _("No provision here has these words together: %(words)s. The answer was found without them.") % quoted
    if any(part.items and part.found["widened"] for part in made):
        yield _("Little that answers was found where you searched. These results are from other law here too.")


def helps(found: dict, day: date | None, asks_law: bool) -> list[str]:
    told = []
    if named := found["unresolved"]:
        told += not_here(named, found["absent"], day)
    if found["missing_words"]:
        told.append(_("Leave out the quotation marks: no provision has these words."))
    told += [_("Ask: %(question)s") % {"question": one} for one in found["suggestions"]]
    if not asks_law:
        return [*told, _("Name the document or the thing that you mean, or ask in other words.")]
    told.append(_("Name the law, the agency or the act that you mean, and what happened, when and to whom."))
    told.append(_("Not all law is here, as that of most states and cities; a lawyer or a legal aid office can help."))
    return told


def place(result: dict) -> dict:
    return {name: result[name] for name in ("locator", "citation", "title", "title_es", "url", "domain")}
