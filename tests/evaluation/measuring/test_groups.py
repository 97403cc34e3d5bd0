"""Measures by body of law and language."""

import pytest

from evaluation.measuring.groups import ALL, differences, grouped, of_all
from evaluation.measuring.results import TopicResult
from evaluation.topics.topic import Topic
from tests.builders import a_document, a_domain, a_section

pytestmark = pytest.mark.django_db
SPEECH = "/us/const/amendment/I"


def result(locators: tuple[str, ...], *, abstained: bool = False, p: float = 0.5, **topic) -> TopicResult:
    asked = Topic(**{"id": "t", "query": "q", "relevant": {SPEECH: 3}} | topic)
    return TopicResult(asked, locators, abstained, 1.0, p, (), probabilities=(p,) * len(locators))


@pytest.fixture
def lease() -> str:
    return a_section(a_document(a_domain(slug="leases"), title="Lease"), "Landlord repairs the roof.").locator


def test_what_stands_first_is_of_the_right_body_or_not(lease):
    found = grouped(
        [
            result((SPEECH,)),
            result((lease, SPEECH)),
            result((), abstained=True),
            result((f"{lease}/a",), domain="leases", relevant={f"{lease}/b": 3}),
            result((), domain="leases", answerable=False, relevant={}, abstained=True),
        ]
    )
    assert set(found) == {ALL, "us_constitution", "leases"}
    assert found["us_constitution"].right_body == found["us_constitution"].right_document == pytest.approx(1 / 3)
    assert (found["us_constitution"].declined, found["us_constitution"].topics) == (1, 3)
    assert found["leases"].right_body == found["leases"].right_document == 1
    assert (found[ALL].topics, found[ALL].unanswerable, found[ALL].declined_unanswerable) == (4, 1, 1)
    assert of_all(found) is found[ALL]


def test_another_document_of_the_right_body_is_not_the_right_one(lease):
    domain = a_domain(slug="letters")
    first, other = (a_section(a_document(domain, title=title), "A letter.").locator for title in "ab")
    found = grouped([result((other, first), domain="letters", relevant={first: 3})])
    assert (found["letters"].right_body, found["letters"].right_document) == (1, 0)


def test_spanish_stands_beside_english_where_the_same_is_asked_in_both():
    second = ("/us/const/amendment/X", SPEECH)
    found = grouped(
        [
            result((SPEECH,), group="a"),
            result(second, group="a", language="es"),
            result((SPEECH,), group="b"),
            result((SPEECH,), group="b", language="es"),
            result(second, group="c", language="es"),
            result((SPEECH,), group="c", relevant={SPEECH: 3, "/us/const/preamble": 3}),
            result((SPEECH,), language="es"),
        ]
    )
    told = found["us_constitution"]
    assert told.pairs == 2 and set(found) == {"us_constitution", "us_constitution, en", "us_constitution, es"}
    assert told.parallel["MRR@10"].spanish == 0.75 and told.parallel["MRR@10"].ratio.mean == 0.75
    assert found["us_constitution, es"].parallel == {} and of_all(found) is told


def test_probabilities_that_were_shown_are_held_against_what_is_relevant():
    found = grouped([result((SPEECH,), p=0.9)] * 39 + [result((SPEECH,), p=0.9, answerable=False, relevant={})])
    calibration = found["us_constitution"].calibration
    assert calibration.questions == 40 and calibration.first.error == pytest.approx(0.975 - 0.9)
    assert grouped([result((SPEECH,), abstained=True)] * 40)["us_constitution"].calibration is None


def test_what_it_costs_to_name_no_domain_is_told_by_body():
    named = [result((SPEECH,)), result((SPEECH,), answerable=False)]
    without = [result(("/us/const/preamble", SPEECH)), result((), answerable=False)]
    (told,) = differences(without, named).values()
    assert told["MRR@10"].mean == -0.5
