"""A judge at work in a real browser: by keyboard, by mouse without scripts, on a small screen."""

import pytest
from django.contrib.auth.models import Group, User
from selenium.webdriver.common.by import By

from evaluation.judging import grading, visibility
from evaluation.models import Judgment, Topic
from retrieval.models import Domain, Section
from tests.builders import nothing_judged
from tests.served import picture, sign_in, turning, until

pytestmark = [pytest.mark.browser, pytest.mark.django_db]
PASSWORD = "a long password"
FIFTH = "/us/const/amendment/V"


@pytest.fixture
def topic(db) -> Topic:
    nothing_judged()
    return Topic.objects.create(
        name="t1", domain=Domain.objects.get(slug="us_constitution"), language="es",
        query="¿Me pueden juzgar dos veces por el mismo delito?",
        narrative="It must say whether a second trial for the same offence is allowed.",
    )  # fmt: skip


def staff(name: str, group: str) -> User:
    user = User.objects.create_user(name, password=PASSWORD, is_staff=True)
    user.groups.add(Group.objects.get(name=group))
    return user


@pytest.fixture
def enter(browser, site):
    def log_in(name: str, path: str) -> None:
        sign_in(browser, site, name, path)

    return log_in


def candidate(browser) -> str:
    return until(browser, lambda b: b.find_element(By.ID, "candidate").text)


def press(browser, keys: str) -> None:
    """Strikes a key and waits for the next candidate."""
    with turning(browser, "#candidate"):
        browser.find(By.TAG_NAME, "body").send_keys(keys)


def test_a_judge_works_by_keyboard_alone(browser, enter, topic):
    ann = staff("ann", "Judge")
    enter("ann", "/admin/judge/")
    first = candidate(browser)
    picture(browser, "judge")
    body = browser.find(By.TAG_NAME, "body")
    body.send_keys("?")
    assert browser.find(By.ID, "keys").is_displayed()
    picture(browser, "judge-keys")
    browser.find(By.CSS_SELECTOR, "#keys button").click()
    body.send_keys("e")
    writing = browser.switch_to.active_element
    writing.send_keys("3 u s: words, not keys")
    writing.send_keys("\ue00c")  # Escape
    press(browser, "2")
    assert candidate(browser) != first
    assert "2: relevant" in browser.switch_to.active_element.text, "what was kept is said"
    made = Judgment.objects.get(judge="ann")
    assert (made.grade, made.explanation) == (2, "3 u s: words, not keys")
    assert visibility.own_judgments(ann).count() == 1
    picture(browser, "judge-next")
    second = candidate(browser)
    press(browser, "s")
    assert candidate(browser) not in (first, second)
    press(browser, "u")
    assert candidate(browser) == first
    assert not Judgment.objects.exists()
    there = browser.find_elements(By.CSS_SELECTOR, ".turn [rel=next]")
    press(browser, "n" if there else "p")
    assert candidate(browser) != first
    press(browser, "p" if there else "n")
    assert candidate(browser) == first
    browser.find(By.ID, "help").click()
    browser.find(By.ID, "by-keys").click()
    browser.refresh()
    browser.find(By.ID, "help").click()
    assert not browser.find(By.ID, "by-keys").is_selected(), "it is remembered"
    browser.find(By.CSS_SELECTOR, "#keys button").click()
    browser.find(By.TAG_NAME, "body").send_keys("2")
    assert candidate(browser) == first and not Judgment.objects.exists()
    browser.execute_script("localStorage.clear()")


@pytest.mark.parametrize("scripts", [False])
def test_judging_works_without_scripts(browser, enter, topic):
    staff("ann", "Judge")
    enter("ann", f"/admin/judge/?topic={topic.pk}&locator={FIFTH}")
    browser.find(By.CSS_SELECTOR, 'input[name=grade][value="3"]').click()
    with turning(browser):
        browser.find(By.CSS_SELECTOR, "button[value=save]").click()
    until(browser, lambda b: "Judged last" in b.find_element(By.ID, "content").text)
    assert Judgment.objects.get().grade == 3
    assert Judgment.objects.get().locator == FIFTH
    picture(browser, "judge-without-scripts")


def test_the_page_fits_a_telephone(browser, enter, topic):
    staff("ann", "Judge")
    browser.set_window_size(500, 900)  # as narrow as this browser goes
    enter("ann", "/admin/judge/")
    width = "return document.documentElement.scrollWidth - document.documentElement.clientWidth"
    assert browser.execute_script(width) <= 0
    picture(browser, "judge-narrow")


def test_disagreements_and_lists_draw(browser, enter, topic):
    section = Section.objects.get(locator=FIFTH, live=True, valid_to=None)
    for name, grade, why in (("ann", 3, "It forbids a second jeopardy."), ("ben", 0, "")):
        grading.judge(topic, section, None, grade, staff(name, "Judge"), why)
    staff("chief", "Curator")
    enter("chief", "/admin/disagreements/")
    pages = {
        "disagreements": ("/admin/disagreements/", "It forbids a second jeopardy."),
        "topics": ("/admin/evaluation/topic/", topic.query),
        "judgments": ("/admin/evaluation/judgment/", FIFTH),
    }
    for name, (path, expected) in pages.items():
        browser.get(browser.current_url.split("/admin/")[0] + path)
        picture(browser, f"judge-{name}")
        assert expected in browser.find(By.ID, "content").text, name
