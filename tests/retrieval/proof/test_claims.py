import time

import pytest

from retrieval.proof.claims import statements


def claims(text, language="en"):
    return [said.text for said in statements(text, language=language) if said.is_claim]


def test_names_of_cases_and_amounts_stay_whole():
    text = "In U.S. v. Smith the court held that $5.59B was owed. Yes, 42."
    assert claims(text) == ["In U.S. v. Smith the court held that $5.59B was owed.", "Yes, 42."]


@pytest.mark.parametrize(
    "text",
    [
        "A person may: (1) vote in elections; (2) hold office; and (3) serve on a jury.",
        "A person may:\n- vote in elections;\n- hold office; and\n- serve on a jury.",
    ],
)
def test_each_item_of_a_list_is_read_with_the_words_before_it(text):
    said = statements(text, language="en")
    assert [s.text.rstrip(".") for s in said if s.is_claim] == [
        "A person may vote in elections",
        "A person may hold office",
        "A person may serve on a jury",
    ]
    assert [text[s.start : s.end].strip(" ;.") for s in said][1:] == [
        "vote in elections",
        "hold office; and",
        "serve on a jury",
    ] or text[said[1].start :].startswith("vote")


def test_what_follows_a_list_has_not_its_opening_words():
    assert claims("Congress may:\n- coin money.\n\nIt grants no titles.") == [
        "Congress may coin money.",
        "It grants no titles.",
    ]


@pytest.mark.parametrize(
    "text",
    [
        "I don't know.", "I cannot find an answer.", "Is that so?", "Hello!", "Yes.", "## Search and Seizure",
        "U.S. Const. amend. IV.", "18 U.S.C. § 922(g).", "Roe v. Wade, 410 U.S. 113 (1973).", "See 18 U.S.C. 922.",
        "This is not legal advice.", "The sources given do not say.",
    ],
)  # fmt: skip
def test_what_claims_nothing(text):
    assert [said.is_claim for said in statements(text, language="en")] == [False]


@pytest.mark.parametrize(
    "text", ["No sé.", "Consulte a un abogado.", "¿Es cierto?", "Esto no es asesoría legal."]
)
def test_what_claims_nothing_in_spanish(text):
    assert claims(text, "es") == []


@pytest.mark.parametrize(
    "text",
    [
        "The almighty dollar could not be found.",
        "The amendment was proposed.",
        "Every state has two senators",
    ],
)
def test_words_that_look_like_opinion_are_claims_all_the_same(text):
    assert claims(text) == [text]


def test_marks_and_numbers_of_sources_are_no_words():
    assert claims("**Police** need a warrant [1].") == ["Police need a warrant."]


def test_places_are_those_of_the_text():
    text = "Hello. Police need a warrant [1]."
    said = statements(text, language="en")[-1]
    assert text[said.start : said.end] == "Police need a warrant [1]."


def test_blanks_without_end_are_read_in_no_time():
    blanks = " " * 20_000
    text = f"Congress shall have power to:{blanks}and (1) coin money{blanks}and regulate it, and (2) borrow money."
    assert statements(text, language="en")


@pytest.mark.parametrize("words", ["is ", "1s ", "art. is "])
def test_what_may_be_a_citation_alone_is_read_in_one_way(words):
    start = time.process_time()
    assert claims(f"U.S. Const. {words * 22}because nobody knows it.")
    assert time.process_time() - start < 2
    assert not claims(f"U.S. Const. {words * 22}")
