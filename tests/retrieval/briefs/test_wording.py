"""Quotations beside their sources: as lawyers quote, and where they slip."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrieval.briefs.wording import Difference, Words, compare, count_words, found_exactly

FOURTH = (
    "The right of the people to be secure in their persons, houses, papers, and effects, against unreasonable "
    "searches and seizures, shall not be violated, and no Warrants shall issue, but upon probable cause, supported "
    "by Oath or affirmation, and particularly describing the place to be searched, and the persons or things to be "
    "seized."
)
WORDS = Words(FOURTH)


@pytest.mark.parametrize(
    "quoted",
    [
        "The right of the people to be secure in their persons",
        "[t]he right of the people",
        "the right of the people . . . shall not be violated",
        "right of the people … against unreasonable searches and seizures [. . .] shall not be violated",
        "right of the people * * * shall not be violated",
        "against unreasonable search[es] and seizure[]",
        "no warrants shall issue, but upon probable cause [sic], supported by oath",
        "The right of [persons and citizens] to be secure",
        "“unreasonable searches and seizures,”",
        "unreason-\nable searches",
        "PROBABLE CAUSE,\n   supported by Oath",
        "seized",
        "unreasonable[1] searches and seizures,[2] shall not be violated",
    ],
)
def test_what_lawyers_do_to_quotations_is_no_difference(quoted):
    assert compare(quoted, WORDS).status == "exact"


@pytest.mark.parametrize(
    ("quoted", "differs", "source"),
    [
        ("no Warrants shall issue, but upon reasonable cause", "reasonable", "probable"),
        ("searches and seizures, shall be violated", "", "not"),
        ("shall never not be violated", "never", ""),
        ("the persons and things to be seized", "and", "or"),
        ("shall . . . be violated", "…", "not"),
        ("and no Warrants [may] issue", "[may]", "shall"),
        ("in their persons, papers, and effects", "", "houses"),
        ("be secure in their persons . . . against unlawful searches", "unlawful", "unreasonable"),
    ],
)
def test_the_words_that_differ_are_told(quoted, differs, source):
    found = compare(quoted, WORDS)
    assert found.status == "altered"
    assert found.differences == (Difference(differs, source),)


@pytest.mark.parametrize(
    "quoted",
    [
        "A well regulated Militia, being necessary to the security of a free State",
        "good cause",
        "",
        "…",
        "[sic]",
    ],
)
def test_what_is_not_there_is_not_found(quoted):
    assert compare(quoted, WORDS).status == "not_found"
    assert compare("any words", Words("")).status == "not_found"


def test_the_place_in_the_source_is_given():
    start, end = compare("[u]nreasonable searches . . . shall not be violated", WORDS).span
    assert FOURTH[start:end] == "unreasonable searches and seizures, shall not be violated"


def test_an_ellipsis_does_not_put_words_in_another_order():
    assert found_exactly("probable cause . . . unreasonable searches", WORDS) is None


def test_a_bracket_replaces_a_few_words_only():
    assert found_exactly("The right [to quiet] be violated", WORDS) is None


def test_the_mark_of_a_note_is_no_word_and_a_number_put_in_is():
    words = Words("The rent[3] is due within 10[4] days.[5] It is nine [6] dollars.\n[3] A.\n[4] B.\n[5] C.\n[6] D.")
    assert compare("the rent is due within 10 days. It is nine dollars", words).status == "exact"
    assert compare("the rent[1] is due within [10] days.[2][3] It", words).status == "exact"
    assert compare("due within [30] days", words).status == "altered"


@pytest.mark.parametrize("before", ["$", "€", "£", "—", "–", "-", "/", "$1,", "$1.", "(", "[“", "‘", ' "', "of "])
def test_a_number_in_brackets_that_is_another_is_no_mark(before):
    source = Words(f"A deposit {before}[500] is due from the tenant.")
    assert compare(f"deposit {before}[500] is due from the tenant", source).status == "exact"
    assert compare(f"deposit {before}[900] is due from the tenant", source).status == "altered"


def test_brackets_count_as_no_words():
    assert count_words("[T]he right [of all] . . . to be") == 4


def test_a_long_text_is_compared_soon():
    long = Words(" ".join(f"word{n % 700} and" for n in range(30_000)))
    quoted = " ".join(f"word{n % 700} or" for n in range(5_000))
    assert compare(quoted, long).status == "not_found"


@given(st.data())
def test_any_part_of_a_source_is_in_it_whatever_is_left_out(data):
    first, end = sorted(
        data.draw(st.lists(st.integers(0, len(WORDS.folded)), min_size=2, max_size=2, unique=True))
    )
    said = WORDS.said(first, end)
    assert compare(said, WORDS).status == "exact"
    assert compare(said.upper(), WORDS).status == "exact"


def test_a_quotation_of_endless_pieces_is_found_nowhere():
    assert found_exactly("the … " * 5_000, WORDS) is None
    assert count_words("a" + " " * 50_000 + "b") == 2


ASYLUM = Words(
    "Any nonimmigrant alien may apply for asylum within 1 year after the date of arrival, for more than twenty hours "
    "of work, at a fee of $1,000, to the U.S. Treasury."
)


@pytest.mark.parametrize(
    ("quoted", "differs", "source"),
    [
        ("alien may [not] apply for asylum", "[not]", ""),
        ("asylum within [2] year after the date", "[2]", "1"),
        ("for more than [thirty] hours of work", "[thirty]", "twenty"),
        ("within 1 year [before] the date", "[before]", "after"),
        ("Any [officer] may apply for asylum", "[officer]", "nonimmigrant alien"),
        ("Any [employer] may apply for asylum", "[employer]", "nonimmigrant alien"),
    ],
)
def test_a_bracket_may_turn_the_sense(quoted, differs, source):
    found = compare(quoted, ASYLUM)
    assert (found.status, found.differences) == ("altered", (Difference(differs, source),))


@pytest.mark.parametrize(
    "quoted",
    [
        "for more than [20] hours of work",
        "Any [noncitizen] may apply for asylum",
        "Any [applicant] may apply for asylum",
        "[Garcia] may apply for asylum",
        "within 1 year [of] the date of arrival",
        "Any non-immigrant alien may",
        "a fee of $1000, to",
        "to the US Treasury",
    ],
)
def test_another_spelling_is_no_difference(quoted):
    found = compare(quoted, ASYLUM)
    assert found.status == "exact" and found.span


def test_one_rare_word_leads_nobody_away_from_where_all_others_stand():
    filler = "Nor means United any person, alien or citizen, the States not of a term. "
    term = "The term “alien” means any person not a citizen or national of the United States. "
    source = Words(5 * (18 * filler + "A resident stays. ") + term)
    found = compare("The term ‘alien’ means any person not a citizen or resident of the United States.", source)
    assert (found.status, found.differences) == ("altered", (Difference("resident", "national"),))


def test_words_in_another_order_are_not_exact():
    assert compare("more than twenty hours . . . may apply for asylum", ASYLUM).status == "altered"


def test_what_is_left_out_before_its_end_is_the_difference():
    source = Words(
        "Any alien who is physically present in the United States or who arrives in the United States, irrespective of "
        "such alien's status, may apply for asylum in accordance with this section."
    )
    compared = compare("Any alien who is physically present may apply for asylum.", source)
    (difference,) = compared.differences
    assert compared.status == "altered" and difference.quoted == ""
    assert difference.source.startswith("in the United States") and difference.source.endswith("alien's status")
    assert source.text[slice(*compared.span)].endswith("may apply for asylum")
