"""The registry that serving reads rerankers from: saved, deployed, tried in shadow, rolled back."""

import hashlib

from django.db import transaction
from django.utils import timezone

from evaluation.learning.training import Trained
from retrieval.errors import ArfError
from retrieval.jobs import lock
from retrieval.models import RankerModel
from retrieval.stages.reranker.artifact import BadArtifact, unpack

Status = RankerModel.Status


def sha256(artifact: bytes) -> str:
    return hashlib.sha256(artifact).hexdigest()


def save(trained: Trained) -> RankerModel:
    """Registers an artifact as a candidate; the same artifact again gives the row it has."""
    model, _ = RankerModel.objects.get_or_create(
        sha256=sha256(trained.artifact),
        defaults={
            "artifact": trained.artifact,
            "family": trained.manifest["family"],
            "manifest": trained.manifest,
        },
    )
    return model


def active() -> RankerModel | None:
    return RankerModel.objects.filter(status=Status.ACTIVE).first()


def problem() -> str:
    """Why the model in force cannot serve; empty where it can, or where there is none."""
    model = active()
    return "" if model is None else problem_of(model)


def problem_of(model: RankerModel) -> str:
    """Why a model cannot serve; empty where it can."""
    try:
        unpack(bytes(model.artifact), model.sha256)
    except BadArtifact as refused:
        return f"{refused.message[0].upper()}{refused.message[1:]}."
    return ""


def require_servable(model: RankerModel) -> None:
    """Raises ArfError: a model of an earlier release may read other features than this one gives."""
    if found := problem_of(model):
        raise ArfError(f"{model} cannot serve. {found}")


def deploy(model: RankerModel) -> None:
    """Puts a model in force in every process from its next search on; the one before is retired. Raises ArfError for
    one that cannot serve.
    """
    require_servable(model)
    with transaction.atomic():
        lock("reranker registry")
        RankerModel.objects.filter(status=Status.ACTIVE).exclude(pk=model.pk).update(status=Status.RETIRED)
        model.status, model.deployed_at = Status.ACTIVE, timezone.now()
        model.save(update_fields=["status", "deployed_at"])


def shadow(model: RankerModel) -> None:
    """Lets a model score live searches without serving, in place of another that did. Raises ArfError for one that
    cannot serve.
    """
    require_servable(model)
    with transaction.atomic():
        lock("reranker registry")
        leave_shadow()
        RankerModel.objects.filter(pk=model.pk).update(status=Status.SHADOW)


@transaction.atomic
def leave_shadow() -> None:
    """Whatever is in shadow becomes what it was before: retired if it has ever served, else a candidate."""
    there = RankerModel.objects.filter(status=Status.SHADOW)
    there.filter(deployed_at=None).update(status=Status.CANDIDATE)
    there.update(status=Status.RETIRED)


def rollback() -> RankerModel:
    """Puts the model deployed before the present one back in force, out of the shadow if it is there. Raises ArfError
    where there is none, or it cannot serve any more.
    """
    with transaction.atomic():
        lock("reranker registry")
        before = RankerModel.objects.exclude(status=Status.ACTIVE).filter(deployed_at__isnull=False)
        model = before.order_by("-deployed_at").first()
        if model is None:
            raise ArfError("No earlier reranker to go back to.")
        deploy(model)
        return model
