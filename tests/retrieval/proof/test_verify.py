import pytest

from retrieval.proof.types import Source
from retrieval.proof.verify import LONGEST, verify
from tests.retrieval.proof.provisions import AGE, EVERY, SEARCHES


def verdicts(text, language="en"):
    return [claim.verdict for claim in verify(text, EVERY, language=language)]


@pytest.mark.parametrize("source", EVERY)
def test_the_laws_own_words_are_supported(source):
    assert set(verdicts(source.text)) - {"not_a_claim"} == {"supported"}


def test_a_changed_number_is_contradicted_and_its_place_shown():
    (claim,) = verify("The President must be at least 30 years of age.", EVERY, language="en")
    assert (claim.verdict, claim.problems, claim.source) == ("contradicted", ("number",), 2)
    assert "thirty five Years" in AGE.text[slice(*claim.span)]


def test_what_the_sources_do_not_say_is_not_found():
    assert verdicts("Bananas are taxed at harbors. Dogs must wear a collar in parks.") == ["not_found"] * 2


def test_an_invented_permission_is_not_supported():
    (verdict,) = verdicts("Police may search a phone without a warrant.")
    assert verdict != "supported"


def test_plain_words_are_understood():
    assert verdicts("In peacetime soldiers cannot be housed in a home without the owner's consent.") == [
        "supported"
    ]


def test_spanish_is_compared_with_english():
    text = "El presidente debe tener al menos 35 años de edad. El presidente debe tener al menos 30 años de edad."
    assert verdicts(text, "es") == ["supported", "contradicted"]


def test_nothing_to_verify():
    assert verdicts("I don't know.") == ["not_a_claim"]
    assert verdicts("") == []


def test_without_sources_nothing_is_found():
    assert {claim.verdict for claim in verify(SEARCHES.text, (), language="en")} == {"not_found"}


@pytest.mark.parametrize(
    ("said", "verdict"),
    [
        ("In 2020 the agency sued a maker of toys.", "not_found"),  # of the world, not of the law
        ("The agency shall issue rules on toys not later than May 1, 1995.", "contradicted"),
    ],
)
def test_a_date_contradicts_where_the_law_has_another_in_its_place(said, verdict):
    law = Source("/x", "x", "Not later than May 1, 1994, the agency shall issue rules on the safety of toys.")
    assert [claim.verdict for claim in verify(said, (law,), language="en")] == [verdict]


def test_what_is_too_long_for_a_sentence_is_not_found():
    law = " ".join(f"word{n}" for n in range(LONGEST + 1))
    (claim,) = verify(f"{law}.", [Source("/x", "x", law, "en")], language="en")
    assert claim.verdict == "not_found"
