"""Models are deployed only if they can serve, and taken back."""

from dataclasses import replace
from datetime import timedelta

import numpy as np
import pytest
from django.urls import reverse
from django.utils import timezone

from evaluation.learning import registry
from evaluation.learning.registry import agreement
from evaluation.learning.training import Trained
from evaluation.measuring.runs import run_topics
from evaluation.models import Judgment, Topic
from evaluation.topics import library
from retrieval import tasks
from retrieval.access.caller import ANONYMOUS, Caller
from retrieval.models import Domain, RankerModel, ShadowRanking
from retrieval.request import SearchRequest
from retrieval.search.service import search
from retrieval.stages.reranker.artifact import Dense, Layer, Reranker, pack
from tests.builders import a_case_file
from tests.evaluation.learning.rerankers import model, of_other_features
from tests.rerankers import some_reranker
from tests.retrieval.admin.staff import staff

pytestmark = pytest.mark.django_db
QUESTION = "who may search my house"
ANA = Caller(("key:901",))


@pytest.mark.parametrize("action", ["deploy", "shadow"])
def test_a_model_that_cannot_serve_is_not_put_in_force(client, action):
    staff(client, "Administrator")
    champion = model("old", status="active")
    artifact = of_other_features(pack(some_reranker(), seed=1))
    other = RankerModel.objects.create(family="f", sha256=registry.sha256(artifact), artifact=artifact)
    press = reverse("admin:retrieval_rankermodel_do", args=[other.pk, action])
    assert "trained on other features" in client.post(press, follow=True).content.decode()
    spanish = client.post(press, follow=True, headers={"accept-language": "es"}).content.decode()
    assert "se entrenó con otras características" in spanish
    other.refresh_from_db()
    assert (registry.active(), other.status) == (champion, "candidate")


def test_a_deployed_model_serves_at_once_and_can_be_rolled_back():
    def note() -> str:
        answer = search(SearchRequest(text="who may search my house", pipeline="learned"))
        return next(s["note"] for s in answer["stages"] if s["name"] == "LearnedReranker")

    assert note() == "no reranker is deployed"
    models = []
    for seed in (1, 2):
        artifact = pack(some_reranker(), seed=seed)
        models.append(registry.save(Trained(artifact, {"family": "a test"})))
        registry.deploy(models[-1])
        assert note().startswith(f"model {models[-1].sha256[:8]};")
    assert registry.rollback() == models[0]
    assert note().startswith(f"model {models[0].sha256[:8]};")
    assert RankerModel.objects.filter(status="active").count() == 1


def registered(reranker: Reranker, **manifest) -> RankerModel:
    return registry.save(Trained(pack(reranker, seed=0), {"family": "a test"} | manifest))


def contrary() -> Reranker:
    """Whatever the other thinks most probable, it thinks least."""
    *before, last = some_reranker().model.layers
    return replace(some_reranker(), model=Dense((*before, Layer(-last.weights, -last.bias))))


@pytest.fixture
def active() -> RankerModel:
    model = registered(some_reranker())
    registry.deploy(model)
    return model


@pytest.fixture
def shadow(active) -> RankerModel:
    model = registered(contrary())
    registry.shadow(model)
    return model


def ask(question: str = QUESTION, **fields) -> dict:
    return search(SearchRequest(question, pipeline="learned"), ANONYMOUS, channel="page", **fields)


def locators(answer: dict) -> list[str]:
    return [result["locator"] for result in answer["results"]]


def told(answer: dict) -> dict:
    """The answer without what differs in every search."""
    stages = [stage | {"ms": 0} for stage in answer["stages"]]
    return answer | {"stages": stages, "trace_id": "", "took_ms": 0}


def test_it_changes_no_answer(active):
    before = ask()
    registry.shadow(registered(contrary()))
    assert told(ask()) == told(before)


def test_it_keeps_what_it_would_have_shown_beside_what_was(shadow):
    answer = ask()
    row = ShadowRanking.objects.get(log=answer["trace_id"])
    assert (row.model, row.query_hash) == (shadow, row.log.query_hash)
    registry.deploy(shadow)
    instead = locators(ask())
    assert (row.served, row.instead) == (locators(answer), instead)
    assert row.overlap == len({*row.served} & {*instead}) / 10 < 1
    assert row.same_first == (row.served[0] == row.instead[0])


def test_only_searches_that_ran_and_are_logged_count(shadow):
    assert not ask()["cached"]
    assert ask()["cached"]
    run_topics(library.topics_of("us_constitution")[:1], "learned")
    search(SearchRequest("14th Amendment, section 1", pipeline="learned"))  # a citation is settled
    assert agreement(shadow).searches == 1


def test_one_taken_out_of_the_shadow_scores_nothing_and_is_what_it_was(active, shadow):
    registry.leave_shadow()
    ask()
    shadow.refresh_from_db()
    assert not ShadowRanking.objects.exists() and shadow.status == "candidate"


def test_the_model_that_served_before_can_be_gone_back_to_from_the_shadow(active, shadow):
    registry.deploy(shadow)
    for other in (active, registry.save(Trained(pack(contrary(), seed=1), {"family": "a test"}))):
        registry.shadow(other)
    assert registry.rollback() == active


def test_without_a_model_in_shadow_nothing_is_kept(active):
    ask()
    assert not ShadowRanking.objects.exists()


def test_nothing_is_kept_of_what_is_private(shadow):
    a_case_file(
        "Matter of Ibarreche", "The officer searched her house in Nogales without a warrant.", granted_to=ANA
    )
    answer = search(SearchRequest("Nogales house search", k=100, pipeline="learned"), ANA)
    assert any(locator.startswith("/client_cases/") for locator in locators(answer))
    row = ShadowRanking.objects.get()
    assert (row.query_hash, row.served, row.instead) == ("", [], [])
    assert 0 <= row.overlap <= 1


def test_one_that_cannot_serve_is_reported_and_harms_no_search(active, caplog):
    broken = registered(contrary())
    RankerModel.objects.filter(pk=broken.pk).update(artifact=b"changed")
    registry.shadow(broken)
    assert ask()["results"] and ask("who may declare war")["results"]
    assert not ShadowRanking.objects.exists()
    assert len([r for r in caplog.records if "in shadow" in r.getMessage()]) == 1


# -- How it compares


def a_judged_topic(name: str, question: str, relevant: str) -> Topic:
    domain = Domain.objects.get(slug="us_constitution")
    topic = Topic.objects.create(name=name, domain=domain, query=question, source="a test")
    Judgment.objects.create(topic=topic, locator=relevant, grade=3, judge="ann")
    return topic


def test_agreement_is_over_all_searches_and_on_judged_questions(shadow):
    row = ShadowRanking.objects.get(log=ask("who may search my house")["trace_id"])
    ask("who may declare war")
    lost = next(locator for locator in row.served if locator not in row.instead)
    a_judged_topic("asked", "Who may search my house?", lost)
    a_judged_topic("never asked", "who may quarter soldiers", lost)
    rows = list(ShadowRanking.objects.all())
    found = agreement(shadow)
    assert (found.searches, found.judged) == (2, 1)
    assert found.overlap == pytest.approx(np.mean([row.overlap for row in rows]))
    assert found.other_first == pytest.approx(np.mean([not row.same_first for row in rows]))
    assert found.difference.mean < 0


def test_what_it_learned_from_does_not_count_for_it(active):
    model = registered(contrary(), topics=["asked"])
    registry.shadow(model)
    a_judged_topic("asked", QUESTION, locators(ask())[0])
    assert (agreement(model).searches, agreement(model).judged) == (1, 0)


def test_verdicts_of_language_models_do_not_count(shadow):
    first = locators(ask())[0]
    topic = a_judged_topic("asked", QUESTION, first)
    topic.judgments.update(kind="llm")
    assert agreement(shadow).judged == 0


def test_before_any_search_there_is_nothing_to_say(shadow):
    assert agreement(shadow).overlap is None and agreement(shadow).difference is None


def test_the_admin_shows_it(shadow, client, django_user_model):
    client.force_login(django_user_model.objects.create_superuser("root", password="x"))
    address = f"/admin/retrieval/rankermodel/{shadow.pk}/change/"
    assert "Overlap of the first ten" not in client.get(address).content.decode()
    first = locators(ask())[0]
    a_judged_topic("asked", QUESTION, first)
    page = client.get(address).content.decode()
    assert f"{agreement(shadow).overlap:.1%}" in page and "nDCG@10, shadow less active" in page


def test_it_is_kept_as_long_as_traces(shadow, settings):
    ask()
    ask("who may declare war")
    old = timezone.now() - timedelta(days=settings.ARF_TRACE_DAYS, hours=1)
    ShadowRanking.objects.filter(pk=ShadowRanking.objects.first().pk).update(created_at=old)
    assert tasks.prune()["shadows"] == 1
    assert ShadowRanking.objects.count() == 1
