"""What all lists of curated rows share: who changed a row, switches, history, permissions."""

import re

import pytest
from django.contrib.auth.models import Group, Permission, User

from retrieval.models import Domain, Version
from rules.admin.base import switch
from rules.models import Alias
from tests.rules.alias_pages import ALIASES, alias_fields
from tests.rules.rule_pages import hidden

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


def test_a_saved_list_leaves_what_a_colleague_has_switched_since_it_was_opened(client, curator, constitution):
    theirs, mine, untouched = constitution.aliases.order_by("pk")[:3]
    listed = f"{ALIASES}?id__in={theirs.pk},{mine.pk},{untouched.pk}"
    posted = posted_by(client.get(listed))
    ben = User.objects.create_user("ben")
    switch(Alias.objects.filter(pk=theirs.pk), enabled=False, by=ben)
    switched = next(name for name, value in posted.items() if name.endswith("-id") and value == str(mine.pk))
    del posted[switched.replace("-id", "-enabled")]
    assert client.post(listed, posted).status_code == 302
    now = {alias.pk: alias for alias in Alias.objects.filter(pk__in=[theirs.pk, mine.pk, untouched.pk])}
    assert [now[row.pk].enabled for row in (theirs, mine, untouched)] == [False, False, True]
    assert now[theirs.pk].history.first().history_user == ben
    assert now[mine.pk].history.first().history_user == curator


def posted_by(page) -> dict[str, str]:
    """What the form of a list posts where nothing in it is touched."""
    formset = page.context["cl"].formset
    boxes = re.findall(r"<input [^>]*>", page.content.decode())
    named = {name[1]: box for box in boxes if (name := re.search(r'name="(\S+)"', box))}
    values = {name: value[1] for name, box in named.items() if (value := re.search(r'value="([^"]*)"', box))}
    ticked = {name: "on" for name, box in named.items() if " checked" in box}
    ours = {name: value for name, value in (values | ticked).items() if formset.prefix in name}
    return ours | {"_save": "Save"}


def test_a_form_that_another_has_saved_meanwhile_is_shown_again(client, curator, constitution):
    alias = constitution.aliases.first()
    page = f"{ALIASES}{alias.pk}/change/"
    opened = hidden(client.get(page))
    ben = User.objects.create_user("ben", is_staff=True, is_superuser=True)
    client.force_login(ben)
    client.post(page, alias_fields(constitution, text="bens name") | hidden(client.get(page)))
    client.force_login(curator)
    typed = alias_fields(constitution, text="my name")
    answer = client.post(page, typed | opened)
    alias.refresh_from_db()
    assert alias.text == "bens name" and answer.status_code == 200
    told = answer.content.decode()
    assert "ben saved this on" in told and 'value="my name"' in told
    assert client.post(page, typed | hidden(answer)).status_code == 302  # by one who knows it now
    alias.refresh_from_db()
    assert alias.text == "my name"


def test_an_earlier_state_is_put_back_over_nothing_that_was_not_there_when_it_was_opened(client, curator, constitution):
    alias = constitution.aliases.first()
    alias.note = "first"
    alias.save()
    line = f"{ALIASES}{alias.pk}/history/{alias.history.latest().pk}/"
    opened = hidden(client.get(line))
    alias.note = "second"
    alias.save()
    answer = client.post(line, alias_fields(constitution, text=alias.text, note="first") | opened)
    alias.refresh_from_db()
    assert alias.note == "second" and "A command or a job saved this on" in answer.content.decode()


def test_history_pages_open(client, curator, constitution):
    client.post(f"{ALIASES}add/", alias_fields(constitution))
    alias = Alias.objects.get(text="sabbath clause")
    line = alias.history.get()
    assert client.get(f"{ALIASES}{alias.pk}/history/").status_code == 200
    assert client.get(f"{ALIASES}{alias.pk}/history/{line.pk}/").status_code == 200


@pytest.mark.parametrize("rows", ["rule", "alias", "glossaryterm"])
@pytest.mark.parametrize(
    ("named", "status"),
    [("abc", 404), ("_00", 404), ("1%2F2", 302), ("%00", 404), ("²", 404)],  # 302: Django finds the page to change it
)
def test_there_is_no_history_of_what_no_number_names(client, curator, rows, named, status):
    assert client.get(f"/admin/rules/{rows}/{named}/history/").status_code == 404
    assert client.get(f"/admin/rules/{rows}/{named}/history/1/").status_code == status


def test_a_line_of_history_has_a_number(client, curator, constitution):
    assert client.get(f"{ALIASES}{constitution.aliases.first().pk}/history/abc/").status_code == 404


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
