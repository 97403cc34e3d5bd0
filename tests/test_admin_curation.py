"""What curators do in the admin: aliases and the glossary in and out of files, histories, thresholds."""

import csv
import io
import json

import pytest
from django.contrib.auth.models import Group, Permission, User
from django.core.files.uploadedfile import SimpleUploadedFile

from retrieval.models import Domain, Version
from retrieval.ranking import Candidate
from rules.exchange import SafeCSV, escaped, unescaped
from rules.models import Alias, DomainThreshold, GlossaryTerm
from rules.stages import features

pytestmark = pytest.mark.django_db
ALIASES = "/admin/rules/alias/"
THRESHOLDS = "/admin/rules/domainthreshold/"


@pytest.fixture
def curator(client):
    user = User.objects.create_user("curator", is_staff=True)
    user.groups.add(Group.objects.get(name="Curator"))
    client.force_login(user)
    return user


@pytest.fixture
def constitution(db):
    return Domain.objects.get(slug="us_constitution")


def alias_fields(domain: Domain, **changed) -> dict:
    fields = {
        "domain": domain.pk,
        "text": "sabbath clause",
        "locator": "/us/const/amendment/I",
        "language": "en",
    }
    return fields | {"enabled": "on"} | changed


def upload(client, url: str, text: str, *, name: str = "new.csv"):
    """The first step of an import: the preview."""
    file = SimpleUploadedFile(name, text.encode())
    number = "0" if name.endswith(".csv") else "1"
    return client.post(f"{url}import/", {"import_file": file, "format": number, "resource": "0"})


def confirm(client, url: str, preview):
    return client.post(f"{url}process_import/", preview.context["confirm_form"].initial | {"resource": "0"})


# -- Aliases


def test_an_alias_is_added_with_who_and_why(client, curator, constitution):
    client.post(f"{ALIASES}add/", alias_fields(constitution, reason="asked for by readers"))
    history = Alias.objects.get(text="sabbath clause").history.get()
    assert (history.history_user, history.history_change_reason) == (curator, "asked for by readers")


def test_an_alias_of_no_provision_is_refused(client, curator, constitution):
    answer = client.post(f"{ALIASES}add/", alias_fields(constitution, locator="/us/const/amendment/XCIX"))
    assert "locator" in answer.context["adminform"].form.errors


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


def test_aliases_of_private_provisions_are_hidden_with_their_history(client, curator):
    alias = Alias.objects.create(
        domain=Domain.objects.get(slug="client_cases"), text="secret name", locator="/client_cases/1/1"
    )
    line = alias.history.get()
    assert "secret name" not in client.get(ALIASES, {"q": "name"}).content.decode()
    for page in ("change/", "history/", f"history/{line.pk}/"):
        assert "secret name" not in client.get(f"{ALIASES}{alias.pk}/{page}", follow=True).content.decode()


def test_provisions_are_offered_while_a_locator_is_typed(client, curator, constitution):
    asked = {"domain": constitution.pk, "locator": "equal protection"}
    assert b"/us/const/amendment/XIV/section/1" in client.get(f"{ALIASES}locators/", asked).content
    assert client.get(f"{ALIASES}locators/").content == b""


def test_a_file_of_aliases_is_shown_before_it_is_taken_in(client, curator, constitution):
    text = "domain,text,locator,language,enabled,note\nus_constitution,sabbath clause,/us/const/amendment/I,en,1,\n"
    preview = upload(client, ALIASES, text)
    assert b"sabbath clause" in preview.content
    assert not Alias.objects.filter(text="sabbath clause").exists()
    confirm(client, ALIASES, preview)
    history = Alias.objects.get(text="sabbath clause").history.get()
    assert (history.history_user, history.history_change_reason) == (curator, "import of new.csv")


def test_a_row_that_names_no_provision_is_refused_with_its_number(client, curator):
    text = (
        "domain,text,locator,language,enabled\n"
        "us_constitution,good,/us/const/amendment/I,en,1\n"
        "us_constitution,bad,/us/const/amendment/XCIX,en,1\n"
    )
    preview = upload(client, ALIASES, text)
    (invalid,) = preview.context["result"].invalid_rows
    assert invalid.number == 2
    assert b"No provision of this domain has this locator." in preview.content
    assert not Alias.objects.filter(text__in=["good", "bad"]).exists()


def test_a_domain_one_may_not_see_is_unknown_to_an_import(client, curator):
    preview = upload(client, ALIASES, "domain,text,locator,language\nclient_cases,x,/client_cases/1/1,en\n")
    assert "There is no domain “client_cases”." in preview.content.decode()


def test_importing_what_is_there_changes_nothing(client, curator, constitution):
    exported = client.post(f"{ALIASES}export/", export_form("1")).content.decode()
    before = Alias.history.count()
    confirm(client, ALIASES, upload(client, ALIASES, exported, name="all.json"))
    assert Alias.history.count() == before


def export_form(number: str) -> dict:
    fields = ("domain", "text", "locator", "language", "enabled", "note")
    return {"format": number, "resource": "0"} | {f"aliasresource_{field}": "on" for field in fields}


def test_exports_escape_formulas_and_imports_take_that_back(client, curator, constitution):
    Alias.objects.create(domain=constitution, text="=SUM(A1)", locator="/us/const/amendment/I", note="+1")
    text = client.post(f"{ALIASES}export/", export_form("0")).content.decode()
    row = next(row for row in csv.DictReader(io.StringIO(text)) if "SUM" in row["text"])
    assert (row["text"], row["note"]) == ("'=SUM(A1)", "'+1")
    back = SafeCSV().create_dataset(text).dict
    assert any(row["text"] == "=SUM(A1)" for row in back)
    as_json = json.loads(client.post(f"{ALIASES}export/", export_form("1")).content)
    assert any(row["text"] == "=SUM(A1)" for row in as_json)


@pytest.mark.parametrize("cell", ["=1", "+1", "-1", "@x", "\tx", "plain", "'quoted'", "", 5, None])
def test_escaping_is_taken_back_exactly(cell):
    assert unescaped(escaped(cell)) == cell


def test_judges_import_and_export_nothing(client, db):
    user = User.objects.create_user("judge", is_staff=True)
    user.groups.add(Group.objects.get(name="Judge"))
    client.force_login(user)
    assert client.get(f"{ALIASES}import/").status_code == 403
    assert client.get(f"{ALIASES}export/").status_code == 403


# -- Glossary


def test_glossary_terms_are_imported_by_their_spanish(client, curator):
    term = GlossaryTerm.objects.first()
    preview = upload(
        client, "/admin/rules/glossaryterm/", f"spanish,english,enabled\n{term.spanish},new words,1\n"
    )
    confirm(client, "/admin/rules/glossaryterm/", preview)
    term.refresh_from_db()
    assert term.english == "new words"


# -- Thresholds


WEIGHTS = {"intercept": -3} | dict.fromkeys(features(Candidate(section_id=0)), 1.5)


GATES = {"minimum": 0, "verify": 0.2, "accept": 0.6, "confident": 0.8, "gap": 1, "alias_search": 0.4}
GATES |= {"query_search": 0.95, "mlp_low": 0.4, "mlp_high": 0.6, "blend": 0.6, "llm_weight": 0.5}


def publish(client, domain: Domain, **changed):
    fields = {
        "domain": domain.pk,
        "answer_minimum": 0.3,
        "calibration": json.dumps(WEIGHTS),
        "reason": "tuned",
        **GATES,
    }
    return client.post(f"{THRESHOLDS}add/", fields | changed)


def test_a_new_threshold_takes_the_place_of_the_one_before(client, curator, constitution):
    publish(client, constitution)
    publish(client, constitution, answer_minimum=0.4)
    newest, before = constitution.thresholds.order_by("-version")[:2]
    assert (newest.active, before.active) == (True, False)
    assert (newest.version, newest.answer_minimum) == (before.version + 1, 0.4)
    assert (newest.created_by, newest.reason) == (curator, "tuned")


def test_a_version_begun_from_nothing_keeps_the_calibration_in_force(client, curator, constitution):
    publish(client, constitution)
    publish(client, constitution, calibration="{}")
    assert constitution.thresholds.get(active=True).calibration == WEIGHTS


def test_an_old_threshold_is_only_read(client, curator, constitution):
    publish(client, constitution)
    row = constitution.thresholds.first()
    client.post(
        f"{THRESHOLDS}{row.pk}/change/", {"answer_minimum": 0.9, "reason": "x", "domain": constitution.pk}
    )
    row.refresh_from_db()
    assert row.answer_minimum == 0.3


@pytest.mark.parametrize(
    "changed",
    [
        {"answer_minimum": 1.5},
        {"minimum": 0.3},
        {"accept": 0.1},
        {"confident": 0.5},
        {"mlp_high": 0.3},
        {"gap": "nan"},
        {"verify": ""},
        {"reason": ""},
        {"calibration": '{"intercept": 1}'},
        {"calibration": json.dumps(WEIGHTS | {"dense": "6"})},
        {"calibration": json.dumps(WEIGHTS | {"unknown": 6})},
        {"calibration": "[1]"},
        {"calibration": "not json"},
    ],
)
def test_a_threshold_that_search_could_not_use_is_refused(client, curator, constitution, changed):
    before = DomainThreshold.objects.count()
    assert publish(client, constitution, **changed).context["adminform"].form.errors
    assert DomainThreshold.objects.count() == before


def test_a_new_version_may_begin_as_a_copy(client, curator, constitution):
    publish(client, constitution)
    row = constitution.thresholds.first()
    form = client.get(f"{THRESHOLDS}add/", {"copy": row.pk}).context["adminform"].form
    assert form.initial["answer_minimum"] == 0.3
