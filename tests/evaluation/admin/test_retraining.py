"""The pages of retraining and of rerankers."""


import pytest
from django.urls import reverse
from django.utils import timezone

from retrieval.models import JobRun, RankerModel
from tests.retrieval.admin.staff import staff

pytestmark = pytest.mark.django_db


def test_retrain_now_begins_one_job(client):
    user = staff(client, "Administrator")
    page = client.get(reverse("admin:evaluation_retrainingrun_changelist"))
    assert "Retrain now" in page.content.decode()
    press = reverse("admin:evaluation_retrainingrun_retrain")
    assert client.get(press).status_code == 405
    client.post(press, {"shadow": "on"})
    client.post(press)
    run = JobRun.objects.get(kind="retrain")
    assert (run.requested_by, run.params["shadow"]) == (user, True)


def test_curators_may_neither_retrain_nor_deploy(client):
    staff(client, "Curator")
    assert client.post(reverse("admin:evaluation_retrainingrun_retrain")).status_code == 403
    model = RankerModel.objects.create(family="f", sha256="1", artifact=b"")
    assert (
        client.post(reverse("admin:retrieval_rankermodel_do", args=[model.pk, "deploy"])).status_code == 403
    )


def test_going_back_is_offered_where_another_served_before(client):
    staff(client, "Administrator")
    served = {"family": "f", "artifact": b"", "deployed_at": timezone.now()}
    model = RankerModel.objects.create(sha256="1", status="active", **served)
    page = reverse("admin:retrieval_rankermodel_change", args=[model.pk])
    assert "Roll back" not in client.get(page).content.decode()
    RankerModel.objects.create(sha256="2", status="retired", **served)
    assert "Roll back" in client.get(page).content.decode()
