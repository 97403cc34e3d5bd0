"""A domain's law is got from its publisher: what is sound is ingested with its day, what is not changes nothing."""

import re
from datetime import date

import pytest
from django.core.management import CommandError, call_command
from django.utils import translation

from retrieval import jobs
from retrieval.access.caller import Caller
from retrieval.errors import SourceRefused
from retrieval.fetching import job
from retrieval.fetching.job import address_of, folder_of, held_titles, refresh_request, request
from retrieval.ingestion import ingest, uploading
from retrieval.models import Domain, Download, JobRun
from tests.retrieval.fetching.laws import CASE, regulation, title
from tests.retrieval.ingestion.conftest import current

pytestmark = pytest.mark.django_db
TEXTS = ("One.", "Two.", "Three.", "Four.", "Five.")
ZIP = "/download/releasepoints/us/pl/118/42/xml_usc08@118-42.zip"


@pytest.fixture
def code():
    return Domain.objects.get(slug="us_code")


def fetched(domain: Domain, **wanted) -> JobRun:
    *_, run = jobs.run_here(jobs.create(**request(domain, **wanted)))
    return run


def eight(site, *texts: str, law: str = "118-42", day: str = "03/09/2024") -> None:
    site.release(law, day, {"08": title(*texts)})


def test_a_title_of_the_code_begins_on_the_day_of_its_release_point(site, code):
    eight(site, *TEXTS)
    run = fetched(code, titles=("8",))
    assert run.status == JobRun.Status.DONE, run.error
    assert "6 new, 0 changed, 0 repealed, in 1 of 1 documents" in run.message
    assert code.sections.get(locator="/us/usc/t8/s1").valid_from == date(2024, 3, 9)
    assert list(folder_of(code).iterdir()) == []


def test_a_later_release_point_closes_what_it_changes(site, code):
    eight(site, *TEXTS)
    fetched(code, titles=("8",))
    eight(site, "One.", "Two, amended.", "Three.", "Four.", "Five.", law="118-50", day="05/01/2024")
    run = fetched(code, titles=("8",))
    assert "0 new, 1 changed, 0 repealed" in run.message
    versions = code.sections.live().filter(locator="/us/usc/t8/s2").order_by("valid_from")
    assert [(each.text, each.valid_to) for each in versions] == [
        ("Two.", date(2024, 5, 1)),
        ("Two, amended.", None),
    ]


def test_what_did_not_change_is_not_sent_again(site, code):
    eight(site, *TEXTS)
    fetched(code, titles=("8",))
    site.asked.clear()
    run = fetched(code, titles=("8",))
    assert "nothing is new" in run.message
    (headers,) = (headers for path, headers in site.asked if path == ZIP)
    assert headers["If-None-Match"] == Download.objects.get(domain=code).etag
    fetched(code, titles=("8",), force=True)
    assert "If-None-Match" not in site.asked[-1][1]


def a_manual(site) -> Domain:
    """A domain that names the file of the site as its source."""
    site.put("/law.jsonl", '{"locator": "/manual/a/1", "text": "One."}')
    return Domain.objects.create(
        slug="manual",
        name="Manual",
        locator_prefix="/manual",
        visibility="public",
        source=f"{site.address}/law.jsonl",
    )


def test_what_was_ingested_or_withdrawn_since_is_got_again(site, tmp_path):
    domain = a_manual(site)
    fetched(domain)
    file = tmp_path / "mine.jsonl"
    file.write_text('{"locator": "/manual/a/1", "text": "Another."}')
    *_, run = jobs.run_here(jobs.create(**ingest.request(domain, str(file))))
    assert run.status == JobRun.Status.DONE and current(domain)["/manual/a/1"] == "Another."
    assert "1 changed" in fetched(domain).message
    assert current(domain)["/manual/a/1"] == "One."
    assert "nothing is new" in fetched(domain).message
    uploading.withdraw(domain.documents.get(), Caller(("user:1",), is_staff=True))
    fetched(domain)
    assert current(domain)["/manual/a/1"] == "One."


def test_a_fetch_of_one_title_forgets_no_other(site, code):
    site.release("118-42", "03/09/2024", {"08": title(*TEXTS), "09": title("A.", n=9)})
    fetched(code, titles=("8", "9"))
    site.release("118-50", "05/01/2024", {"08": title("One, amended.", *TEXTS[1:]), "09": title("A.", n=9)})
    assert "1 changed" in fetched(code, titles=("8",)).message
    assert code.downloads.count() == 2


def test_what_is_withdrawn_during_a_fetch_is_to_be_got_again(site, code, monkeypatch):
    site.release("118-42", "03/09/2024", {"08": title(*TEXTS), "09": title("A.", n=9)})
    fetched(code, titles=("8", "9"))
    monkeypatch.setattr(job, "time_for_more", lambda run: lambda: False)
    run = jobs.create(**request(code, titles=("8", "9")))
    for _ in range(2):
        run = jobs.take_step(run.pk, run.ticket)
    assert [each["unchanged"] for each in run.state["fetch"]["got"] if not each["file"]["leads"]] == [True]
    uploading.withdraw(code.documents.get(locator="/us/usc/t8"), Caller(("user:1",), is_staff=True))
    *_, run = jobs.run_here(JobRun.objects.get(pk=run.pk))
    assert run.status == JobRun.Status.DONE and "/us/usc/t8/s1" not in current(code)
    assert code.downloads.get().name == "usc09.zip"


def test_all_titles_are_read_from_one_file_one_after_another(site, code):
    site.release("118-42", "03/09/2024", {"All": {"usc08.xml": title("A."), "usc09.xml": title("B.", n=9)}})
    fetched(code)
    assert held_titles(code) == ("8", "9")
    assert refresh_request(code)["params"]["titles"] == ["8", "9"]


@pytest.mark.parametrize(
    ("spoil", "why"),
    [
        (lambda page: setattr(page, "body", b""), "is empty"),
        (lambda page: setattr(page, "body", b"<html>Maintenance</html>"), "is not ZIP"),
        (lambda page: setattr(page, "body", page.body[:200]), "cannot be unpacked"),
        (lambda page: page.headers.update({"Repr-Digest": f"sha-256=:{'A' * 43}=:"}), "another checksum"),
        (lambda page: setattr(page, "status", 404), "answers 404"),
    ],
)
def test_what_is_malformed_changes_nothing_and_says_so(site, code, spoil, why):
    eight(site, *TEXTS)
    fetched(code, titles=("8",))
    before = current(code)
    eight(site, "One, amended.", *TEXTS[1:], law="118-50", day="05/01/2024")
    spoil(next(page for path, page in site.pages.items() if "118-50" in path))
    run = fetched(code, titles=("8",))
    assert run.status == JobRun.Status.FAILED and why in run.error
    assert current(code) == before


def test_what_is_too_short_changes_nothing_unless_forced(site, code):
    eight(site, *TEXTS)
    fetched(code, titles=("8",))
    before = current(code)
    eight(site, "One.", "Two.", law="118-50", day="05/01/2024")
    run = fetched(code, titles=("8",))
    assert run.status == JobRun.Status.FAILED and "2 sections where 5 are known" in run.error
    with translation.override("es"):
        assert run.local_error.startswith("La fuente tiene 2 secciones donde se conocen 5; no se cambió nada.")
    assert current(code) == before
    assert fetched(code, titles=("8",), force=True).status == JobRun.Status.DONE


def test_a_release_that_lacks_titles_is_too_short(site, code):
    titles = {f"usc{n:02}.xml": title("A.", n=n) for n in (8, 9, 10)}
    site.release("118-42", "03/09/2024", {"All": titles})
    fetched(code)
    site.release("118-50", "05/01/2024", {"All": dict(list(titles.items())[:2])})
    run = fetched(code)
    assert run.status == JobRun.Status.FAILED and "2 sections where 3 are known" in run.error


def test_a_failed_fetch_gets_its_file_anew_when_it_is_resumed(site, code):
    eight(site, *TEXTS)
    sound = site.pages[ZIP].body
    site.pages[ZIP].body = sound[:200]
    run = fetched(code, titles=("8",))
    assert run.status == JobRun.Status.FAILED
    site.pages[ZIP].body = sound
    jobs.resume(run)
    *_, run = jobs.run_here(JobRun.objects.get(pk=run.pk))
    assert run.status == JobRun.Status.DONE
    assert len(current(code)) == 6


def test_a_fetch_that_is_killed_goes_on_where_it_was(site, code, monkeypatch):
    monkeypatch.setattr(job, "time_for_more", lambda run: lambda: False)
    eight(site, *TEXTS)
    run = jobs.create(**request(code, titles=("8",)))
    for _ in range(2):
        run = jobs.take_step(run.pk, run.ticket)
    asked = len(site.asked)
    *_, run = jobs.run_here(JobRun.objects.get(pk=run.pk))
    assert run.status == JobRun.Status.DONE
    assert asked == len(site.asked) == 2


def test_a_dry_run_says_what_would_change_and_changes_nothing(site, code, capsys):
    eight(site, *TEXTS)
    fetched(code, titles=("8",))
    before = current(code)
    eight(site, "One, amended.", "Two.", "Three.", "Four.", "", "Six.", law="118-50", day="05/01/2024")
    call_command("fetch", "us_code", "--titles", "8", "--dry-run")
    said = capsys.readouterr().out
    assert "1 new, 1 changed, 1 repealed" in said
    assert [line.strip() for line in said.splitlines() if line.startswith("  /")] == [
        "/us/usc/t8/s6", "/us/usc/t8/s1", "/us/usc/t8/s5",
    ]  # fmt: skip
    assert current(code) == before
    assert Download.objects.get(domain=code).edition == date(2024, 3, 9)


def test_titles_of_the_cfr_are_fetched_with_their_days(site):
    cfr = Domain.objects.get(slug="code_of_federal_regulations")
    site.ecfr(
        {6: ("2025-01-02", regulation("A.", "B.")), 35: ("", ""), 8: ("2025-01-03", regulation("C.", n=8))}
    )
    *steps, run = jobs.run_here(jobs.create(**request(cfr)))
    assert run.status == JobRun.Status.DONE, run.error
    percents = [step.percent for step in steps]
    assert percents == sorted(percents) and percents[0] == 10
    days = dict(cfr.sections.filter(level="section").values_list("locator", "valid_from"))
    assert days == {
        "/us/cfr/t6/s3.1": date(2025, 1, 2),
        "/us/cfr/t6/s3.2": date(2025, 1, 2),
        "/us/cfr/t8/s3.1": date(2025, 1, 3),
    }


def test_a_title_of_the_cfr_that_is_a_web_page_stops_all(site):
    cfr = Domain.objects.get(slug="code_of_federal_regulations")
    site.ecfr({6: ("2025-01-02", regulation("A.")), 8: ("2025-01-03", "<!doctype html><html>Busy</html>")})
    run = fetched(cfr)
    assert run.status == JobRun.Status.FAILED and "title-8.xml is not XML" in run.error
    assert not cfr.sections.exists()


def test_cases_come_with_their_opinions(site):
    cases = Domain.objects.get(slug="supreme_court_cases")
    second = CASE | {
        "id": 8,
        "case_name": "Roe v. Doe",
        "citations": [{"volume": 410, "reporter": "U.S.", "page": 1}],
    }
    unreported = CASE | {"id": 9, "citations": []}
    site.cases([CASE, unreported], [second])
    run = fetched(cases, since="1950-01-01")
    assert run.status == JobRun.Status.DONE, run.error
    found = cases.sections.live().filter(level="case").values_list("locator", flat=True)
    assert set(found) == {"/us/scotus/347/483", "/us/scotus/410/1"}
    assert site.asked[0][0].endswith("?date_filed__gte=1950-01-01")
    fetched(cases)
    assert any(path.endswith("?date_filed__gte=1954-05-17") for path in site.paths())


def test_the_token_of_the_official_site_is_told_to_no_other(site, settings):
    settings.ARF_FETCH = settings.ARF_FETCH | {"token": "secret"}
    cases = Domain.objects.get(slug="supreme_court_cases")
    site.cases([CASE])
    assert fetched(cases, since="1950-01-01").status == JobRun.Status.DONE
    assert {headers.get("Authorization") for _, headers in site.asked} == {"Token secret"}
    site.asked.clear()
    site.put("/cases.jsonl", '{"locator": "/us/scotus/1/1", "text": "One."}')
    Domain.objects.filter(pk=cases.pk).update(source=f"{site.address}/cases.jsonl")
    fetched(Domain.objects.get(pk=cases.pk))
    assert site.asked and {headers.get("Authorization") for _, headers in site.asked} == {None}


@pytest.fixture
def manual():
    return Domain.objects.get(slug="uscis_policy")


CHAPTER = "/policy-manual/volume-7-part-a-chapter-2"


def test_the_manual_is_crawled_page_by_page(site, manual):
    site.manual()
    run = fetched(manual)
    assert run.status == JobRun.Status.DONE, run.error
    assert manual.documents.get().title == "USCIS Policy Manual, Volume 7: Adjustment of Status"
    assert held_titles(manual) == ("7",)
    section = manual.sections.get(locator="/us/uscis-pm/v7/pA/ch1/B/1")
    assert (section.citation, section.valid_from) == ("7 USCIS-PM A.1(B)(1)", date(2025, 1, 20))
    assert site.paths()[0] == "/robots.txt"
    assert len(site.paths()) == len(set(site.paths())) == 9


@pytest.mark.parametrize("steps", [4, 9])
def test_pages_that_another_machine_got_are_got_here_too(site, manual, settings, tmp_path, monkeypatch, steps):
    monkeypatch.setattr(job, "time_for_more", lambda run: lambda: False)
    site.manual()
    run = jobs.create(**request(manual))
    for _ in range(steps):
        run = jobs.take_step(run.pk, run.ticket)
    settings.VAR_DIR = tmp_path
    *_, run = jobs.run_here(JobRun.objects.get(pk=run.pk))
    assert run.status == JobRun.Status.DONE, run.error
    assert manual.sections.live().filter(locator__startswith="/us/uscis-pm/v7/pB/ch1").exists()
    assert manual.sections.live().filter(locator="/us/uscis-pm/v7/pA/ch1/B/1").exists()


def test_pages_that_did_not_change_are_asked_for_but_not_sent(site, manual):
    site.manual()
    fetched(manual)
    site.asked.clear()
    assert "nothing is new" in fetched(manual).message
    assert all("If-None-Match" in headers for path, headers in site.asked if path != "/robots.txt")
    page = site.pages[CHAPTER].body.replace(b"An applicant must", b"Each applicant must")
    site.put(CHAPTER, page.replace(b"January 15, 2025", b"March 1, 2025"))
    assert "0 new, 1 changed, 0 repealed" in fetched(manual).message
    section = manual.sections.live().get(locator="/us/uscis-pm/v7/pA/ch2", valid_to=None)
    assert section.text.startswith("Each applicant") and section.valid_from == date(2025, 3, 1)


def test_a_chapter_that_is_linked_no_longer_ends(site, manual):
    site.manual()
    fetched(manual)
    for path, page in list(site.pages.items()):
        gone = re.sub(rb'<li><a href="/policy-manual/volume-7-part-b-chapter-1">.*?</li>', b"", page.body)
        site.put(path, gone.replace(b"January 15, 2025", b"March 1, 2025"))
    assert "0 new, 0 changed, 3 repealed" in fetched(manual).message
    assert not manual.sections.filter(locator__startswith="/us/uscis-pm/v7/pB/ch1", valid_to=None).exists()


def test_what_robots_txt_forbids_is_not_asked_for(site, manual):
    site.manual()
    site.put("/robots.txt", "User-agent: *\nDisallow: /policy-manual\n")
    run = fetched(manual)
    assert run.status == JobRun.Status.FAILED and "robots.txt" in run.error
    assert site.paths() == ["/robots.txt"]


def test_a_page_that_is_none_of_the_manual_changes_nothing(site, manual):
    site.manual()
    site.put(CHAPTER, "<html><body><h1>Be back soon</h1></body></html>")
    run = fetched(manual)
    assert run.status == JobRun.Status.FAILED and "not that page of the Policy Manual" in run.error
    assert not manual.sections.exists()


def test_a_domain_is_fetched_from_the_address_that_its_source_gives(site):
    domain = a_manual(site)
    assert fetched(domain).status == JobRun.Status.DONE
    assert current(domain)["/manual/a/1"] == "One."


def test_a_domain_without_an_address_cannot_be_fetched(site):
    constitution = Domain.objects.get(slug="us_constitution")
    private = Domain(slug="leases", visibility="private", source="https://law.example.org/leases.jsonl")
    assert address_of(constitution) == address_of(private) == ""
    with pytest.raises(SourceRefused, match="no official address"):
        request(constitution)
    with pytest.raises(CommandError, match="There is no domain nowhere"):
        call_command("fetch", "nowhere")


@pytest.mark.parametrize(
    ("slug", "options"),
    [
        ("us_code", {"since": "2020-01-01"}),
        ("supreme_court_cases", {"titles": ("5",)}),
        ("manual", {"titles": ("5",)}),
        ("manual", {"since": "2020-01-01"}),
    ],
)
def test_what_means_nothing_to_a_publisher_is_refused(slug, options):
    Domain.objects.create(slug="manual", name="Manual", visibility="public", source="https://law.example.org/a.jsonl")
    (name,) = options
    with pytest.raises(SourceRefused, match=f"without --{name}"):
        request(Domain.objects.get(slug=slug), **options)


def test_a_code_with_an_address_of_its_own_is_fetched_whole(site, code):
    eight(site, *TEXTS)
    fetched(code, titles=("8",))
    code.source = "https://law.example.org/code.xml"
    assert refresh_request(code)["params"]["titles"] == []
