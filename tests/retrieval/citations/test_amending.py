"""Questions of what changed a provision, told from those that merely speak of change."""

import pytest

from retrieval.citations.amending import changed_provisions, changed_words, changing_provisions
from retrieval.citations.case_names import CaseNames

TWELFTH, EIGHTEENTH, SENATE = "amendment/XII", "amendment/XVIII", "article/I/section/3"


def asked(text: str, **known) -> list[str]:
    return [citation.locator.removeprefix("/us/const/") for citation in changed_provisions(text, **known)]


@pytest.mark.parametrize(
    ("question", "locator"),
    [
        ("what changed the 12th amendment", TWELFTH),
        ("Which later amendment modified the Twelfth Amendment?", TWELFTH),
        ("changes to the 12th amendment", TWELFTH),
        ("what replaced the 12th amendment's way of choosing a president", TWELFTH),
        ("which amendment replaced how Article I section 3 chooses senators", SENATE),
        ("which amendment replaced the choice of senators by legislatures in Article I section 3", SENATE),
        ("when was Article I, section 3 changed?", SENATE),
        ("was Article I section 3 changed by the 17th amendment?", SENATE),
        ("what repealed amendment XVIII", EIGHTEENTH),
        ("which amendment repealed the 18th", EIGHTEENTH),
        ("was the 18th amendment repealed", EIGHTEENTH),
        ("did the 21st amendment repeal the 18th amendment?", EIGHTEENTH),
        ("repeal of the 18th amendment", EIGHTEENTH),
        ("qué enmienda derogó la 18", EIGHTEENTH),
        ("¿Qué enmienda derogó la decimoctava?", EIGHTEENTH),
        ("qué derogó la enmienda 18", EIGHTEENTH),
        ("¿Por qué enmienda fue derogada la enmienda 18?", EIGHTEENTH),
        ("¿cuándo se derogó la enmienda 18?", EIGHTEENTH),
        ("¿Qué enmienda modificó el artículo I, sección 3?", SENATE),
        ("qué enmienda cambió la manera en que el artículo I sección 3 elige senadores", SENATE),
        ("qué enmienda sustituyó al artículo II, sección 1, cláusula 3", "article/II/section/1/clause/3"),
    ],
)
def test_what_was_changed_is_read(question, locator):
    assert asked(question) == [locator]


@pytest.mark.parametrize(
    "question",
    [
        "12th amendment",
        "what did the 12th amendment change",
        "which provisions were changed by the 14th amendment",
        "provisions changed by the 14th amendment",
        "can Congress change the 12th amendment?",
        "¿se puede derogar la enmienda 18?",
        "¿Puede cambiarse la enmienda 12?",
        "my landlord changed the locks, does the 4th amendment help?",
        "I changed my name under the 14th amendment",
        "the city repealed a law, is that against the 14th amendment?",
        "which amendment repealed the 18 speed limits",
        "which law replaced the 18th",
        "what does the 12th amendment say",
        f"what changed {'so very ' * 40} the 12th amendment",
    ],
)
def test_other_questions_are_left_alone(question):
    assert asked(question) == []


def test_what_may_be_read_both_ways_is_read_by_what_is_known():
    changing = {"/us/const/amendment/XIV"}
    assert asked("¿Qué cambió la enmienda 14?", changing=changing) == []
    assert asked("¿Qué cambió a la enmienda 14?", changing=changing) == ["amendment/XIV"]
    assert asked("¿Qué enmienda cambió la enmienda 14?", changing=changing) == ["amendment/XIV"]


@pytest.mark.parametrize(
    ("question", "locator"),
    [
        ("what did the 12th amendment change", TWELFTH),
        ("Which provisions did the 12th amendment change in the original Constitution?", TWELFTH),
        ("which provisions were changed by the 12th amendment", TWELFTH),
        ("What was repealed by the 12th amendment?", TWELFTH),
        ("¿Qué cambió la enmienda 12?", TWELFTH),
        ("¿Qué fue derogado por la enmienda 12?", TWELFTH),
    ],
)
def test_what_changed_others_is_read(question, locator):
    known = {f"/us/const/{locator}"}
    assert [c.locator for c in changing_provisions(question, known)] == [f"/us/const/{locator}"]
    assert changed_provisions(question, known) == ()


@pytest.mark.parametrize(
    "question",
    [
        "how did the 14th amendment change citizenship",
        "what did the 14th amendment change about citizenship",
        "what changed the 14th amendment",
        "when was the 14th amendment changed",
        "I know what the 14th amendment changed",
    ],
)
def test_other_questions_do_not_ask_what_was_changed(question):
    assert changing_provisions(question) == ()


def test_words_that_may_name_what_was_changed():
    assert [words.strip() for words in changed_words("what replaced the fugitive slave clause?")] == [
        "the fugitive slave clause?"
    ]
    assert "when was the three-fifths clause " in [
        *changed_words("when was the three-fifths clause repealed")
    ]
    assert [*changed_words("my landlord changed the locks")] == []


NAMES = CaseNames(
    [("/us/scotus/410/113", "Roe v. Wade", ["Roe"]), ("/us/scotus/597/215", "Dobbs v. Jackson", ["Dobbs"])]
)


@pytest.mark.parametrize(
    "question",
    [
        "what overruled Roe v. Wade",
        "which decision overturned Roe v. Wade?",
        "Was Roe overruled?",
        "Did Dobbs v. Jackson overrule Roe v. Wade?",
        "Is Roe v. Wade still good law?",
        "is Roe still good law",
        "¿Qué anuló Roe contra Wade?",
        "¿Qué decisión anuló Roe contra Wade?",
        "¿Sigue vigente Roe contra Wade?",
        "¿Sigue vigente Roe?",
        "¿Fue anulado Roe?",
    ],
)
def test_what_overruled_a_decision_is_asked(question):
    assert [c.locator for c in changed_provisions(question, ["/us/scotus/597/215"], NAMES)] == [
        "/us/scotus/410/113"
    ]


def test_what_a_decision_overruled_is_asked():
    [cited] = changing_provisions("What did Dobbs overrule?", ["/us/scotus/597/215"], NAMES)
    assert cited.locator == "/us/scotus/597/215"


@pytest.mark.parametrize(
    "question",
    [
        "what did Roe v. Wade decide",
        "Is the 12th amendment still in force?",
        "can my lawyer cite Roe v. Wade still",
    ],
)
def test_not_every_decision_is_doubted(question):
    assert not changed_provisions(question, (), NAMES)
