import pytest

from retrieval.proof.types import Source
from retrieval.proof.verify import LONGEST, verify
from tests.retrieval.proof.provisions import AGE, EVERY, SEARCHES, TREATIES

AMENDING = (
    "The Congress, whenever two thirds of both Houses shall deem it necessary, shall propose Amendments, which shall "
    "be valid when ratified by the Legislatures of three fourths of the several States."
)
PASSING = (
    "Every Resolution to which the Concurrence of the Senate and House may be necessary shall be presented to the "
    "President; and being disapproved by him, shall be repassed by two thirds of the Senate and House."
)
JUDGING = "The court may enter judgment against the United States where the plaintiff proves the claim."
ACCUSED = (
    "The accused shall enjoy the right to be confronted with the witnesses against him; to have compulsory process for "
    "obtaining witnesses in his favor, and to have the Assistance of Counsel for his defence."
)
VOTES = "The Names of the Persons voting for and against the Bill shall be entered on the Journal of each House."
PAY = (
    "Any employer who violates this section shall pay back pay to the employee within 30 days after the judgment "
    "becomes final."
)
DEPOSIT = (
    "The landlord shall return the security deposit to the tenant within 21 days after the tenant has vacated the "
    "premises."
)
GIVEN_BACK = (
    "The tenant shall get the security deposit back from the landlord within 21 days after leaving the premises."
)
LICENSE = "The licensor may inspect the books of the licensee during business hours."
SALE = "The seller shall deliver the goods to the buyer, and the buyer shall pay the seller the price."
ASYLUM = (
    "An alien may not apply for asylum unless the alien demonstrates that the application has been filed within 1 year "
    "after the date of the alien's arrival in the United States."
)
REPORT = "A report shall be filed before the end of the fiscal year."
RECORDS = "The clerk shall inform the parties of the record that the court made, and discharge the jury."


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


@pytest.mark.parametrize(
    ("law", "said"),
    [
        (TREATIES.text, "Treaties need a two-thirds majority of the Senators present."),
        (PASSING, "A joint resolution passes with a two-thirds majority of each House."),
        (JUDGING, "The court may enter judgment in favor of the plaintiff."),
        (ACCUSED, "The accused may call witnesses in favor of the defense."),
        (VOTES, "The names of those voting for the bill, in favor of it, are entered in the Journal."),
        (PAY, "Once a judgment is final, the employer has 30 days to pay the employee."),
        (DEPOSIT, GIVEN_BACK),
        (ASYLUM, "The application must be filed before the end of one year following arrival."),
        (ASYLUM, "The application must be filed prior to the close of one year after arrival."),
        (RECORDS, "The clerk shall tell the parties in due form of the record that the court made."),
    ],
)  # fmt: skip
def test_what_the_law_says_in_other_words_is_supported(law, said):
    assert [claim.verdict for claim in verify(said, (Source("/x", "x", law),), language="en")] == ["supported"]


def test_a_majority_of_three_fourths_is_no_other_share():
    said, law = "An amendment needs a three-fourths majority of the states.", Source("/x", "x", AMENDING)
    (claim,) = verify(said, [law], language="en")
    assert claim.verdict != "contradicted" and claim.problems == ()


def test_a_date_that_the_source_has_nowhere_is_never_supported():
    law = Source("/x", "x", "The agency shall issue rules on the safety of toys, and may sue a maker of toys.")
    (claim,) = verify("The agency may sue a maker of toys since 2020.", [law], language="en")
    assert (claim.verdict, claim.problems) == ("not_found", ("date",))


def test_a_share_of_a_majority_is_read_in_spanish():
    assert verdicts("Un tratado necesita una mayoría de dos tercios.", "es") == ["supported"]
    assert verdicts("Un tratado necesita una mayoría de tres cuartos.", "es") == ["contradicted"]


@pytest.mark.parametrize(
    ("law", "said"),
    [
        (TREATIES.text, "Treaties need a three-fourths majority of the Senators present."),
        (TREATIES.text, "Treaties need a simple majority of the Senators present."),
        (JUDGING, "The court may enter judgment in favor of the United States where the plaintiff proves the claim."),
        (DEPOSIT, "The tenant shall return the security deposit to the landlord within 21 days."),
        (SALE, "The buyer shall deliver the goods to the seller."),
        (LICENSE, "The licensee may inspect the books of the licensor during business hours."),
        (ASYLUM, "The application must be filed before the alien's arrival in the United States."),
        (REPORT, "A report shall be filed after the end of the fiscal year."),
        (REPORT, "A report must be filed after the close of the fiscal year."),
    ],
)  # fmt: skip
def test_what_says_the_opposite_of_the_law_is_contradicted(law, said):
    assert [claim.verdict for claim in verify(said, (Source("/x", "x", law),), language="en")] == ["contradicted"]
