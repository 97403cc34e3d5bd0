"""The whole pipeline with a language model, through the API: who may ask it, and that nothing it does costs quality."""

import pytest
from django.core.management import CommandError, call_command

from retrieval.engines.llm import service as llm
from retrieval.models import ApiKey, LLMCall, LLMPolicy, LLMVerdict, SearchLog
from tests.builders import a_case_file
from tests.llm_server import FAILING, good, patience, says, verdict

pytestmark = pytest.mark.django_db

QUESTION = "who may search my house"


@pytest.fixture(scope="module")
def orders() -> dict[str, list[str]]:
    """Of what is searched for once: every test has the same reranker."""
    return {}


@pytest.fixture
def ask(client):
    """The API's answer to a client with these scopes; without any, to nobody in particular."""
    keys = {}

    def asked(*scopes: str, **query) -> dict:
        if scopes and scopes not in keys:
            keys[scopes] = ApiKey.issue(name="client", scopes=list(scopes))[1]
        headers = {"HTTP_AUTHORIZATION": f"Bearer {keys[scopes]}"} if scopes else {}
        response = client.get("/api/v1/search", {"q": QUESTION, **query}, **headers)
        assert response.status_code == 200
        return response.json()

    return asked


def locators(answer: dict) -> list[str]:
    return [result["locator"] for result in answer["results"]]


def stage(answer: dict) -> dict:
    return next(told for told in answer["stages"] if told["name"] == "LLMVerifier")


def favouring(answer: dict, place: int):
    """9 for the result that stood there, 0 for any other."""
    text = answer["results"][place]["text"][:60]
    return lambda asked: says(verdict(9 if text in asked["messages"][1]["content"] else 0))(asked)


def test_a_key_that_may_ask_gets_the_verified_order(unsure, ask):
    before = ask(pipeline="default", k=20, fields="text")
    unsure.behaviour = favouring(before, 2)
    after = ask("search", "pipelines", k=20)
    assert locators(after)[0] == locators(before)[2]
    assert sorted(locators(after)) == sorted(locators(before))
    assert {"code": "llm_verdict", "score": 9} in after["results"][0]["reasons"]
    assert stage(after)["note"].startswith("3 of ") and len(unsure.asked) == 3
    assert SearchLog.objects.get(pk=after["trace_id"]).pipeline == "verified"


def test_calls_and_their_cost_belong_to_the_search_they_served(unsure, ask):
    LLMPolicy.objects.create(price_in=1, price_out=1)
    answer = ask("pipelines", explain="true")
    calls = LLMCall.objects.filter(log=answer["trace_id"])
    details = next(s for s in answer["explanation"]["stages"] if s["name"] == "LLMVerifier")["details"]
    assert calls.count() == details["llm_calls"] == 3
    assert (
        float(sum(call.cost for call in calls))
        == pytest.approx(details["llm_cost"])
        == pytest.approx(0.00036)
    )


@pytest.mark.parametrize("scopes", [(), ("search",)])
def test_nobody_else_causes_a_call_and_all_get_the_same_order(unsure, ask, scopes):
    plain, verified = ask(*scopes), ask(*scopes, pipeline="verified")
    assert locators(plain) == locators(verified)
    assert SearchLog.objects.get(pk=plain["trace_id"]).pipeline == "default"
    assert stage(verified)["note"] == "a language model needs a key with the scope pipelines"
    assert (unsure.asked, verified["degraded"]) == ([], [])


def test_private_documents_are_never_sent_whatever_the_key(unsure, client):
    key, secret = ApiKey.issue(name="client", scopes=["search", "pipelines"])
    a_case_file("Matter of Ibarreche", "The officer searched her house in Nogales.", granted_to=key.caller)
    headers = {"HTTP_AUTHORIZATION": f"Bearer {secret}"}
    everywhere = client.get("/api/v1/search", {"q": QUESTION}, **headers).json()
    assert stage(everywhere)["note"] == "private domains are never sent to a language model"
    assert (unsure.asked, everywhere["degraded"]) == ([], [])
    public = {"q": QUESTION, "domain": "us_constitution"}
    assert stage(client.get("/api/v1/search", public, **headers).json())["status"] == "applied"
    assert "Nogales" not in str(unsure.asked)


def test_the_default_asks_nobody_whoever_names_it(unsure, ask):
    assert locators(ask("pipelines", pipeline="default")) == locators(ask())
    assert unsure.asked == []


def test_without_a_model_a_key_that_may_ask_gets_the_default(unsure, ask, settings):
    settings.ARF_LLM = settings.ARF_LLM | {"model": ""}
    assert SearchLog.objects.get(pk=ask("pipelines")["trace_id"]).pipeline == "default"
    assert stage(ask("pipelines", pipeline="verified"))["note"] == "no language model is configured"


@pytest.mark.parametrize("name", FAILING)
def test_any_failure_leaves_the_rerankers_order_and_is_not_remembered(unsure, ask, orders, settings, name):
    settings.ARF_LLM = settings.ARF_LLM | {"timeout": patience(name)}
    unsure.behaviour = FAILING[name]
    failed = ask("pipelines")
    if "usual" not in orders:
        orders["usual"] = locators(ask())
    assert locators(failed) == orders["usual"]
    assert failed["degraded"] == ["LLMVerifier"] and len(unsure.asked) <= 3
    assert not LLMVerdict.objects.exists()
    unsure.behaviour = good()
    llm.breaker.saw(well=True)
    llm.breaker.open_until = 0.0
    settings.ARF_LLM = settings.ARF_LLM | {"timeout": 30.0}
    again = ask("pipelines")
    assert (again["cached"], again["degraded"]) == (False, [])


def test_a_spent_budget_leaves_the_order_until_there_is_more(unsure, ask):
    policy = LLMPolicy.objects.create(daily_budget="0.0001", price_in=1000)
    assert ask("pipelines")["degraded"] == ["LLMVerifier"]
    policy.daily_budget = 100
    policy.save()
    assert stage(ask("pipelines"))["note"].endswith("3 asked")


def test_switched_off_it_is_skipped_and_nothing_is_degraded(unsure, ask):
    LLMPolicy.objects.create(enabled=False)
    answer = ask("pipelines")
    assert (stage(answer)["status"], answer["degraded"], unsure.asked) == ("skipped", [], [])


def test_who_may_ask_shares_no_answer_with_who_may_not(unsure, ask):
    unsure.behaviour = favouring(ask(pipeline="default", fields="text"), 2)
    assert not ask("pipelines", pipeline="verified")["cached"]
    assert not ask(pipeline="verified")["cached"]
    again = ask("pipelines", "search", pipeline="verified")
    assert again["cached"] and len(unsure.asked) == 3
    assert locators(again) != locators(ask(pipeline="verified"))


def test_another_model_makes_another_answer(unsure, ask, settings):
    ask("pipelines")
    settings.ARF_LLM = settings.ARF_LLM | {"model": "n"}
    assert not ask("pipelines")["cached"]
    assert [call.model for call in LLMCall.objects.order_by("pk")] == ["m"] * 3 + ["n"] * 3


def test_the_trace_shows_staff_what_the_reranker_was_unsure_of(unsure, admin_client, ask):
    answer = ask()
    page = admin_client.get(f"/trace/{answer['trace_id']}").content.decode()
    assert "<small>uncertain</small>" in page and "<small>rejected</small>" not in page


def test_measuring_with_a_language_model_needs_a_pipeline_that_asks_one(db):
    with pytest.raises(CommandError, match="default asks no language model"):
        call_command("evaluate", "--topics-from-db", "us_constitution", "--llm")
