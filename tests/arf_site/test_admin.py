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


def test_who_is_no_staff_is_told_so_and_led_back(client, django_user_model):
    client.force_login(django_user_model.objects.create_user("ann"))
    page = client.get("/admin/", follow=True).content.decode()
    assert "You are signed in as ann, who is no staff" in page and 'href="/"' in page
    client.logout()
    assert "You are signed in" not in client.get("/admin/login/").content.decode()


def test_the_admin_names_its_icon(client, db):
    assert 'rel="icon"' in client.get("/admin/login/").content.decode()
