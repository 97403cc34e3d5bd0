"""Sentences beside the question that a decision answered."""

import pytest

from retrieval.briefs.answered import answered_otherwise

AGE = "Question. May a state execute a person for a crime committed before the age of eighteen?"
FLAG = "Question. Does the First Amendment protect the burning of an American flag as political protest?"
PHONE = "Question. May police without a warrant search the digital information on a cell phone of a person arrested?"
GUN = "Question. Does the law protect a right to keep a handgun at home that is not connected with a militia?"


@pytest.mark.parametrize(
    ("said", "summary", "reply"),
    [
        ("allows a state to execute people for crimes committed as children", AGE, "No. It may not."),
        ("held that burning the flag may be punished", FLAG, "Yes. It was conduct."),
        ("lets police search a phone without a warrant", PHONE, "Generally not. Data differ."),
        ("upheld a ban on keeping handguns at home", GUN, "Yes. The right is one of persons."),
        ("permite a la policía registrar un teléfono sin orden judicial", PHONE, "No. It may not."),
    ],
)
def test_the_other_answer_is_contradicted(said, summary, reply):
    language = "es" if said.startswith("permite") else "en"
    claim = answered_otherwise(said, summary, reply, language)
    assert claim.verdict == "contradicted" and (claim.start, claim.end) == (0, len(said))


@pytest.mark.parametrize(
    ("said", "summary", "reply"),
    [
        ("forbids a state to execute people for crimes committed as children", AGE, "No. It may not."),
        ("struck down a ban on burning the flag", FLAG, "Yes. It was conduct."),
        ("bars a search of a phone without a warrant", PHONE, "Generally not. Data differ."),
        ("lets police search a phone", PHONE, "Generally not. Data differ."),  # with a warrant they may
        ("protects a right to keep a handgun at home", GUN, "Yes. The right is one of persons."),
        ("lets a state execute only an adult for a crime", AGE, "No. It may not."),
        ("allows a state to sentence people to death", AGE, "No. It may not."),
        ("allows a state to execute people for crimes committed as children", AGE, "The Amendment forbids it."),
    ],
)
def test_the_same_answer_another_matter_or_no_reply_is_not(said, summary, reply):
    assert answered_otherwise(said, summary, reply, "en") is None
