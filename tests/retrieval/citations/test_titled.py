"""Numbers and headings in documents of no reporter, and the words that may name these."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrieval.citations.citation import Citation, Source
from retrieval.citations.titled import MOST, as_words, beside, whole, within


@pytest.mark.parametrize(
    ("text", "level", "number", "words"),
    [
        ("Lease (signed) of 2020, § 4.2", "section", "4.2", "lease signed of 2020"),
        ("LEASE  section 4.2?", "section", "4.2", "lease"),
        ("Lease, of 2020 §2", "section", "2", "lease of 2020"),
        ("what does county code sec 4-12 say?", "section", "4-12", "county code"),
        ("section 2.1 of the personnel manual", "section", "2.1", "personnel manual"),
        ("artículo 4 del manual de personal", "article", "4", "manual de personal"),
        ("county-code-title-4, § 4-12(b)(2)", "section", "4-12", "county code title 4"),
        ("Lease, art. II", "article", "II", "lease"),
        ("Lease exhibit b", "exhibit", "b", "lease"),
        ("Contrato, cláusula IV", "clause", "IV", "contrato"),
        ("Rules of the Board, rule 3", "rule", "3", "rules of the board"),
        ("personnel manual 2.1", "", "2.1", "personnel manual"),
    ],
)
def test_a_whole_query_is_read_as_a_place_in_a_document(text, level, number, words):
    read = whole(Source.of(text))[0]
    assert (read.level, read.number) == (level, number)
    assert words in [name.words for name in read.names] and not read.bare


@pytest.mark.parametrize("text", ["Sec. 4-12", "§ 4-12", "see sec. 4-12(b)", "what does section 4-12 say"])
def test_a_number_alone_is_read_as_nothing_else(text):
    assert [read.number for read in whole(Source.of(text)) if read.bare] == ["4-12"]


@pytest.mark.parametrize(
    "text",
    [
        "The lease has a section about pets",
        "What is owed under § 4 of the lease?",
        "Lease of two",
        "who must pay under section 8 for a house",
        "§ 4 " * 60,
    ],
)
def test_a_question_is_no_place(text):
    assert whole(Source.of(text)) == []


def test_a_heading_is_read_as_pages_cite_it():
    (read,) = whole(Source.of("Guía para jurados, “Compensación”"))
    assert (read.heading, [name.words for name in read.names]) == ("compensacion", ["guia para jurados"])


@pytest.mark.parametrize(
    ("text", "bare", "words"),
    [
        ("Under § 4-12 he pays.", True, None),
        ("He paid. § 4-12 asks it.", True, None),
        ("Under the Marlow County Code, § 4-12, he pays.", False, "marlow county code"),
        ("Section 4-12 of the Marlow County Code asks it.", False, "marlow county code"),
        ("See Marlow County Code, Title 4 (Animals), § 4-12.", False, "marlow county code"),
        ("Fla. Stat. § 4-12", False, None),
        ("Under the lease § 4-12 he pays.", False, "lease"),
        ("Section 4-12 of this title", False, None),
        ("The lease, § 4-12", False, "lease"),
        ("Va. Code, § 4-12", False, "code"),
    ],
)
def test_what_names_a_number_in_running_text(text, bare, words):
    (read,) = [one for one in within(Source.of(text)) if one.level == "section"]
    assert words is None or words in [name.words for name in read.names]
    assert read.bare == bare


@pytest.mark.parametrize("text", ["the Orange County Code § 4-12", "see Penal Code § 4-12", "sub-code § 4-12"])
def test_a_name_does_not_begin_within_another(text):
    (read,) = within(Source.of(text))
    assert not {"county code", "code"} & {name.words for name in read.names}
    (read,) = within(Source.of("Section 4 of the County Code Commission"))
    assert "county code" not in {name.words for name in read.names}


def test_a_number_is_written_as_one():
    text = "The complaint, § 4, the Complaint, section IV, clause iv, complaint § B and the complaint § 6.4.1."
    assert [read.number for read in within(Source.of(text))] == ["4", "IV", "iv", "B", "6.4.1"]
    assert within(Source.of("The complaint alleges fraud, and each complaint section must be numbered.")) == []


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("county code secs. 4-12, 4-13 and 5-1", "4-12 4-13 5-1"),
        ("sections 2 to 4 of the manual", "2 …4"),
        ("§ 4-12 and § 4-13", "4-12 4-13"),
        ("manual, artículos 2 y 3", "2 3"),
        ("county code sec. 4-12, 4-13", "4-12"),  # which announces one
        ("county code §§ 4-12, 4-13 and 5 dogs", "4-12 4-13"),
        ("county code § 4-12 and § 2 of the lease", "4-12"),
        ("lease § 4, clause 2", "4"),
    ],
)
def test_a_list_is_read_with_all_its_numbers(text, numbers):
    read = next(iter(within(Source.of(text))))
    assert " ".join("…" * one.through + one.number for one in read.listed) == numbers


def test_two_numbers_with_a_hyphen_may_be_a_range():
    (read,) = whole(Source.of("personnel manual §§ 2-4"))
    assert [[one.number for one in reading.listed] for reading in read.readings] == [["2-4"], ["2", "4"]]
    assert [len(one.readings) for one in within(Source.of("manual § 2-4, manual §§ 4-2, code §§ 4.1"))] == [1, 1, 1]


def test_titles_are_compared_by_as_much_as_is_cited():
    assert as_words("Guía  del (nuevo) JURADO") == "guia del nuevo jurado"
    assert as_words("L" * 90) == "l" * 80


def a_citation(start, end):
    return Citation("x" * (end - start), start, end, "", f"/{start}-{end}")


def test_of_law_and_documents_that_overlap_the_longer_stays():
    law = [a_citation(0, 5), a_citation(10, 14), a_citation(20, 30)]
    own = [a_citation(0, 5), a_citation(8, 14), a_citation(32, 33)]
    assert beside(law, own) == [law[0], own[1], law[2], own[2]]
    assert beside(law, []) == law and beside([], []) == []


@given(st.text(alphabet=st.sampled_from("§ 4.-(b), secof the A\n;“”́")))
def test_places_lie_within_the_text(text):
    source = Source.of(text)
    for read in (*within(source), *whole(source)):
        for part in (read, *read.names):
            assert 0 <= part.start < part.end <= len(source.visible)


@pytest.mark.parametrize("piece", ["§ 4 ", "section ", "the Marlow County Code, § 4-12. ", "((((", "A " * 30 + "§ 4"])
def test_a_long_text_is_read_in_time(piece):
    assert len(within(Source.of(piece * (64_000 // len(piece))))) <= MOST
