"""Staff try a query in a real browser, headless Chromium."""

import pytest
from django.contrib.auth.models import Group, User
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

from retrieval.models import Chunk, Document, JobRun, Section
from retrieval.request import SearchRequest
from retrieval.search.service import search
from rules.models import Alias, Rule
from tests.builders import a_chunk, a_document, a_domain, a_section
from tests.served import picture, sign_in, sign_in_by_form, turning, until

pytestmark = [pytest.mark.browser, pytest.mark.django_db, pytest.mark.usefixtures("unjudged")]
PASSWORD = "a long password"


def a_curator() -> None:
    user = User.objects.create_user("curator", password=PASSWORD, is_staff=True)
    user.groups.add(Group.objects.get(name="Curator"))


@pytest.fixture
def signed_in(browser, site):
    """A function that opens a path of the site, for a curator."""
    a_curator()

    def open_page(path: str) -> None:
        browser.get(site + path)

    sign_in(browser, site, "curator", "/admin/")
    return open_page


def text(browser) -> str:
    return until(browser, lambda b: b.find_element(By.ID, "content").text)


def ask(browser, question: str, locator: str = "") -> None:
    browser.find(By.NAME, "q").send_keys(question)
    browser.find(By.NAME, "locator").send_keys(locator, Keys.TAB)  # leaving the box shuts what it offers
    with turning(browser):
        browser.find(By.CSS_SELECTOR, ".arf-try button[type=submit]").click()


def test_the_form_lets_staff_in(browser, site):
    a_curator()
    sign_in_by_form(browser, site, "curator", PASSWORD)
    assert "Searches of the last 7 days" in text(browser)


def test_staff_try_a_query_and_see_why(browser, signed_in):
    with turning(browser):
        browser.find(By.PARTIAL_LINK_TEXT, "Try this query").click()
    ask(browser, "Can I be tried twice for the same crime?", "/us/const/amendment/V")
    shown = text(browser)
    assert "U.S. Const. amend. V" in shown
    assert "stands at rank" in shown
    assert "LexicalRetriever" in shown
    assert "Candidates kept" in shown
    picture(browser, "admin-try")
    browser.find(By.LINK_TEXT, "U.S. Const. amend. V").click()
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
    [
        "",
        "try/?q=bail",
        "rules/rule/add/",
        "rules/rule/browse/",
        "rules/alias/",
        "rules/alias/add/",
        "rules/alias/import/",
        "rules/alias/export/",
    ],
)
def test_pages_need_nothing_that_their_content_security_policy_forbids(browser, signed_in, path):
    signed_in(f"/admin/{path}")
    assert [
        entry for entry in browser.get_log("browser") if "Content Security Policy" in entry["message"]
    ] == []


# -- Picking a rule's targets by looking


@pytest.fixture
def lease(db) -> Document:
    document = a_document(
        a_domain(name="Leases"), title="Lease of the lighthouse", filename="lease.pdf", pages=4
    )
    for number in range(1, 5):
        section = a_section(
            document, f"Duties of the {number}th year.", number=str(number), pages=[[0, number]]
        )
        a_chunk(section, page_start=number, page_end=number)
    return document


def rows(browser) -> list[tuple[str, str, str]]:
    """Kind, value and pages of the targets that the form holds."""
    names = ("kind", "value", "pages")
    script = (
        "return [...document.querySelectorAll('[data-rows=targets] .arf-row')].map(row => "
        "arguments[0].map(name => row.querySelector(`[name$='-${name}']`).value)).filter(row => row[0])"
    )
    return [tuple(row) for row in browser.execute_script(script, names)]


def press(browser, selector: str, key: str) -> None:
    """By the keyboard, which the form's bar of buttons cannot hide anything from."""
    until(browser, lambda b: b.find_element(By.CSS_SELECTOR, selector).send_keys(key) or True)


def tick(browser, value: str) -> None:
    press(browser, f"input[value='{value}']", Keys.SPACE)


def unfold(browser, value: str) -> None:
    press(browser, f"input[value='{value}'] + details > summary", Keys.ENTER)


def pick_document(browser, name: str) -> None:
    press(browser, ".arf-looking > summary", Keys.ENTER)
    press(browser, "#browse-words", name)
    until(browser, lambda b: len(b.find_elements(By.CSS_SELECTOR, ".arf-browser .found li button")) == 1)
    press(browser, ".found li button", Keys.ENTER)
    until(browser, lambda b: b.find_element(By.ID, "browse-document"))


def test_ticks_in_the_browser_become_rows_of_the_rule(browser, signed_in, lease):
    signed_in("/admin/rules/rule/add/")
    pick_document(browser, "lighthouse")
    until(browser, lambda b: b.switch_to.active_element.get_attribute("id") == "browse-document")
    place = lease.locator
    for page in (4, 2, 1):
        tick(browser, f"page {place} {page}")
    assert rows(browser) == [("document", place, "1-2, 4")]
    assert "Page 1" in browser.find(By.CSS_SELECTOR, ".arf-looking [role=status]").text
    unfold(browser, f"page {place} 3")
    chunk = Chunk.objects.get(section__document=lease, page_start=3).pk
    tick(browser, f"chunk {chunk}")
    tick(browser, f"document {place}")
    tick(browser, f"page {place} 2")
    assert rows(browser) == [("document", place, "1, 4"), ("chunk", str(chunk), ""), ("document", place, "")]
    picture(browser, "admin-browse")
    tick(browser, f"chunk {chunk}")
    assert rows(browser) == [("document", place, "1, 4"), ("document", place, "")]


def test_the_browser_shows_what_the_rows_say(browser, signed_in):
    signed_in("/admin/rules/rule/add/?question=x&locator=/us/const/amendment/V")
    pick_document(browser, "Constitution")
    fifth = until(
        browser, lambda b: b.find_element(By.CSS_SELECTOR, "input[value='section /us/const/amendment/V']")
    )
    assert fifth.is_selected()
    fifth.send_keys(Keys.SPACE)
    assert rows(browser) == []
    unfold(browser, "section /us/const/article/I")
    tick(browser, "section /us/const/article/I/section/8")
    assert rows(browser) == [("section", "/us/const/article/I/section/8", "")]
    value = browser.find(By.NAME, "targets-0-value")
    value.clear()
    value.send_keys("/us/const/article/I/section/9")
    boxes = "input[value='section /us/const/article/I/section/{}']"
    until(browser, lambda b: b.find_element(By.CSS_SELECTOR, boxes.format(9)).is_selected())
    assert not browser.find(By.CSS_SELECTOR, boxes.format(8)).is_selected()
    unfold(browser, "section /us/const/article/I/section/9")
    picture(browser, "admin-browse-sections")
    browser.set_window_size(390, 1200)
    browser.execute_script("document.querySelector('.arf-beside').scrollIntoView()")
    picture(browser, "admin-browse-phone")
    assert browser.execute_script("return document.documentElement.scrollWidth") <= 390


@pytest.mark.parametrize("scripts", [False])
def test_targets_are_picked_without_scripts_on_a_page_of_its_own(browser, signed_in, lease):
    signed_in("/admin/rules/rule/browse/")
    with turning(browser):
        browser.find(By.XPATH, "//button[.='Lease of the lighthouse']").click()
    tick(browser, f"page {lease.locator} 2")
    picture(browser, "admin-browse-without-scripts")
    unfold(browser, f"page {lease.locator} 3")
    with turning(browser):
        press(browser, "button[name=page][value='3']", Keys.ENTER)
    tick(browser, f"page {lease.locator} 3")
    with turning(browser):
        browser.find(By.CSS_SELECTOR, ".arf-picking .main").click()
    assert "/rule/add/" in browser.current_url
    assert browser.find(By.NAME, "targets-0-value").get_attribute("value") == lease.locator
    assert browser.find(By.NAME, "targets-0-pages").get_attribute("value") == "2-3"


def test_a_rule_is_made_from_a_result(browser, signed_in):
    signed_in("/admin/try/?q=Can+I+be+tried+twice+for+the+same+crime%3F")
    with turning(browser):
        browser.find(By.LINK_TEXT, "Make a rule from this result").click()
    assert rows(browser) == [("section", "/us/const/amendment/V", "")]
    with turning(browser):
        browser.find(By.CSS_SELECTOR, "[name=_save]").click()
    assert "/rule/add/" not in browser.current_url
    assert Rule.objects.filter(name="Can I be tried twice for the same crime?").exists()


# -- Picking provisions, and trying the criteria while they are written


def offered(browser) -> list[str]:
    """The citations under the box in which one types, as soon as there are any."""
    shown = ".arf-picker [role=listbox]:not([hidden]) [role=option] strong"
    return until(browser, lambda b: [each.text for each in b.find_elements(By.CSS_SELECTOR, shown)])


def test_a_provision_is_picked_by_keyboard_and_by_finger(browser, signed_in):
    signed_in("/admin/rules/rule/add/?locator=/us/const/amendment/V")
    box = browser.find(By.NAME, "targets-0-value")
    assert "U.S. Const. amend. V " in browser.find(By.CSS_SELECTOR, "[data-rows=targets] .picked").text
    box.clear()
    box.send_keys("14th amendment")
    assert offered(browser)[:2] == ["U.S. Const. amend. XIV", "U.S. Const. amend. XIV, § 1"]
    assert box.get_attribute("role") == "combobox" and box.get_attribute("aria-expanded") == "true"
    picture(browser, "admin-picker")
    box.send_keys(Keys.DOWN, Keys.DOWN)
    marked = browser.find(By.ID, box.get_attribute("aria-activedescendant"))
    assert "amend. XIV, § 1" in marked.text and marked.get_attribute("aria-selected") == "true"
    box.send_keys(Keys.ENTER)
    assert rows(browser) == [("section", "/us/const/amendment/XIV/section/1", "")]
    assert "All persons born" in browser.find(By.CSS_SELECTOR, "[data-rows=targets] .picked").text
    assert box.get_attribute("aria-expanded") == "false" and "/rule/add/" in browser.current_url
    browser.set_window_size(390, 1200)
    box.clear()
    box.send_keys("due process")
    offered(browser)
    assert browser.execute_script("return document.documentElement.scrollWidth") <= 390
    browser.find(By.CSS_SELECTOR, "[role=option][data-value='/us/const/amendment/V']").click()
    assert rows(browser) == [("section", "/us/const/amendment/V", "")]
    box.send_keys("/x", Keys.ESCAPE)  # what is typed stands
    assert rows(browser) == [("section", "/us/const/amendment/V/x", "")]


@pytest.mark.parametrize("scripts", [False])
def test_a_citation_is_typed_without_scripts(browser, signed_in):
    signed_in("/admin/rules/alias/add/")
    browser.find(By.NAME, "text").send_keys("the press clause")
    browser.find(By.NAME, "locator").send_keys("first amendment")
    browser.find(By.CSS_SELECTOR, "#id_domain option:nth-child(2)").click()
    with turning(browser):
        browser.find(By.CSS_SELECTOR, "[name=_save]").click()
    assert Alias.objects.get(text="the press clause").locator == "/us/const/amendment/I"


def test_a_rule_tells_as_one_writes_which_questions_it_fires_on(browser, signed_in):
    search(SearchRequest("must I house soldiers?"))
    signed_in("/admin/rules/rule/add/")
    browser.find(By.CSS_SELECTOR, "[name=criteria-0-kind] option[value=keywords]").click()
    browser.find(By.NAME, "criteria-0-value").send_keys("soldiers")
    told = ".arf-fires [role=status]"
    until(browser, lambda b: "must I house soldiers?" in b.find_element(By.CSS_SELECTOR, told).text)
    picture(browser, "admin-fires")
    browser.find(By.NAME, "criteria-0-value").send_keys(" of the lighthouse")
    until(browser, lambda b: "fires on no question" in b.find_element(By.CSS_SELECTOR, told).text)
    signed_in("/admin/rules/rule/in-words/")
    browser.find(By.ID, "sentence").send_keys("When someone asks about soldiers, show 14th amendment first")
    until(browser, lambda b: "must I house soldiers?" in b.find_element(By.CSS_SELECTOR, told).text)


@pytest.mark.parametrize("scripts", [False])
def test_a_button_tells_it_without_scripts_and_enter_still_saves(browser, signed_in):
    search(SearchRequest("must I house soldiers?"))
    signed_in("/admin/rules/rule/add/?question=must+I+house+soldiers?&locator=/us/const/amendment/III")
    with turning(browser):
        browser.find(By.CSS_SELECTOR, "noscript [formaction]").click()
    assert "It fires on" in text(browser) and "must I house soldiers?" in text(browser)
    assert not Rule.objects.exists()
    browser.back()
    with turning(browser):
        browser.find(By.NAME, "name").send_keys(Keys.ENTER)
    assert Rule.objects.get().name == "must I house soldiers?"
