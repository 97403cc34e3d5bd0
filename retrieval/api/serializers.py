"""The shapes of answers, for the schema alone: answers are JSON-able dicts as they are."""

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers as s

from retrieval.api.summaries import UNIT, SummarySentence, SummaryWritten
from retrieval.corpus.absence import REASONS
from retrieval.corpus.history import OVERTAKEN
from retrieval.models import Document, Upload
from retrieval.search.response import STANDINGS

# -- Search


class AskedQuery(s.Serializer):
    text = s.CharField()
    normalized = s.CharField()
    language = s.CharField()
    translated = s.CharField(allow_null=True)


@extend_schema_field(
    {
        "type": "object",
        "description": "A code and the values it speaks of.",
        "properties": {"code": {"type": "string"}},
        "required": ["code"],
        "additionalProperties": {},
    }
)
class Reason(s.DictField):
    pass


class LegalChange(s.Serializer):
    """What a later provision did to this one, to what holds it or to a part of it."""

    provision = s.CharField(help_text="Locator of what was changed.")
    effect = s.ChoiceField(["changed", "repealed", "superseded", *OVERTAKEN])
    day = s.DateField(help_text="On which what changed it was ratified.")
    by = s.CharField(help_text="Locator of the provision that changed it.")
    citation = s.CharField(help_text="Its Bluebook form.")
    then = s.CharField(help_text="What held before.")
    then_es = s.CharField()
    now = s.CharField(help_text="What holds since.")
    now_es = s.CharField()


class Absent(s.Serializer):
    """Law that is here and not of the day asked for."""

    locator = s.CharField()
    citation = s.CharField()
    url = s.CharField(help_text="Its page on a day on which it was, or is, in force.")
    reason = s.ChoiceField(REASONS, help_text="unknown: the texts of its document begin later.")
    asked = s.DateField()
    day = s.DateField(help_text="When it had ended, when it begins, or from when on its document is here.")
    by = LegalChange(allow_null=True, help_text="The later law that had ended it.")
    withdrawn = s.BooleanField(help_text="It had ended since its whole document was withdrawn.")


NAMED = ("rank", "locator")  # every result has them, whatever fields are asked for


class Shown(s.Serializer):
    locator = s.CharField()
    pin = s.CharField(allow_null=True, help_text="The exact place cited inside the provision.")
    citation = s.CharField(help_text="Bluebook form.")
    title = s.CharField()
    title_es = s.CharField(allow_blank=True)
    plain_name = s.CharField(allow_blank=True)
    plain_name_es = s.CharField(allow_blank=True)
    breadcrumb = s.CharField(allow_blank=True)
    domain = s.CharField()
    text = s.CharField(allow_blank=True)
    url = s.CharField()
    source_url = s.CharField(allow_blank=True)
    summary_of_decision = s.BooleanField(help_text="The text is a summary of a decision, not its opinion's words.")
    valid_from = s.DateField(allow_null=True)
    valid_to = s.DateField(allow_null=True, help_text="First day on which it is no longer in force.")
    withdrawn_on = s.DateField(allow_null=True, help_text="When its document was withdrawn.")
    status = s.CharField(allow_blank=True, help_text="repealed, reserved, overruled, departed …, on the day asked for.")
    standing = s.ChoiceField(STANDINGS, help_text="Today, whatever day was asked for.")
    history = LegalChange(many=True, help_text="Changes made by the day asked for, in order.")
    notes = s.ListField(child=s.CharField())
    summary = SummarySentence(many=True, help_text="Empty for what is short.")
    summary_written = SummaryWritten(
        many=True, help_text="One a language, beside `summary`; empty where none was written or proven."
    )


class Result(Shown):
    """What `fields` names; left out: all but `text`, `notes`, `summary` and `summary_written`."""

    rank = s.IntegerField()
    language = s.CharField(help_text="Of the text.")
    snippet = s.CharField(allow_blank=True)
    marks = s.ListField(child=s.ListField(child=s.IntegerField()), help_text=f"[start, end] into the snippet, {UNIT}.")
    passage = s.ListField(child=s.IntegerField(), help_text=f"Where the snippet stands in the text, {UNIT}.")
    page_start = s.IntegerField(allow_null=True, help_text="Page of the file on which the snippet begins.")
    page_end = s.IntegerField(allow_null=True)
    score = s.FloatField()
    probability = s.FloatField(allow_null=True)
    reasons = s.ListField(child=Reason())

    def get_fields(self) -> dict[str, s.Field]:
        fields = super().get_fields()
        for name, field in fields.items():
            field.required = name in NAMED
        return fields


class StageLine(s.Serializer):
    name = s.CharField()
    status = s.CharField()
    ms = s.FloatField()
    out = s.IntegerField()
    note = s.CharField(allow_blank=True)

    def get_fields(self) -> dict[str, s.Field]:
        return super().get_fields() | {"in": s.IntegerField()}


class TraceStage(StageLine):
    details = s.DictField(required=False, help_text="What it counted: calls of an LLM, their cost in US dollars.")


class TraceCandidate(s.Serializer):
    locator = s.CharField(allow_null=True)
    score = s.FloatField()
    probability = s.FloatField(allow_null=True)
    scores = s.DictField(child=s.FloatField())
    ranks = s.DictField(child=s.IntegerField())
    gate = s.CharField(
        required=False,
        allow_blank=True,
        help_text="A accepted, B to be verified, C rejected; empty: not gated.",
    )
    zone = s.CharField(
        required=False,
        allow_blank=True,
        help_text="What the reranker makes of it: accepted, uncertain or rejected; empty: not scored.",
    )
    reasons = s.ListField(child=Reason())


class TraceDropped(TraceCandidate):
    stage = s.CharField()
    why = Reason()


class TraceOfSearch(s.Serializer):
    """A summary; while it is kept, also what every stage did with every candidate."""

    trace_id = s.UUIDField()
    created_at = s.DateTimeField()
    pipeline = s.CharField()
    took_ms = s.FloatField()
    cached = s.BooleanField()
    cached_from = s.UUIDField(allow_null=True)
    abstained = s.BooleanField()
    degraded = s.ListField(child=s.CharField())
    top_locators = s.ListField(child=s.CharField())
    probability = s.FloatField(allow_null=True)
    versions = s.DictField(child=s.IntegerField())
    query = s.DictField(required=False)
    stages = TraceStage(many=True, required=False)
    candidates = TraceCandidate(many=True, required=False)
    dropped = TraceDropped(many=True, required=False)


class FiredRule(s.Serializer):
    id = s.IntegerField(help_text="Negative: the rules written out in the call, counted from -1.")
    name = s.CharField()
    version = s.IntegerField()
    actions = s.ListField(child=s.CharField())


class Note(s.Serializer):
    rule = s.IntegerField()
    text = s.CharField()


class Redirect(s.Serializer):
    rule = s.IntegerField()
    locator = s.CharField()
    url = s.CharField()


class Withheld(s.Serializer):
    locator = s.CharField()
    tokens = s.IntegerField()
    rules = s.ListField(child=s.IntegerField(), help_text="The rules whose own search found it.")


class Uncovered(s.Serializer):
    rule = s.IntegerField()
    results = s.IntegerField()
    quota = s.IntegerField()


class RulesAccount(s.Serializer):
    """What curators' rules did to this answer."""

    fired = FiredRule(many=True)
    changed = s.ListField(
        child=s.IntegerField(),
        help_text="Ids of those without which the first ten results would be others, or the search itself.",
    )
    coverage = s.CharField()
    policy = s.CharField(allow_null=True, help_text="What was searched as no rule fired: global or none.")
    rewritten = s.CharField(allow_null=True, help_text="The question as rules put it.")
    notes = Note(many=True)
    redirect = Redirect(allow_null=True)
    withheld = Withheld(many=True, help_text="Left out for the token budget; at most 20 are named.")
    uncovered = Uncovered(many=True, help_text="Rules with fewer results than their quota.")


class Turned(s.Serializer):
    page = s.IntegerField()
    next = s.IntegerField(allow_null=True)
    previous = s.IntegerField(allow_null=True)


class Page(Turned):
    total = s.IntegerField()


class FacetValue(s.Serializer):
    value = s.CharField(help_text="Of a domain for domain=, of a document, part or agency for within=.")
    name = s.CharField()
    name_es = s.CharField(allow_blank=True)
    count = s.IntegerField()


class Facets(s.Serializer):
    """Counts among the first candidates, the most frequent values first."""

    among = s.IntegerField(help_text="How many candidates are counted, at most 100.")
    domain = FacetValue(many=True)
    document = FacetValue(many=True)
    part = FacetValue(many=True, help_text="What stands directly above.")
    agency = FacetValue(many=True, help_text="Of rules: whose chapter of the CFR they are in.")
    status = FacetValue(many=True)
    court = FacetValue(many=True, help_text="Of decisions.")
    year = FacetValue(many=True, help_text="Of decisions.")


class InNote(s.Serializer):
    """A note that stands beside a provision: no law, and never among the results."""

    locator = s.CharField(help_text="Of the provision.")
    citation = s.CharField()
    title = s.CharField()
    title_es = s.CharField(allow_blank=True)
    breadcrumb = s.CharField(allow_blank=True)
    url = s.CharField()
    source_url = s.CharField(allow_blank=True)
    valid_from = s.DateField(allow_null=True)
    valid_to = s.DateField(allow_null=True)
    status = s.CharField(allow_blank=True)
    domain = s.CharField()
    language = s.CharField(help_text="Of the note.")
    note = s.IntegerField(help_text="Which of the provision's notes, from 1.")
    snippet = s.CharField(help_text="From the note.")
    marks = s.ListField(child=s.ListField(child=s.IntegerField()), help_text=f"[start, end] into the snippet, {UNIT}.")
    passage = s.ListField(child=s.IntegerField(), help_text=f"Where the snippet stands in the note, {UNIT}.")
    goes_on = s.BooleanField(help_text="The note goes on after the snippet.")


class Answer(Page):
    """`abstained`: no result is good enough; `results` is empty and `near_misses` holds at most five."""

    query = AskedQuery()
    respelled = s.CharField(allow_null=True, help_text="The question, where words of it are misspelt.")
    unresolved = s.CharField(allow_null=True, help_text="All of the question: a citation of nothing here.")
    absent = Absent(allow_null=True, help_text="What is unresolved, where it is here on other days.")
    results = Result(many=True)
    abstained = s.BooleanField()
    confident = s.BooleanField(help_text="The best result is as probable as its domain asks for that.")
    likely = s.IntegerField(
        help_text="Of the total, how many first results come before relevance ends; pages fold the others away."
    )
    doubtful = s.BooleanField(help_text="It is hardly probable that any of several bodies of law answers.")
    near_misses = Result(many=True)
    suggestions = s.ListField(
        child=s.CharField(), help_text="At most three judged questions that mean nearly the same."
    )
    missing_words = s.ListField(
        child=s.CharField(),
        help_text="Words that the question puts in quotes, where nothing has them all: results are found without.",
    )
    cached = s.BooleanField()
    degraded = s.ListField(child=s.CharField(), help_text="Stages that could not do their part.")
    notice = s.DictField(allow_null=True, help_text="Told instead of results, unless `searched`.")
    corrected = s.ListField(child=s.CharField(), help_text="Stages that put the question right.")
    widened = s.ListField(child=s.CharField(), help_text="Bodies of law searched though not asked for.")
    rules = RulesAccount()
    trace_id = s.UUIDField()
    took_ms = s.FloatField()
    stages = StageLine(many=True)
    facets = Facets(required=False)
    in_notes = InNote(many=True, required=False, help_text="With notes=true: at most ten, the best first.")
    explanation = TraceOfSearch(required=False)


# -- Provisions and documents


class Reference(s.Serializer):
    locator = s.CharField()
    citation = s.CharField()
    title = s.CharField()


class CitationInText(s.Serializer):
    text = s.CharField()
    start = s.IntegerField(help_text=f"Where it begins in the text, {UNIT}.")
    end = s.IntegerField()
    normalized = s.CharField()
    locator = s.CharField()


class Edge(Reference):
    text = s.CharField(help_text="The citation as written.")
    pin = s.CharField(help_text="The exact place cited.")


class EdgeMade(Edge):
    start = s.IntegerField(help_text=f"Where it begins in the text, {UNIT}; -1 in a note.")
    end = s.IntegerField()


class Edges(s.Serializer):
    made = EdgeMade(many=True)
    received = Edge(many=True)


class AnchorPlace(s.Serializer):
    locator = s.CharField()
    level = s.CharField()
    number = s.CharField()
    start = s.IntegerField(help_text=f"Where it begins in the provision's text, {UNIT}.")
    end = s.IntegerField()


class DocumentItem(s.ModelSerializer):
    """Makes the answer too."""

    domain = s.CharField(source="domain.slug")
    publication = s.CharField(help_text="Edition or release point; empty where what is shown is of an earlier one.")
    source_url = s.CharField()
    sha256 = s.CharField(source="content_hash", help_text="Of the file it was read from.")
    retrieved_at = s.DateTimeField(format=None)

    class Meta:
        model = Document
        fields = [
            "locator", "title", "domain", "language", "publication", "source_url", "filename", "sha256", "pages",
            "scanned_pages", "tags", "retrieved_at",
        ]  # fmt: skip
        read_only_fields = fields


# Makes the answer too.
class UploadState(s.Serializer):
    id = s.UUIDField(source="public_id")
    status = s.ChoiceField(Upload.Status.choices)
    reason = s.CharField(allow_blank=True, help_text="Why the file was refused.")
    percent = s.IntegerField(help_text="Of its sections that are ready.")
    filename = s.CharField()
    domain = s.CharField(source="domain.slug")
    sha256 = s.CharField(source="content_hash")
    document = s.CharField(source="document.locator", allow_null=True, help_text="Locator of the document it became.")
    same_title = s.ListField(child=s.CharField(), help_text="Locators of others of its title: citations lead to all.")
    sections = s.IntegerField()
    pages = s.IntegerField(allow_null=True)
    scanned_pages = s.ListField(child=s.IntegerField())
    url = s.SerializerMethodField(help_text="Where to ask again.")

    def get_url(self, upload: Upload) -> str:
        return f"/api/v1/uploads/{upload.public_id}"


class DocumentPage(Page):
    documents = DocumentItem(many=True)


class TreeNode(Reference):
    title_es = s.CharField(allow_blank=True)
    level = s.CharField()
    number = s.CharField(allow_blank=True)
    status = s.CharField(allow_blank=True)
    is_result = s.BooleanField(help_text="Whether searches rank it.")
    sections = s.IntegerField(help_text="How many are below it.")
    children_total = s.IntegerField(help_text="How many are directly below it.")

    def get_fields(self) -> dict[str, s.Field]:
        return super().get_fields() | {"children": TreeNode(many=True)}


class EditableDocument(DocumentItem):
    metadata = s.DictField(
        required=False, help_text="Words and numbers by name, which rules may ask for; only for who may edit them."
    )

    class Meta(DocumentItem.Meta):
        fields = [*DocumentItem.Meta.fields, "metadata"]


class DocumentTree(EditableDocument, Page):
    """`total` and pages are of the children on the first level."""

    under = Reference(allow_null=True, help_text="The section whose children these are; null: the document's own.")
    sections = s.IntegerField(help_text="How many the document has.")
    results = s.IntegerField(help_text="Of these, ranked by searches.")
    children = TreeNode(many=True)

    class Meta(EditableDocument.Meta):
        fields = [
            *EditableDocument.Meta.fields,
            "under", "sections", "results", "children", "total", "page", "next", "previous",
        ]  # fmt: skip


class GoverningDefinition(s.Serializer):
    """Of a term that the provision uses: the nearest that governs it."""

    term = s.CharField()
    locator = s.CharField(help_text="Of the place that defines it.")
    citation = s.CharField()
    scope = s.CharField(help_text="Locator of the provision or document in which it governs.")


class Provision(Shown):
    """Above the provisions: a `document`, a `domain`, or what the locators of several `domains` begin with."""

    domain = s.CharField(allow_blank=True)
    level = s.CharField()
    number = s.CharField(allow_blank=True)
    text = s.CharField(allow_blank=True, help_text="Above the result level: of all below it, in order.")
    text_es = s.CharField(allow_blank=True, help_text="Our translation, not official; empty where there is none.")
    text_complete = s.BooleanField(help_text="False: too long for one answer, so left out; read its children.")
    is_result = s.BooleanField(help_text="Whether searches rank it.")
    parent = Reference(allow_null=True)
    children = Reference(many=True, help_text="The first 250.")
    children_total = s.IntegerField()
    previous = Reference(allow_null=True)
    next = Reference(allow_null=True)
    anchors = AnchorPlace(many=True)
    citations = Edges()
    definitions = GoverningDefinition(many=True)
    went_to = Reference(many=True, help_text="Where it was transferred to, or what its notes name in its place.")
    matter_closed_on = s.DateField(allow_null=True, help_text="When the matter that it is read in was closed.")
    document = DocumentItem(allow_null=True)
