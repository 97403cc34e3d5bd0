"""Each address of the API: read the parameters strictly, call one function, answer JSON."""

from contextlib import ExitStack
from typing import Any
from uuid import UUID

import orjson
from csp.decorators import csp_update
from django.conf import settings
from django.db import InterfaceError, OperationalError
from django.db.models import Exists, OuterRef
from django.http import Http404, HttpRequest, HttpResponse
from django.utils import translation
from django.utils.decorators import method_decorator
from django.utils.module_loading import import_string
from drf_spectacular.utils import OpenApiParameter, extend_schema
from drf_spectacular.views import SpectacularAPIView, SpectacularSwaggerSplitView
from rest_framework.negotiation import BaseContentNegotiation
from rest_framework.request import Request
from rest_framework.views import APIView

from retrieval import pipeline
from retrieval.api import health, serializers
from retrieval.api.authentication import caller_of
from retrieval.api.documents import key_for_documents, take, upload_of, withdraw
from retrieval.api.errors import BadParameter, Forbidden
from retrieval.api.parameters import (
    MAX_BODY,
    MAX_ID,
    Field,
    Files,
    Parameters,
    StrictJson,
    day,
    name_of_ours,
    number,
    one_file,
    one_of,
    rule,
    text,
    uuid,
    yes_or_no,
)
from retrieval.api.sections import document_account, existing, section_account
from retrieval.citations import find_citations, whole_citations
from retrieval.models import ApiKey, Document, Feedback, Section
from retrieval.ranking import Caller, RulesAsked
from retrieval.row_access import as_caller
from retrieval.search import MAX_K, MAX_QUERY, SearchRequest, search, visible_domains
from retrieval.searchlog import give_feedback, trace_for
from retrieval.verification import usual_pipeline

MAX_CITING_TEXT = 64_000  # characters read for citations
MAX_CITATIONS = 250
PAGES = Field(number(low=1, high=1_000))
SIZES = Field(number(low=1, high=MAX_K))
DOMAINS = Field(name_of_ours, many=True)


class AlwaysJson(BaseContentNegotiation):
    """There is one kind of answer, whatever is asked for."""

    def select_parser(self, request: Request, parsers: list) -> Any:
        return next(
            (p for p in parsers if p.media_type == request.content_type.partition(";")[0].strip().lower()),
            None,
        )

    def select_renderer(self, request: Request, renderers: list, format_suffix: str | None = None) -> tuple:
        return renderers[0], renderers[0].media_type


class InEnglish:
    """A view that speaks the language of the code, whatever a browser asks for, and takes no OPTIONS."""

    http_method_names = [name for name in APIView.http_method_names if name != "options"]  # nor named in Allow

    def dispatch(self, request: HttpRequest, *args, **kwargs) -> HttpResponse:
        with translation.override("en"):
            return super().dispatch(request, *args, **kwargs)


class ApiView(InEnglish, APIView):
    """Any caller may come in; what is found depends on the key. Sessions are no way in, so CSRF is none."""

    content_negotiation_class = AlwaysJson
    parser_classes = [StrictJson]
    max_body = MAX_BODY

    def dispatch(self, request: HttpRequest, *args, **kwargs) -> HttpResponse:
        with ExitStack() as self.access:
            return super().dispatch(request, *args, **kwargs)

    def initial(self, request: Request, *args, **kwargs) -> None:
        """Once the key is known: what the handler reads, it reads as this caller."""
        super().initial(request, *args, **kwargs)
        self.access.enter_context(as_caller(caller_of(request)))


def reply(answer: dict, status: int = 200) -> HttpResponse:
    """Rendered here: an answer is JSON-able as it is. Nothing between may keep what a key opened."""
    body = orjson.dumps(answer, option=orjson.OPT_SERIALIZE_NUMPY)
    headers = {"Cache-Control": "no-store"}
    return HttpResponse(body, status=status, content_type="application/json", headers=headers)


ASKED = {
    "q": Field(text(longest=MAX_QUERY)),
    "domain": DOMAINS,
    "k": SIZES,
    "page": PAGES,
    "language": Field(one_of("en", "es")),
    "as_of": Field(day),
    "pipeline": Field(name_of_ours),
    "explain": Field(yes_or_no),
    "keyword_trigger": Field(yes_or_no),
    "coverage": Field(one_of("joint", "each")),
    "include_all_rules": Field(yes_or_no),
    "process_rules_separately": Field(yes_or_no),
    "quota": Field(number(low=1, high=20)),
    "token_budget": Field(number(low=1, high=1_000_000)),
    "no_rule": Field(one_of("global", "none")),
}
SEARCH = Parameters(required=["q"], rules=Field(number(low=1, high=MAX_ID), many=True), **ASKED)
SEARCH_BODY = Parameters(required=["q"], rules=Field(rule, many=True), **ASKED)


class SearchView(ApiView):
    @extend_schema(
        operation_id="search",
        parameters=serializers.SEARCH_PARAMETERS,
        responses=serializers.answers(serializers.Answer, 401, 403, 404, 429),
    )
    def get(self, request: Request) -> HttpResponse:
        """Find the provisions that answer a question."""
        return answer_to(SEARCH.from_url(request), caller_of(request))

    @extend_schema(
        operation_id="search_privately",
        request=serializers.Question,
        examples=serializers.RULE_EXAMPLES,
        responses=serializers.answers(serializers.Answer, 401, 403, 404, 413, 415, 429),
    )
    def post(self, request: Request) -> HttpResponse:
        """The same with the question in the body, so that it stays out of addresses and access logs."""
        return answer_to(SEARCH_BODY.from_json(request), caller_of(request))


def answer_to(values: dict[str, Any], caller: Caller) -> HttpResponse:
    explain = values.pop("explain", False)
    values.setdefault("pipeline", usual_pipeline(caller))
    rules = rules_asked(values, caller)
    asked = SearchRequest(values.pop("q"), domains=values.pop("domain", ()), rules=rules, **values)
    check_pipeline(asked.pipeline, caller)
    answer = search(asked, caller, door="api")
    if explain:
        answer = answer | {"explanation": trace_for(answer["trace_id"], caller)}
    return reply(answer)


def rules_asked(values: dict[str, Any], caller: Caller) -> RulesAsked:
    """Takes what concerns rules out of the values. Raises BadParameter, NotFound and what the owner of rules raises."""
    references = values.pop("rules", None)
    separately = [values.pop(name, False) for name in ("include_all_rules", "process_rules_separately")]
    coverage = values.pop("coverage", "each" if any(separately) else "joint")
    if any(separately) and coverage == "joint":
        raise BadParameter("include_all_rules and process_rules_separately mean coverage=each.")
    read = import_string(f"{settings.ARF_RULES}.given")
    return RulesAsked(
        given=None if references is None else read(references, caller),
        keyword_trigger=values.pop("keyword_trigger", True),
        coverage=coverage,
        quota=values.pop("quota", 1),
        token_budget=values.pop("token_budget", None),
        fallback=values.pop("no_rule", "global"),
    )


def check_pipeline(name: str, caller: Caller) -> None:
    """Anybody may run the public pipelines; others need the scope. Raises UnknownPipeline, Forbidden."""
    pipeline.get(name)
    if name not in pipeline.names(public=True) and ApiKey.Scope.PIPELINES not in caller.scopes:
        raise Forbidden(f"The pipeline “{name}” needs a key with the scope “pipelines”.")


SECTION = Parameters(as_of=Field(day))


class SectionView(ApiView):
    @extend_schema(
        operation_id="section",
        parameters=[
            OpenApiParameter("path", str, "path", description="A locator without its leading slash."),
            serializers.AS_OF,
        ],
        responses=serializers.answers(serializers.Provision, 401, 404, 429),
    )
    def get(self, request: Request, path: str) -> HttpResponse:
        """Read one provision by its locator; a deeper place answers its section, with the place as `pin`."""
        values = SECTION.from_url(request)
        if not path.isprintable():
            raise Http404
        return reply(section_account(f"/{path}", caller_of(request), values.get("as_of")))


DOCUMENTS = Parameters(domain=DOMAINS, k=SIZES, page=PAGES)
UPLOAD = Parameters(
    required=["domain", "file"],
    domain=Field(name_of_ours),
    file=Field(one_file),
    title=Field(text(longest=500)),
    tag=Field(text(longest=60), many=True),
    grant=Field(text(longest=60), many=True),
)
NOTHING = Parameters()


class DocumentsView(ApiView):
    parser_classes = [Files]

    @extend_schema(
        operation_id="documents",
        parameters=serializers.DOCUMENT_PARAMETERS,
        responses=serializers.answers(serializers.DocumentPage, 401, 404, 429),
    )
    def get(self, request: Request) -> HttpResponse:
        """List the documents that the caller may read today; withdrawn ones are none of them."""
        values = DOCUMENTS.from_url(request)
        caller = caller_of(request)
        slugs = {scope.id: scope.slug for scope in visible_domains(caller, values.get("domain", ()))}
        in_force = Exists(Section.objects.readable(caller).filter(document=OuterRef("pk")))
        documents = Document.objects.visible_to(caller).filter(in_force, domain__in=slugs)
        in_order = documents.order_by("domain", "locator", "pk")
        return reply(document_page(in_order, slugs, k=values.get("k", 10), page=values.get("page", 1)))

    @extend_schema(
        operation_id="upload_document",
        request={"multipart/form-data": serializers.UploadedFile},
        responses=serializers.answers(
            serializers.UploadState, 401, 403, 404, 413, 415, 422, 429, success=202
        ),
    )
    def post(self, request: Request) -> HttpResponse:
        """Hand in a file for a domain; it is read by a job. The same name again is a new version of its document."""
        key = key_for_documents(request)
        return reply(take(UPLOAD.from_form(request), key), status=202)


class DocumentView(ApiView):
    @extend_schema(
        operation_id="withdraw_document",
        parameters=[
            OpenApiParameter("path", str, "path", description="A document's locator without its leading slash.")
        ],
        responses=serializers.answers(serializers.Withdrawn, 401, 403, 404, 429),
    )
    def delete(self, request: Request, path: str) -> HttpResponse:
        """Withdraw a document that came from a file: nobody finds it any more, its past stays readable."""
        NOTHING.from_url(request)
        key_for_documents(request)
        if not path.isprintable():
            raise Http404
        return reply(withdraw(f"/{path}", caller_of(request)))


class UploadView(ApiView):
    @extend_schema(
        operation_id="upload",
        responses=serializers.answers(serializers.UploadState, 401, 403, 404, 429),
    )
    def get(self, request: Request, upload_id: int) -> HttpResponse:
        """What became of a file that this key handed in."""
        NOTHING.from_url(request)
        return reply(upload_of(upload_id, key_for_documents(request)))


def document_page(documents, slugs: dict[int, str], *, k: int, page: int) -> dict:
    total = documents.count()
    return {
        "documents": [document_account(d, slugs[d.domain_id]) for d in documents[(page - 1) * k : page * k]],
        "total": total,
        "page": page,
        "next": page + 1 if total > page * k else None,
        "previous": page - 1 if page > 1 else None,
    }


CITING = Parameters(required=["q"], q=Field(text(longest=MAX_CITING_TEXT)))


class CitationsView(ApiView):
    max_body = 12 * MAX_CITING_TEXT + 1_024  # bytes: every character escaped, as a surrogate pair

    @extend_schema(
        operation_id="resolve_citations",
        parameters=[OpenApiParameter("q", str, required=True, description="Text that holds citations.")],
        responses=serializers.answers(serializers.ResolvedCitations, 401, 429),
    )
    def get(self, request: Request) -> HttpResponse:
        """Read the citations in a text and say which of them lead to a provision here."""
        return reply(resolved(CITING.from_url(request)["q"], caller_of(request)))

    @extend_schema(
        operation_id="resolve_citations_of_long_text",
        request=serializers.CitingText,
        responses=serializers.answers(serializers.ResolvedCitations, 401, 413, 415, 429),
    )
    def post(self, request: Request) -> HttpResponse:
        """The same for a text too long for an address."""
        return reply(resolved(CITING.from_json(request)["q"], caller_of(request)))


def resolved(text: str, caller: Caller) -> dict:
    """A text that is nothing but a citation may be written more loosely ("art 1 s 8 c 3")."""
    found = (whole_citations(text) or find_citations(text))[:MAX_CITATIONS]
    known = existing([citation.locator for citation in found], caller)
    return {
        "citations": [
            {
                "text": citation.text,
                "start": citation.start,
                "end": citation.end,
                "normalized": citation.normalized,
                "locator": citation.locator,
                "resolved": citation.locator in known,
            }
            for citation in found
        ]
    }


class TraceView(ApiView):
    @extend_schema(
        operation_id="trace", responses=serializers.answers(serializers.TraceOfSearch, 401, 404, 429)
    )
    def get(self, request: Request, trace_id: UUID) -> HttpResponse:
        """The account of one search, for staff and for the caller who made it."""
        NOTHING.from_url(request)
        return reply(trace_for(str(trace_id), caller_of(request)))


FEEDBACK = Parameters(
    required=["trace_id", "verdict"],
    trace_id=Field(uuid),
    locator=Field(text(longest=300)),
    verdict=Field(one_of(*Feedback.Verdict.values)),
    comment=Field(text(longest=1_000)),
)


class FeedbackView(ApiView):
    @extend_schema(
        operation_id="feedback",
        request=serializers.Opinion,
        responses=serializers.answers(serializers.KeptOpinion, 401, 404, 413, 415, 429, success=201),
    )
    def post(self, request: Request) -> HttpResponse:
        """Say whether a result, or a whole answer, helped; saying it again changes what was said."""
        said = FEEDBACK.from_json(request)
        kept = give_feedback(
            str(said["trace_id"]),
            caller_of(request),
            locator=said.get("locator", ""),
            verdict=said["verdict"],
            comment=said.get("comment", ""),
        )
        answer = {"trace_id": str(kept.log_id), "locator": kept.locator, "verdict": kept.verdict}
        return reply(answer | {"comment": kept.comment}, status=201)


class HealthView(ApiView):
    @extend_schema(
        operation_id="health",
        responses={**serializers.answers(serializers.Health, 401, 429), 503: serializers.Health},
    )
    def get(self, request: Request) -> HttpResponse:
        """Whether the server can answer, part by part: ok, degraded or (503) down."""
        NOTHING.from_url(request)
        return reply(health.health(caller_of(request)))

    def handle_exception(self, error: Exception) -> HttpResponse:
        if isinstance(error, OperationalError | InterfaceError):
            return reply(health.down(), status=503)
        return super().handle_exception(error)


@extend_schema(exclude=True)
class NowhereView(ApiView):
    """Any other address: an error in the API's own shape."""

    def initial(self, request: Request, *args, **kwargs) -> None:
        super().initial(request, *args, **kwargs)
        raise Http404


SCHEMA = Parameters(format=Field(one_of("yaml", "json")))
DOCS = Parameters(script=Field(one_of("")))


class SchemaView(InEnglish, SpectacularAPIView):
    """The description of this API in OpenAPI, as YAML unless JSON is asked for."""

    def initial(self, request: Request, *args, **kwargs) -> None:
        SCHEMA.from_url(request)
        super().initial(request, *args, **kwargs)


@method_decorator(csp_update({"style-src": "'unsafe-inline'"}), name="dispatch")
class DocsView(InEnglish, SpectacularSwaggerSplitView):
    """Swagger UI from our own static files, its start-up script apart: only styles need room in the CSP."""

    url_name = "api:schema"

    def initial(self, request: Request, *args, **kwargs) -> None:
        DOCS.from_url(request)
        super().initial(request, *args, **kwargs)
