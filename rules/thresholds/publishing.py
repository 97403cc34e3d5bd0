"""Publishing a domain's thresholds: rows are only added, and one of each domain is in force."""

import sys
from collections.abc import Mapping
from dataclasses import fields

from django.core.exceptions import ValidationError
from django.db import transaction
from django.db.models import Max
from django.utils.translation import gettext as _

from retrieval.models import Domain
from retrieval.ranking import Candidate, Thresholds
from rules.models import DomainThreshold
from rules.thresholds.stages import features

# What a version sets, besides its reason.
THRESHOLDS = [
    "domain",
    *(field.name for field in fields(Thresholds) if field.name not in ("name", "version", "is_on_scale", "is_known")),
]


@transaction.atomic
def publish(draft: DomainThreshold, *, by=None) -> DomainThreshold:
    """Saves the draft as its domain's next version and puts it in force instead of the one before."""
    Domain.objects.select_for_update().get(pk=draft.domain_id)
    earlier = DomainThreshold.objects.filter(domain=draft.domain_id)
    draft.version = (earlier.aggregate(last=Max("version"))["last"] or 0) + 1
    earlier.filter(active=True).update(active=False)
    draft.active, draft.created_by = True, by
    draft.save(force_insert=True)
    return draft


def check_calibration(weights: object) -> None:
    """Raises ValidationError unless every term of the logistic has a finite weight; {} means not calibrated."""
    if weights == {}:
        return
    if not isinstance(weights, Mapping):
        raise ValidationError(_("The calibration is an object of weights."))
    scores = features(Candidate(section_id=0)).keys()
    known = {"intercept", "answer_slope", "answer_intercept", *scores}
    if "intercept" not in weights or not scores & weights.keys() or not weights.keys() <= known:
        names = ", ".join(sorted(known))
        raise ValidationError(_("It needs an intercept and a score, and may have these weights: %s.") % names)
    if not all(is_number(weight) for weight in weights.values()):
        raise ValidationError(_("Every weight is a finite number."))


def is_number(value: object) -> bool:
    return type(value) in (int, float) and abs(value) <= sys.float_info.max


def next_version(before: DomainThreshold, *, reason: str, **changed: float) -> DomainThreshold:
    """A draft like the version before but for what changed; what must not lie below a raised threshold rises with it.
    Raises ValidationError.
    """
    kept = {name: getattr(before, name) for name in THRESHOLDS if name != "domain"} | changed
    if "answer_minimum" not in changed:
        kept["answer_scale"] = before.answer_scale
    kept["minimum"] = min(kept["minimum"], kept["verify"])
    kept["confident"] = max(kept["confident"], kept["accept"])
    draft = DomainThreshold(domain=before.domain, reason=reason, **kept)
    draft.full_clean(exclude=["version", "created_by"], validate_constraints=False)
    return draft
