"""A brief checked in a real browser: without scripts, on a phone, by keyboard, in Spanish."""

import pytest
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

from tests.retrieval.pages.test_pages_in_browser import SMALL_TARGETS, page  # noqa: F401

pytestmark = [pytest.mark.browser, pytest.mark.django_db]


@pytest.fixture
def scripts():
    return False


def test_a_brief_is_checked_on_a_phone_by_keyboard_in_spanish(page):  # noqa: F811
    page.size(360, 740)
    page.open("/check/")
    page.find(".languages button").send_keys(Keys.ENTER)
    page.see("Revisar un escrito")
    page.find("textarea").send_keys('Congress "may make no law." U.S. Const. amend. I.')
    page.find(".check button").send_keys(Keys.ENTER)
    page.see("La fuente tiene otras palabras.")
    assert page.run("return document.documentElement.scrollWidth") <= 360
    assert page.run(SMALL_TARGETS) == []
    page.find(".notes a").send_keys(Keys.ENTER)
    page.at("#place-1")
    assert "may make no law" in page.find("textarea").get_attribute("value")
    assert len(page.driver.find_elements(By.CSS_SELECTOR, "button[name=copy]")) == 1
