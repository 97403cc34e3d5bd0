import pytest

from retrieval.proof.alignment import tokens
from retrieval.proof.checks import compare
from retrieval.proof.types import Source
from tests.retrieval.proof.provisions import AGE, SEARCHES, SOLDIERS, TREATIES


def problems(claim, source, language="en"):
    law = tokens(source.text, source.language)
    return compare(claim, tokens(claim, language), source, (0, len(source.text)), law, language).problems


def edited(source, old, new):
    assert old in source.text
    return source.text.replace(old, new)


@pytest.mark.parametrize("source", [SOLDIERS, SEARCHES, AGE, TREATIES])
def test_the_words_of_the_law_have_no_problem(source):
    assert problems(source.text, source) == ()


@pytest.mark.parametrize(
    "source, old, new, problem",
    [
        (AGE, "thirty five Years", "thirty Years", "number"),
        (AGE, "thirty five Years", "thirty five Months", "unit"),
        (TREATIES, "two thirds", "three fourths", "number"),
        (SEARCHES, "shall not be violated", "shall be violated", "negation"),
        (SEARCHES, "no Warrants shall issue", "Warrants shall issue", "negation"),
        (SOLDIERS, ", without the consent of the Owner", "", "exception"),
        (AGE, " except a natural born Citizen, or a Citizen of the United States,", "", "exception"),
        (TREATIES, "he shall nominate", "he may nominate", "modal"),
        (TREATIES, "shall appoint Ambassadors", "may appoint Ambassadors", "modal"),
        (TREATIES, "Consent of the Senate, to", "Consent of the President, to", "party"),
    ],
)
def test_a_change_of_the_laws_words_is_named(source, old, new, problem):
    assert problem in problems(edited(source, old, new), source)


@pytest.mark.parametrize(
    ("law", "said", "changed"),
    [
        ("Notice is given before the hearing.", "Notice is given after the hearing.", ("opposite",)),
        ("It is lawful to file a claim.", "It is unlawful to file a claim.", ("opposite",)),
        ("It is not lawful to file a claim.", "It is unlawful to file a claim.", ()),
        ("It is proven by clear and convincing evidence.", "It takes a preponderance of the evidence.", ("opposite",)),
        ("A majority of the board is a quorum.", "Two-thirds of the board is a quorum.", ("number",)),
        ("Two-thirds of the board is a quorum.", "A majority of the board is a quorum.", ("number",)),
        ("A majority of the board is a quorum.", "More than half of the board is a quorum.", ()),
        ("The term is 24 months.", "The term is two years.", ()),
        ("The sum is 1,500,000 dollars.", "The sum is 1.5 million dollars.", ()),
        ("Half of the fee is refunded.", "50 percent of the fee is refunded.", ()),
        ("A child has not attained 18 years of age.", "A child is 18 years of age or older.", ("number", "negation")),
        ("A child has not attained 18 years of age.", "A child is under 18.", ()),
        ("The clerk shall keep a seal.", "The clerk is not required to keep a seal.", ("negation", "modal")),
        ("He serves without pay, unless the court orders it.", "He always serves without pay.", ("exception",)),
        ("No tax shall be laid without the consent of Congress.", "A tax needs the consent of Congress.", ()),
        ("The clerk may not be paid.", "The clerk may be paid.", ("negation",)),
        ("Two members hold office.", "The Senate and the House hold office.", ()),
    ],
)  # fmt: skip
def test_opposites_and_equal_values_are_told_apart(law, said, changed):
    assert problems(said, Source("/x", "x", law)) == changed


def test_what_the_law_goes_on_with_is_not_left_out():
    law = Source(
        "/x", "x", "A prior restraint comes with a heavy presumption against it, which was not met here."
    )
    assert "negation" not in problems("A prior restraint comes with a heavy presumption against itself.", law)


def test_who_must_be_is_nobody_who_is_not():
    law = Source(
        "/x", "x", "No Person shall be a Senator who shall not have attained to the Age of thirty Years."
    )
    assert problems("A Senator must have attained the age of thirty years.", law) == ()
    assert problems("No Person shall be a Senator who shall have attained to the Age of thirty.", law) == (
        "negation",
    )


def test_an_english_once_is_no_eleven():
    assert problems("Once a Warrant shall issue, it describes the place to be searched.", SEARCHES) == ()


@pytest.mark.parametrize(
    "claim, problem",
    [
        ("The Fifth Amendment protects the people against unreasonable searches.", "section"),
        ("The text says “no Warrants shall ever issue”.", "quotation"),
    ],
)
def test_what_a_claim_says_of_the_text_is_checked(claim, problem):
    assert problems(claim, SEARCHES) == (problem,)


@pytest.mark.parametrize(
    ("said", "changed"),
    [
        ("Dice: “no Warrants shall issue, but upon reasonable suspicion”.", True),
        ("Dice: “no Warrants shall issue, but upon probable cause”.", False),
        ("Dice: “no se expedirá ninguna orden sino por causa probable”.", False),  # translated
    ],
)
def test_the_laws_words_are_compared_where_another_language_quotes_them(said, changed):
    assert ("quotation" in problems(said, SEARCHES, language="es")) == changed


def test_a_quotation_may_leave_out_and_put_in():
    assert "quotation" not in problems("“[N]o Warrants shall issue … supported by [an] Oath”", SEARCHES)


UNION = Source(
    "/x", "x", "The militia of the several States serves. He may pardon offences against the United States."
)


@pytest.mark.parametrize(
    ("claim", "found"),
    [
        ("He may pardon offences against the States.", True),
        ("He may pardon offences committed against the laws of a State.", False),
        ("Offences against the United States are what he may pardon.", False),
    ],
)
def test_whom_a_preposition_binds_is_compared(claim, found):
    assert ("party" in problems(claim, UNION)) is found


@pytest.mark.parametrize(
    ("claim", "found"),
    [
        ("It leaves the houses of the people outside its reach.", True),
        ("The right does not extend to papers and effects.", True),
        ("The right does not extend to open fields and trash.", False),
    ],
)
def test_what_the_law_names_is_not_outside_its_reach(claim, found):
    assert ("exception" in problems(claim, SEARCHES)) is found


def test_what_the_law_leaves_out_it_leaves_out():
    law = Source("/x", "x", "This part shall not apply to religious organizations and their schools.")
    assert problems("This part does not apply to religious schools.", law) == ()
    assert problems("It may not reach beyond schools and organizations.", law) == ()


def test_bounds_are_compared():
    law = Source("/x", "x", "The fine shall be not more than 500 dollars.")
    assert problems("The fine is up to 500 dollars.", law) == ()
    assert "number" in problems("The fine is at least 500 dollars.", law)


LATE = "A claim shall be filed not later than 30 days after the loss."
FINE = "The fine shall be not more than 500 dollars."


@pytest.mark.parametrize(
    ("law", "said", "language", "changed"),
    [
        (LATE, "A claim shall be filed within 30 days.", "en", ()),
        (LATE, "A claim shall be filed no sooner than 30 days after it.", "en", ("number",)),
        ("The bond shall be not less than 10 dollars.", "The bond shall be at least 10 dollars.", "en", ()),
        (FINE, "La multa será de no más de 500 dólares.", "es", ()),
        (FINE, "La multa será de no menos de 500 dólares.", "es", ("number",)),
        ("A quorum is a majority of the members.", "A quorum is one third of the members.", "en", ("number",)),
        ("The report is due on March 3, 2025.", "The report is due on Feb. 3, 2025.", "en", ("date",)),
        ("Leave is 12 workweeks a year.", "Leave is 12 days a year.", "en", ("unit",)),
        ("Subject to section 2613, an employee shall have leave.", "An employee shall have leave.", "en", ()),
        ("An employee shall have leave, except in war.", "An employee shall have leave.", "en", ("exception",)),
        ("Whoever takes away goods is a thief.", "A thief has two elements: he takes away goods.", "en", ()),
    ],
)  # fmt: skip
def test_bounds_units_and_references_are_read_as_lawyers_write_them(law, said, language, changed):
    told = {"number", "negation", "unit", "date", "exception"}
    assert told.intersection(problems(said, Source("/x", "x", law), language)) == set(changed)


def test_dates_are_compared():
    law = Source("/x", "x", "The terms shall end at noon on the 20th day of January.")
    assert problems("The term ends on January 20.", law) == ()
    assert "date" in problems("The term ends on March 20.", law)


def test_spanish_numbers_are_compared_with_english_law():
    assert problems("Se necesita tener treinta y cinco años.", AGE, "es") == ()
    assert "number" in problems("Se necesita tener treinta años.", AGE, "es")


def test_a_prohibition_is_the_same_with_either_modal():
    assert problems(edited(SEARCHES, "shall not be", "may not be"), SEARCHES) == ()


def test_a_power_is_no_duty():
    law = Source("/x", "x", "The Congress shall have Power To declare War, and to raise Armies.")
    assert problems("Congress shall declare war.", law) == ("modal",)
    assert problems("The Congress shall have power to declare war.", law) == ()
    assert "modal" not in problems("Congress may declare war.", law)
