"""The admin's form of a user in a real browser."""

import pytest
from django.contrib.auth.models import User
from selenium.webdriver.common.keys import Keys

from tests.served import sign_in

pytestmark = [pytest.mark.browser, pytest.mark.django_db]


@pytest.mark.parametrize("width", [1280, 500])
def test_both_lists_of_groups_fit_the_page(browser, site, width):
    root = User.objects.create_superuser("root")
    browser.set_window_size(width, 900)
    sign_in(browser, site, "root", f"/admin/auth/user/{root.pk}/change/")
    browser.find("css selector", ".selector-chosen")
    over = "return document.documentElement.scrollWidth - document.documentElement.clientWidth"
    assert browser.execute_script(over) <= 0
    assert not [entry for entry in browser.get_log("browser") if "favicon" in entry["message"]]


def test_the_keyboard_skips_the_links_of_the_sidebar(browser, site):
    User.objects.create_superuser("root")
    sign_in(browser, site, "root", "/admin/rules/alias/")
    browser.find("css selector", "#changelist")
    press(browser, Keys.TAB, Keys.ENTER, Keys.TAB)
    assert browser.execute_script("return document.querySelector('#main').contains(document.activeElement)")


def press(browser, *keys):
    for key in keys:
        browser.switch_to.active_element.send_keys(key)
