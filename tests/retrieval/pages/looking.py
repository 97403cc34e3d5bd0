"""Looks at pages as a browser reads them."""

import re
from urllib.parse import urlsplit

from lxml import etree

from retrieval.access.row_security import as_system
from retrieval.models import Document, Domain, Section
from retrieval.ranking import Candidate
from rules.models import DomainThreshold
from rules.thresholds.publishing import publish
from rules.thresholds.stages import features

FOURTH = "/law/us/const/amendment/IV"
BLOCKS = {"dd", "div", "dt", "h1", "h2", "li", "p", "td", "th"}
HTMX = {"HTTP_HX_REQUEST": "true"}
ADDRESSES = [
    "/", "/search", "/search?q=jury", "/search?q=%3F%3F", "/law/", "/law/us/const", "/law/us/const/article/I",
    FOURTH, f"{FOURTH}?q=search", "/law/us/const/amendment/XVIII", "/nowhere",
    "/changes/", "/changes/us/const/amendment/IV",
]  # fmt: skip


class Page:
    """What a browser reads: its text, and the attributes of every element by tag; without a value they are ""."""

    def __init__(self, response):
        self.elements: list[tuple[str, dict]] = []
        self.words: list[str] = []
        written = response.content.replace(b"\0", "\ufffd".encode())  # as browsers read it
        etree.fromstring(written, etree.HTMLParser(target=self, encoding="utf-8"))

    def start(self, tag, attributes):
        self.elements.append((tag, dict(attributes)))
        if tag in BLOCKS:
            self.words.append(" ")

    def data(self, words):
        self.words.append(words)

    def close(self):
        """lxml asks for it at the end."""

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


def decline_everything():
    constitution = Domain.objects.get(slug="us_constitution")
    scores = features(Candidate(section_id=0))
    weights = dict.fromkeys(scores, 0) | {"intercept": -9}
    publish(DomainThreshold(domain=constitution, answer_minimum=0.9, calibration=weights, reason="a test"))
