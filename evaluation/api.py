"""The API's addresses of rule previews, for keys with the scope “staff”."""

from typing import Any

from django.http import HttpResponse
from drf_spectacular.utils import OpenApiExample
from rest_framework import serializers as s
from rest_framework.request import Request

from evaluation.models import RulePreview
from evaluation.rule_impact import previews
from retrieval.access.caller import Caller
from retrieval.api.authentication import caller_of
from retrieval.api.base import ApiView, operation, reply
from retrieval.api.errors import BadParameter
from retrieval.api.parameters import Parameters, YesOrNo
from retrieval.api.parameters import Rule as RuleField
from retrieval.errors import NotFound
from retrieval.models import ApiKey
from rules.models import Rule

STAFF = ApiKey.Scope.STAFF

# -- Shapes, for the schema


class RuleToPreview(Parameters):
    """A rule as it would be published, or a stored one that would be retired."""

    rule = RuleField(
        help_text="The id of a stored rule, or a rule written out with the fields of stored ones."
    )
    retire = YesOrNo(default=False, help_text="Preview taking the stored rule out of force instead.")


class PreviewCount(s.Serializer):
    looked_at = s.IntegerField()
    touched = s.IntegerField(help_text="Of these, on which the rule acts as it is or as it would be.")
    changed = s.IntegerField(help_text="Of these, answered otherwise.")


class PreviewGain(s.Serializer):
    """The mean over the topics to which something is judged relevant, with its 95 % bootstrap interval."""

    difference = s.FloatField()
    low = s.FloatField()
    high = s.FloatField()
    topics = s.IntegerField()


class PreviewHidden(s.Serializer):
    """A section judged relevant that leaves the first page."""

    topic = s.CharField()
    query = s.CharField()
    locator = s.CharField()
    grade = s.IntegerField()
    rank_before = s.IntegerField()
    rank_after = s.IntegerField(allow_null=True, help_text="Null: it is not found any more.")


class PreviewPlace(s.Serializer):
    locator = s.CharField()
    pin = s.CharField(allow_null=True)
    passage = s.IntegerField(allow_null=True, help_text="The chunk that shows it.")


class PreviewPage(s.Serializer):
    results = PreviewPlace(many=True)
    near_misses = PreviewPlace(many=True)
    abstained = s.BooleanField()
    confident = s.BooleanField()
    notes = s.ListField(child=s.CharField())
    redirect = s.CharField(allow_null=True)


class PreviewChange(s.Serializer):
    query = s.CharField(allow_null=True, help_text="Null: its words are no longer kept.")
    topic = s.CharField(allow_null=True, help_text="Null: a logged question.")
    gain = s.FloatField(allow_null=True, help_text="In nDCG@10; null where nothing is judged relevant.")
    before = PreviewPage()
    after = PreviewPage()


class PreviewDeclines(s.Serializer):
    answerable_declined = s.IntegerField(help_text="Judged topics that the law answers, and that would be declined.")
    answerable_answered = s.IntegerField(help_text="Of those, declined now and answered then.")
    unanswerable_declined = s.IntegerField(help_text="Topics that no law here answers: declined only then.")
    unanswerable_answered = s.IntegerField(help_text="Of those, declined now and answered then, wrongly.")


class PreviewProgress(s.Serializer):
    asked = s.IntegerField()
    to_ask = s.IntegerField()


class RulePreviewAccount(s.Serializer):
    id = s.IntegerField()
    url = s.CharField(help_text="Where to ask again.")
    rule = s.IntegerField(allow_null=True, help_text="Null: the rule is not stored.")
    retires = s.BooleanField()
    status = s.ChoiceField(["running", "done", "failed", "cancelled"])
    progress = PreviewProgress()
    created_at = s.DateTimeField()
    outdated = s.BooleanField(help_text="Rules were published or retired since.")
    logged = PreviewCount(help_text="The last 1,000 different questions of the public.")
    judged = PreviewCount(help_text="Judged topics of the train and tune splits.")
    ndcg_at_10 = PreviewGain(allow_null=True)
    declines = PreviewDeclines()
    hidden = PreviewHidden(many=True)
    changes = PreviewChange(many=True)
    lacks = s.ListField(child=s.CharField(), help_text="What could not be looked at, and why.")


EXAMPLES = [
    OpenApiExample("The draft of a stored rule", value={"rule": 12}, request_only=True),
    OpenApiExample("Retiring it", value={"rule": 12, "retire": True}, request_only=True),
    OpenApiExample(
        "A rule written out",
        value={
            "rule": {
                "criteria": [{"kind": "keywords", "value": ["phone"], "stemmed": True}],
                "targets": [{"kind": "section", "value": "/us/const/amendment/IV"}],
                "actions": [{"kind": "pin", "position": 1}],
            }
        },
        request_only=True,
    ),
]

# -- Addresses


class RulePreviewsView(ApiView):
    @operation(
        "preview_rule",
        RulePreviewAccount,
        *(404, 409),
        body=RuleToPreview,
        scope=STAFF,
        examples=EXAMPLES,
        success=(200, 202),
    )
    def post(self, request: Request, said: dict) -> HttpResponse:
        """What a rule would change if it were published; 202 where that takes a job, which `url` tells of."""
        row = begun(said, caller_of(request), f"key:{request.auth.pk}")
        return reply(account(row), status=200 if row.finished_at else 202)


class RulePreviewView(ApiView):
    @operation("rule_preview", RulePreviewAccount, 404, scope=STAFF)
    def get(self, request: Request, asked: dict, preview_id: int) -> dict:
        """A preview that was asked for, as far as it is; kept for a week."""
        seen = RulePreview.objects.visible_to(caller_of(request), f"key:{request.auth.pk}")
        row = seen.select_related("rule", "job").filter(pk=preview_id).first()
        if row is None:
            raise NotFound("There is no such preview, or no longer.")
        return account(row)


def begun(values: dict[str, Any], caller: Caller, principal: str) -> RulePreview:
    """Raises NotFound, and what refuses the rule."""
    named, retire = values["rule"], values.get("retire", False)
    if isinstance(named, dict):
        if retire:
            raise BadParameter("Only a stored rule can be retired: name it by its id.")
        return previews.of_written(named, caller, principal=principal)
    stored = Rule.objects.visible_to(caller).filter(pk=named).first()
    if stored is None:
        raise NotFound(f"There is no rule {named}.")
    if retire:
        return previews.of_retiring(stored, principal=principal)
    return previews.of_draft(stored, caller, principal=principal)


def account(row: RulePreview) -> dict[str, Any]:
    return previews.account(row) | {"url": f"/api/v1/rules/preview/{row.pk}"}
