"""Who may open and press what on the pages of evaluation; what is private stays so for staff without a grant."""

import pytest
from django.contrib.auth.models import Group, User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse

from evaluation.judging import grading
from evaluation.learning import registry
from evaluation.learning.training import Trained
from evaluation.models import Judgment, RetrainingRun, Run, Topic
from retrieval.access.row_security import as_caller, as_system
from retrieval.models import Domain, JobRun, RankerModel
from retrieval.models.access import caller_for
from retrieval.stages.reranker.artifact import pack
from rules.models import DomainThreshold
from tests.builders import a_case_file, grant, nothing_judged
from tests.rerankers import some_reranker

pytestmark = pytest.mark.django_db
FIFTH = "/us/const/amendment/V"
ROLES = ("", "Judge", "Curator", "Administrator")


@pytest.fixture(autouse=True)
def own_topics(db):
    nothing_judged()


@pytest.fixture
def enter(client):
    """Signs a member of a group in; nobody for "", and out for None."""

    def sign_in(role: str | None) -> User | None:
        client.logout()
        if role is None:
            return None
        user, _ = User.objects.get_or_create(username=f"one {role}", defaults={"is_staff": True})
        user.groups.set(Group.objects.filter(name=role))
        client.force_login(user)
        return user

    return sign_in


@pytest.fixture
def things() -> dict[str, str]:
    """Addresses of one of each."""
    topic = Topic.objects.create(name="t1", query="q", domain=Domain.objects.get(slug="us_constitution"))
    judgment = Judgment.objects.create(topic=topic, locator=FIFTH, grade=2, judge="ann")
    run = Run.objects.create(pipeline="default", stages="", topics="t")
    model = registry.save(Trained(pack(some_reranker(), seed=1), {"family": "f"}))
    attempt = RetrainingRun.objects.create(challenger=model, outcome="kept", reason="Worse.")
    own = {"topic": topic, "judgment": judgment, "run": run, "retrainingrun": attempt}
    change = {name: reverse(f"admin:evaluation_{name}_change", args=[row.pk]) for name, row in own.items()}
    lists = {f"{name}s": reverse(f"admin:evaluation_{name}_changelist") for name in own}
    model_pages = {
        f"model {action}": reverse("admin:retrieval_rankermodel_do", args=[model.pk, action])
        for action in ("deploy", "shadow", "leave-shadow", "rollback")
    }
    return change | lists | model_pages | {
        "model": reverse("admin:retrieval_rankermodel_change", args=[model.pk]),
        "history": reverse("admin:evaluation_judgment_history", args=[judgment.pk]),
        "run file": reverse("admin:evaluation_run_download", args=[run.pk, "csv"]),
        "topics file": reverse("admin:evaluation_topic_download", args=["csv"]),
        "judgments file": reverse("admin:evaluation_judgment_export"),
        "retrain": reverse("admin:evaluation_retrainingrun_retrain"),
        "new topic": reverse("admin:evaluation_topic_add"),
        "judge": reverse("admin_judge"),
        "agreement": reverse("admin_disagreements"),
        "import": reverse("admin_import"),
        "quality": reverse("admin_quality"),
        "ablation": reverse("admin_ablation"),
        "bodies": reverse("admin_bodies"),
        "rule usage": reverse("admin_rule_usage"),
        "preview": reverse("admin_threshold_preview"),
    }  # fmt: skip


# What answers staff of no group, judges, curators and administrators; everyone else is sent to the login.
READ = {
    "judge": (403, 200, 200, 200),
    "agreement": (403, 200, 200, 200),
    "import": (403, 403, 200, 200),
    "topics": (403, 200, 200, 200),
    "topic": (403, 200, 200, 200),
    "new topic": (403, 403, 200, 200),
    "topics file": (403, 403, 200, 200),
    "judgments": (403, 200, 200, 200),
    "judgment": (403, 302, 200, 200),  # another's: as one that is not there
    "history": (404, 404, 200, 200),
    "judgments file": (403, 200, 200, 200),
    "runs": (403, 403, 200, 200),
    "run": (403, 403, 200, 200),
    "run file": (403, 403, 200, 200),
    "quality": (403, 403, 200, 200),
    "ablation": (403, 403, 200, 200),
    "bodies": (403, 403, 200, 200),
    "rule usage": (403, 403, 200, 200),
    "retrainingruns": (403, 403, 403, 200),
    "retrainingrun": (403, 403, 403, 200),
    "model": (403, 403, 403, 200),
    "preview": (405, 405, 405, 405),
    "retrain": (405, 405, 405, 405),
    "model deploy": (405, 405, 405, 405),
}
PRESSED = {
    "agreement": (403, 403, 404, 404),  # there is nothing to settle
    "import": (403, 403, 422, 422),  # no file
    "preview": (403, 403, 200, 200),  # an empty draft, told so
    "retrain": (403, 403, 403, 302),
    "model deploy": (403, 403, 403, 302),
    "model shadow": (403, 403, 403, 302),
    "model leave-shadow": (403, 403, 403, 302),
    "model rollback": (403, 403, 403, 302),
    "judge": (403, 404, 404, 404),  # a topic that is not there
    "topics file": (403, 403, 200, 200),
}


def test_each_page_answers_only_those_whom_it_is_for(client, enter, things):
    answered: dict[str, list[int]] = {name: [] for name in READ}
    for role in ROLES:
        enter(role)
        for name in READ:
            answered[name].append(client.get(things[name]).status_code)
    assert {name: tuple(codes) for name, codes in answered.items()} == READ


def test_each_button_answers_only_those_whom_it_is_for(client, enter, things):
    answered: dict[str, list[int]] = {name: [] for name in PRESSED}
    for role in ROLES:
        enter(role)
        for name in PRESSED:
            answered[name].append(client.post(things[name]).status_code)
    assert {name: tuple(codes) for name, codes in answered.items()} == PRESSED
    assert RankerModel.objects.get().status != RankerModel.Status.CANDIDATE
    assert JobRun.objects.get(kind="retrain").requested_by.username == "one Administrator"


def test_nobody_who_is_not_signed_in_gets_anything(client, enter, things):
    enter(None)
    for name, address in things.items():
        for answer in (client.get(address), client.post(address)):
            assert answer.status_code == 302 and "/login/" in answer.url, name


# -- Private topics and judgments


@pytest.fixture
def secret() -> Topic:
    """A topic about a case file that is opened to nobody yet."""
    file = a_case_file("Doe", "The client confessed to the charge.")
    topic = Topic.objects.create(
        name="secret-1", query="Did Doe confess?", domain=file.domain, created_at="2020-01-01T00:00Z"
    )
    with as_system():
        locator = file.sections.get().locator
    Judgment.objects.create(
        topic=topic, locator=locator, grade=3, judge="ann", explanation="He did, on page two."
    )
    Judgment.objects.create(topic=topic, locator=locator, grade=0, judge="ben")
    Topic.objects.create(name="secret-2", query="Did Doe pay the bribe?", domain=file.domain)
    topic.file = file
    return topic


PAGES = ("topics", "judgments", "topics file", "quality", "agreement", "judge", "import", "new topic")


def told(client, things: dict[str, str]) -> str:
    """All that the pages show, filters and counts included."""
    pages = [client.get(things[name]).content.decode() for name in PAGES]
    exported = client.post(things["judgments file"], {"format": "0", "resource": "0"}).content.decode()
    return "\n".join([*pages, exported])


@pytest.mark.parametrize("role", ["Curator", "Administrator"])
def test_staff_without_a_grant_learn_nothing_of_private_topics(client, enter, things, secret, role):
    user = enter(role)
    shown = told(client, things)
    for word in ("Doe", "secret-", "client_cases", "Client cases", "page two"):
        assert word not in shown, word
    assert grading.disagreements(caller_for(user)) == []
    assert client.get(reverse("admin_judge"), {"topic": secret.pk}).status_code == 404
    for name, row in (("topic", secret), ("judgment", secret.judgments.first())):
        assert client.get(reverse(f"admin:evaluation_{name}_change", args=[row.pk])).status_code == 302
        assert client.get(
            reverse(f"admin:evaluation_{name}_change", args=[row.pk]), follow=True
        ).redirect_chain
    assert (
        client.get(reverse("admin:evaluation_topic_changelist"), {"q": "Doe"}).context["cl"].result_count == 0
    )


def test_staff_with_a_grant_see_the_topics_and_judgments_it_opens(client, enter, things, secret):
    user = enter("Curator")
    grant(secret.file, caller_for(user))
    shown = told(client, things)
    assert "Did Doe confess?" in shown and "page two" in shown
    with as_caller(caller_for(user)):
        assert len(grading.disagreements(caller_for(user))) == 1


def test_a_draft_of_thresholds_for_a_private_domain_tells_nothing(client, enter, things, secret):
    enter("Curator")
    row = DomainThreshold.objects.filter(active=True).first()
    said = {"domain": secret.domain.pk, "reason": "try", "calibration": "{}"}
    for name in (
        "answer_minimum",
        "minimum",
        "verify",
        "accept",
        "confident",
        "gap",
        "alias_search",
        "query_search",
    ):
        said[name] = getattr(row, name)
    for name in ("mlp_low", "mlp_high", "blend", "llm_weight"):
        said[name] = getattr(row, name)
    assert "cannot be published" in client.post(things["preview"], said).content.decode()


def test_an_import_of_private_topics_is_told_to_who_asked_alone(client, enter, things, secret):
    owner = User.objects.create_user("owner", is_staff=True)
    owner.groups.add(Group.objects.get(name="Curator"))
    grant(secret.file, caller_for(owner))
    client.force_login(owner)
    text = '{"topic": "secret-3", "query": "Did Doe flee?", "domain": "client_cases"}\nDoe\n'
    file = SimpleUploadedFile("Doe.jsonl", text.encode())
    said = {
        "format": "auto",
        "domain": "us_constitution",
        "split": "train",
        "judge": "x",
        "kind": "human",
        "file": file,
    }
    at = client.post(things["import"], said | {"file": file}).url
    client.post(at, {"import": ""})
    run = JobRun.objects.get(kind="import_judgments")
    assert "Doe.jsonl" in client.get(things["import"]).content.decode()
    enter("Administrator")
    assert "Doe" not in client.get(things["import"]).content.decode()
    page = client.get(reverse("admin:retrieval_jobrun_change", args=[run.pk])).content.decode()
    assert "Doe" not in page
