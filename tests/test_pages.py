"""The public pages by Django's client: what they show, to whom, in which language, and with which headers."""

import re
from datetime import UTC, date, datetime
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import parse_qs, urlencode, urlsplit

import pytest
from django.conf import settings
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import translation

from retrieval import reading, reranking, retrievers, search
from retrieval.api import throttles
from retrieval.errors import ArfError, NotRun
from retrieval.models import Citation, Click, Document, Domain, Feedback, SearchLog, Section
from retrieval.presentation import wanted_stems
from retrieval.ranking import Candidate
from retrieval.row_access import as_system
from retrieval.templatetags import law
from retrieval.views import EXAMPLES, PROBLEMS
from rules import stages
from rules.models import DomainThreshold
from rules.thresholds import publish

pytestmark = pytest.mark.django_db

CSS = Path(settings.BASE_DIR, "templates/static/retrieval/retrieval.css")
FOURTH = "/law/us/const/amendment/IV"
BLOCKS = {"dd", "div", "dt", "h1", "h2", "li", "p", "td", "th"}
HTMX = {"HTTP_HX_REQUEST": "true"}
ADDRESSES = [
    "/", "/search", "/search?q=jury", "/search?q=%3F%3F", "/law/", "/law/us/const", "/law/us/const/article/I",
    FOURTH, f"{FOURTH}?q=search", "/law/us/const/amendment/XVIII", "/nowhere",
]  # fmt: skip


class Page(HTMLParser):
    """What a browser reads: its text, and the attributes of every element by tag."""

    def __init__(self, response):
        super().__init__()
        self.elements: list[tuple[str, dict]] = []
        self.words: list[str] = []
        self.feed(response.content.decode())

    def handle_starttag(self, tag, attributes):
        self.elements.append((tag, dict(attributes)))
        if tag in BLOCKS:
            self.words.append(" ")

    def handle_data(self, words):
        self.words.append(words)

    @property
    def text(self):
        return " ".join("".join(self.words).split())

    def all(self, tag, **wanted):
        return [a for t, a in self.elements if t == tag and all(a.get(n) == v for n, v in wanted.items())]

    def links(self):
        return [a["href"] for a in self.all("a") if "href" in a]


def look(client, address, status=200, **headers):
    response = client.get(address, **headers)
    assert response.status_code == status, address
    return Page(response)


def look_for(client, question, **parameters):
    response = client.get("/search", {"q": question, **parameters})
    assert response.status_code == 200
    return Page(response)


def hits(page):
    """Locators of the results, in order."""
    return [
        urlsplit(link).path.removeprefix("/law") for link in page.links() if re.search("passage=|#", link)
    ][1:]


# -- Search


def test_a_result_shows_its_citation_names_place_and_reasons(client):
    page = look_for(client, "commerce clause")
    assert hits(page)[0] == "/us/const/article/I/section/8/clause/3"
    for words in (
        "Commerce Clause", "U.S. Const. art. I, § 8, cl. 3", "Congress regulates trade between states",
        "US Constitution › Article I: The Legislative Branch › Section 8: Powers of Congress",
        "To regulate Commerce with foreign Nations", "It is known as “commerce clause”",
    ):  # fmt: skip
        assert words in page.text


def test_a_question_turns_nothing_around_it(client):
    page = client.get("/search", {"q": "\u202ejury"}).content.decode()
    assert "Results for “<bdi>\u202ejury</bdi>”" in page
    assert "<bdi>&lt;b&gt; jury</bdi>" in client.get("/search", {"q": "<b> jury"}).content.decode()


def test_found_words_are_marked(client):
    response = client.get("/search", {"q": "regulate commerce with foreign nations"})
    assert "<mark>Commerce</mark>" in response.content.decode()


def test_words_of_mere_grammar_are_not_marked():
    assert wanted_stems("Which troops would be quartered there, and when?") == {"troop", "quarter"}


@pytest.mark.parametrize(("language", "examples"), EXAMPLES.items())
def test_every_example_is_answered(client, language, examples):
    for _, _, question in examples:
        page = look_for(client, question)
        assert f"Results for “{question}”" in page.text
        assert hits(page)


def test_the_home_page_offers_only_domains_that_hold_something(client):
    page = look(client, "/")
    assert "US Constitution" in page.text
    assert "USCIS Policy Manual" not in page.text and "Client cases" not in page.text
    assert "not legal advice" in page.text


def test_pages_of_results_lead_to_each_other(client):
    first = look_for(client, "power of congress", language="en")
    (following,) = first.all("a", rel="next")
    assert parse_qs(following["href"][1:]) == {"q": ["power of congress"], "language": ["en"], "page": ["2"]}
    second = look(client, f"/search{following['href']}")
    assert not set(hits(first)) & set(hits(second))
    assert second.all("ol", start="11")
    assert second.all("a", rel="prev")


def test_beyond_the_last_page_leads_back(client):
    page = look_for(client, "jury", page=50)
    assert "There are no more results" in page.text and "?q=jury" in page.links()


def test_an_empty_search_page_asks_and_gives_examples(client):
    assert "By citation" in look(client, "/search").text


@pytest.mark.parametrize(
    ("parameters", "problem"),
    [
        ({"q": "???"}, "Ask something: the query is empty."),
        ({"q": ""}, "Ask something: the query is empty."),
        ({"q": "x" * 2001}, "Ask in at most 2000 characters; these are 2001."),
        ({"q": "jury", "domain": "mars"}, "There is nothing to search under “mars”."),
        ({"q": "jury", "domain": "client_cases"}, "There is nothing to search under “client_cases”."),
        ({"q": "jury", "language": "de"}, "de"),
        ({"q": "jury", "page": "0"}, "1"),
        ({"q": "jury", "as_of": "2024-02-30"}, "There is no such day. Write it like 1791-12-15."),
        ({"q": "a\x00b"}, "Null"),
    ],
)
def test_what_cannot_be_asked_is_said_and_the_question_kept(client, parameters, problem):
    response = client.get("/search", parameters)
    page = Page(response)
    assert response.status_code == 400
    assert problem in page.text and page.all("input", id="q", value=parameters["q"])
    assert any(attributes.get("role") == "alert" for _, attributes in page.elements)
    assert not SearchLog.objects.exists()


@pytest.mark.parametrize(("tag", "name"), [("select", "language"), ("input", "as_of")])
def test_a_filter_with_a_problem_is_described_by_it(client, tag, name):
    page = look(client, f"/search?q=jury&{name}=zz", status=400)
    [field] = page.all(tag, name=name)
    assert field["aria-invalid"] == "true"
    assert page.all("span", id=field["aria-describedby"], role="alert")


def test_what_no_field_catches_can_be_translated():
    with pytest.raises(ArfError) as problem:
        search.check(search.SearchRequest("??"))
    assert problem.value.message in PROBLEMS


def test_the_law_of_a_day_is_searched_and_read_as_it_stood(client):
    page = look_for(client, "freedom of speech", as_of="1790-01-01")
    assert "The law as it stood on Jan. 1, 1790." in page.text
    assert "/us/const/amendment/I" not in hits(page)
    assert all("as_of=1790-01-01" in link for link in page.links() if "passage=" in link)


def test_a_domain_can_be_chosen(client):
    add_provision("us_code", "/us/usc/t99", "/us/usc/t99/s1", "Trials are by jury.")
    offered = look_for(client, "trial by jury").all("input", name="domain")
    assert [box["value"] for box in offered] == ["us_constitution", "us_code"]
    chosen = look_for(client, "trial by jury", domain="us_constitution")
    assert [b["value"] for b in chosen.all("input", name="domain") if "checked" in b] == ["us_constitution"]
    assert hits(chosen)


def test_an_abstention_says_so_and_labels_what_came_near(client):
    decline_everything()
    page = look_for(client, "best pizza in Chicago")
    assert "No provision here seems to answer this" in page.text
    assert "Near misses" in page.text and "None of these is likely to be the answer." in page.text
    assert 1 <= len(hits(page)) <= 5


def decline_everything():
    constitution = Domain.objects.get(slug="us_constitution")
    features = stages.features(Candidate(section_id=0))
    weights = dict.fromkeys(features, 0) | {"intercept": -9}
    publish(DomainThreshold(domain=constitution, answer_minimum=0.9, calibration=weights, reason="a test"))


def test_a_spanish_question_shows_what_was_searched_for(client):
    page = look_for(client, "¿Cuándo puede la policía registrar mi casa?")
    assert "Searched in English for" in page.text and hits(page)[0] == "/us/const/amendment/IV"


@pytest.mark.parametrize(
    ("language", "said"),
    [
        ("en", "There is no U.S. Const. amend. XXVIII among the law here."),
        ("es", "U.S. Const. amend. XXVIII no figura en la legislación disponible aquí."),
    ],
)
def test_a_page_says_that_what_was_cited_is_not_here(client, language, said):
    page = client.get(
        "/search", {"q": "28th amendment"}, headers={"accept-language": language}
    ).content.decode()
    assert said in page
    assert "Leave out names" not in page


def test_a_degraded_search_says_what_it_lacks(client, monkeypatch):
    def gone(*args):
        raise NotRun("the embedder is gone")

    monkeypatch.setattr(retrievers.serving, "active_embedder", gone)
    assert "Search by meaning did not answer" in look_for(client, "grand jury").text


@pytest.mark.parametrize(
    ("language", "said"),
    [
        ("en", "The order learned from judgments is missing at present"),
        ("es", "Por ahora falta el orden aprendido de los juicios"),
    ],
)
def test_a_reranker_that_cannot_be_read_is_told_of_in_words(client, monkeypatch, language, said):
    def of_another_release(*args):
        raise reranking.BadArtifact("the reranker was trained on other features: run `manage.py retrain`")

    monkeypatch.setattr(reranking, "serving", of_another_release)
    page = client.get("/search", {"q": "grand jury"}, headers={"accept-language": language}).content.decode()
    assert said in page and "LearnedReranker" not in page


def test_no_part_of_the_search_is_called_by_its_name_in_the_code():
    with translation.override("en"):
        said = law.shortcomings(["DenseRetriever", "Unknown", "EmbedQuery", "Other"])
    assert len(said) == 2 and said[1] == "A part of the search did not answer."


def test_htmx_gets_the_results_alone(client):
    response = client.get("/search", {"q": "jury"}, **HTMX)
    page = Page(response)
    assert not page.all("html") and page.all("section", id="results")
    assert page.all("p", id="said", role="status")
    assert "HX-Request" in response["Vary"]


def test_going_back_gets_the_whole_page(client):
    response = client.get("/search", {"q": "jury"}, HTTP_HX_HISTORY_RESTORE_REQUEST="true", **HTMX)
    assert Page(response).all("html")


def test_a_search_costs_few_queries(client):
    client.get("/search", {"q": "jury"})
    for question, most in (("power of the senate to impeach", 15), ("jury", 5)):
        with CaptureQueriesContext(connection) as captured:
            client.get("/search", {"q": question})
        queries = [query["sql"] for query in captured if "SAVEPOINT" not in query["sql"]]
        assert len(queries) <= most, queries


def test_every_reason_and_every_degraded_stage_has_its_sentence():
    sources = [
        *Path(settings.BASE_DIR, "retrieval").glob("*.py"),
        *Path(settings.BASE_DIR, "rules").glob("*.py"),
    ]
    codes = {code for path in sources for code in re.findall(r'Reason\(\s*"(\w+)"', path.read_text())}
    assert codes | {"dense", "lexical", "private"} <= law.REASONS.keys() | {"abstained"}


# -- Escaping


def test_a_question_is_escaped_wherever_it_stands(client):
    body = client.get("/search", {"q": "<script>alert(1)</script> jury"}).content.decode()
    assert "<script>alert" not in body and "&lt;script&gt;" in body


def test_law_is_escaped_before_it_is_marked(client):
    words = "<img src=x onerror=alert(1)> Quartering of <b>soldiers</b> & horses."
    section = add_provision("us_code", "/us/usc/t99", "/us/usc/t99/s1", words)
    result = {"snippet": words, "marks": [[15, 22], [45, 60]], "passage": [0, len(words)], "text": words}
    marked = law.snippet(result)
    body = client.get(f"/law/{section.path}", {"q": "soldiers horses"}).content.decode()
    for html in (marked, body):
        assert "<img src=x" not in html and "<b>soldiers" not in html
        assert "&lt;img src=x" in html and "<mark" in html


@as_system()
def add_provision(domain, document, locator, text, **fields):
    domain = Domain.objects.get(slug=domain)
    private = domain.is_private
    known = {"title": "A Document", "content_hash": "x", "private": private}
    document, _ = Document.objects.get_or_create(domain=domain, locator=document, defaults=known)
    position = document.sections.count() + 1
    row = {
        "level": "section", "heading": "A heading", "citation": locator, "text": text, "is_result": True,
        "live": True, "position": position, "content_hash": "x", "private": private,
    }  # fmt: skip
    return Section.objects.create(domain=domain, document=document, locator=locator, **(row | fields))


# -- Reading


def test_the_reader_shows_a_provision_in_its_place(client):
    page = look(client, "/law/us/const/article/I/section/8/clause/3")
    for words in (
        "Commerce Clause", "To regulate Commerce with foreign Nations", "Cite as U.S. Const. art. I, § 8, cl. 3",
        "In force since March 4, 1789", "www.archives.gov", "Not legal advice",
    ):  # fmt: skip
        assert words in page.text
    assert page.all("link", rel="canonical")[0]["href"].endswith("/law/us/const/article/I/section/8/clause/3")
    assert page.all("a", rel="prev")[0]["href"] == "/law/us/const/article/I/section/8/clause/2"
    assert page.all("a", rel="next")[0]["href"] == "/law/us/const/article/I/section/8/clause/4"
    assert {"aria-current": "page"}.items() <= page.all(
        "a", href="/law/us/const/article/I/section/8/clause/3"
    )[0].items()


def test_the_hierarchy_is_open_where_one_reads(client):
    page = look(client, "/law/us/const/amendment/XIV/section/1")
    opened = [attributes for attributes in page.all("details") if "open" in attributes]
    assert len(opened) == 1
    assert "/law/us/const/article/III/section/2/clause/1" in page.links()


def test_reading_on_leads_through_the_whole_constitution(client):
    address, seen = "/law/us/const/preamble", []
    while address:
        seen.append(address.removeprefix("/law"))
        following = reading.open_locator(seen[-1], reading.Reader()).next
        address = f"/law{following.locator}" if following else None
    in_order = (
        Section.objects.readable(reading.ANONYMOUS).results().filter(document__locator="/us/const").in_order()
    )
    under_another = {"/us/const/article/I/section/8/clause/"}
    assert seen == [s for s in in_order.values_list("locator", flat=True) if not s.startswith(*under_another)]


def test_a_place_above_shows_what_is_below_it_in_order(client):
    page = look(client, "/law/us/const/article/I/section/8")
    names = [a["id"] for a in page.all("section") if a.get("id", "").startswith("clause-")]
    assert names == [f"clause-{number}" for number in range(1, 19)]
    assert "section-8-clause-3" in [
        a.get("id") for a in look(client, "/law/us/const/article/I").all("section")
    ]


def test_what_is_too_long_for_a_page_shows_its_outline(client, monkeypatch):
    monkeypatch.setattr(reading, "LONGEST", 10)
    page = look(client, "/law/us/const/article/III")
    assert not [a for a in page.all("section") if a.get("id", "").startswith("section-")]
    assert page.links().count("/law/us/const/article/III/section/1") == 2


def test_a_large_document_opens_as_one_reads(client, monkeypatch):
    monkeypatch.setattr(reading, "WHOLE_OUTLINE", 10)
    page = look(client, "/law/us/const/article/III/section/2/clause/1")
    assert "/law/us/const/article/III/section/2/clause/2" in page.links()
    assert "/law/us/const/amendment/I" in page.links()
    assert "/law/us/const/article/I/section/2/clause/1" not in page.links()


def test_the_passage_found_is_highlighted(client):
    page = look(client, f"{FOURTH}?q=search&passage=0-40")
    marks = page.all("mark")
    assert marks[0]["id"] == "passage" and len(page.all("mark", id="passage")) == 1
    assert not look(client, FOURTH).all("mark")


@pytest.mark.parametrize("passage", ["9-2", "0-999999", "x", "-1-4", "1e3-4"])
def test_a_mangled_passage_is_sought_anew(client, passage):
    assert look(client, f"{FOURTH}?q=warrants&passage={passage}").all("mark", id="passage")


def test_every_result_leads_to_its_highlighted_passage(client):
    for link in look_for(client, "unreasonable searches and seizures").links():
        if "passage=" in link:
            assert look(client, link.split("#")[0]).all("mark", id="passage"), link


def test_citations_in_the_text_and_in_notes_are_links(client):
    fourth = Section.objects.live().get(locator="/us/const/amendment/IV")
    fifth = Section.objects.live().get(locator="/us/const/amendment/V")
    Citation.objects.create(
        source=fourth, target=fifth, target_locator=fifth.locator, text="The right", start=0, end=9
    )
    assert look(client, FOURTH).links().count("/law/us/const/amendment/V") >= 3  # outline, next, the text
    noted = look(client, "/law/us/const/article/I/section/3/clause/1")
    assert "the Seventeenth Amendment" in noted.text
    assert noted.links().count("/law/us/const/amendment/XVII") == 2
    assert "Cited by U.S. Const. art. I, § 3, cl. 1" in look(client, "/law/us/const/amendment/XVII").text


def test_repealed_law_says_so(client):
    page = look(client, "/law/us/const/amendment/XVIII/section/1")
    assert "Repealed by section 1 of the Twenty-first Amendment." in page.text
    assert "Took effect Jan. 16, 1919" in page.text and "In force since" not in page.text
    assert "/law/us/const/amendment/XXI/section/1" in page.links()


def test_a_deeper_place_leads_to_where_it_stands(client):
    section = add_provision("us_code", "/us/usc/t99", "/us/usc/t99/s1", "(a) One.\n(1) Two.")
    section.anchors.create(locator="/us/usc/t99/s1/a/1", level="paragraph", number="1", start=9, end=17)
    response = client.get("/law/us/usc/t99/s1/a/1")
    assert (response.status_code, response["Location"]) == (302, "/law/us/usc/t99/s1#a-1")
    assert look(client, "/law/us/usc/t99/s1").all("span", id="a-1")


def test_old_versions_are_read_by_their_day(client):
    add_provision(
        "us_code",
        "/us/usc/t99",
        "/us/usc/t99/s1",
        "Old words.",
        valid_from=date(2000, 1, 1),
        valid_to=date(2010, 1, 1),
    )
    add_provision("us_code", "/us/usc/t99", "/us/usc/t99/s1", "New words.", valid_from=date(2010, 1, 1))
    now, then = look(client, "/law/us/usc/t99/s1"), look(client, "/law/us/usc/t99/s1?as_of=2005-05-05")
    assert "New words." in now.text and "Old words." not in now.text
    assert "/law/us/usc/t99/s1?as_of=2000-01-01" in now.links()
    assert "Old words." in then.text and "As it stood on May 5, 2005." in then.text
    look(client, "/law/us/usc/t99/s1?as_of=1999-01-01", status=404)


def test_what_is_no_longer_in_force_is_shown_as_that(client):
    add_provision("us_code", "/us/usc/t99", "/us/usc/t99/s1", "Old words.", valid_to=date(2010, 1, 1))
    assert "This text has not been in force since Jan. 1, 2010." in look(client, "/law/us/usc/t99/s1").text


def test_documents_are_listed_by_domain_and_show_their_contents(client):
    assert "/law/us/const" in look(client, "/law/").links()
    contents = look(client, "/law/us/const")
    assert {"/law/us/const/preamble", "/law/us/const/amendment/XXVII"} <= set(contents.links())


@pytest.mark.parametrize(
    "path", ["us/const/amendment/XL", "nope", "us/const//", "%00", "us/const/../x", "é" * 400]
)
def test_what_is_not_there_is_not_found(client, path):
    page = look(client, f"/law/{path}", status=200 if path == "us/const//" else 404)
    assert page.all("input", name="q")


def test_a_reader_page_costs_few_queries(client, django_assert_max_num_queries):
    with django_assert_max_num_queries(15):
        client.get("/law/us/const/article/I")


# -- Who may see what


@pytest.fixture
def case(django_user_model):
    """A private section, and the one person whom it was granted to."""
    owner = django_user_model.objects.create_user("owner", password="x")
    section = add_provision(
        "client_cases", "/client_cases/okonkwo", "/client_cases/okonkwo/facts", "A ferry strike."
    )
    section.document.grants.create(principal=f"user:{owner.pk}")
    return section, owner


def test_private_law_is_absent_for_others(client, case, django_user_model):
    section, _ = case
    absent = client.get("/law/client_cases/nothing/here").content
    stranger = Client()
    stranger.force_login(django_user_model.objects.create_user("stranger", password="x", is_staff=True))
    for other in (client, stranger):
        for path in (section.path, "client_cases/okonkwo", "client_cases/okonkwo/facts/a"):
            response = other.get(f"/law/{path}")
            assert response.status_code == 404
        bodies = [other.get(address).content.lower() for address in ("/", "/law/", "/search?q=ferry+strike")]
        assert not any(word in body for body in bodies for word in (b"okonkwo", b"client_cases"))
    path = section.path.encode()
    assert client.get(f"/law/{section.path}").content.replace(path, b"") == absent.replace(
        b"client_cases/nothing/here", b""
    )


def test_private_law_is_read_by_whom_it_was_granted_to(client, case):
    section, owner = case
    client.force_login(owner)
    assert "A ferry strike." in look(client, f"/law/{section.path}").text
    assert "client_cases" in [box["value"] for box in look(client, "/search").all("input", name="domain")]
    assert "/law/client_cases/okonkwo" in look(client, "/law/").links()


def test_a_citation_of_what_one_may_not_read_is_no_link(client, case):
    section, _ = case
    fourth = Section.objects.live().get(locator="/us/const/amendment/IV")
    Citation.objects.create(
        source=fourth, target=section, target_locator=section.locator, text="The right", start=0, end=9
    )
    with as_system():
        Citation.objects.create(
            source=section, target=fourth, target_locator=fourth.locator, text="x", start=0, end=1
        )
    assert b"client_cases" not in client.get(FOURTH).content


def test_what_a_person_sees_is_stored_nowhere_on_the_way(client, case):
    _, owner = case
    assert "no-store" not in client.get(FOURTH).get("Cache-Control", "")
    client.force_login(owner)
    for address in ("/", "/search?q=jury", FOURTH, "/law/"):
        assert "no-store" in client.get(address)["Cache-Control"]


def trace_of(client, question="jury"):
    client.get("/search", {"q": question})
    return f"/trace/{SearchLog.objects.latest('created_at').pk}"


def test_staff_are_led_to_the_trace(admin_client, client):
    page = look_for(admin_client, "double jeopardy")
    (address,) = [link for link in page.links() if link.startswith("/trace/")]
    trace = look(admin_client, address)
    for words in ("ResolveCitations", "DenseRetriever", "/us/const/amendment/V", "Candidates dropped"):
        assert words in trace.text
    assert trace.all("progress")
    assert not [link for link in look_for(client, "double jeopardy").links() if "/trace/" in link]


def test_a_trace_is_for_its_caller_and_staff(client, admin_client, case):
    _, owner = case
    client.force_login(owner)
    address = trace_of(client)
    look(client, address)
    look(admin_client, address)
    look(Client(), address, status=404)
    look(client, "/trace/00000000-0000-4000-8000-000000000000", status=404)


def test_a_cached_answer_has_a_trace(admin_client):
    for _ in range(2):
        address = trace_of(admin_client, "grand jury")
    assert "Cached yes" in look(admin_client, address).text


# -- Feedback


def thumb(client, **changes):
    log = SearchLog.objects.latest("created_at")
    said = {
        "trace_id": str(log.pk),
        "locator": log.top_locators[0],
        "verdict": "helpful",
        "next": "/search?q=jury",
    }
    return client.post("/feedback", said | changes)


def test_a_thumb_is_kept_and_thanked_for(client):
    look_for(client, "jury")
    response = thumb(client)
    assert response.status_code == 200 and "/search?q=jury" in Page(response).links()
    thumb(client, verdict="unhelpful")
    assert Feedback.objects.get().verdict == "unhelpful"


def test_a_thumb_by_htmx_is_thanked_for_in_place(client):
    look_for(client, "jury")
    log = SearchLog.objects.get()
    response = client.post(
        "/feedback", {"trace_id": log.pk, "locator": log.top_locators[0], "verdict": "helpful"}, **HTMX
    )
    assert Page(response).text == "Thank you."


@pytest.mark.parametrize("elsewhere", ["https://evil.example/", "//evil.example", "javascript:alert(1)", ""])
def test_feedback_leads_nowhere_else(client, elsewhere):
    look_for(client, "jury")
    assert not any(
        "evil" in link or "javascript" in link for link in Page(thumb(client, next=elsewhere)).links()
    )


@pytest.mark.parametrize(
    ("changes", "status"),
    [({"verdict": "great"}, 400), ({"trace_id": "x"}, 400), ({"locator": "/us/const/nothing"}, 404),
     ({"trace_id": "00000000-0000-4000-8000-000000000000"}, 404)],
)  # fmt: skip
def test_bad_feedback_is_refused(client, changes, status):
    look_for(client, "jury")
    assert thumb(client, **changes).status_code == status
    assert not Feedback.objects.exists()


def test_feedback_needs_its_token():
    strict = Client(enforce_csrf_checks=True)
    look_for(strict, "jury")
    assert thumb(strict).status_code == 403
    assert strict.get("/feedback").status_code == 405


# -- Clicks


def ping(client, address):
    """As browsers send it: without a token, whatever cookies there are."""
    return client.post(address, "PING", content_type="text/ping")


def test_every_result_pings_and_a_click_is_kept_once():
    strict = Client(enforce_csrf_checks=True)
    addresses = [a["ping"] for a in look_for(strict, "jury").all("a") if "ping" in a]
    shown = SearchLog.objects.get().top_locators
    assert len(addresses) == len(shown) == 10
    for address in (*addresses[:2], addresses[0]):
        response = ping(strict, address)
        assert (response.status_code, response.content) == (204, b"")
    assert list(Click.objects.order_by("pk").values_list("locator", flat=True)) == shown[:2]


def test_a_second_page_and_near_misses_ping_too(client):
    second = look_for(client, "jury", page="2")
    decline_everything()
    near = look_for(client, "jury")
    assert near.all("ol", **{"class": "hits near-misses"})
    for page in (second, near):
        address = next(a["ping"] for a in page.all("a") if "ping" in a)
        assert ping(client, address).status_code == 204
    assert Click.objects.count() == 2


@pytest.mark.parametrize(
    ("changes", "status"),
    [({"trace_id": "x"}, 400), ({"locator": ""}, 400), ({"locator": "/us/const/nothing"}, 404),
     ({"trace_id": "00000000-0000-4000-8000-000000000000"}, 404)],
)  # fmt: skip
def test_a_ping_of_what_was_not_shown_is_refused(client, changes, status):
    look_for(client, "jury")
    log = SearchLog.objects.get()
    said = {"trace_id": str(log.pk), "locator": log.top_locators[0]} | changes
    assert ping(client, f"/click?{urlencode(said)}").status_code == status
    assert client.get("/click").status_code == 405
    assert not Click.objects.exists()


# -- Headers, cookies, limits


def test_searches_and_traces_stay_out_of_search_engines(admin_client):
    for address in ("/search", "/search?q=jury", trace_of(admin_client)):
        response = admin_client.get(address)
        assert response["X-Robots-Tag"] == "noindex"
        assert Page(response).all("meta", name="robots", content="noindex")


def test_law_may_be_indexed_and_searches_may_not(client):
    assert "X-Robots-Tag" not in client.get(FOURTH)
    robots = client.get("/robots.txt")
    assert robots["Content-Type"].startswith("text/plain")
    assert b"Disallow: /search" in robots.content and b"Disallow: /law" not in robots.content


@pytest.mark.parametrize("address", ADDRESSES)
def test_nothing_is_inline(client, address):
    response = client.get(address)
    assert "script-src 'self'" in response["Content-Security-Policy"]
    page = Page(response)
    assert not page.all("style") and all("src" in script for script in page.all("script"))
    assert not [a for _, a in page.elements if "style" in a or any(name.startswith("on") for name in a)]


@pytest.mark.parametrize("address", [a for a in ADDRESSES if a != "/search?q=jury"])
def test_visitors_get_no_cookie_where_no_form_needs_one(client, address):
    client.get(address)
    assert not client.cookies


def test_searches_are_limited(client, settings, monkeypatch):
    settings.ARF_RATE_PER_MINUTE = 1
    monkeypatch.setattr(throttles.timezone, "now", lambda: datetime(2026, 1, 1, 12, 0, 15, tzinfo=UTC))
    away = {"REMOTE_ADDR": "203.0.113.9"}
    assert client.get("/search", {"q": "jury"}, **away).status_code == 200
    response = client.get("/search", {"q": "jury"}, **away)
    assert (response.status_code, response["Retry-After"]) == (429, "45")
    assert "Please wait 45 seconds" in Page(response).text
    assert client.get("/search", {"q": "jury"}).status_code == 200  # this machine itself


# -- Languages


def test_the_browser_s_language_is_spoken(client):
    page = look(client, "/", HTTP_ACCEPT_LANGUAGE="es-MX,es;q=0.9")
    assert page.all("html", lang="es")
    assert "¿Qué disposición lo dice?" in page.text and "Constitución de los EE. UU." in page.text


def test_the_language_is_switched_on_the_same_page(client):
    response = client.post("/language", {"language": "es", "next": f"{FOURTH}?q=search"})
    assert (response.status_code, response["Location"]) == (302, f"{FOURTH}?q=search")
    page = look(client, response["Location"])
    assert "Registros e incautaciones" in page.text and "Citar como" in page.text
    assert page.all("div", lang="en")  # the law itself


def test_the_language_switch_leads_nowhere_else(client):
    response = client.post("/language", {"language": "es", "next": "https://evil.example/"})
    assert response["Location"] == "/"


def test_results_are_named_in_spanish_first(client):
    page = look_for(client, "commerce clause")
    spanish = Page(client.get("/search", {"q": "commerce clause"}, HTTP_ACCEPT_LANGUAGE="es"))
    assert "Cláusula de comercio" in spanish.text and "Cláusula de comercio" not in page.text
    assert "Artículo I: El Poder Legislativo › Sección 8: Facultades del Congreso" in spanish.text
    assert "Se la conoce como «commerce clause»" in spanish.text
    assert [p for p in spanish.all("p", lang="en") if p.get("class") == "snippet"]


def test_problems_are_told_in_spanish(client):
    response = client.get("/search", {"q": "??"}, HTTP_ACCEPT_LANGUAGE="es")
    assert "Pregunte algo: la consulta está vacía." in Page(response).text


# -- For everybody


@pytest.mark.parametrize("language", ["en", "es"])
@pytest.mark.parametrize("address", ADDRESSES)
def test_a_page_can_be_heard_and_walked_by_keyboard(client, address, language):
    page = Page(client.get(address, HTTP_ACCEPT_LANGUAGE=language))
    assert page.all("html", lang=language)
    assert len(page.all("h1")) == 1 and len(page.all("main")) == 1
    assert page.all("header") and page.all("footer") and page.all("search")
    assert page.links()[0] == "#main"
    labelled = {label.get("for") for label in page.all("label")}
    for kind in ("input", "select"):
        for field in page.all(kind):
            assert field.get("type") in ("hidden", "checkbox") or field["id"] in labelled
    ids = [a["id"] for _, a in page.elements if "id" in a]
    assert len(ids) == len(set(ids))
    for _, attributes in page.elements:
        for pointer in ("aria-labelledby", "aria-describedby"):
            assert attributes.get(pointer, ids[0]) in ids
    assert all("alt" in image for image in page.all("img"))
    assert all(svg.get("aria-hidden") == "true" for svg in page.all("svg"))


def luminance(colour):
    channels = [int(colour[n : n + 2], 16) / 255 for n in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one, other):
    """WCAG 2.2, contrast ratio."""
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


def palettes():
    blocks = re.findall(r":root \{(.*?)\}", CSS.read_text(), re.S)[:2]
    light, dark = (dict(re.findall(r"--([\w-]+): (#\w{6});", block)) for block in blocks)
    return {"light": light, "dark": light | dark}


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize(
    ("ink", "papers", "least"),
    [
        ("ink", ("paper", "leaf", "shade", "warning"), 7),
        ("muted", ("paper", "shade"), 4.5),
        ("accent", ("paper", "shade", "warning"), 4.5),
        ("accent-ink", ("accent",), 4.5),
        ("mark-ink", ("mark", "mark-strong"), 4.5),
        ("field", ("leaf", "paper", "shade"), 3),
    ],
)
def test_every_ink_can_be_read_on_its_paper(theme, ink, papers, least):
    colours = palettes()[theme]
    for paper in papers:
        assert contrast(colours[ink], colours[paper]) >= least, (ink, paper)


def test_the_stylesheet_stays_small():
    assert CSS.stat().st_size < 25_000


# -- Errors


def test_a_failure_has_a_page_of_its_own(monkeypatch):
    monkeypatch.setattr(reading, "library", lambda caller: 1 / 0)
    careless = Client(raise_request_exception=False)
    response = careless.get("/law/", HTTP_ACCEPT_LANGUAGE="es")
    assert response.status_code == 500 and "Algo ha fallado aquí" in Page(response).text
