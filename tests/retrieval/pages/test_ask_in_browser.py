"""Kept questions in a real browser: without scripts, on a phone, by keyboard, in Spanish."""

import pytest
from django.contrib.auth.models import User
from selenium.webdriver.common.keys import Keys

from tests.retrieval.pages.test_pages_in_browser import SMALL_TARGETS, page  # noqa: F401
from tests.served import sign_in

pytestmark = [pytest.mark.browser, pytest.mark.django_db]


@pytest.fixture
def scripts():
    return False


def test_questions_are_kept_and_erased_on_a_phone_by_keyboard_in_spanish(page):  # noqa: F811
    User.objects.create_user("lea")
    page.size(360, 740)
    sign_in(page.driver, page.address, "lea", "/ask")
    page.find(".languages button").send_keys(Keys.ENTER)
    page.see("Sus preguntas")
    page.find("#history button[value=keep]").send_keys(Keys.ENTER)
    page.see("Todavía no hay ninguna guardada.")
    page.find("#q").send_keys("¿Qué edad debe tener el presidente?", Keys.ENTER)
    page.see("Guardada entre sus preguntas.")
    page.find("a[href$='#history']").send_keys(Keys.ENTER)
    page.see("Dejar de guardar mis preguntas")
    assert page.run("return document.documentElement.scrollWidth") <= 360
    assert page.run(SMALL_TARGETS) == []
    page.find("#history li a").send_keys(Keys.ENTER)
    page.see("thirty five Years")
    page.open("/ask").find("#history li button").send_keys(Keys.ENTER)
    page.see("Todavía no hay ninguna guardada.")
