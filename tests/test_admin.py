"""The admin as its users meet it: who reaches what, what stays private, what each page does."""

import pytest
from django.contrib.auth.models import Group, User
from django.urls import reverse

from retrieval import ingestion, jobs
from retrieval.models import ApiKey, Chunk, Document, DocumentGrant, Domain, JobRun, SearchLog, Section
from retrieval.models.access import caller_for
from retrieval.ranking import ANONYMOUS, Caller
from retrieval.row_access import as_system
from retrieval.search import SearchRequest, search
from retrieval.searchlog import give_feedback

pytestmark = pytest.mark.django_db


def staff(client, group: str) -> User:
    user = User.objects.create_user(group.lower(), password="a long password", is_staff=True)
    user.groups.add(Group.objects.get(name=group))
    client.force_login(user)
    return user


@pytest.fixture
def curator(client):
    return staff(client, "Curator")


@pytest.fixture
def judge(client):
    return staff(client, "Judge")


@pytest.fixture
def administrator(client):
    return staff(client, "Administrator")


@pytest.fixture
def superuser(client):
    user = User.objects.create_superuser("root", password="a long password")
    client.force_login(user)
    return user


@pytest.fixture
@as_system()
def private_section():
    domain = Domain.objects.get(slug="client_cases")
    document = Document.objects.create(
        domain=domain,
        locator="/client_cases/1",
        title="Matter of a Secret Client",
        content_hash="0",
        private=True,
    )
    section = Section.objects.create(
        domain=domain,
        document=document,
        level="section",
        heading="A secret heading",
        locator="/client_cases/1/1",
        citation="Secret § 1",
        text="Secret words of a client.",
        is_result=True,
        live=True,
        private=True,
        content_hash="0",
    )
    Chunk.objects.create(
        section=section,
        domain=domain,
        position=0,
        text=section.text,
        context="",
        start=0,
        end=25,
        token_count=6,
        private=True,
    )
    return section


def lists(*names: str) -> list[str]:
    return [reverse(f"admin:{name.replace('.', '_')}_changelist") for name in names]


def statuses(client, urls: list[str]) -> set[int]:
    return {client.get(url).status_code for url in urls}


CORPUS = lists(
    "retrieval.domain", "retrieval.document", "retrieval.section", "retrieval.chunk", "retrieval.citation"
)
LOGS = lists("retrieval.searchlog", "retrieval.trace", "retrieval.feedback")
CURATED = lists("rules.alias", "rules.glossaryterm", "rules.domainthreshold")
ACCESS = lists("retrieval.apikey", "retrieval.documentgrant", "auth.user", "auth.group", "axes.accessattempt")
QUEUE = lists("django_q.ormq", "django_q.failure", "django_q.success", "django_q.schedule")
JOBS = lists("retrieval.jobrun")
TRY = "/admin/try/"


# -- Who reaches what


def test_strangers_are_sent_to_the_login(client):
    for url in [*CORPUS, *CURATED, *ACCESS, TRY, "/admin/"]:
        answer = client.get(url)
        assert answer.status_code == 302
        assert "/admin/login/" in answer["Location"]


def test_people_who_are_not_staff_do_not_enter(client):
    client.force_login(User.objects.create_user("reader"))
    assert statuses(client, ["/admin/", TRY, *CORPUS]) == {302}


def test_curators_reach_corpus_curation_jobs_and_log(client, curator):
    assert statuses(client, [*CORPUS, *CURATED, *LOGS, *JOBS, TRY, "/admin/"]) == {200}
    assert statuses(client, [reverse(f"admin:rules_{m}_add") for m in ("alias", "glossaryterm")]) == {200}


def test_curators_reach_no_keys_users_or_grants(client, curator):
    assert statuses(client, [*ACCESS, *QUEUE]) == {403}
    assert client.get(reverse("admin:retrieval_domain_add")).status_code == 403


def test_judges_read_and_change_nothing(client, judge):
    assert statuses(client, [*CORPUS, *LOGS, TRY, "/admin/"]) == {200}
    assert statuses(client, [*CURATED, *ACCESS, *QUEUE, *JOBS]) == {403}
    domain = Domain.objects.get(slug="us_constitution")
    assert client.post(f"/admin/retrieval/domain/{domain.pk}/do/ingest/").status_code == 403
    assert not JobRun.objects.filter(requested_by=judge).exists()


def test_administrators_reach_everything(client, administrator):
    pages = [*CORPUS, *CURATED, *LOGS, *JOBS, *ACCESS, *QUEUE, *lists("retrieval.version"), TRY, "/admin/"]
    assert statuses(client, pages) == {200}


def test_nothing_that_others_rest_on_can_be_deleted(client, superuser):
    alias = Domain.objects.get(slug="us_constitution").aliases.first()
    section = Section.objects.filter(live=True).first()
    assert client.post(f"/admin/rules/alias/{alias.pk}/delete/", {"post": "yes"}).status_code == 403
    assert client.post(f"/admin/retrieval/section/{section.pk}/delete/", {"post": "yes"}).status_code == 403


def test_an_administrator_cannot_become_a_superuser(client, administrator, django_user_model):
    root = django_user_model.objects.create_superuser("chief", password="a long password")
    assert "is_superuser" not in form_of(client, f"/admin/auth/user/{administrator.pk}/change/").fields
    assert client.post(f"/admin/auth/user/{root.pk}/password/", {"password1": "x"}).status_code == 403


def test_the_sidebar_names_only_what_one_may_open(client, judge):
    page = client.get("/admin/").content.decode()
    assert reverse("admin_try") in page
    assert reverse("admin:retrieval_apikey_changelist") not in page


def test_ten_wrong_passwords_lock_out_in_the_admins_own_look(client):
    User.objects.create_superuser("root", password="a long password")
    wrong = {"username": "root", "password": "wrong"}
    for _ in range(10):
        answer = client.post("/admin/login/", wrong)
    assert answer.status_code == 429
    assert answer["Retry-After"] == "900"
    assert b"Wait 15 minutes" in answer.content
    assert b"unfold/css" in answer.content
    right = client.post("/admin/login/", wrong | {"password": "a long password"})
    assert right.status_code == 429


def test_the_loader_leaves_a_group_as_staff_edited_it():
    from django.core.management import call_command

    judges = Group.objects.get(name="Judge")
    judges.permissions.clear()
    call_command("load_defaults", verbosity=0)
    assert not judges.permissions.exists()


# -- Private documents


@as_system()
def admin_pages_of(section: Section) -> list[str]:
    chunk = section.chunks.get()
    return [
        f"/admin/retrieval/document/{section.document_id}/change/",
        f"/admin/retrieval/section/{section.pk}/change/",
        f"/admin/retrieval/chunk/{chunk.pk}/change/",
    ]


def test_private_text_is_hidden_even_from_superusers(client, superuser, private_section):
    for url in [*CORPUS, "/admin/", *admin_pages_of(private_section)]:
        page = client.get(url, follow=True).content.decode()
        assert "Secret" not in page, url
        assert "A secret heading" not in page, url
    assert "Secret" not in client.get("/admin/retrieval/section/?q=secret").content.decode().replace(
        "?q=secret", ""
    )


def test_a_grant_opens_a_private_document_and_is_recorded(client, superuser, private_section):
    grant = {"document": private_section.document_id, "principal": f"user:{superuser.pk}"}
    client.post("/admin/retrieval/documentgrant/add/", grant)
    assert DocumentGrant.objects.get().granted_by == superuser
    assert (
        "Secret words"
        in client.get(f"/admin/retrieval/section/{private_section.pk}/change/").content.decode()
    )


def test_whoever_grants_is_shown_the_locator_and_not_the_title(client, superuser, private_section):
    DocumentGrant.objects.create(document=private_section.document, principal=f"user:{superuser.pk + 1}")
    for url in ("/admin/retrieval/documentgrant/", "/admin/retrieval/documentgrant/add/"):
        page = client.get(url).content.decode()
        assert "/client_cases/1" in page
        assert "Secret Client" not in page


@pytest.mark.parametrize("principal", ["user:999999", "user:x", "team:1", "user", "key:0", "user:01", ""])
def test_a_grant_to_nobody_is_refused(client, superuser, private_section, principal):
    asked = {"document": private_section.document_id, "principal": principal}
    form = client.post("/admin/retrieval/documentgrant/add/", asked).context["adminform"].form
    assert "principal" in form.errors
    assert not DocumentGrant.objects.exists()


def test_messages_of_private_jobs_are_for_their_readers(client, administrator, private_section):
    run = JobRun.objects.create(
        kind="ingest",
        key="corpus",
        params={"domain": "client_cases"},
        state={"document": private_section.document_id},
        message="Matter of a Secret Client: 1 section",
        error="Secret file",
    )
    url = f"/admin/retrieval/jobrun/{run.pk}/change/"
    for page in (url, "/admin/retrieval/jobrun/", "/admin/"):
        assert "Secret" not in client.get(page).content.decode()
    DocumentGrant.objects.create(document=private_section.document, principal=f"user:{administrator.pk}")
    assert "Matter of a Secret Client" in client.get(url).content.decode()


@pytest.mark.parametrize(
    "column", ["message__contains", "params__file__startswith", "state__text__icontains", "error__isnull"]
)
def test_no_filter_asks_what_a_private_job_says(client, administrator, column):
    JobRun.objects.create(
        kind="import_judgments",
        key="import judgments",
        params={"domain": "client_cases", "file": "Secret.csv"},
        state={"text": "Secret words"},
        message="Secret lines",
    )
    assert client.get("/admin/retrieval/jobrun/", {column: "Secret"}).status_code == 400
    offered = {"status__exact": "queued", "kind": "import_judgments", "created_at__gte": "2020-01-01 00:00Z"}
    assert client.get("/admin/retrieval/jobrun/", offered).context["cl"].result_count == 1


@as_system()
def a_private_search(caller: Caller) -> SearchLog:
    answer = search(SearchRequest("my secret words", domains=("client_cases",)), caller, door="api")
    give_feedback(answer["trace_id"], caller, locator="", verdict="helpful", comment="the secret words")
    return SearchLog.objects.get(pk=answer["trace_id"])


def test_private_searches_are_listed_to_who_made_them_alone(client, superuser, private_section):
    DocumentGrant.objects.create(document=private_section.document, principal="key:901")
    others = a_private_search(Caller(("key:901",)))
    DocumentGrant.objects.create(document=private_section.document, principal=f"user:{superuser.pk}")
    own = a_private_search(caller_for(superuser))
    for name in ("searchlog", "trace", "feedback"):
        listed = client.get(f"/admin/retrieval/{name}/").context["cl"].queryset
        assert [getattr(row, "log_id", row.pk) for row in listed] == [own.pk], name
    assert client.get(f"/admin/retrieval/searchlog/{others.pk}/change/").status_code == 302


# -- The corpus


def form_of(client, url: str):
    return client.get(url).context["adminform"].form


def test_sections_are_found_by_citation_locator_and_heading(client, curator):
    for words in ("amend. XIV", "/us/const/amendment/XIV/section/1", "Equal Protection"):
        found = client.get("/admin/retrieval/section/", {"q": words}).context["cl"].queryset
        assert "/us/const/amendment/XIV/section/1" in {section.locator for section in found}, words


def test_a_section_shows_its_text_chunks_and_public_page(client, curator):
    section = Section.objects.get(locator="/us/const/amendment/XIV/section/1", live=True)
    page = client.get(f"/admin/retrieval/section/{section.pk}/change/").content.decode()
    assert "nor deny to any person within its jurisdiction" in page
    assert "/law/us/const/amendment/XIV/section/1" in page
    assert str(section.chunks.first().end) in page
    assert 'name="_save"' not in page


def test_sections_filter_by_domain_level_and_status(client, curator):
    asked = {"level": "amendment", "live__exact": "1"}
    found = client.get("/admin/retrieval/section/", asked).context["cl"].queryset
    assert {section.level for section in found} == {"amendment"}


def test_ingest_again_makes_a_job_and_opens_its_page(client, curator):
    domain = Domain.objects.get(slug="us_constitution")
    answer = client.post(f"/admin/retrieval/domain/{domain.pk}/do/ingest/")
    run = JobRun.objects.get(requested_by=curator)
    assert run.params["domain"] == "us_constitution"
    assert answer["Location"] == f"/admin/retrieval/jobrun/{run.pk}/change/"


def test_ingesting_twice_at_once_tells_of_the_job_at_work(client, curator):
    domain = Domain.objects.get(slug="us_constitution")
    run = jobs.create(**ingestion.request(domain))
    page = client.post(f"/admin/retrieval/domain/{domain.pk}/do/ingest/", follow=True).content.decode()
    assert f"Job {run.pk} (ingest) is already at work on this." in page


def test_following_a_link_never_ingests(client, curator):
    domain = Domain.objects.get(slug="us_constitution")
    assert client.get(f"/admin/retrieval/domain/{domain.pk}/do/ingest/").status_code == 405


def test_what_documents_were_read_under_does_not_change_beneath_them(client, administrator):
    domain = Domain.objects.get(slug="us_constitution")
    fields = form_of(client, f"/admin/retrieval/domain/{domain.pk}/change/").fields
    assert not {"slug", "visibility", "locator_prefix", "corpus_version"} & set(fields)
    assert {"name", "source"} <= set(fields)


# -- Jobs


def test_a_running_jobs_page_refreshes_until_it_is_done(client, curator):
    run = JobRun.objects.create(kind="ingest", key="corpus", status="running", position=3, total=10)
    url = f"/admin/retrieval/jobrun/{run.pk}/change/"
    page = client.get(url).content.decode()
    assert 'http-equiv="refresh"' in page
    assert 'value="30"' in page
    JobRun.objects.update(status="done")
    assert 'http-equiv="refresh"' not in client.get(url).content.decode()


def test_cancel_and_resume_call_the_jobs(client, administrator):
    run = JobRun.objects.create(kind="ingest", key="corpus", status="running")
    client.post(f"/admin/retrieval/jobrun/{run.pk}/do/cancel/")
    run.refresh_from_db()
    assert run.cancel_requested
    JobRun.objects.update(status="failed", cancel_requested=False, error="disk full")
    client.post(f"/admin/retrieval/jobrun/{run.pk}/do/resume/")
    run.refresh_from_db()
    assert (run.status, run.error) == ("queued", "")


def test_a_curator_steers_only_jobs_of_their_own(client, curator):
    own = JobRun.objects.create(kind="ingest", key="a", requested_by=curator)
    others = JobRun.objects.create(kind="ingest", key="b")
    assert client.post(f"/admin/retrieval/jobrun/{own.pk}/do/cancel/").status_code == 302
    assert client.post(f"/admin/retrieval/jobrun/{others.pk}/do/cancel/").status_code == 403


def test_a_finished_job_is_not_cancelled(client, administrator):
    run = JobRun.objects.create(kind="ingest", key="corpus", status="done")
    page = client.post(f"/admin/retrieval/jobrun/{run.pk}/do/cancel/", follow=True).content.decode()
    assert "not possible any more" in page
    assert not JobRun.objects.get(pk=run.pk).cancel_requested


# -- Keys


def test_a_new_keys_secret_is_shown_once(client, administrator):
    asked = {"name": "Reader app", "scopes": ["search"], "rate_per_minute": 60}
    page = client.post("/admin/retrieval/apikey/add/", asked, follow=True).content.decode()
    key = ApiKey.objects.get()
    secret = page.partition("id='secret'>")[2].partition("<")[0]
    assert ApiKey.digest_of(secret) == key.digest
    assert (key.scopes, key.rate_per_minute) == (["search"], 60)
    again = client.get(f"/admin/retrieval/apikey/{key.pk}/change/").content.decode()
    assert secret not in again


def test_a_key_is_revoked_and_never_deleted(client, administrator):
    key, _ = ApiKey.issue(name="Old app")
    assert client.post(f"/admin/retrieval/apikey/{key.pk}/delete/", {"post": "yes"}).status_code == 403
    client.post(f"/admin/retrieval/apikey/{key.pk}/do/revoke/")
    key.refresh_from_db()
    assert not key.is_usable


def test_only_name_scopes_rate_and_expiry_of_a_key_are_edited(client, administrator):
    key, _ = ApiKey.issue(name="App")
    fields = form_of(client, f"/admin/retrieval/apikey/{key.pk}/change/").fields
    assert set(fields) == {"name", "scopes", "rate_per_minute", "expires_at"}


# -- Try this query, log, front page


def test_try_this_query_shows_results_stages_candidates_and_versions(client, judge):
    page = client.get(TRY, {"q": "double jeopardy"}).content.decode()
    assert "U.S. Const. amend. V" in page
    for part in (
        "LexicalRetriever",
        "DenseRetriever",
        "Fuse",
        "Abstain",
        "Candidates kept",
        "corpus:us_constitution",
    ):
        assert part in page
    assert SearchLog.objects.get().door == "admin"


def test_try_this_query_says_when_the_answer_was_kept(client, judge):
    client.get(TRY, {"q": "double jeopardy"})
    again = client.get(TRY, {"q": "double jeopardy"}).content.decode()
    assert "From the cache" in again
    assert "Candidates kept" in again
    fresh = client.get(TRY, {"q": "double jeopardy", "fresh": "on"}).content.decode()
    assert "From the cache" not in fresh


def test_try_this_query_translates_and_takes_any_pipeline(client, judge):
    asked = {"q": "¿Pueden juzgarme dos veces por el mismo delito?", "pipeline": "fusion"}
    page = client.get(TRY, asked).content.decode()
    assert "In English:" in page
    assert "CitationRetriever" not in page


@pytest.mark.parametrize(
    "locator, told",
    [
        ("/us/const/amendment/V", "stands at rank 1"),
        ("fifth amendment", "stands at rank 1"),
        ("us/const/article/I", "is above the level that is ranked"),
        ("/us/const/amendment/XCIX", "is no provision that you may read"),
    ],
)
def test_why_not_this_provision(client, judge, locator, told):
    page = client.get(TRY, {"q": "double jeopardy", "locator": locator}).content.decode()
    assert told in page


def test_a_provision_no_leg_proposed_is_said_to_be_unfound(client, judge):
    asked = {"q": "fifth amendment", "locator": "/us/const/amendment/XVIII/section/1"}
    assert "proposed by no leg" in client.get(TRY, asked).content.decode()


def test_try_this_query_finds_private_documents_only_with_a_grant(client, superuser, private_section):
    asked = {"q": "secret words of a client", "locator": private_section.locator}
    page = client.get(TRY, asked).content.decode()
    assert "is no provision that you may read" in page
    assert "Secret § 1" not in page
    assert client.get(TRY, asked | {"domain": "client_cases"}).context["form"].errors
    DocumentGrant.objects.create(document=private_section.document, principal=f"user:{superuser.pk}")
    assert "Secret § 1" in client.get(TRY, asked | {"domain": "client_cases"}).content.decode()


@pytest.mark.parametrize(
    "asked", [{"q": "?"}, {"q": "law", "as_of": "yesterday"}, {"q": "law", "pipeline": "x"}]
)
def test_a_question_that_cannot_be_asked_is_told_in_the_form(client, judge, asked):
    answer = client.get(TRY, asked)
    assert answer.status_code == 200
    assert answer.context["form"].errors
    assert not SearchLog.objects.exists()


def test_the_log_shows_what_is_kept_and_names_no_private_provision(client, superuser, private_section):
    log = SearchLog.objects.create(
        query_hash="0",
        language="en",
        pipeline="default",
        door="page",
        took_ms=1,
        top_locators=["/us/const/amendment/V", private_section.locator],
    )
    page = client.get(f"/admin/retrieval/searchlog/{log.pk}/change/").content.decode()
    assert "not kept" in page
    assert "/us/const/amendment/V" in page
    assert private_section.locator not in page


def test_the_log_filters_by_door_cache_abstention_and_language(client, judge):
    search(SearchRequest("double jeopardy"), ANONYMOUS, door="page")
    filters = {"door": "page", "cached__exact": "0", "abstained__exact": "0", "language": "en"}
    assert client.get("/admin/retrieval/searchlog/", filters).context["cl"].result_count == 1
    assert client.get("/admin/retrieval/searchlog/", {"door": "api"}).context["cl"].result_count == 0


def test_the_front_page_counts_searches_corpora_and_jobs(client, curator, django_assert_max_num_queries):
    search(SearchRequest("double jeopardy"), ANONYMOUS, door="page")
    JobRun.objects.create(kind="ingest", key="corpus", status="running", position=1, total=4)
    with django_assert_max_num_queries(30):
        page = client.get("/admin/")
    assert page.context["searches"].count == 1
    assert page.context["searches"].p50 > 0
    assert {c.domain.slug: c.chunks for c in page.context["corpora"]}["us_constitution"] > 100
    assert b"25 %" in page.content


def test_the_front_page_without_searches_has_no_times(client, judge):
    assert client.get("/admin/").context["searches"].p95 is None


def test_the_admin_speaks_spanish_when_asked(client, judge):
    client.cookies["django_language"] = "es"
    assert "Probar esta consulta" in client.get("/admin/").content.decode()
    assert "registro de búsquedas" in client.get("/admin/retrieval/searchlog/").content.decode().lower()


def test_admin_pages_may_evaluate_attributes_but_run_no_inline_script(client, judge):
    directives = client.get("/admin/")["Content-Security-Policy"].split("; ")  # in any order
    assert "script-src 'self' 'unsafe-eval'" in directives
