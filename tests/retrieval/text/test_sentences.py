"""Legal sentence splitting."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from retrieval.text.sentences import sentences


def split(text, **options):
    return [text[start:end].strip() for start, end in sentences(text, **options)]


@pytest.mark.parametrize(
    "sentence",
    [
        "A claim under 42 U.S.C. § 1983 needs state action.",
        "See No. 12-345 and Nos. 99-1 to 99-3 for the record.",
        "Visas under section 1101(a)(15)(F)(i) of this title are for students.",
        "In Miranda v. Arizona, 384 U.S. 436, the Court ruled.",
        "U.S. Const. Art. I, Sec. 8, cl. 3 gives the power.",
        "Pub. L. 104–208, div. C, title III, § 304(b), Sept. 30, 1996, 110 Stat. 3009–597.",
        "Judge J. R. Smith wrote for the court.",
        "The rate is 3.5 percent of $1.25 million.",
        "It was heard in D.C. Circuit chambers.",
        "Fed. R. Civ. P. 12(b)(6) applies.",
        "The Hon. Mr. Doe Jr. Presided alone.",
        "The 9th Cir. 1999 panel agreed.",
        "1. The term “alien” means a person.",
        "II. Powers of the court.",
        "Conforme al Art. 14 y al núm. 3 de la Ley, págs. 3 a 5, se ordena.",
        "Pursuant to Cal. Civ. Code it is owed.",
        "Bell Atl. Corp. v. Twombly asks for more.",
        "In Fla. Bar v. Went For It it was held.",
        "Am. Trucking sued under H.R. Conf. Rep. 104-1 and Def. Br. 3 and Pl. Ex. A.",
        "El Sr. García y la Dra. López viven en EE. UU. Desde 1990.",
        "Call the safety officer, Dr. Anika Sorensen, on ext. 6655 or fax. 12.",
        "Sick leave (tel. 555 0142), max. 3 days, approx. 24 hours, tel. (555) 0142, Bldg. 4, rm. 12.",
        "Llame al tel. +34 600 100 o a la ext. 12, máx. 3 veces, aprox. 5 min. 3 veces, dpto. Ventas, Avda. América.",
    ],
)
def test_abbreviations_do_not_end_a_sentence(sentence):
    assert split(sentence) == [sentence]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("One ends. Two begins.", ["One ends.", "Two begins."]),
        ("Was it so? It was! Good.", ["Was it so?", "It was!", "Good."]),
        ("He said “no.” She left.", ["He said “no.”", "She left."]),
        ("As of 1965. The law changed.", ["As of 1965.", "The law changed."]),
        ("She lives in the U.S. The court agreed.", ["She lives in the U.S.", "The court agreed."]),
        ("Here I am. He fell ill. I WAS ILL. We left.", ["Here I am.", "He fell ill.", "I WAS ILL.", "We left."]),
        ("She said no. He left.", ["She said no.", "He left."]),
        ("Send it by fax. We pay.", ["Send it by fax.", "We pay."]),
        ("Dose of 5 mg max. Wait for 10 min. Then call.", ["Dose of 5 mg max.", "Wait for 10 min.", "Then call."]),
        ("of this title. (b) The next one.", ["of this title.", "(b) The next one."]),
        ("Act of 2005.¹ Another rule.", ["Act of 2005.¹", "Another rule."]),
        ("The rent is nine.”[12] It is due.", ["The rent is nine.”[12]", "It is due."]),
        ("¿Es así? ¡Sí! Está bien.", ["¿Es así?", "¡Sí!", "Está bien."]),
        ("(1) one;\n(2) two", ["(1) one;", "(2) two"]),
        ("no end\n\nnext paragraph", ["no end", "next paragraph"]),
        ("  leading. Then more.  ", ["leading.", "Then more."]),
        ("", []),
        ("   ", [""]),
    ],
)
def test_sentences_end_where_they_end(text, expected):
    assert split(text) == expected


def test_a_long_list_is_split_at_its_coordinators_and_a_short_one_is_not():
    text = "The Congress shall have Power to lay taxes; and to pay the debts; or to borrow money."
    assert len(sentences(text)) == 1
    assert split(text, max_chars=40) == [
        "The Congress shall have Power to lay taxes;",
        "and to pay the debts;",
        "or to borrow money.",
    ]


@given(st.text(alphabet=st.sampled_from("aZ1 .;\n?!”)(§v—"), max_size=200) | st.text(max_size=200))
@example("a. B\n\n c")
@example("\n.\nA. A")
def test_the_spans_are_the_text(text):
    spans = sentences(text, max_chars=20)
    assert "".join(text[start:end] for start, end in spans) == text
    assert all(start < end for start, end in spans)
