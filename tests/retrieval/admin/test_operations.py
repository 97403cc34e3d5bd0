"""Jobs in the admin: watched, cancelled, resumed, by whom."""

import re

import pytest
from django.contrib.auth.models import User
from django.utils import timezone

from retrieval.access.caller import Caller
from retrieval.ingestion import uploading
from retrieval.models import Domain, JobRun
from tests.builders import grant

pytestmark = pytest.mark.django_db
SCANS = {
    "template": "All %(pages)s pages are scans without a text layer: recognise their text (OCR) first.",
    "values": {"pages": 3},
}


def test_messages_of_private_jobs_are_for_their_readers(client, administrator, private_section):
    run = JobRun.objects.create(
        kind="ingest",
        key="corpus",
        params={"domain": "client_cases"},
        state={"document": private_section.document_id},
        message="Matter of a Secret Client: 1 section",
        error="Secret file",
    )
    JobRun.objects.filter(pk=run.pk).update(requested_by=User.objects.create_user("quetzal"))
    url = f"/admin/retrieval/jobrun/{run.pk}/change/"
    for page in (url, "/admin/retrieval/jobrun/", "/admin/"):
        shown = client.get(page).content.decode()
        assert "Secret" not in shown and "quetzal" not in shown
    grant(private_section.document, Caller((f"user:{administrator.pk}",)))
    assert "Matter of a Secret Client" in client.get(url).content.decode()


@pytest.mark.parametrize(
    "column",
    [
        "message__contains",
        "params__file__startswith",
        "state__text__icontains",
        "error__isnull",
        "refusal__template",
    ],
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


def test_a_failed_job_that_nobody_wants_any_more_is_cancelled(client, administrator):
    run = JobRun.objects.create(kind="retrain", key="retrain", status="failed")
    client.post(f"/admin/retrieval/jobrun/{run.pk}/do/cancel/")
    run.refresh_from_db()
    assert run.cancel_requested and run.status == "queued"


def failed(**fields) -> JobRun:
    return JobRun.objects.create(
        status="failed", finished_at=timezone.now(), error="The disk is full.", **fields
    )


def test_the_front_page_shows_failed_jobs_first_with_a_button(client, administrator):
    run = failed(kind="retrain", key="retrain")
    page = client.get("/admin/").content.decode()
    assert "The disk is full." in page and page.index("Failed jobs") < page.index("Jobs at work")
    client.post(re.search(r'action="(/admin/retrieval/jobrun/\d+/do/resume/)"', page)[1])
    run.refresh_from_db()
    assert run.status == "queued"
    assert "Failed jobs" not in client.get("/admin/").content.decode()


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ({"error": "The file is empty."}, "El archivo está vacío."),
        ({"error": "The disk is full."}, "The disk is full."),
        (
            {"error": "All 3 …", "refusal": SCANS},
            "Las 3 páginas son imágenes sin capa de texto: reconozca antes su texto (OCR).",
        ),
        ({"message": "Cancelled; what was not published is dropped."}, "Cancelado; lo que no se publicó se descarta."),
    ],
)
def test_what_became_of_a_job_is_told_in_the_readers_language(client, administrator, said, told):
    run = JobRun.objects.create(kind="retrain", key="retrain", status="failed", finished_at=timezone.now(), **said)
    client.cookies["django_language"] = "es"
    assert told in client.get(f"/admin/retrieval/jobrun/{run.pk}/change/").content.decode()
    if "error" in said:
        assert told in client.get("/admin/").content.decode()


def test_a_failure_that_was_made_good_since_is_not_shown(client, administrator):
    failed(kind="retrain", key="retrain", params={"dry_run": False})
    JobRun.objects.create(kind="retrain", key="retrain", params={"dry_run": True}, status="done")
    assert "Failed jobs" in client.get("/admin/").content.decode()
    JobRun.objects.create(kind="retrain", key="retrain", params={"dry_run": False}, status="done")
    assert "Failed jobs" not in client.get("/admin/").content.decode()


def test_a_dry_run_that_failed_concerns_only_who_asked(client, administrator):
    failed(kind="fetch", key="corpus", params={"dry_run": True})
    assert "Failed jobs" not in client.get("/admin/").content.decode()


def test_the_name_of_a_file_that_failed_is_for_whom_may_see_it(client, administrator):
    def handed_in(name: str, principal: str) -> None:
        upload = uploading.accept(
            Domain.objects.get(slug="client_cases"), name, b"Words.", principal=principal
        )
        JobRun.objects.filter(pk=upload.run.pk).update(
            status="failed", finished_at=timezone.now(), error="No words of Mx. Secret."
        )

    handed_in("own.txt", f"user:{administrator.pk}")
    handed_in("others.txt", "key:1")
    page = client.get("/admin/").content.decode()
    assert "own.txt" in page and "others.txt" not in page
    assert page.count("About private documents.") == 2


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
