"""The public pages in a real browser: search, filter, read, Spanish; without scripts, on a phone, by keyboard."""

from collections.abc import Iterator
from datetime import date
from urllib.parse import unquote_plus

import pytest
from django.contrib.auth.models import User
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

from retrieval.access import matters
from retrieval.access.row_security import as_system
from retrieval.answers import spanish
from retrieval.models import Click, Domain, Feedback
from retrieval.models.access import caller_for
from tests.builders import a_case_file, a_document
from tests.served import picture, sign_in, until

pytestmark = [pytest.mark.browser, pytest.mark.django_db]

FOURTH = "/law/us/const/amendment/IV"
PAGES = {
    "home": "/",
    "search": "/search?q=Can+the+police+search+my+phone%3F",
    "spanish": "/search?q=%C2%BFpueden+registrar+mi+tel%C3%A9fono%3F&language=es",
    "problem": "/search?q=%3F%3F%3F",
    "filters": "/search?q=jury&domain=us_constitution&as_of=1800-01-01",
    "provision": f"{FOURTH}?q=search+my+phone",
    "article": "/law/us/const/article/I",
    "repealed": "/law/us/const/amendment/XVIII",
    "document": "/law/us/const",
    "law": "/law/",
    "ask": "/ask",
    "answer": "/ask?q=How+old+must+the+president+be%3F&about=elections",
    "no-answer": "/ask?q=best+recipe+for+apple+pie&language=en",
    "quality": "/quality",
    "absent": "/law/us/const/amendment/XL",
    "no-citation": "/search?q=amendment+XL",
    "changes": "/changes/",
    "check": "/check/",
    "login": "/login",
}


@pytest.fixture
def page(browser, site):
    return Visit(browser, site)


class Visit:
    """A reader at work: what they do and what they see."""

    def __init__(self, driver, address):
        self.driver, self.address = driver, address

    def open(self, path):
        self.driver.get(self.address + path)
        return self

    def find(self, selector):
        return self.driver.find(By.CSS_SELECTOR, selector)

    def all(self, selector):
        return self.driver.find_elements(By.CSS_SELECTOR, selector)

    def ask(self, question):
        box = self.find("#q")
        box.clear()
        box.send_keys(question, Keys.ENTER)
        self.see(question)

    def see(self, words):
        """Waits for words in the page's main part."""
        until(
            self.driver,
            lambda _: words in self.find("main").text,
            f"“{words}” is not on {self.driver.current_url}",
        )

    def at(self, part):
        until(
            self.driver,
            lambda d: part in unquote_plus(d.current_url),
            f"{part} is not in {self.driver.current_url}",
        )

    def first(self):
        return self.find(".hit h2 a")

    def open_fold(self):
        """By the keyboard alone; without a script."""
        for summary in self.driver.find_elements(By.CSS_SELECTOR, ".fold > summary"):
            summary.send_keys(Keys.ENTER)
        return self

    def run(self, script):
        return self.driver.execute_script(script)

    def size(self, width, height):
        metrics = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False}
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)

    def prefer(self, scheme):
        features = [{"name": "prefers-color-scheme", "value": scheme}]
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})

    def clicks(self, places):
        """Waits for what browsers tell of after the page is gone."""
        kept = Click.objects.order_by("pk").values_list("locator", flat=True)
        until(self.driver, lambda _: kept.count() >= len(places), "no click is kept")
        assert list(kept) == places

    def complaints(self):
        """What the console says of broken policies, scripts and styles; answers of 4xx are no such thing."""
        return [e["message"] for e in self.driver.get_log("browser") if "status of 4" not in e["message"]]


def test_a_question_leads_to_its_provision(page):
    page.open("/").ask("Can the police search my phone?")
    assert page.first().text == "Search and seizure"
    picture(page.driver, "results")
    page.first().click()
    page.at(FOURTH)
    assert page.find("h1").text == "Search and seizure"
    assert page.find("#passage").is_displayed()
    assert page.find(".back a span").text == "Results for “Can the police search my phone?”"
    picture(page.driver, "provision")
    page.find(".turn [rel=next]").click()
    page.at("/law/us/const/amendment/V")
    page.find(".turn [rel=prev]").click()
    page.at(FOURTH)
    page.find(".crumbs a[href='/law/us/const']").click()
    page.see("The Legislative Branch")
    assert not page.complaints()


def test_filters_search_anew_in_place_and_stay_in_the_address(page):
    page.open("/search").ask("grand jury")
    page.run("window.stayed = true")
    page.find("#filters summary").click()
    page.find("input[name=domain][value=us_constitution]").click()
    page.at("domain=us_constitution")
    page.at("q=grand jury")
    assert "as_of" not in page.driver.current_url, "what is not filled in stays out of the address"
    page.run("window.asked = 0; document.addEventListener('htmx:beforeRequest', () => (window.asked += 1))")
    page.find("#id_language").send_keys("English")
    page.find("#id_as_of").send_keys("07041950")
    assert page.run("return window.asked") == 0, "a key is no search"
    page.find(".apply button").click()
    page.at("language=en")
    page.at("as_of=1950-07-04")
    assert page.run("return window.asked") == 1
    assert "language=en" in page.find(".languages [name=next]").get_attribute("value")
    assert page.run("return window.stayed"), "the page was not loaded anew"
    assert "less likely" in page.find("#said").get_attribute("textContent")
    page.open(page.driver.current_url.removeprefix(page.address))
    assert page.find("input[name=domain]").is_selected()
    assert page.first().is_displayed()
    assert not page.complaints()


def test_back_shows_the_results_before(page):
    page.open("/search").ask("grand jury")
    page.ask("commerce clause")
    page.see("Commerce Clause")
    page.driver.back()
    page.see("nswers to “grand jury”")
    assert page.find("html") and page.find("footer").is_displayed()


def test_results_are_paged(page):
    page.open(PAGES["search"])
    first = page.first().text
    page.open_fold().find(".pages [rel=next]").click()
    page.at("page=2")
    page.see("Page 2")
    assert page.first().text != first


def test_the_reader_switches_to_spanish_and_asks_in_it(page):
    page.open(FOURTH)
    page.find(".languages button").click()
    page.see("Registros e incautaciones")
    page.at(FOURTH)
    page.open("/").ask("¿Pueden registrar mi teléfono?")
    page.see("Se buscó en inglés")
    assert page.first().text == "Registros e incautaciones"
    picture(page.driver, "spanish")
    page.find(".languages button").click()
    page.see("nswers to “¿Pueden registrar mi teléfono?”")


def test_reasons_open_and_a_thumb_is_thanked_for_in_place(page):
    page.open("/search?q=double+jeopardy")
    page.find(".why summary").click()
    page.see("It is known as “double jeopardy”")
    page.find(".thumbs button[value=helpful]").send_keys(Keys.ENTER)
    page.see("Thank you.")
    assert page.driver.switch_to.active_element.text == "Thank you."
    assert Feedback.objects.get().locator == "/us/const/amendment/V"
    page.at("/search?q=double jeopardy")


def test_what_a_result_says_in_short_is_in_spanish_once_it_is_unfolded(page, monkeypatch):
    monkeypatch.setattr(spanish.loaded, "apertium_into_spanish", lambda: "a machine")
    monkeypatch.setattr(spanish, "terms_at", lambda version: None)
    monkeypatch.setattr(spanish, "into_spanish", lambda text, *_rest: text.upper())
    ann = User.objects.create_user("ann")
    kept = "The landlord shall return the deposit within thirty days. " + "The tenant keeps the rooms clean. " * 60
    a_case_file("Lease of Ibarreche", kept, granted_to=caller_for(ann))
    sign_in(page.driver, page.address, "ann")
    page.open("/search?q=return+the+deposit&domain=client_cases").find(".languages button").click()
    page.see("En pocas palabras")
    page.find(".hit .why summary").click()
    page.see("THE LANDLORD SHALL RETURN THE DEPOSIT")
    page.see("The landlord shall return the deposit")


def test_a_thumb_that_fails_is_sent_as_a_page(page):
    page.open("/search?q=double+jeopardy")
    page.run("document.body.addEventListener('htmx:configRequest', (event) => (event.detail.path = '/nowhere'))")
    page.find(".thumbs button[value=unhelpful]").click()
    page.see("Thank you")
    page.at("/feedback")
    assert Feedback.objects.get().verdict == "unhelpful"


def test_opening_a_result_counts_once(page):
    page.open("/search?q=double+jeopardy")
    page.first().click()
    page.at("/law/us/const/amendment/V")
    page.clicks(["/us/const/amendment/V"])
    assert not page.complaints()


def test_the_outline_shows_where_one_reads(page):
    page.open("/law/us/const/amendment/XXV/section/4")
    current = page.find(".outline [aria-current=page]")
    assert current.is_displayed()
    assert (
        0
        < page.run("return document.querySelector('.outline [aria-current]').getBoundingClientRect().top")
        < 1200
    )


def test_the_citation_can_be_copied(page):
    page.open(FOURTH)
    button = page.find("[data-copy=citation]")
    page.driver.execute_cdp_cmd("Browser.grantPermissions", {"permissions": ["clipboardSanitizedWrite"]})
    button.click()
    until(page.driver, lambda _: button.text == "Copied")


def test_a_problem_is_said_beside_the_box(page):
    page.open("/search")
    page.find("#q").send_keys("???", Keys.ENTER)
    page.see("Ask something: the query is empty.")
    assert page.find("#q").get_attribute("value") == "???"


class TestWithoutScripts:
    @pytest.fixture
    def scripts(self):
        return False

    def test_everything_still_works(self, page):
        page.open("/").ask("commerce clause")
        page.find("#filters summary").click()
        page.find("input[name=domain]").click()
        page.find(".apply button").click()
        page.at("domain=us_constitution")
        page.find(".thumbs button[value=unhelpful]").click()
        page.see("Thank you")
        page.find("main a.button").click()
        page.at("/search?")
        page.first().click()
        page.see("To regulate Commerce with foreign Nations")
        page.clicks(["/us/const/article/I/section/8/clause/3"])
        assert not page.find("[data-copy]").is_displayed()
        page.find(".turn [rel=next]").click()
        page.at("/clause/4")
        page.find(".languages button").click()
        page.see("Naturalización y quiebras")

    def test_an_answer_is_asked_for_read_and_asked_on(self, page):
        page.open("/ask").ask("How old must the president be?")
        page.see("thirty five Years")
        assert not page.find("[data-print]").is_displayed()
        page.find("#further-q").send_keys("and a senator?", Keys.ENTER)
        page.at("about=How old must the president be?")
        page.find(".answered figcaption a").click()
        page.see("Constitution")


def test_no_page_is_wider_than_a_phone_and_every_target_fits_a_finger(page):
    for name, path in PAGES.items():
        page.size(360, 740)
        page.open(path).run("document.documentElement.style.fontSize = '200%'")
        assert page.run(TOO_WIDE) <= 0, f"{name} with text twice as large"
        page.size(320, 740)
        page.run("document.documentElement.style.fontSize = ''")
        assert page.run(TOO_WIDE) <= 0, name
        assert page.run(SMALL_TARGETS) == [], name
        assert page.run(BLANK_BUTTONS) == [], name
        picture(page.driver, f"phone-{name}")


def test_private_documents_of_both_sides_fit_a_phone_in_spanish(page):
    ann, ben = User.objects.create_user("ann"), User.objects.create_user("ben")
    domain = Domain.objects.get(slug="client_cases")
    own = a_document(domain, title="Matter of Quetzal", owner=f"user:{ann.pk}")
    others = a_document(domain, title="Lease", owner=f"user:{ben.pk}", offered_to=f"user:{ann.pk}")
    with as_system():
        own.grants.create(name=f"user:{'long' * 20}", principal="nobody:long", role="contributor")
        others.grants.create(name="user:ann", principal=f"user:{ann.pk}", role="contributor")
    sign_in(page.driver, page.address, "ann")
    page.size(360, 740)
    page.open("/private").find(".languages button").click()
    page.see("Ser su propietario")
    assert page.run("return document.documentElement.scrollWidth") <= 360
    assert page.run(SMALL_TARGETS) == []
    picture(page.driver, "phone-private")


def test_a_matter_is_worked_on_from_a_phone_by_keyboard(page):
    lead = caller_for(User.objects.create_user("lea"))
    matter = matters.open_matter("Vermilion-77", "Xiomara Quetzalcoatlus", lead)
    matters.add_deadline(matter, "File the brief at the courthouse in person", date(2020, 2, 3), lead)
    matters.set_member(matter, f"user:{'long' * 20}", "reader", lead)
    sign_in(page.driver, page.address, "lea")
    page.size(390, 844)
    page.open("/private").see("Overdue since Feb. 3, 2020")
    page.open(f"/private/matters/{matter.public_id}").see("Xiomara Quetzalcoatlus")
    picture(page.driver, "phone-matter")
    page.find("input[name=what]").send_keys("Answer", Keys.TAB, "05172030", Keys.ENTER)
    page.see("May 17, 2030")
    page.run("document.documentElement.style.fontSize = '200%'")
    assert page.run("return document.documentElement.scrollWidth") <= 390
    page.run("document.documentElement.style.fontSize = ''")
    page.size(1280, 800)
    assert page.run(CUT_CHOICES) == []
    page.size(390, 844)
    assert page.run(SMALL_TARGETS) == []
    page.find(".languages button").click()
    page.see("Vencido desde")
    page.find("details summary").send_keys(Keys.ENTER)
    assert page.run("return document.documentElement.scrollWidth") <= 390
    page.find("details input[name=reference]").send_keys("Vermilion-77", Keys.ENTER)
    page.see("No es miembro de ningún asunto")


# Targets under 24 px, the least of WCAG 2.2 (2.5.8), which links inside sentences need not reach; those that
# one searches, turns pages or switches with have 44 px.
SMALL_TARGETS = """
const visible = e => e.checkVisibility() && !e.closest('.visually-hidden, .skip');
const height = e => Math.round((e.closest('label') ?? e).getBoundingClientRect().height);
const inline = e => e.closest('p, .notes, .law, dd, cite, .brief sup') && !e.closest('.back, .apply');
const all = [...document.querySelectorAll('a, button, input:not([type=hidden]), select, summary')].filter(visible);
const main = 'button, select, input, summary, .turn a, .pages a, .outline a, .site-nav a, .brand';
return all.filter(e => !inline(e) && height(e) < (e.matches(main) ? 44 : 24)).map(e => e.outerHTML.slice(0, 90));
"""


TOO_WIDE = "return document.documentElement.scrollWidth - document.documentElement.clientWidth"
BLANK_BUTTONS = """
const shows = e => [...e.querySelectorAll('svg, span')].some(one => one.getBoundingClientRect().width > 4);
const blank = e => e.checkVisibility() && !e.querySelector('svg') && [...e.children].length && !shows(e);
return [...document.querySelectorAll('button')].filter(blank).map(e => e.outerHTML.slice(0, 90));
"""


def test_pages_look_right_on_a_desk_and_in_the_dark(page):
    page.size(1280, 900)
    for name, path in PAGES.items():
        page.open(path)
        for scheme in ("light", "dark"):
            page.prefer(scheme)
            assert page.run("return document.documentElement.scrollWidth") <= 1280
            picture(page.driver, f"{scheme}-{name}")
    assert page.run("return getComputedStyle(document.body).backgroundColor") == "rgb(22, 23, 26)"
    assert not page.complaints()


def test_the_header_is_one_line_on_a_desk(page):
    User.objects.create_user("ann")
    sign_in(page.driver, page.address, "ann")
    page.size(1280, 900)
    for other in ("es", "en"):
        page.open(FOURTH)
        assert page.run("return document.querySelector('.masthead').offsetHeight") < 90
        page.find(".languages button").click()
        until(page.driver, lambda d, lang=other: d.execute_script("return document.documentElement.lang") == lang)


def test_what_stands_together_is_told_apart(page):
    page.open("/law/us/const")
    gaps = page.run(
        "return [...document.querySelectorAll('.outline .muted')].map(e => parseFloat(getComputedStyle(e).marginLeft))"
    )
    assert gaps and min(gaps) > 4
    page.open("/search?q=jury&as_of=1950-01-01")
    display = "return getComputedStyle(document.querySelector('p > .choice')).display"
    assert page.run(display) == "flex"
    page.open(PAGES["answer"])
    borders = "return [...document.querySelectorAll('.answer-tools button')].map(e => getComputedStyle(e).borderStyle)"
    assert set(page.run(borders)) == {"solid"}


def test_paper_has_what_a_page_is_of_and_no_forms(page):
    printed = ((".outline.whole", PAGES["document"], True), (".filter-row", PAGES["changes"], False))
    for selector, path, is_shown in printed:
        page.open(path).driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
        assert page.find(selector).is_displayed() == is_shown
        page.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": ""})


def test_a_brief_is_read_on_in_another_language(page):
    page.open("/check/").find("textarea").send_keys("See U.S. Const. amend. XXVIII.")
    page.find("#brief button").click()
    page.see("There is no U.S. Const. amend. XXVIII")
    page.find(".languages button").click()
    page.see("Escrito revisado")
    assert "XXVIII" in page.find("textarea").get_attribute("value")
    page.open("/check/").see("Revisar un escrito")


def test_the_keyboard_reaches_search_and_results_in_order(page):
    page.open(PAGES["search"])
    reached = []
    for _ in range(14):
        page.driver.switch_to.active_element.send_keys(Keys.TAB)
        focused = page.driver.switch_to.active_element
        reached.append(focused.get_attribute("id") or focused.get_attribute("class") or focused.text)
        shown = "return getComputedStyle(document.activeElement.closest('.ask') ?? document.activeElement).outlineStyle"
        assert page.run(shown) != "none"
    assert reached[0] == "skip"
    assert reached.index("q") < reached.index("Filters") < reached.index("Search and seizure")


def test_an_answer_is_reached_copied_and_asked_on_by_keyboard(page):
    page.open("/ask").ask("How old must the president be?")
    page.see("thirty five Years")
    page.find("[data-copy=answer]").send_keys(Keys.ENTER)
    page.see("Copied")
    page.find("#further-q").send_keys("and a senator?", Keys.ENTER)
    page.at("about=How old must the president be?")


def test_skipping_leads_to_the_content(page):
    page.open(PAGES["search"])
    page.driver.execute_script("arguments[0].focus()", page.find(".skip"))  # shown only to the keyboard
    page.driver.switch_to.active_element.send_keys(Keys.ENTER)
    until(page.driver, lambda d: d.switch_to.active_element.get_attribute("id") == "main")


# Selects that are narrower than their longest choice.
CUT_CHOICES = """
const natural = (select) => {
  const free = select.cloneNode(true);
  free.style.cssText = 'width: max-content; position: absolute';
  select.parentNode.append(free);
  const width = free.offsetWidth;
  free.remove();
  return width;
};
return [...document.querySelectorAll('select')].filter((s) => s.offsetWidth < natural(s) - 1).map((s) => s.name);
"""
CONTROLS = "a[href], button, input:not([type=hidden]), select, summary, textarea"


def names_of_controls(driver) -> list[str]:
    """The name of each thing that one can use on a page, as the browser tells a screen reader. All are asked for at
    once: one at a time they took most of the test.
    """
    driver.execute_script(
        "for (const e of document.querySelectorAll(arguments[0])) e.toggleAttribute('data-shown', e.checkVisibility())",
        CONTROLS,
    )
    root = driver.execute_cdp_cmd("DOM.getDocument", {"depth": -1})["root"]
    asked = {"nodeId": root["nodeId"], "selector": "[data-shown]"}
    shown = driver.execute_cdp_cmd("DOM.querySelectorAll", asked)["nodeIds"]
    numbers = {node["nodeId"]: node["backendNodeId"] for node in nodes_of(root)}
    told = driver.execute_cdp_cmd("Accessibility.getFullAXTree", {})["nodes"]
    names = {each.get("backendDOMNodeId"): each.get("name", {}).get("value", "") for each in told}
    return [names.get(numbers[node], "") for node in shown]


def nodes_of(node: dict) -> Iterator[dict]:
    yield node
    for child in node.get("children", ()):
        yield from nodes_of(child)


def test_every_control_has_a_name_and_headings_go_down_step_by_step(page):
    page.open(PAGES["home"]).run("document.body.append(document.createElement('button'))")
    assert "" in names_of_controls(page.driver)
    for name, path in PAGES.items():
        page.open(path)
        names = until(page.driver, names_of_controls, f"{name} has no controls")
        assert "" not in names, name
        headings = "document.querySelectorAll('main :is(h1,h2,h3,h4,h5,h6)')"
        levels = page.run(f"return [...{headings}].map(h => +h.tagName[1])")
        assert levels.count(1) == 1, name
        in_article = levels[levels.index(1) :]
        assert all(b - a <= 1 for a, b in zip(in_article, in_article[1:], strict=False)), (name, levels)


def test_staff_see_where_a_result_comes_from(page, admin_client):
    page.open("/robots.txt").driver.add_cookie(
        {"name": "sessionid", "value": admin_client.cookies["sessionid"].value}
    )
    page.open("/search?q=double+jeopardy")
    page.find(".count a").click()
    page.see("Candidates kept")
    assert page.run("return document.querySelector('progress').value") >= 0
    picture(page.driver, "trace")
    page.size(360, 740)
    assert page.run("return document.documentElement.scrollWidth") <= 360
