"""A question that is a private section's heading is answered by that section."""

import pytest

from retrieval.access.caller import Caller
from retrieval.models import Domain
from retrieval.ranking import Candidate, Reason
from retrieval.request import SearchRequest
from retrieval.search.service import search
from retrieval.stages.headed import order_of
from tests.builders import a_document, a_section, embedded, grant

pytestmark = pytest.mark.django_db
ANA = Caller(("key:901",))
CLAUSES = {
    "1. Services": "Contractor keeps the servers of Client running and tells nobody of confidentiality.",
    "2. Fees": "Client pays ninety dollars an hour within thirty days.",
    "8. Confidentiality": "Neither party tells others what it learns of the other's business, for five years.",
    "9. Governing Law": "The laws of Ohio apply.",
}


@pytest.fixture
def contract():
    document = a_document(Domain.objects.get(slug="client_cases"), title="Services agreement")
    sections = [a_section(document, text, heading=heading) for heading, text in CLAUSES.items()]
    embedded(*sections)
    grant(document, ANA)
    return document


@pytest.mark.parametrize("question", ["confidentiality", "Governing law?", "8. Confidentiality"])
def test_it_comes_first_and_is_not_declined(contract, question):
    answer = search(SearchRequest(question, domains=("client_cases",)), ANA)
    assert not answer["abstained"]
    (first, *_) = answer["results"]
    assert first["title"].casefold().endswith(question.strip("?89. ").casefold())
    assert "headed" in {reason["code"] for reason in first["reasons"]}


def test_words_beside_the_heading_ask_something_else(contract):
    answer = search(SearchRequest("confidentiality of jurors", domains=("client_cases",)), ANA)
    assert not any(reason["code"] == "headed" for hit in answer["results"] for reason in hit["reasons"])


def test_what_is_cited_stays_before_what_is_headed_so():
    cited, headed, other = (
        Candidate(n, reasons=(Reason(code, {}),)) for n, code in enumerate(("citation", "headed", "dense"))
    )
    assert sorted((other, headed, cited), key=order_of) == [cited, headed, other]
