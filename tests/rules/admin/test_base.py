"""What all lists of curated rows share: who changed a row, switches, history, permissions."""

import pytest
from django.contrib.auth.models import Group, Permission, User

from retrieval.models import Domain, Version
from rules.models import Alias
from tests.rules.alias_pages import ALIASES, alias_fields

pytestmark = pytest.mark.django_db


def test_the_list_says_what_is_live_and_who_changed_it(client, curator, constitution):
    shipped = constitution.aliases.first()
    shipped.enabled = False
    client.post(f"{ALIASES}{shipped.pk}/change/", alias_fields(constitution, text=shipped.text, enabled=""))
    row = client.get(ALIASES, {"q": shipped.text, "enabled__exact": "0"}).context["cl"].queryset.get()
    assert row.changed_by == "curator"


def test_the_list_switches_aliases_and_keeps_their_history(client, curator, constitution):
    alias = constitution.aliases.first()
    before = Version.objects.get(name="aliases").number
    client.post(ALIASES, {"action": "switch_off", "_selected_action": [alias.pk]})
    alias.refresh_from_db()
    assert not alias.enabled
    assert alias.history.first().history_user == curator
    assert Version.objects.get(name="aliases").number > before


def test_history_pages_open(client, curator, constitution):
    client.post(f"{ALIASES}add/", alias_fields(constitution))
    alias = Alias.objects.get(text="sabbath clause")
    line = alias.history.get()
    assert client.get(f"{ALIASES}{alias.pk}/history/").status_code == 200
    assert client.get(f"{ALIASES}{alias.pk}/history/{line.pk}/").status_code == 200


def test_an_earlier_state_that_named_what_is_private_is_hidden_from_who_may_not_read_it(client, curator, constitution):
    alias = Alias.objects.create(
        domain=Domain.objects.get(slug="client_cases"), text="the Zzyzx lease", locator="/client_cases/1"
    )
    line = f"{ALIASES}{alias.pk}/history/{alias.history.get().pk}/"
    alias.domain, alias.text = constitution, "sabbath clause"
    alias.save()
    assert client.get(line).status_code == 404
    assert client.get(f"{ALIASES}{alias.pk}/history/{alias.history.latest().pk}/").status_code == 200


def test_who_may_only_look_puts_no_earlier_state_back(client, constitution):
    alias = Alias.objects.create(domain=constitution, text="sabbath clause", locator="/us/const/amendment/I")
    viewer = User.objects.create_user("viewer", is_staff=True)
    viewer.user_permissions.add(Permission.objects.get(codename="view_alias"))
    client.force_login(viewer)
    line = f"{ALIASES}{alias.pk}/history/{alias.history.get().pk}/"
    assert client.get(line).status_code == 200
    assert client.post(line, alias_fields(constitution, note="changed")).status_code == 403
    alias.refresh_from_db()
    assert alias.note == ""


def test_judges_import_and_export_nothing(client, db):
    user = User.objects.create_user("judge", is_staff=True)
    user.groups.add(Group.objects.get(name="Judge"))
    client.force_login(user)
    assert client.get(f"{ALIASES}import/").status_code == 403
    assert client.get(f"{ALIASES}export/").status_code == 403
