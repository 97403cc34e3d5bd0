"""Terms defined in sentences of the United States Code and the Code of Federal Regulations."""

import pytest

from retrieval.citations.definitions import definitions, used_in

ALIENS = """(a)
As used in this chapter—
(1) The term “administrator” means the official designated by the Secretary of State pursuant to section 1104(b) of \
this title.
(3) The term “alien” means any person not a citizen or national of the United States.
(4) The term “application for admission” has reference to the application for admission into the United States.
(13)
(A) The terms “admission” and “admitted” mean, with respect to an alien, the lawful entry of the alien into the United \
States after inspection and authorization by an immigration officer.
(39) The term “unmarried”, when used in reference to any individual as of any time, means an individual who at such \
time is not married, whether or not previously married.
(b) As used in subchapters I and II—
(1) The term “child” means an unmarried person under twenty-one years of age.
(c) As used in subchapter III—
(1) The term “child” means an unmarried person under twenty-one years of age and includes a child legitimated.
(d) The term “spouse” does not include a party to a proxy marriage."""
SUBDIVISIONS = [
    (ALIENS.index(opening), ALIENS.index(following) if following else len(ALIENS))
    for opening, following in (
        ("(a)\n", "(b) As"),
        ("(b) As", "(c) As"),
        ("(c) As", "(d) The"),
        ("(d) The", None),
    )
]


def told(text, heading="", subdivisions=()):
    return [(d.term, d.kind, d.numbers) for d in definitions(text, heading, subdivisions)]


def test_the_terms_of_section_1101_govern_as_far_as_it_says():
    assert told(ALIENS, "Definitions", SUBDIVISIONS) == [
        ("administrator", "chapter", ()),
        ("alien", "chapter", ()),
        ("application for admission", "chapter", ()),
        ("admission", "chapter", ()),
        ("admitted", "chapter", ()),
        ("unmarried", "chapter", ()),
        ("child", "subchapter", ("I", "II")),
        ("child", "subchapter", ("III",)),
        ("spouse", "", ()),
    ]
    alien = next(found for found in definitions(ALIENS) if found.term == "alien")
    assert ALIENS[alien.start :].startswith("“alien” means any person")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "In this chapter, the following definitions apply:\n(1) Each of the terms “American homeland” and "
            "“homeland” means the United States.\n(2) The term “assets” includes contracts, facilities, and records.",
            [("American homeland", "chapter", ()), ("homeland", "chapter", ()), ("assets", "chapter", ())],
        ),
        (
            "In this subsection, the term “registered traveler program” means any program designed to expedite travel.",
            [("registered traveler program", "section", ())],
        ),
        (
            "(f) The term “person” means any natural person, partnership, corporation, or other legal entity.",
            [("person", "", ())],
        ),
        (
            "As used in this Agreement, “Affiliate” means a parent. For purposes of this Clause, “Term” means a year.",
            [("Affiliate", "", ()), ("Term", "section", ())],
        ),
        ("In this Schedule B, “Networks” means those below.", [("Networks", "schedule", ())]),
        (
            "(10) “Person” includes a natural person (including an individual Indian).",
            [("Person", "", ())],
        ),
        (
            "The term “commerce”, as used in this title, means commerce among the States.\n"
            "(b) The term “court” means any court of the United States.",
            [("commerce", "title", ()), ("court", "", ())],
        ),
        (
            "(A) The terms “domestic violence”, “sexual assault”, and “stalking” have the meaning given such terms in "
            "section 3 of that Act.",
            [
                ("domestic violence", "", ()),
                ("sexual assault", "", ()),
                ("stalking", "", ()),
            ],
        ),
    ],
)
def test_sentences_of_the_code(text, expected):
    assert told(text) == expected


@pytest.mark.parametrize(
    "words",
    [
        "For purposes of this definition,",
        "As used in this subclause,",
        "In this Addendum,",
        "For the purposes of this Rider to the Agreement,",
        "As used in the preceding sentence,",
        "For purposes of Section 9 only,",
        "In Article IV,",
        "As used in Section 3,",
        "In § 3,",
        "For purposes of computing the rent due under this Lease,",
    ],
)
def test_what_is_limited_to_what_is_not_known_governs_its_section_alone(words):
    assert told(f"{words} “Rent” means money.") == [("Rent", "section", ())]
    assert told(f"As used in this chapter:\n{words} “Rent” means money.") == [("Rent", "chapter", ())]


@pytest.mark.parametrize(
    "words",
    [
        "As used in this Loan Agreement,",
        "For purposes of the Lease,",
        "In this Deed of Trust,",
        "For the purposes of these Terms and Conditions,",
        "For all purposes of this Amended and Restated Trust Agreement,",
        "As used herein,",
        "In addition,",
        "In part because of that,",
        "In the event of a default,",
    ],
)
def test_what_is_said_of_a_whole_document_is_not_limited(words):
    assert told(f"{words} “Rent” means money.") == [("Rent", "", ())]


def test_regulations_define_without_quotation_marks_where_they_say_that_they_define():
    text = (
        "As used in this chapter, the term:\nAct or INA means the Immigration and Nationality Act, as amended.\n"
        "Arriving alien means an applicant for admission coming or attempting to come into the United States."
    )
    expected = [("Act", "chapter", ()), ("INA", "chapter", ()), ("Arriving alien", "chapter", ())]
    assert told(text, "Definitions.") == expected
    assert told(text, "Applications") == []


@pytest.mark.parametrize(
    "text",
    [
        "The right of the people to be secure in their persons shall not be violated.",
        "He said “no”. That means nothing.",
        "by striking “two” and inserting “three”",
        "An alien who is paroled by means of this section.",
    ],
)
def test_what_defines_nothing_gives_nothing(text):
    assert told(text, "Definitions") == []


def test_a_text_uses_whole_words_in_any_case_and_number():
    text = "Aliens and an alien’s child; the admitted; statements; an immigrant visa"
    terms = ["alien", "child", "state", "Immigrant visa", "visas", "admission"]
    assert used_in(text, terms) == {"alien", "child", "Immigrant visa"}
