"""Staff try a query in a real browser, headless Chromium."""

import pytest
from django.contrib.auth.models import Group, User
from selenium.webdriver.common.by import By

from retrieval.models import JobRun, Section
from tests.served import picture, until

pytest_plugins = ["tests.served"]
pytestmark = [pytest.mark.browser, pytest.mark.django_db]
PASSWORD = "a long password"


@pytest.fixture
def signed_in(browser, site):
    """Logs in as the form asks; gives a function that opens a path of the site."""
    user = User.objects.create_user("curator", password=PASSWORD, is_staff=True)
    user.groups.add(Group.objects.get(name="Curator"))

    def open_page(path: str) -> None:
        browser.get(site + path)

    open_page("/admin/login/?next=/admin/")
    browser.find_element(By.NAME, "username").send_keys("curator")
    browser.find_element(By.NAME, "password").send_keys(PASSWORD)
    browser.find_element(By.CSS_SELECTOR, "#login-form button").click()
    until(browser, lambda b: "/login/" not in b.current_url)
    return open_page


def text(browser) -> str:
    return until(browser, lambda b: b.find_element(By.ID, "content").text)


def ask(browser, question: str, locator: str = "") -> None:
    browser.find_element(By.NAME, "q").send_keys(question)
    browser.find_element(By.NAME, "locator").send_keys(locator)
    browser.find_element(By.CSS_SELECTOR, ".arf-try button[type=submit]").click()
    until(browser, lambda b: "q=" in b.current_url)


def test_staff_try_a_query_and_see_why(browser, signed_in):
    browser.find_element(By.PARTIAL_LINK_TEXT, "Try this query").click()
    ask(browser, "Can I be tried twice for the same crime?", "/us/const/amendment/V")
    shown = text(browser)
    assert "U.S. Const. amend. V" in shown
    assert "stands at rank" in shown
    assert "LexicalRetriever" in shown
    assert "Candidates kept" in shown
    picture(browser, "admin-try")
    browser.find_element(By.LINK_TEXT, "U.S. Const. amend. V").click()
    until(browser, lambda b: "/law/us/const/amendment/V" in b.current_url)


@pytest.mark.parametrize("scripts", [False])
def test_trying_a_query_works_without_scripts(browser, signed_in):
    signed_in("/admin/try/")
    ask(browser, "double jeopardy")
    assert "U.S. Const. amend. V" in text(browser)
    picture(browser, "admin-try-without-scripts")


def test_pages_of_the_admin_draw(browser, signed_in):
    running = JobRun.objects.create(
        kind="ingest", key="corpus", params={"domain": "us_constitution"}, status="running",
        position=96, total=190, message="96 of 190 sections chunked and embedded",
    )  # fmt: skip
    section = Section.objects.get(locator="/us/const/amendment/XIV/section/1", live=True)
    pages = {
        "index": ("/admin/", "Searches of the last 7 days"),
        "aliases": ("/admin/rules/alias/?q=jeopardy", "double jeopardy"),
        "alias": ("/admin/rules/alias/add/", "Locator"),
        "job": (f"/admin/retrieval/jobrun/{running.pk}/change/", "96 of 190 sections"),
        "section": (f"/admin/retrieval/section/{section.pk}/change/", "nor deny to any person"),
        "domains": ("/admin/retrieval/domain/", "Ingest again"),
        "threshold": ("/admin/rules/domainthreshold/add/", "Answer minimum"),
    }
    for name, (path, expected) in pages.items():
        signed_in(path)
        picture(browser, f"admin-{name}")
        assert expected in text(browser), name


@pytest.mark.parametrize(
    "path",
    ["", "try/?q=bail", "rules/alias/", "rules/alias/add/", "rules/alias/import/", "rules/alias/export/"],
)
def test_pages_need_nothing_that_their_content_security_policy_forbids(browser, signed_in, path):
    signed_in(f"/admin/{path}")
    assert [
        entry for entry in browser.get_log("browser") if "Content Security Policy" in entry["message"]
    ] == []
