"""Searches by GET and, so that questions stay out of addresses and access logs, by POST; the trace of a search, and
what its reader thought of it.
"""

from typing import Any
from uuid import UUID

from django.conf import settings
from django.utils.module_loading import import_string
from drf_spectacular.utils import OpenApiExample, extend_schema_serializer
from rest_framework import serializers as s
from rest_framework.request import Request

from retrieval import pipeline
from retrieval.access import matters
from retrieval.access.caller import Caller
from retrieval.access.row_security import as_caller
from retrieval.api.authentication import caller_of
from retrieval.api.base import ApiView, as_stored, language_of, operation
from retrieval.api.errors import BadParameter
from retrieval.api.parameters import (
    MAX_ID,
    Choice,
    Day,
    Name,
    Names,
    Number,
    Parameters,
    Rule,
    Text,
    Uuid,
    YesOrNo,
)
from retrieval.api.sections import url_in
from retrieval.api.serializers import NAMED, Answer, Result, TraceOfSearch
from retrieval.errors import Forbidden
from retrieval.models import ApiKey, Feedback
from retrieval.ranking import RuleOptions
from retrieval.request import MAX_DEPTH, MAX_K, MAX_QUERY, MAX_WITHIN, MOST_PAGES, SearchRequest
from retrieval.search.log import explanation_of, give_feedback, trace_for
from retrieval.search.service import search
from retrieval.stages.llm_verifier import usual_pipeline
from retrieval.summaries.shown import with_summaries

LANGUAGE = (
    "Of the question. Left out: what it is written in; of one that does not tell (“visa”), the first of en and es that "
    "Accept-Language names, else en."
)
PIPELINE = (
    "A public pipeline; others need the scope “pipelines”. Left out: `default`, which asks no language model, or, for "
    "a key with that scope where a language model is configured, `verified`, which has it judge what is uncertain."
)
COVERAGE = (
    "joint, as if left out: one search under what any restricting rule allows; each: one search per such rule, each "
    "covered."
)
LONG = ["text", "notes"]  # of a long provision either is a hundred kilobytes
SUMMARIES = ["summary", "summary_written"]
ON_DEMAND = [*LONG, *SUMMARIES]
SHOWN = ("results", "near_misses")
FIELDS = list(Result().get_fields())
USUAL_FIELDS = [name for name in FIELDS if name not in ON_DEMAND]
ASKED_FIELDS = (
    f"What each result holds, repeated or with commas between; {' and '.join(NAMED)} always are. Left out: all but "
    f"{', '.join(ON_DEMAND)}."
)


class SearchParameters(Parameters):
    """What a search takes."""

    q = Text(max_length=MAX_QUERY, help_text="The question, a citation or words of the law.")
    domain = s.ListField(
        child=Name(),
        required=False,
        help_text="Slugs, or one as text; left out: every domain the caller may see.",
    )
    within = s.ListField(
        child=Text(max_length=300),
        required=False,
        help_text=f"Locators of at most {MAX_WITHIN} provisions, documents or domains: only what "
        "stands below one of them.",
    )
    facets = YesOrNo(default=False, help_text="Adds how many of the first candidates are of which part of the law.")
    notes = YesOrNo(default=False, help_text="Adds, beside the results, notes that have all words of the question.")
    k = Number(min_value=1, max_value=MAX_K, default=10, help_text="Results a page.")
    page = Number(
        min_value=1, max_value=MOST_PAGES, default=1, help_text=f"Pages reach the first {MAX_DEPTH:,} results."
    )
    language = Choice(["en", "es"], required=False, help_text=LANGUAGE)
    as_of = Day(required=False, help_text="Search the law as it was on that day.")
    pipeline = Name(required=False, help_text=PIPELINE)
    matter = Uuid(required=False, help_text="Only documents of this matter, closed or not; with `domain` also law.")
    fields = Names(child=Choice(FIELDS), default=USUAL_FIELDS, help_text=ASKED_FIELDS)
    explain = YesOrNo(default=False, help_text="Adds the trace of every candidate as “explanation”.")
    rules = s.ListField(
        child=Number(min_value=1, max_value=MAX_ID),
        required=False,
        help_text="Ids of published rules: these and no others.",
    )
    keyword_trigger = YesOrNo(
        default=True, help_text="False: given rules apply whatever the words of the question."
    )
    coverage = Choice(["joint", "each"], required=False, help_text=COVERAGE)
    include_all_rules = YesOrNo(default=False, help_text="The same as coverage=each.")
    process_rules_separately = YesOrNo(default=False, help_text="The same as coverage=each.")
    quota = Number(
        min_value=1,
        max_value=20,
        default=1,
        help_text="With coverage=each: results that every rule is sure of, where it has as many.",
    )
    token_budget = Number(
        min_value=1,
        max_value=1_000_000,
        required=False,
        help_text="Bounds the tokens of the passages; what is left out is told under “rules”.",
    )
    no_rule = Choice(
        ["global", "none"],
        default="global",
        help_text="Where none of the given rules fires: search everything (global) or nothing (none).",
    )


@extend_schema_serializer(component_name="Question")
class SearchBody(SearchParameters):
    rules = s.ListField(
        child=Rule(),
        required=False,
        help_text="Ids of published rules, and at most 10 rules written out: these and no others are considered. "
        "Left out: every published rule.",
    )


RULE_EXAMPLES = [
    OpenApiExample("A question", value={"q": "Can the police search my phone?"}, request_only=True),
    OpenApiExample(
        "Only some pages of a file",
        value={
            "q": "When is the rent due?",
            "rules": [
                {
                    "targets": [{"kind": "filename", "value": "lease.pdf", "pages": "3-5, 8"}],
                    "actions": [{"kind": "restrict"}],
                }
            ],
        },
        request_only=True,
    ),
    OpenApiExample(
        "Something from every rule, within 2,000 tokens",
        value={
            "q": "Who is commander in chief?",
            "rules": [
                12,
                {
                    "criteria": [{"kind": "keywords", "value": ["commander", "army"], "stemmed": True}],
                    "targets": [{"kind": "section", "value": "/us/const/article/II"}],
                    "actions": [{"kind": "restrict"}, {"kind": "pin", "position": 1}],
                },
            ],
            "include_all_rules": True,
            "quota": 2,
            "token_budget": 2000,
        },
        request_only=True,
    ),
]


class SearchView(ApiView):
    @operation("search", Answer, 403, 404, url=SearchParameters)
    def get(self, request: Request, asked: dict) -> dict:
        """Find the provisions that answer a question."""
        return answer_to(asked, caller_of(request), reader=language_of(request))

    @operation("search_privately", Answer, 403, 404, body=SearchBody, examples=RULE_EXAMPLES)
    def post(self, request: Request, asked: dict) -> dict:
        """The same with the question in the body, so that it stays out of addresses and access logs."""
        return answer_to(asked, caller_of(request), reader=language_of(request))


def answer_to(values: dict[str, Any], caller: Caller, *, reader: str) -> dict:
    """`reader`: the language of a question that tells none."""
    explain, fields = values.pop("explain"), values.pop("fields")
    if number := values.pop("matter", None):
        matter = matters.matter_of(number, caller)
        values["domain"] = matters.searched_in(matter, values.get("domain", ()))
        caller = matters.caller_in(matter, caller)
    values.setdefault("pipeline", usual_pipeline(caller))
    rules = rule_options(values, caller)
    whole = not {*LONG}.isdisjoint(fields)
    text, domains = values.pop("q"), values.pop("domain", ())
    asked = SearchRequest(text, domains, rules=rules, whole=whole, reader=reader, **values)
    check_pipeline(asked.pipeline, caller)
    answer = search(asked, caller, channel="api")
    if not {*SUMMARIES}.isdisjoint(fields):
        language = answer["query"]["language"]
        with as_caller(caller):
            told = {part: with_summaries(answer[part], caller, asked.as_of, language) for part in SHOWN}
        answer = answer | told
    if explain:
        answer = answer | explanation_of(answer["trace_id"], caller)
    if number:
        answer = answer | {
            part: [result | {"url": url_in(number, result["url"])} for result in answer[part]] for part in SHOWN
        }
    return with_fields(answer, {*NAMED, *fields})


def with_fields(answer: dict, fields: set[str]) -> dict:
    """The answer with only these fields of its results."""
    shown = {
        part: [{name: value for name, value in result.items() if name in fields} for result in answer[part]]
        for part in SHOWN
    }
    return answer | shown


def rule_options(values: dict[str, Any], caller: Caller) -> RuleOptions:
    """Takes what concerns rules out of the values. Raises BadParameter, NotFound and what the owner of rules raises."""
    references = values.pop("rules", None)
    separately = [values.pop(name) for name in ("include_all_rules", "process_rules_separately")]
    coverage = values.pop("coverage", "each" if any(separately) else "joint")
    if any(separately) and coverage == "joint":
        raise BadParameter("include_all_rules and process_rules_separately mean coverage=each.")
    read = import_string(f"{settings.ARF_RULES}.given")
    return RuleOptions(
        given=None if references is None else read(references, caller),
        keyword_trigger=values.pop("keyword_trigger"),
        coverage=coverage,
        quota=values.pop("quota"),
        token_budget=values.pop("token_budget", None),
        fallback=values.pop("no_rule"),
    )


def check_pipeline(name: str, caller: Caller) -> None:
    """Anybody may run the public pipelines; others need the scope. Raises UnknownPipeline, Forbidden."""
    pipeline.get(name)
    if name not in pipeline.names(public=True) and ApiKey.Scope.PIPELINES not in caller.scopes:
        raise Forbidden(f"The pipeline “{name}” needs a key with the scope “pipelines”.")


@extend_schema_serializer(component_name="Opinion")
class FeedbackBody(Parameters):
    """Whether an answer, or one result of it, helped."""

    trace_id = Uuid()
    locator = Text(required=False, max_length=300, help_text="Left out: of the answer as a whole.")
    verdict = Choice(Feedback.Verdict.choices)
    comment = Text(required=False, max_length=1_000)


class KeptOpinion(s.Serializer):
    trace_id = s.UUIDField()
    locator = s.CharField(allow_blank=True)
    verdict = s.CharField()
    comment = s.CharField(allow_blank=True, help_text="Without personal identifiers.")


class TraceView(ApiView):
    @operation("trace", TraceOfSearch, 404)
    def get(self, request: Request, asked: dict, trace_id: UUID) -> dict:
        """The account of one search, for staff and for the caller who made it."""
        return trace_for(str(trace_id), caller_of(request))


class FeedbackView(ApiView):
    @operation("feedback", KeptOpinion, 404, body=FeedbackBody, success=(201,))
    def post(self, request: Request, said: dict) -> dict:
        """Say whether a result, or a whole answer, helped; saying it again changes what was said."""
        locator = said.get("locator", "")  # of a private place no more is kept than its number, which nobody is told
        kept = give_feedback(
            str(said["trace_id"]),
            caller_of(request),
            locator=locator,
            verdict=said["verdict"],
            comment=said.get("comment", ""),
        )
        return {"trace_id": str(kept.log_id), "locator": locator} | as_stored(kept, "verdict", "comment")
