"""Pages on quality in the admin: over time, the last ablation, the preview of thresholds; each for those who may."""

from datetime import timedelta

import pytest
from django.contrib.auth.models import Group, User
from django.template.loader import render_to_string
from django.utils import timezone

from evaluation.admin.pages import places_in
from evaluation.models import Run
from evaluation.rule_impact import fired_questions
from retrieval.access.caller import ANONYMOUS
from retrieval.admin.picker import described
from retrieval.models import Domain, JobRun, RankerModel, SearchLog
from retrieval.request import SearchRequest
from retrieval.search.service import search
from rules.models import QuestionPhrase
from tests.builders import nothing_judged

pytestmark = pytest.mark.django_db


def staff(client, group):
    user = User.objects.create_user(group, is_staff=True)
    user.groups.add(Group.objects.get(name=group))
    client.force_login(user)
    return user


@pytest.fixture
def administrator(client):
    return staff(client, "Administrator")


@pytest.fixture
def curator(client):
    return staff(client, "Curator")


@pytest.fixture
def judge(client):
    return staff(client, "Judge")


@pytest.fixture
def domain():
    return Domain.objects.get(slug="us_constitution")


def a_run(value: float, *, days: int = 0, **fields) -> Run:
    estimate = {"mean": value, "low": value - 0.02, "high": value + 0.02}
    summary = {"measures": {"nDCG@10": estimate}, "by_kind": {"lay": {"topics": 9, "nDCG@10": value}}}
    summary["judged_at_10"] = {"mean": 0.4}
    defaults = {"pipeline": "default", "stages": "Pipeline()", "topics": "us_constitution, test"}
    moment = timezone.now() - timedelta(days=days)
    return Run.objects.create(created_at=moment, summary=summary, **defaults | fields)


def pages(client) -> str:
    return client.get("/admin/quality/").content.decode()


# -- Quality over time


def test_pages_say_so_where_there_is_nothing_yet(client, administrator):
    assert "Nobody has searched yet." in pages(client)
    assert "No run is stored yet. Once the first reranker is trained" in pages(client)
    assert "Every topic has a judgment." in pages(client)
    assert "No ablation is stored yet. It asks" in client.get("/admin/ablation/").content.decode()


def measured(client, what: str, domain: str = "us_constitution"):
    return client.post("/admin/measure/", {"what": what, "domain": domain})


@pytest.mark.parametrize("what, address", [("usual", "/admin/quality/"), ("ablation", "/admin/ablation/")])
def test_a_button_starts_a_job_and_no_second_one(client, administrator, what, address):
    assert 'action="/admin/measure/"' in client.get(address).content.decode()
    begun = measured(client, what)
    job = JobRun.objects.get(kind="measure")
    assert begun.url == f"/admin/retrieval/jobrun/{job.pk}/change/"
    assert (job.kind, job.params["what"], job.requested_by) == ("measure", what, administrator)
    page = client.get(address).content.decode()
    assert "A job is measuring" in page and 'action="/admin/measure/"' not in page
    assert measured(client, what).url == address
    assert JobRun.objects.filter(kind="measure").count() == 1


def test_only_who_may_add_runs_measures_and_only_by_post(client, administrator, domain):
    assert client.get("/admin/measure/").status_code == 405
    assert measured(client, "usual", "client_cases").url == "/admin/quality/"
    curator = User.objects.create_user("curator", is_staff=True)
    curator.groups.add(Group.objects.get(name="Curator"))
    client.force_login(curator)
    assert 'action="/admin/measure/"' not in pages(client)
    assert measured(client, "usual").status_code == 403
    assert not JobRun.objects.filter(kind="measure").exists()


def test_the_page_shows_series_slices_and_changes(client, administrator):
    a_run(0.7, days=2, versions={"aliases": 3})
    a_run(0.8, versions={"aliases": 4})
    page = pages(client)
    assert "aliases: 3 → 4" in page
    assert 'scope="col" class="number">lay' in page
    assert 'role="img"' in page


@pytest.mark.parametrize("address", ["/admin/quality/", "/admin/ablation/"])
def test_pages_are_for_staff_who_may_read_runs(client, address):
    client.force_login(User.objects.create_user("nobody", is_staff=True))
    assert client.get(address).status_code == 403
    client.logout()
    assert client.get(address).status_code == 302


def test_the_last_ablation_is_shown(client, administrator):
    step = {
        "id": "x",
        "label": "dense",
        "loses": False,
        "difference": None,
        "llm_share": 0.004,
        "cost_per_1000": 0,
        "topics": 40,
    }
    values = {"mean": 0.5, "low": 0.4, "high": 0.6}
    step["measures"] = dict.fromkeys(("MRR@10", "P@1", "P@5", "R@5", "nDCG@5", "nDCG@10"), values)
    step["ms"] = {"p50": 1, "p95": 2}
    lost = {"label": "+ lexical", "loses": True, "difference": {"mean": -0.1, "low": -0.2, "high": 0}}
    for number, told in enumerate((step, step | lost)):
        Run.objects.create(
            name="ablation",
            pipeline="dense",
            stages="",
            topics="t",
            summary={"ablation": {"step": number} | told},
        )
    page = client.get("/admin/ablation/").content.decode()
    assert "+ lexical" in page and "loses too much" in page and "<svg" in page
    assert "40 topics that have an answer" in page and "0.4 %" in page


def test_the_confusion_of_bodies_is_shown_as_it_was_counted_with_the_phrases_that_name_them(client, administrator):
    assert "Not counted yet" in client.get("/admin/bodies/").content.decode()
    counts = {
        "us_code": {"us_code": 40, "us_constitution": 9},
        "us_constitution": {"us_constitution": 61, "us_code": 2},
        "gone": {"us_code": 1},
    }
    counted = {"measured_at": "2026-02-03T04:05:06+00:00", "counts": counts}
    tried = {"topics": 100, "right": [0.85, 0.9], "serves": True}
    manifest = {"confusion": counted, "bodies": tried}
    model = RankerModel.objects.create(sha256="a", artifact=b"", status="active", manifest=manifest)
    QuestionPhrase.objects.create(text="the green book", use="domain", answer="us_code")
    page = " ".join(client.get("/admin/bodies/").content.decode().split())
    assert "Of 112 judged questions 101 were told" in page and "2026-02-03" in page
    assert page.index("61 / 63") < page.index("40 / 49"), "in the order of the domains"
    assert "the green book</a>: us_code" in page
    assert "of 100 tune topics" in page and "they tell 90 rightly, those that ship 85" in page
    model.manifest["bodies"]["serves"] = False
    model.save()
    assert "The weights that ship serve: of 100" in client.get("/admin/bodies/").content.decode()


# -- Preview of thresholds

QUESTIONS = [
    "who can declare war",
    "best pizza dough hydration",
    "can police search my car without a warrant",
]


@pytest.fixture
def asked(domain, monkeypatch):
    monkeypatch.setattr("evaluation.rule_impact.previews.JUDGED", 5)
    for question in QUESTIONS:
        search(SearchRequest(text=question))
    return domain


def posted(domain: Domain, **changed) -> dict:
    row = domain.thresholds.get(active=True)
    names = (
        "answer_minimum",
        "minimum",
        "verify",
        "accept",
        "confident",
        "gap",
        "alias_search",
        "query_search",
    )
    names += ("mlp_low", "mlp_high", "blend", "llm_weight")
    same = {name: getattr(row, name) for name in names}
    return {"domain": domain.pk, "calibration": "{}", "reason": "a test"} | same | changed


def test_the_page_previews_and_publishes_what_was_posted(client, administrator, asked):
    page = client.post("/admin/preview/", posted(asked))
    text = page.content.decode()
    assert "of 3 logged questions" in text and "Publish" in text and "Change of nDCG@10:" in text
    assert asked.thresholds.count() == 1
    client.post("/admin/rules/domainthreshold/add/", dict(page.context["draft"]))
    assert asked.thresholds.count() == 2


def test_a_draft_that_cannot_be_published_is_not_previewed(client, administrator, asked):
    text = client.post("/admin/preview/", posted(asked, verify=0.9)).content.decode()
    assert "cannot be published" in text and "Accept" in text


def test_the_form_offers_a_preview_when_adding(client, administrator, domain):
    page = client.get("/admin/rules/domainthreshold/add/").content.decode()
    assert 'formaction="/admin/preview/"' in page
    assert client.get("/admin/preview/").status_code == 405


# -- Places in previews

THIRD = "/us/const/amendment/III"


def test_places_are_named_by_citation_and_first_words_as_far_as_one_may_read_them():
    named = described([THIRD], ANONYMOUS)
    shown = render_to_string("admin/_place.html", {"named": named, "at": THIRD})
    assert "<strong>U.S. Const. amend. III</strong>" in shown and "Quartering of soldiers" in shown
    assert render_to_string("admin/_place.html", {"named": named, "at": "/nowhere"}).strip() == ""


def test_every_place_that_a_preview_names_is_looked_up():
    place = {"locator": "/a", "pin": "/a/b", "passage": 1}
    answers = {"results": [place], "near_misses": [place | {"pin": None}], "redirect": "/c"}
    change = {"before": answers, "after": {"results": [], "near_misses": [], "redirect": None}}
    assert list(places_in([change], [{"locator": "/d"}])) == ["/d", "/a/b", "/a", "/c"]


# -- Which questions a rule fires on

FIRES = "/admin/preview/fires/"


@pytest.fixture
def asked_alone(asked, monkeypatch):
    """Nothing is judged, and there is time for what was asked."""
    nothing_judged()
    monkeypatch.setattr("evaluation.admin.pages.AS_ONE_TYPES", 60)


def criteria(*rows, **more):
    boxes = {f"criteria-{n}-{name}": value for n, row in enumerate(rows) for name, value in row.items()}
    return boxes | more


def test_a_sentence_is_tried_on_the_questions_there_are(client, curator, asked_alone):
    found = client.get(FIRES, {"sentence": "When someone asks about police, show the fourth amendment first"})
    assert "can police search my car" in found.content.decode()
    assert "who can declare war" not in found.content.decode()
    assert "Nothing was saved" in found.content.decode()
    not_read = client.get(FIRES, {"sentence": "show something nice"}, headers={"HX-Request": "true"})
    assert not_read.context["problems"] and "<html" not in not_read.content.decode()
    assert client.get(FIRES, {"sentence": " "}).context["firing"] is None


def test_the_criteria_of_a_form_are_tried_as_they_stand(client, curator, asked_alone):
    words = {"kind": "keywords", "value": "war; pizza"}
    found = client.post(FIRES, criteria(words)).content.decode()
    assert "who can declare war" in found and "best pizza dough" in found and "my car" not in found
    english = client.post(FIRES, criteria(words, {"kind": "language", "value": "es"})).content.decode()
    assert "fires on no question" in english
    assert "fires on no question" in client.post(FIRES, criteria(words, domains="client_cases")).content.decode()
    wrong = client.post(FIRES, criteria({"kind": "regex", "value": "("}))
    assert wrong.status_code == 200 and wrong.context["problems"]
    assert client.post(FIRES, criteria({"kind": "citation", "value": "14th amendment"})).context["firing"]
    assert client.post(FIRES).context["firing"] is None


def test_a_script_asks_again_until_all_questions_are_looked_at(client, curator, asked_alone, monkeypatch):
    fired_questions._read.clear()
    ask = {"sentence": "When someone asks about police, show the fourth amendment first"}
    monkeypatch.setattr("evaluation.admin.pages.AS_ONE_TYPES", 0)
    answer = client.get(FIRES, ask, headers={"HX-Request": "true"})
    assert answer["HX-Trigger-After-Settle"] == "again" and "ask again" in answer.content.decode()
    monkeypatch.setattr("evaluation.admin.pages.AS_ONE_TYPES", 60)
    assert "HX-Trigger-After-Settle" not in client.get(FIRES, ask, headers={"HX-Request": "true"})


def test_questions_are_told_to_those_who_may_read_the_log(client, judge, asked):
    assert client.get(FIRES, {"sentence": "x"}).status_code == 403


# -- What people ask


def logged(text: str, **fields) -> SearchLog:
    usual = {"channel": "page", "language": "en", "pipeline": "default", "took_ms": 9, "result_count": 3}
    return SearchLog.objects.create(query_text=text, query_hash=text, **usual | fields)


def test_questions_are_listed_with_what_may_be_made_of_them(client, administrator):
    logged("who may vote & when")
    logged("kept to itself", private=True)
    page = client.get("/admin/questions/").content.decode()
    assert "who may vote &amp; when" in page and "kept to itself" not in page
    assert "/admin/rules/rule/add/?question=who%20may%20vote%20%26%20when" in page
    topic = client.get("/admin/evaluation/topic/add/?query=who%20may%20vote%20%26%20when&language=en")
    assert "who may vote &amp; when" in topic.content.decode()
    assert "No question of this kind" in client.get("/admin/questions/?kind=declined").content.decode()


def test_questions_are_downloaded_over_a_period(client, administrator):
    logged("how do I repot a cactus", abstained=True, result_count=0)
    logged("long ago", created_at=timezone.now() - timedelta(days=20), abstained=True)
    answer = client.get("/admin/questions/?kind=declined&days=7&format=csv")
    assert "declined-questions-7-days.csv" in answer["Content-Disposition"]
    assert "cactus" in answer.content.decode() and "long ago" not in answer.content.decode()
    assert "long ago" in client.get("/admin/questions/?kind=declined&days=30").content.decode()


def test_questions_are_for_staff_who_may_read_the_log(client):
    client.force_login(User.objects.create_user("nobody", is_staff=True))
    assert client.get("/admin/questions/").status_code == 403


def test_who_only_judges_is_offered_no_rules(client):
    logged("who may vote")
    judge = User.objects.create_user("judge", is_staff=True)
    judge.groups.add(Group.objects.get(name="Judge"))
    client.force_login(judge)
    page = client.get("/admin/questions/").content.decode()
    assert "who may vote" in page and "rule/add/" not in page and "topic/add/" not in page
