"""The admin of language models: one policy to edit, calls and verdicts to read."""

from uuid import uuid4

import pytest

from retrieval.engines.llm import refusals
from retrieval.engines.llm import service as llm
from retrieval.models import LLMCall, LLMPolicy, LLMVerdict, Section, WrittenSummary

pytestmark = pytest.mark.django_db

ADD = "/admin/retrieval/llmpolicy/add/"
POLICY = {"enabled": "on", "daily_budget": "2", "price_in": "0.15", "price_out": "0.6"}


@pytest.fixture
def admin(client, django_user_model):
    client.force_login(django_user_model.objects.create_superuser("root", password="x"))
    return client


def test_there_is_one_policy_and_it_stays(admin):
    assert admin.post(ADD, POLICY).status_code == 302
    policy = LLMPolicy.objects.get()
    assert (str(policy.daily_budget), policy.enabled) == ("2.0000", True)
    assert admin.get(ADD).status_code == 403
    assert admin.get(f"/admin/retrieval/llmpolicy/{policy.pk}/delete/").status_code == 403


@pytest.mark.parametrize("name", ["daily_budget", "price_in", "price_out"])
def test_money_is_never_negative(admin, name):
    page = admin.post(ADD, POLICY | {name: "-1"})
    assert "This must not be negative." in page.content.decode()
    assert not LLMPolicy.objects.exists()


def test_the_policy_shows_the_model_and_what_was_spent_today(admin, settings):
    settings.ARF_LLM = settings.ARF_LLM | {"model": "judge-1"}
    policy = LLMPolicy.objects.create()
    LLMCall.objects.create(purpose="verify", model="judge-1", outcome="answered", cost="0.25")
    page = admin.get(f"/admin/retrieval/llmpolicy/{policy.pk}/change/").content.decode()
    assert "judge-1" in page and "0.2500 USD; without prices nothing counts" in page
    LLMPolicy.objects.update(price_out="0.6")
    assert (
        "without prices" not in admin.get(f"/admin/retrieval/llmpolicy/{policy.pk}/change/").content.decode()
    )


def test_the_policy_shows_what_the_endpoint_refused(admin, settings):
    settings.ARF_LLM = settings.ARF_LLM | {"base_url": "http://127.0.0.1:9/v1", "model": "judge-1"}
    policy = LLMPolicy.objects.create()
    refusals.remember(llm.endpoint(), {"json_schema", "seed"})
    page = f"/admin/retrieval/llmpolicy/{policy.pk}/change/"
    assert "json_schema, seed" in admin.get(page).content.decode()
    settings.ARF_LLM = settings.ARF_LLM | {"model": "judge-2"}
    assert "json_schema" not in admin.get(page).content.decode()


def test_calls_and_verdicts_are_read_only(admin):
    section = Section.objects.live().first()
    call = LLMCall.objects.create(purpose="verify", model="m", outcome="timeout")
    told = LLMVerdict.objects.create(
        query_hash="0" * 64, section_id=section.pk, model="m", prompt_version="1" * 64, score=7, reason="so"
    )
    summary = WrittenSummary.objects.create(section=section, language="en", model="m", problem="unproven")
    for row in (call, told, summary):
        pages = f"/admin/retrieval/{row._meta.model_name}/"
        assert admin.get(pages).status_code == admin.get(f"{pages}{row.pk}/change/").status_code == 200
        assert admin.get(f"{pages}add/").status_code == 403
        assert admin.get(f"{pages}{row.pk}/delete/").status_code == 403
    assert f"/admin/retrieval/section/{section.pk}/change/" in admin.get(pages).content.decode()


def test_written_summaries_are_counted_by_what_came_of_them(admin):
    section = Section.objects.exclude(text="").first()
    for n, problem in enumerate(("unproven", "unproven", "timeout", "")):
        WrittenSummary.objects.create(section=section, language="en", model=f"m{n}", problem=problem)
    page = " ".join(admin.get("/admin/retrieval/writtensummary/").content.decode().split())
    assert "unproven (2)" in page and "timeout (1)" in page


def test_a_call_leads_to_the_search_it_served(admin):
    log = uuid4()
    LLMCall.objects.create(purpose="verify", model="m", outcome="answered", log=log)
    assert f"/trace/{log}" in admin.get("/admin/retrieval/llmcall/").content.decode()


def test_the_sidebar_leads_to_them(admin):
    page = admin.get("/admin/").content.decode()
    assert all(f"/admin/retrieval/{name}/" in page for name in ("llmpolicy", "llmcall", "llmverdict", "writtensummary"))
