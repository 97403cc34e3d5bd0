"""The admin's frame and its form of a user in a real browser."""

import pytest
from django.contrib.auth.models import User
from selenium.webdriver.common.keys import Keys

from tests.served import sign_in, until

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


def test_the_keyboard_opens_menus_and_filters_and_what_is_drawn_has_a_name(browser, site):
    User.objects.create_superuser("root")
    browser.set_window_size(900, 900)
    sign_in(browser, site, "root", "/admin/rules/alias/")
    for words, key in (("Menu", Keys.ENTER), ("root", Keys.SPACE)):
        button = named(browser, words)
        assert button.get_attribute("aria-expanded") == "false"
        button.send_keys(key)
        assert button.get_attribute("aria-expanded") == "true"
    named(browser, "Filters").send_keys(Keys.ENTER)
    state = "return Alpine.evaluate(document.getElementById('changelist-filter'), 'filterOpen')"
    until(browser, lambda b: b.execute_script(state))
    assert "chevron" not in browser.find("css selector", "[role=main] h1").accessible_name
    for path, box in (("/admin/upload/", ".select2-search__field"), ("/admin/rules/rule/add/", ".select2-selection")):
        browser.get(site + path)
        until(browser, lambda b, part=box: b.find("css selector", part).accessible_name, path)


def named(browser, words):
    """The first button whose name, as a browser tells it, has these words."""
    found = browser.find_elements("css selector", "[role=button]")
    return next(button for button in found if words in button.accessible_name)


def press(browser, *keys):
    for key in keys:
        browser.switch_to.active_element.send_keys(key)
