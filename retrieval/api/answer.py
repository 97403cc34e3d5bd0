"""Answers by GET and, so that questions stay out of addresses and access logs, by POST; whole, or sentence by sentence
as server-sent events.
"""

from collections.abc import Iterator
from typing import Any

import orjson
from django.http import HttpResponseBase, StreamingHttpResponse
from drf_spectacular.utils import extend_schema_serializer
from rest_framework import serializers as s
from rest_framework.exceptions import Throttled
from rest_framework.request import Request

from retrieval.answers.service import FULL, SHORT, AnswerRequest, Quoted, by_law, complete, in_plain_words
from retrieval.answers.streaming import SENTENCE, in_plain_words_as_proven
from retrieval.api.authentication import caller_of, seconds_to_wait
from retrieval.api.base import ApiView, language_of, operation, reply
from retrieval.api.parameters import Choice, Day, Name, Parameters, Text, YesOrNo
from retrieval.api.search import FIELDS, LANGUAGE
from retrieval.api.serializers import GoverningDefinition, LegalChange, Note, Redirect, Reference, Result
from retrieval.api.summaries import AnswerTranslation, QuotedPlace
from retrieval.engines.llm.requests import result_of
from retrieval.proof.types import OUTCOMES as OUTCOMES_OF_PROOF
from retrieval.request import MAX_QUERY
from retrieval.search.response import STANDINGS
from retrieval.stages.llm_verifier import usual_pipeline

EVENTS = "text/event-stream"
KINDS = ("lead", "yes", "no", "generated", "law")
VERDICTS = ("supported", "not_a_claim")
OUTCOMES = (
    "generated", "unproven", "declined", "injected", "timeout", "refused", "malformed", "rate_limited", "unavailable",
    "unsupported", "error", "over_budget", "resting",
)  # fmt: skip
WITHHELD = (
    "contradicted", "not_found", "not_a_claim", "unread", "unsure", "quotation", "absolute", "yes_or_no", "language",
    "leans",
)  # fmt: skip


class AnswerParameters(Parameters):
    """What an answer takes."""

    q = Text(max_length=MAX_QUERY, help_text="The question.")
    domain = s.ListField(
        child=Name(),
        required=False,
        help_text="Slugs, or one as text; left out: every domain the caller may see.",
    )
    language = Choice(["en", "es"], required=False, help_text=LANGUAGE)
    as_of = Day(required=False, help_text="By the law as it was on that day.")
    style = Choice(
        [SHORT, FULL],
        default=SHORT,
        help_text="short: the place that answers best; full: what is near it as well.",
    )
    stream = YesOrNo(
        default=False,
        help_text="Server-sent events: “sentence” for each entry of `answer`, those by a language model last, as each "
        "is proven; “withdrawn” where those of a part are taken back for another draft, or for none; then “answer” "
        "with all.",
    )


@extend_schema_serializer(component_name="QuestionToAnswer")
class AnswerBody(AnswerParameters):
    pass


class AnswerSentence(s.Serializer):
    """One entry of an answer. `lead` is a name that curators gave the provision and no law; `generated` was written by
    a language model and proven; all but `lead` rest on what they cite.
    """

    text = s.CharField()
    kind = s.ChoiceField(KINDS)
    citations = QuotedPlace(many=True)
    verdict = s.ChoiceField(VERDICTS)
    confidence = s.FloatField(
        allow_null=True,
        help_text="Of law the probability that it answers, given that a sentence found does; of what was generated, "
        "that the law it cites says so.",
    )
    translation = AnswerTranslation(allow_null=True, help_text="In answers in Spanish, where there is one.")
    language = s.CharField(help_text="Of the text; of yes and no, that of the law they rest on.")
    summary_of_decision = s.BooleanField(
        help_text="What is quoted, or what it rests on, is a summary of a decision, not its opinion's words."
    )
    private = s.BooleanField(help_text="What is quoted, or what it rests on, is a private document, not law.")
    standing = s.ChoiceField(
        STANDINGS, allow_null=True, help_text="Of the law it rests on, as in results; null where none is marked."
    )
    status = s.CharField(allow_blank=True, help_text="repealed, superseded …, on the day asked for.")
    valid_from = s.DateField(allow_null=True)
    valid_to = s.DateField(allow_null=True, help_text="First day on which it is no longer in force.")
    withdrawn_on = s.DateField(allow_null=True, help_text="The same, where its whole document was withdrawn.")
    history = LegalChange(many=True, help_text="What changed or ended it by the day asked for, in order.")
    part = s.IntegerField(
        allow_null=True, help_text="Of several questions the one it answers, counted from 1."
    )


class NamedPlace(Reference):
    title_es = s.CharField(allow_blank=True)
    url = s.CharField()
    domain = s.CharField()


class AnswerNotFound(s.Serializer):
    """Why there is no answer."""

    message = s.CharField()
    looked_at = NamedPlace(many=True)
    would_help = s.ListField(child=s.CharField())


class AnswerPart(s.Serializer):
    """One question of several that were asked at once."""

    question = s.CharField()
    answer = AnswerSentence(many=True)
    sources = Result(many=True)
    not_found = AnswerNotFound(allow_null=True)
    confident = s.BooleanField(help_text="As a search tells it; false where nothing answers.")
    notes = Note(many=True, help_text="Of curators’ rules.")
    redirect = Redirect(allow_null=True, help_text="Where a rule leads instead; null where several are asked at once.")
    trace_id = s.UUIDField(help_text="Of the search of this question, which feedback on its places names.")


class AnswerCost(s.Serializer):
    llm_calls = s.IntegerField()
    llm_usd = s.FloatField()


class WithheldSentence(s.Serializer):
    text = s.CharField()
    reason = s.ChoiceField(WITHHELD)
    part = s.IntegerField(allow_null=True)


class AnswerGeneration(s.Serializer):
    """What became of asking a language model; where nothing that it wrote is shown, `outcome` says why."""

    outcome = s.ChoiceField(OUTCOMES)
    withheld = WithheldSentence(many=True, help_text="What was not proven, for staff alone.")


class PageElsewhere(s.Serializer):
    url = s.CharField()
    host = s.CharField()
    title = s.CharField()
    text = s.CharField(allow_blank=True)


class Elsewhere(s.Serializer):
    """Pages of other sites. They are no law, and nobody here has checked them."""

    outcome = s.ChoiceField(["found", "nothing", "unreachable"])
    pages = PageElsewhere(many=True)


class DefinedWord(GoverningDefinition):
    """Of a word that is quoted: the nearest definition that governs it."""

    url = s.CharField()


class AnswerToQuestion(AnswerPart):
    """`answer` is empty where nothing answers; `not_found` then tells what was looked at."""

    style = s.ChoiceField([SHORT, FULL])
    parts = AnswerPart(many=True)
    language = s.CharField()
    as_of = s.DateField(allow_null=True)
    verified = s.BooleanField(help_text="Every sentence shown is borne out by what it cites.")
    verification = s.ChoiceField(
        OUTCOMES_OF_PROOF, help_text="The same, and nothing_to_verify where no sentence claims anything."
    )
    definitions = DefinedWord(many=True, help_text="Of words that are quoted, a few, as they stand there.")
    notice = s.CharField(help_text="The edition of the law that was read, and that this is no legal advice.")
    trace_id = s.UUIDField(help_text="Of the search; of several questions of the first: `parts` have their own.")
    degraded = s.ListField(child=s.CharField(), help_text="What could not do its part.")
    generation = AnswerGeneration(
        allow_null=True, help_text="Null where no language model may be asked: docs/answers.md."
    )
    elsewhere = Elsewhere(
        allow_null=True, help_text="Null where the law here answers, and where no other site is asked."
    )
    cost = AnswerCost(help_text="Of language models, for the searches too.")
    took_ms = s.FloatField()


class AnswerView(ApiView):
    @operation("answer", AnswerToQuestion, 403, 404, url=AnswerParameters, stream=EVENTS)
    def get(self, request: Request, asked: dict) -> HttpResponseBase:
        """Answer a question by the words of the law."""
        return answer_to(asked, request)

    @operation("answer_privately", AnswerToQuestion, 403, 404, body=AnswerBody, stream=EVENTS)
    def post(self, request: Request, asked: dict) -> HttpResponseBase:
        """The same with the question in the body, so that it stays out of addresses and access logs."""
        return answer_to(asked, request)


def answer_to(values: dict[str, Any], request: Request) -> HttpResponseBase:
    """Raises Throttled: every question of one text counts as a request, though never as more than a minute holds."""
    caller, stream = caller_of(request), values.pop("stream")
    line = usual_pipeline(caller)
    asked = AnswerRequest(
        values.pop("q"), values.pop("domain", ()), pipeline=line, reader=language_of(request), **values
    )
    if wait := seconds_to_wait(request, request.auth, cost=len(asked.questions), counted=1):
        raise Throttled(wait)
    quoted = by_law(asked, caller, channel="api")
    if not stream:
        return reply(whole(in_plain_words(quoted)), language=asked.spoken)
    headers = {
        "Cache-Control": "no-store",
        "Content-Language": asked.spoken,
        "X-Accel-Buffering": "no",  # no proxy holds back what is sent
    }
    return StreamingHttpResponse(
        events(quoted), content_type=f"{EVENTS}; charset=utf-8", headers=headers
    )


def whole(quoted: Quoted) -> dict:
    made = complete(quoted)
    return promised(made) | {"parts": [promised(part) for part in made["parts"]]}


def promised(made: dict) -> dict:
    """With what the schema tells of a source, without what only pages use."""
    sources = [{name: value for name, value in one.items() if name in FIELDS} for one in made["sources"]]
    return made | {"sources": sources}


def events(quoted: Quoted) -> Iterator[bytes]:
    """The law is sent before a language model is asked, what it writes as each sentence is proven. What it is asked is
    heard to its end, whoever has gone.
    """
    yield from (event(SENTENCE, entry) for entry in quoted.items)
    writing = in_plain_words_as_proven(quoted)
    try:
        while True:
            yield event(*next(writing))
    except StopIteration as ended:
        yield event("answer", whole(ended.value))
    finally:
        result_of(writing)


def event(name: str, told: dict) -> bytes:
    return b"event: %s\ndata: %s\n\n" % (name.encode(), orjson.dumps(told, option=orjson.OPT_SERIALIZE_NUMPY))
