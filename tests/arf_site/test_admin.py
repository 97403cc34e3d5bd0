"""What staff may do to users and schedules."""

import pytest
from django_q.models import Schedule

pytestmark = pytest.mark.django_db


def test_administrators_cannot_have_the_server_run_a_function_of_theirs(client, administrator):
    schedule = Schedule.objects.create(name="ours", func="retrieval.tasks.prune")
    evil = {"func": "os.system", "args": "'true'", "schedule_type": "O", "repeats": "-1"}
    assert client.post("/admin/django_q/schedule/add/", evil).status_code == 403
    client.post(f"/admin/django_q/schedule/{schedule.pk}/change/", evil)
    assert set(Schedule.objects.filter(pk=schedule.pk).values_list("func")) == {("retrieval.tasks.prune",)}
    assert not Schedule.objects.filter(func="os.system").exists()


def test_the_login_welcomes_in_spanish(client, db):
    page = client.get("/admin/login/", HTTP_ACCEPT_LANGUAGE="es").content.decode()
    assert "Le damos la bienvenida a" in page and "Welcome back" not in page
