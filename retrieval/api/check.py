"""A brief checked over the API: its text as JSON, or a file that holds it. Nothing of it is kept."""

from django.core.files.uploadedfile import UploadedFile
from django.http import HttpResponse
from django.utils.translation import override
from drf_spectacular.utils import extend_schema_serializer
from rest_framework import serializers as s
from rest_framework.exceptions import Throttled
from rest_framework.request import Request

from retrieval.access import matters
from retrieval.api.authentication import caller_of, cost_of, cost_of_text, seconds_to_wait
from retrieval.api.base import ApiView, operation, reply
from retrieval.api.parameters import Choice, Day, File, Files, Parameters, StrictJson, Text, Uuid, YesOrNo
from retrieval.api.sections import BYTES_A_REQUEST
from retrieval.api.serializers import CitationInText, LegalChange, Reference
from retrieval.api.summaries import UNIT
from retrieval.briefs.checking import KINDS, MAX_TEXT, QUOTED, check_brief
from retrieval.briefs.library import STATUSES
from retrieval.briefs.markup import copy_of
from retrieval.briefs.reading import Read, read_brief
from retrieval.proof.types import OUTCOMES
from retrieval.search.response import STANDINGS

KIND = f"One of: {', '.join(KINDS)}."
IN_TEXT = f"Where it begins in the text, {UNIT}; of a file in the text that its copy shows."


class BriefOptions(Parameters):
    as_of = Day(required=False, help_text="As the law was on that day; left out: today.")
    matter = Uuid(required=False, help_text="Of private documents, those of this matter alone.")
    copy = YesOrNo(default=False, help_text="Whether a marked-up copy, a page of HTML, is wanted too.")
    opinion = YesOrNo(
        default=False,
        help_text="Whether a language model, where one is configured and the key may ask it, is sent the sentences "
        "that are neither surely borne out nor surely not, with the public law they cite.",
    )
    language = Choice(["en", "es"], default="en", help_text="Of the notice and the marked-up copy.")


@extend_schema_serializer(component_name="Brief")
class BriefText(BriefOptions):
    text = Text(max_length=MAX_TEXT)


@extend_schema_serializer(component_name="BriefFile")
class BriefForm(BriefOptions):
    file = File(help_text="Text, Markdown, DOCX, PDF or HTML, at most 2.5 MB.")


class CitedPlace(Reference):
    url = s.CharField()


class CheckedCitation(CitationInText):
    status = s.ChoiceField(STATUSES, help_text="On the day asked for.")
    standing = s.ChoiceField(STANDINGS, allow_null=True, help_text="The same, as results tell it.")
    found = CitedPlace(allow_null=True)
    nearest = CitedPlace(
        allow_null=True, help_text="What may be meant, where it leads nowhere or to another decision."
    )
    history = LegalChange(many=True, help_text="Changes made by that day.")
    known_from = s.DateField(
        allow_null=True, help_text="Of what is unknown because its law is here only from a later day on, that day."
    )
    admitted = s.BooleanField(help_text="Whether its sentence says that it no longer stands.")
    withdrawn_on = s.DateField(
        allow_null=True, help_text="Of what was in force no longer since its whole document was withdrawn, that day."
    )
    findings = s.ListField(child=s.CharField(), help_text=KIND)


class ComparedSource(s.Serializer):
    locator = s.CharField()
    citation = s.CharField()
    language = s.CharField()
    valid_from = s.DateField(allow_null=True)
    valid_to = s.DateField(allow_null=True)
    text = s.CharField(allow_blank=True, help_text="Its words there, at most 600 characters.")


class WordsThatDiffer(s.Serializer):
    quoted = s.CharField(allow_blank=True)
    source = s.CharField(allow_blank=True)


class CheckedQuotation(s.Serializer):
    text = s.CharField()
    start = s.IntegerField(help_text=IN_TEXT)
    end = s.IntegerField()
    citation = s.IntegerField(allow_null=True, help_text="Its place among the citations, from 0.")
    status = s.ChoiceField(QUOTED)
    differences = WordsThatDiffer(many=True)
    source = ComparedSource(allow_null=True)
    elsewhere = ComparedSource(allow_null=True, help_text="Where its very words are, if not there.")
    findings = s.ListField(child=s.CharField(), help_text=KIND)


class CheckedProposition(s.Serializer):
    """A sentence that cites law and does not quote it, beside what it cites."""

    text = s.CharField()
    start = s.IntegerField(help_text=IN_TEXT)
    end = s.IntegerField()
    citations = s.ListField(child=s.IntegerField(), help_text="Their places among the citations, from 0.")
    verdict = s.CharField(help_text="supported, contradicted or not_found.")
    confidence = s.FloatField()
    problems = s.ListField(child=s.CharField(), help_text="What differs: number, negation, party …")
    findings = s.ListField(child=s.CharField(), help_text=KIND)
    opinion = s.BooleanField(help_text="Whether a language model told, by words that stand in the law cited.")


class BriefFinding(s.Serializer):
    start = s.IntegerField(help_text=IN_TEXT)
    end = s.IntegerField()
    kind = s.CharField(help_text=KIND)
    of = s.ChoiceField(["citation", "quotation", "proposition"])
    number = s.IntegerField(help_text="Its place among what `of` names, from 0.")


class CheckedBrief(s.Serializer):
    as_of = s.DateField()
    complete = s.BooleanField(help_text="Whether everything could be read and looked up.")
    scanned_pages = s.ListField(child=s.IntegerField(), help_text="Of a PDF: scans, of which nothing was read.")
    opinion = s.CharField(
        allow_null=True, help_text="What became of asking a language model: given, or why not; null: none was asked."
    )
    verification = s.ChoiceField(
        OUTCOMES,
        help_text="verified: every citation is resolved, every quotation exact, every sentence read supported; "
        "nothing_to_verify: there is none of these.",
    )
    citations = CheckedCitation(many=True)
    quotations = CheckedQuotation(many=True)
    propositions = CheckedProposition(many=True)
    findings = BriefFinding(many=True, help_text="What to look at, in the order of the text.")
    notice = s.CharField()
    copy = s.CharField(required=False, help_text="Where it was asked for.")


class CheckView(ApiView):
    parser_classes = [StrictJson, Files]
    bytes_a_request = BYTES_A_REQUEST
    max_body = 12 * MAX_TEXT + 1_024  # bytes: every character escaped, as a surrogate pair

    @operation("check_brief", CheckedBrief, 404, 422, 503, body=BriefText, form=BriefForm)
    def post(self, request: Request, said: dict) -> HttpResponse:
        """Check the citations and quotations of a brief beside the law of a day. Nothing of it is kept."""
        read = Read(said["text"]) if "text" in said else unpacked(said["file"], request)
        caller = caller_of(request)
        if number := said.get("matter"):
            caller = matters.caller_in(matters.matter_of(number, caller), caller)
        report = check_brief(*read, as_of=said.get("as_of"), caller=caller, opinion=said["opinion"])
        with override(said["language"]):
            answer = report.to_dict()
            if said["copy"]:
                answer |= {"copy": copy_of(report, f"{request.scheme}://{request.get_host()}")}
        return reply(answer, language=said["language"])


def unpacked(file: UploadedFile, request: Request) -> Read:
    """The text in a file. Raises Throttled: what it holds more than was sent is charged too."""
    read = read_brief(file.name, file.read())
    charged, cost = cost_of(request, CheckView), cost_of_text(read.text, CheckView)
    if wait := seconds_to_wait(request, request.auth, cost=cost, counted=charged):
        raise Throttled(wait)
    return read
