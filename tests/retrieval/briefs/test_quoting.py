"""Quotations found in a text, and the citations they belong to."""

import time

import pytest

from retrieval.briefs.quoting import belongs, is_only_citations, notes_of, quotations, units
from retrieval.citations.finding import find_citations


def spans(text):
    return [(found.start, found.end) for found in find_citations(text)]


def bound(text):
    """Of each quotation, its words, the first citation that it may belong to, and how surely."""
    cited = spans(text)
    among = units(text, cited)
    found = []
    for quotation in quotations(text):
        places = belongs(quotation, text, cited, among)
        first = text[slice(*cited[places.citations[0]])] if places.citations else None
        found.append((quotation.words, first, places.how))
    return found


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("It says “no law” there.", ["no law"]),
        ('It says "no law" there.', ["no law"]),
        ("Dice «sin el debido proceso» allí.", ["sin el debido proceso"]),
        ("It says “the ‘right’ of the people” there.", ["the ‘right’ of the people"]),
        ("It says “a “b” c” there.", ["a “b” c"]),
        ('Anna Smith (the "Buyer") and Bo (“Seller” or “Owner”) met.', []),
        ('The agency (the "Department of Homeland Security") and Acme (“Acme Co.”) met.', []),
        ('A writ (the "second successive habeas petition") was denied.', []),
        ('Form I-130 (the "petition") was filed.', []),
        ('The Fourth Amendment ("no Warrants shall issue, but") rules.', ["no Warrants shall issue, but"]),
        ('8 U.S.C. § 1158(a)(1) ("any alien").', ["any alien"]),
        ('Mapp v. Ohio, 367 U.S. 643, 655 (1961) ("all evidence").', ["all evidence"]),
        ('See the Act ("may apply.").', ["may apply."]),
        ('A 5" pipe and a 6" pipe.', []),
        ("An “open mark is left.\n\nAnother “closed” one.", ["closed"]),
    ],
)
def test_quotations_are_what_stands_in_their_marks(text, words):
    assert [quotation.words for quotation in quotations(text)] == words
    assert all(text[q.start + 1 : q.end - 1] == q.words for q in quotations(text))


@pytest.mark.parametrize(
    ("text", "cited", "how"),
    [
        ("Congress “shall make no law.” U.S. Const. amend. I.", "U.S. Const. amend. I", "surely"),
        ("The First Amendment says that “Congress shall make no law.”", "First Amendment", "surely"),
        ("“Congress shall make no law” (U.S. Const. amend. I) is plain.", "U.S. Const. amend. I", "surely"),
        (
            "The court held “so.” Mapp v. Ohio, 367 U.S. 643, 655 (1961) (emphasis added).",
            "367 U.S. 643",
            "surely",
        ),
        ("The Court held that “so.” Mapp, 367 U.S. at 655.", "367 U.S. at 655", "surely"),
        ("The Court held that “so.” See Brown Deer, 367 U.S., at 655.", "367 U.S., at 655", "surely"),
        ("The clerk said “go home” when the Fifth Amendment came up.", "Fifth Amendment", "sentence"),
        ("The Fifth Amendment matters. The clerk said “go home” to us.", "Fifth Amendment", "above"),
        ("Nobody cites “anything” here.", None, "above"),
        ("Según la Enmienda IV, «sin motivo».", "Enmienda IV", "surely"),
    ],
)
def test_a_quotation_belongs_to_the_citation_that_lawyers_mean(text, cited, how):
    assert bound(text)[0][1:] == (cited, how)


def test_each_of_two_quotations_belongs_to_its_own():
    text = "The Fifth Amendment says “nor be deprived,” and the Sixth Amendment adds “a speedy trial.”"
    assert [cited for _, cited, _ in bound(text)] == ["Fifth Amendment", "Sixth Amendment"]


@pytest.mark.parametrize(
    "text",
    [
        "U.S. Const. amend. I, says “Congress shall make no law respecting religion.” U.S. Const. amend. II is silent.",
        "U.S. Const. amend. I: “Congress shall make no law”. U.S. Const. amend. II: “A well regulated Militia.”",
        "U.S. Const. amend. I says that “Congress shall make no law.” See also U.S. Const. amend. II.",
        "U.S. Const. amend. I says that “Congress shall make no law.” Cf. 29 C.F.R. § 1.1.",
        "U.S. Const. amend. I: “Congress shall make no law” (but see Gideon v. Wainwright, 372 U.S. 335 (1963)).",
    ],
)
def test_what_a_citation_introduces_belongs_not_to_the_one_that_begins_the_next_sentence_or_stands_beside(text):
    (words, *belonging), *_ = bound(text)
    assert words.startswith("Congress") and belonging == ["U.S. Const. amend. I", "surely"]


def test_a_sentence_of_citations_belongs_to_the_one_before():
    text = "Searches need a warrant. See Mapp v. Ohio, 367 U.S. 643 (1961); U.S. Const. amend. IV. Nobody had one."
    first, second = units(text, spans(text))
    assert text[first.start : first.says] == "Searches need a warrant. "
    assert first.citations == (0, 1) and second.citations == ()


def test_a_line_that_is_only_wrapped_ends_no_sentence():
    text = "The prosecutor answered with the case of Betts v. Brady\nAnd the rest is here.\nShort line\nThen more."
    said = [text[unit.start : unit.end] for unit in units(text, [])]
    assert said[0].endswith("is here.\n") and len(said) == 3


NOTED = (
    "“Congress shall make no law.”[1] More text follows. Searches need a warrant.[2] “A speedy trial” [3] is owed.\n"
    "[1] U.S. Const. amend. I.\n[2] U.S. Const. amend. IV. See also Mapp v. Ohio, 367 U.S. 643 (1961).\n"
    "[3] See U.S. Const. amend. VI, which nobody doubts."
)


def test_a_quotation_belongs_to_the_note_that_is_called_behind_it():
    assert bound(NOTED) == [
        ("Congress shall make no law.", "U.S. Const. amend. I", "surely"),
        ("A speedy trial", "U.S. Const. amend. VI", "surely"),
    ]
    assert bound(NOTED.replace("\n", "\n\nAnother paragraph.\n\n", 1)) == bound(NOTED)
    assert bound("“No law.”[1] It is so. U.S. Const. amend. I.")[0][2] == "above"


def test_a_sentence_rests_on_the_citations_of_its_notes():
    among = units(NOTED, spans(NOTED))
    rests = {NOTED[unit.start : unit.says].strip(): unit.citations for unit in among}
    assert rests["“Congress shall make no law.”[1]"] == (0,)
    assert rests["More text follows."] == ()
    assert rests["Searches need a warrant.[2]"] == (1, 2)
    assert rests["“A speedy trial” [3] is owed."] == ()
    assert rests["[3] See U.S. Const. amend. VI, which nobody doubts."] == (3,)


def test_marks_that_call_no_note_and_notes_that_nothing_calls_change_nothing():
    text = "Searches need a warrant.[7] Nobody had one.\n[1] U.S. Const. amend. IV."
    assert units(text, spans(text))[-1].citations == (0,)
    assert text[slice(*spans(text)[0])] == "U.S. Const. amend. IV"


def test_a_text_of_nothing_but_marks_is_read_in_no_time():
    start = time.process_time()
    assert notes_of("a[1] " * 12_000) == {}
    assert len(notes_of("a[1]. B\n[1] c. " * 4_000)) == 4_000
    assert time.process_time() - start < 0.5


def test_a_paragraph_of_citations_is_one_of_its_own():
    text = "Searches need a warrant.\n\nU.S. Const. amend. IV."
    assert len(units(text, spans(text))) == 2


@pytest.mark.parametrize(
    ("text", "only"),
    [("See also U.S. Const. amend. IV.", True), ("The police broke U.S. Const. amend. IV.", False)],
)
def test_signals_say_nothing(text, only):
    assert is_only_citations(text, 0, len(text), spans(text)) is only


def test_a_word_without_end_is_read_in_no_time():
    text = "“so” " + "A" * 30_000 + " U.S. Const. amend. I."
    assert bound(text)
