"""The corpus in the admin: found, shown, ingested again."""

import pytest

from retrieval import jobs
from retrieval.ingestion import ingest
from retrieval.models import Document, Domain, JobRun, Section
from tests.builders import a_document, a_domain, a_section
from tests.retrieval.admin.staff import form_of

pytestmark = pytest.mark.django_db


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


def test_law_that_is_officially_published_is_fetched_and_the_page_says_how_that_ended(client, curator):
    domain = Domain.objects.get(slug="us_code")
    client.post(f"/admin/retrieval/domain/{domain.pk}/do/fetch/")
    run = JobRun.objects.get(kind="fetch")
    assert run.params["domain"] == "us_code"
    JobRun.objects.filter(pk=run.pk).update(
        status=JobRun.Status.FAILED, error="usc08.zip is empty: nothing was changed."
    )
    page = client.get(f"/admin/retrieval/domain/{domain.pk}/change/").content.decode()
    assert "Failed: usc08.zip is empty: nothing was changed." in page


def test_ingesting_twice_at_once_opens_the_job_at_work(client, curator):
    domain = Domain.objects.get(slug="us_constitution")
    run = jobs.create(**ingest.request(domain))
    answer = client.post(f"/admin/retrieval/domain/{domain.pk}/do/ingest/")
    assert answer["Location"] == f"/admin/retrieval/jobrun/{run.pk}/change/"
    assert JobRun.objects.unfinished().get() == run


def test_what_is_asked_for_beside_an_ingestion_waits_and_says_so(client, curator):
    first = jobs.create(**ingest.request(Domain.objects.get(slug="us_code"), "usc08.xml"))
    at = f"/admin/retrieval/domain/{Domain.objects.get(slug='us_constitution').pk}/do/ingest/"
    page = client.post(at, follow=True).content.decode()
    assert f"It goes on by itself after job {first.pk}: ingest of" in page
    assert [run.pk for run in JobRun.objects.unfinished().order_by("pk")][0] == first.pk
    assert JobRun.objects.unfinished().count() == 2


def test_following_a_link_never_ingests(client, curator):
    domain = Domain.objects.get(slug="us_constitution")
    assert client.get(f"/admin/retrieval/domain/{domain.pk}/do/ingest/").status_code == 405


def test_what_documents_were_read_under_does_not_change_beneath_them(client, administrator):
    domain = Domain.objects.get(slug="us_constitution")
    fields = form_of(client, f"/admin/retrieval/domain/{domain.pk}/change/").fields
    assert not {"slug", "visibility", "locator_prefix", "corpus_version"} & set(fields)
    assert {"name", "source"} <= set(fields)


def test_a_domain_of_documents_that_staff_do_not_see_keeps_its_place(client, administrator, private_section):
    domain = private_section.domain
    change = f"/admin/retrieval/domain/{domain.pk}/change/"
    assert not {"visibility", "result_level", "locator_prefix"} & set(form_of(client, change).fields)
    assert client.post(f"/admin/retrieval/domain/{domain.pk}/delete/", {"post": "yes"}).status_code == 403
    empty = a_domain()
    assert client.post(f"/admin/retrieval/domain/{empty.pk}/delete/", {"post": "yes"}).status_code == 302


def test_tags_are_saved_without_what_a_job_has_changed_meanwhile(client, administrator, monkeypatch):
    document = a_document(a_domain())
    change, save = f"/admin/retrieval/document/{document.pk}/change/", Document.save

    def after_a_job(self, *args, **kwargs):
        Document.objects.filter(pk=document.pk).update(content_hash="of the job")
        save(self, *args, **kwargs)

    said = {name: value for name, value in form_of(client, change).initial.items() if value}
    monkeypatch.setattr(Document, "save", after_a_job)
    answer = client.post(change, said | {"tags": "lease", "metadata": '{"party": "Ann"}'})
    assert answer.status_code == 302, answer.context["adminform"].form.errors
    document.refresh_from_db()
    assert (document.content_hash, document.tags, document.metadata) == ("of the job", ["lease"], {"party": "Ann"})


@pytest.mark.parametrize("metadata", ['["a"]', '"x"', "5", '{"n": 10000000000000000000000000}', '{"n": "\\u0000"}'])
def test_metadata_are_words_and_numbers_by_name(client, administrator, metadata):
    change = f"/admin/retrieval/document/{a_document(a_domain()).pk}/change/"
    said = {name: value for name, value in form_of(client, change).initial.items() if value}
    answer = client.post(change, said | {"tags": "lease", "metadata": metadata})
    assert "Words and numbers by name" in str(answer.context["adminform"].form.errors["metadata"])


@pytest.mark.parametrize("source", ["../lease.md", "/etc/passwd", "var/no.xml", "https://law.example.org/a"])
def test_a_domain_names_no_file_elsewhere(client, administrator, source):
    answer = client.post("/admin/retrieval/domain/add/", {"slug": "leases", "name": "Leases", "source": source})
    told = str(answer.context["adminform"].form.errors.get("source", ""))
    assert ("ARF_SOURCES" in told) == (not source.startswith("https"))


@pytest.mark.parametrize(
    ("visibility", "source", "refused"),
    [
        ("public", "", True),
        ("public", "https://law.example.org/a.xml", False),
        ("private", "https://law.example.org/a.xml", True),
    ],
)
def test_a_plan_needs_something_to_fetch(client, administrator, visibility, source, refused):
    form = {"slug": "leases", "name": "Leases", "visibility": visibility, "source": source, "refresh_plan": "weekly"}
    answer = client.post("/admin/retrieval/domain/add/", form)
    told = str(answer.context["adminform"].form.errors.get("refresh_plan", ""))
    assert ("Nothing can be fetched" in told) is refused


def test_a_domain_names_no_source_of_another(client, administrator):
    corpora = "retrieval/corpora"
    for source, refused in {f"{corpora}/us_constitution.xml": True, corpora: True, f"{corpora}/my.xml": False}.items():
        answer = client.post("/admin/retrieval/domain/add/", {"slug": "leases", "name": "Leases", "source": source})
        told = str(answer.context["adminform"].form.errors.get("source", ""))
        assert ("Another domain" in told) == refused


def test_two_domains_do_not_share_a_name(client, administrator):
    a_domain(name="Code", name_es="Código")
    for names, refused in (({"name": "code"}, {"name"}), ({"name": "Laws", "name_es": "CÓDIGO"}, {"name_es"})):
        answer = client.post("/admin/retrieval/domain/add/", {"slug": "laws", **names})
        assert refused == {"name", "name_es"} & set(answer.context["adminform"].form.errors)
    same = a_domain(name="Code")
    change = f"/admin/retrieval/domain/{same.pk}/change/"
    said = {name: value for name, value in form_of(client, change).initial.items() if value is not None}
    assert client.post(change, said | {"description": "Named so before."}).status_code == 302


def test_a_new_domain_is_private_and_needs_no_language(client, administrator):
    form = form_of(client, "/admin/retrieval/domain/add/")
    assert form["visibility"].value() == "private"
    assert not form["languages"].value() and not form.fields["languages"].required


def test_staff_give_an_upload_another_title_and_a_source_keeps_its_own(client, administrator):
    document = a_document(a_domain(), title="(anonymous)")
    section = a_section(document, citation="(anonymous)", breadcrumb="(anonymous) › Rent")
    address = f"/admin/retrieval/document/{document.pk}/change/"
    client.post(address, {"title": "Lease of 2020", "tags": "", "metadata": "{}"})
    document.refresh_from_db()
    section.refresh_from_db()
    assert (document.title, section.breadcrumb) == ("Lease of 2020", "Lease of 2020 › Rent")
    law = Document.objects.get(locator="/us/const")
    client.post(
        f"/admin/retrieval/document/{law.pk}/change/", {"title": "Mine", "tags": "", "metadata": "{}"}
    )
    law.refresh_from_db()
    assert law.title != "Mine"


@pytest.fixture
def mistaken(tmp_path):
    """A document that came into a body of law by mistake."""
    file = tmp_path / "law.jsonl"
    file.write_text('{"locator": "/us/usc/t99/s1", "text": "Nobody enacted this."}')
    *_, run = jobs.run_here(jobs.create(**ingest.request(Domain.objects.get(slug="us_code"), str(file))))
    assert run.status == JobRun.Status.DONE, run.error
    return Document.objects.get(locator="/us/usc/t99")


def test_a_superuser_withdraws_a_document_of_law_once_sure(client, mistaken, superuser):
    page = f"/admin/retrieval/document/{mistaken.pk}"
    assert f"{page}/do/withdraw_law/" in client.get(f"{page}/change/").content.decode()
    client.post(f"{page}/do/withdraw_law/")
    assert mistaken.sections.live().filter(valid_to=None).exists()
    client.post(f"{page}/do/withdraw_law/", {"sure": "1"})
    assert not mistaken.sections.live().filter(valid_to=None).exists()
    assert "/do/withdraw" not in client.get(f"{page}/change/").content.decode()


def test_a_curator_withdraws_no_law(client, mistaken, curator):
    page = f"/admin/retrieval/document/{mistaken.pk}"
    assert "/do/withdraw" not in client.get(f"{page}/change/").content.decode()
    assert client.post(f"{page}/do/withdraw_law/", {"sure": "1"}).status_code == 403
