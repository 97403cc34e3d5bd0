"""The sections of an act that a question names."""

import pytest

from retrieval.access.caller import ANONYMOUS
from retrieval.models import Domain, Section
from retrieval.ranking import Query, Ranking
from retrieval.search.service import in_scope
from retrieval.stages.acts import ActRetriever
from tests.builders import a_document, a_section, embedded
from tests.retrieval.stages.leg_contract import LegContract

ADEA = "Age Discrimination in Employment Act"


class TestActRetriever(LegContract):
    leg = ActRetriever()
    finds_private = False


@pytest.fixture
def ask(db, reindex):
    """Asks of a part of title 29: an act of two sections, one before it and one behind, all of the same words."""
    domain = Domain.objects.get(slug="us_code")
    document = a_document(domain, locator="/us/usc/t29")
    chapters = (("ch13", 1), ("ch14", 3), ("ch15", 6))
    for name, position in chapters:
        a_section(document, locator=f"/us/usc/t29/{name}", position=position, depth=1, is_result=False)
    text = "An employer shall dismiss nobody for his years{}."
    rows = (("s557", 2, ""), ("s621", 4, ""), ("s634", 5, " of age"), ("s651", 7, " of age"))
    embedded(
        *(
            a_section(document, text.format(more), locator=f"/us/usc/t29/{name}", position=position, depth=2)
            for name, position, more in rows
        )
    )
    reindex()

    def asked(text: str) -> Ranking:
        scopes, in_force = in_scope(ANONYMOUS, ("us_code",))
        query = Query(text, text, text, "en", scopes, versions=in_force)
        return ActRetriever()(Ranking(query))

    return asked


def found(ranking: Ranking) -> list[str]:
    locators = dict(Section.objects.values_list("pk", "locator"))
    return [locators[candidate.section_id].rpartition("/")[2] for candidate in ranking.candidates]


def test_sections_of_a_named_act_are_found_in_the_order_of_the_words(ask):
    ranking = ask(f"May an employer dismiss somebody of age under the {ADEA}?")
    assert found(ranking) == ["s634", "s621"]
    assert ranking.candidates[0].reasons[0].values == {"act": ADEA}


def test_without_its_last_section_an_act_is_its_division(ask):
    Section.objects.filter(locator="/us/usc/t29/s634").update(locator="/us/usc/t29/s630")
    assert set(found(ask(f"whom may an employer dismiss, {ADEA}"))) == {"s621", "s630"}


def test_a_question_that_names_no_act_asks_nothing(ask):
    ranking = ask("May an employer dismiss somebody of age?")
    assert ranking.candidates == () and "no act" in ranking.note


def test_an_act_of_a_law_that_is_not_here_finds_nothing(ask):
    assert ask("What does the Clean Air Act say of employers?").candidates == ()
