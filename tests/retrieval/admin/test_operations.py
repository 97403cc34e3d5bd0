"""Jobs in the admin: watched, cancelled, resumed, by whom."""

import pytest

from retrieval.access.caller import Caller
from retrieval.models import JobRun
from tests.builders import grant

pytestmark = pytest.mark.django_db


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
    grant(private_section.document, Caller((f"user:{administrator.pk}",)))
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
