"""Which unit answers."""

from dataclasses import replace

import pytest

from retrieval.answers import selection
from retrieval.answers.questions import says_beside
from retrieval.answers.selection import (
    RANKED_AGAIN,
    Passage,
    asked_of,
    best_units,
    closest,
    framed,
    gained,
    log_sum,
    may_answer,
    pool_of,
    scored,
    telling_overruling,
)
from retrieval.answers.units import key_of
from retrieval.text.normalization import fold

LAW = "The Board shall meet in May. A member serves a term of six years. Fees are paid to the clerk."
PASSAGE = Passage(1, "/us/x/1", "X § 1", LAW, 1, 0.9, "en", (0, 0))


def answering(question: str, *passages: Passage) -> str:
    first = scored(question, question, passages or (PASSAGE,))[0]
    return first.passage.text[first.unit.start : first.unit.end]


def test_the_sentence_with_the_words_of_the_question_comes_first():
    assert answering("Who gets the fees?") == "Fees are paid to the clerk."


def test_what_another_part_is_answered_by_comes_first_only_where_nothing_comes_near():
    ranked = scored("How long does a member serve?", "How long does a member serve?", [PASSAGE])
    (term,) = best_units(ranked, 1, [])
    assert term.unit.start == LAW.index("A member")
    (other,) = best_units([replace(ranked[0], probability=0.5), replace(ranked[1], probability=0.3)], 1, [term])
    assert other.unit == ranked[1].unit and best_units(ranked[:1], 1, [term]) == [term]
    sure = replace(ranked[0], probability=0.97)
    assert best_units([sure, replace(ranked[1], probability=0.03)], 1, [term]) == [sure]


def test_the_kind_of_answer_counts():
    assert answering("How long does a member serve?") == "A member serves a term of six years."


def test_a_spanish_text_is_compared_with_the_question_as_it_was_asked():
    text = "El horario de visita es de 15:00 a 20:00. En cuidados intensivos (UCI) es de 13:00 a 13:30."
    asked = "¿cuál es el horario de cuidados en la UCI?"
    first = scored("ICU timetable", asked, [replace(PASSAGE, text=text, language="es")])[0]
    assert "UCI" in text[first.unit.start : first.unit.end]


@pytest.mark.parametrize(
    ("question", "first"),
    [("who keeps the key", "The nurse keeps it."), ("what does this procedure cover", "This procedure tells")],
)
def test_what_a_text_tells_of_itself_answers_only_who_asks_for_that(question, first):
    text = "This procedure tells who keeps the key. The nurse keeps it."
    assert answering(question, replace(PASSAGE, text=text)).startswith(first)


@pytest.mark.parametrize(
    ("question", "rule"),
    [
        ("How long do I have to complain?", "This procedure sets out a period of ten days for complaints."),
        ("Who pays for the rental car?", "This policy covers the rental car."),
        ("Am I insured against floods?", "This policy covers damage by floods up to 5,000 dollars."),
        ("Am I insured against floods?", "This policy explains that damage by floods is insured."),
        ("¿Cuántos días tengo para reclamar?", "Este procedimiento establece un plazo de diez días para reclamar."),
        ("¿Cuántos días tengo para reclamar?", "Esta guía explica cómo reclamar en diez días."),
        ("¿Cuántos días tengo para reclamar?", "Este procedimiento cuenta con un plazo para reclamar."),
        ("What may not be shipped?", "This section contains what may not be shipped: knives and guns."),
        ("What may not be shipped?", "This guide describes what may not be shipped: knives and guns."),
        ("How long do I have to complain?", "This guide tells how to complain within 10 days."),
    ],
)
def test_a_sentence_that_holds_the_rule_tells_not_of_its_text_alone(question, rule):
    assert not any(says.match(fold(rule)) for says in says_beside(question))


@pytest.mark.parametrize("question", ["How long is a permit good for?", "¿Cuánto tiempo vale un permiso?"])
def test_who_asks_for_an_amount_is_told_one(question):
    text = "A permit to fish is good for the waters it names. No permit shall run for more than 7 years."
    first = scored("How long is a permit good for?", question, [replace(PASSAGE, text=text)])[0]
    assert text[first.unit.start : first.unit.end] == "No permit shall run for more than 7 years."


@pytest.mark.parametrize(
    ("question", "asked", "first"),
    [
        ("How is the Governor elected?", "", "The Governor shall be elected"),
        ("For what term is the Governor elected?", "¿Por qué período se elige al gobernador?", "The Governor shall"),
        ("Does it affect a Governor elected before it became valid?", "", "This amendment"),
        ("Does it affect a Governor elected before?", "¿Afecta a un gobernador elegido antes?", "This amendment"),
    ],
)
def test_what_law_says_of_its_beginning_answers_only_who_asks_for_it(question, asked, first):
    text = (
        "The Governor shall be elected by the people thereof for four years. This amendment shall not be so construed "
        "as to affect the term of any Governor elected before it becomes valid as part of the constitution."
    )
    best = scored(question, asked or question, [replace(PASSAGE, text=text)])[0]
    assert text[best.unit.start :].startswith(first)


def test_law_that_says_nothing_else_is_quoted_by_it():
    text = "Sections 1 and 2 shall take effect on the 15th day of October."
    assert answering("What of sections 1 and 2?", replace(PASSAGE, text=text)) == text


@pytest.mark.parametrize(
    ("sentence", "beside"),
    [
        ("(c) This section shall not affect any license issued before January 1, 1990.", True),
        ("The amendments made by this section do not apply to judges appointed before enactment.", True),
        ("Esta ley entrará en vigor el primero de enero.", True),
        ("This section does not apply to an alien who was firmly resettled before arriving.", False),
        ("No law shall take effect until an election shall have intervened.", False),
        ("Nothing in this section shall be construed to limit the right to counsel.", False),
        ("This authorization shall be effective for one year.", False),
    ],
)
def test_what_law_says_of_itself_is_told_from_what_it_orders(sentence, beside):
    assert any(says.match(fold(sentence)) for says in says_beside("Who needs a license?")) is beside


def test_of_equal_units_the_better_provision_comes_first():
    other = replace(PASSAGE, section=2, rank=2, probability=0.2)
    assert scored("fees", "fees", [other, PASSAGE])[0].passage.rank == 1


def test_the_probabilities_of_all_units_add_up_to_one():
    found = [one.probability for one in scored("fees", "fees", [PASSAGE])]
    assert min(found) > 0 and sum(found) == pytest.approx(1.0)
    assert scored("fees", "fees", []) == []


def test_of_units_that_say_as_little_the_earlier_one_comes_first():
    assert answering("What is a zebra?") == "The Board shall meet in May."


def result(probability: float | None, **changes) -> dict:
    return {"domain": "us_constitution", "probability": probability, "pin": None, "reasons": []} | changes


@pytest.mark.parametrize(
    ("results", "expected"),
    [
        ([result(0.9), result(0.1)], True),
        ([result(0.1), result(0.05), result(0.05), result(0.9)], False),  # the fourth is not read
        ([result(0.2), result(0.2)], True),  # one of the two probably
        ([result(0.1, domain="us_code")], True),  # nothing was learned there
        ([result(0.1, pin="/us/const/amendment/XIV/section/1/clause/2")], True),
        ([result(0.1, reasons=[{"code": "citation"}])], True),
        ([result(0.1), result(0.1, reasons=[{"code": "rule_pin"}])], True),
        ([result(0.1, reasons=[{"code": "judged_alike"}])], False),
        ([result(None)], True),
        ([], True),
    ],
)
def test_provisions_that_are_probably_not_relevant_are_not_quoted(results, expected):
    assert may_answer(results, doubtful=False) is expected


def test_what_the_search_itself_doubts_is_not_quoted_but_what_the_question_names():
    assert not may_answer([result(0.9, domain="us_code")], doubtful=True)
    assert may_answer([result(0.9, reasons=[{"code": "citation"}])], doubtful=True)


def test_words_before_a_list_of_other_provisions_are_not_quoted_alone():
    opening = replace(PASSAGE, text="Rent is due. This agreement shall terminate:", is_leaf=False)
    question = "When does the agreement terminate?"
    assert answering(question, opening) == "Rent is due."
    assert answering(question, replace(opening, is_leaf=True)) == "This agreement shall terminate:"


def test_every_feature_has_a_weight():
    assert list(selection.shipped_weights()["features"]) == list(selection.FEATURES)


def test_nothing_private_stays_in_memory():
    selection._read_before.clear()
    scored("fees", "fees", [replace(PASSAGE, private=True)])
    assert len(selection._read_before) == 0
    scored("fees", "fees", [PASSAGE])
    assert len(selection._read_before) == 1


def found_at(locator: str, *codes: str) -> dict:
    return {"locator": locator, "pin": None, "reasons": [{"code": code} for code in codes]}


def test_where_a_decision_is_named_only_that_and_its_changes_answer():
    roe, dobbs = found_at("/us/scotus/410/113", "citation"), found_at("/us/scotus/597/215", "overruled_it")
    other, law = found_at("/us/scotus/367/643", "lexical"), found_at("/us/const/amendment/XIV", "citation")
    assert asked_of([other, roe, dobbs, law]) == [roe, dobbs, law]
    assert asked_of([other, law]) == [other, law]


def test_of_what_overruled_another_it_is_told_that_it_did():
    for held, told in (
        ("The law was void. Swain was overruled. Swain's rule was old.", "Swain was overruled."),
        ("The law was void. What relied on Swain stands.", "The law was void."),
    ):
        ranked = scored("What overruled Swain?", "What overruled Swain?", [replace(PASSAGE, text=held)])
        [one] = telling_overruling(ranked, lambda passage: True)
        assert held[one.unit.start : one.unit.end] == told
        assert telling_overruling(ranked, lambda passage: False) == ranked


DECIDED = "The Court held that a clerk may be dismissed. Justice Roe dissented. She thought no member may be removed."


@pytest.mark.parametrize(
    ("question", "first"),
    [
        ("May no member be removed?", "The Court held"),
        ("What did the dissent think, may no member be removed?", "She thought"),
        ("¿Qué pensó la magistrada disidente? may no member be removed", "She thought"),
    ],
)
def test_what_a_justice_wrote_apart_from_the_court_answers_only_who_asks_for_it(question, first):
    assert answering(question, replace(PASSAGE, text=DECIDED, is_summary=True)).startswith(first)


def test_an_opinion_of_its_own_answers_only_who_asks_for_it():
    dissent = replace(PASSAGE, text="No member may be removed by anybody at all.", is_separate=True)
    assert answering("May a member be removed?", dissent, PASSAGE) in LAW
    assert scored("May a member be removed?", "May a member be removed?", [dissent]) == []
    assert answering("What does the dissent say of members removed?", dissent, PASSAGE) == dissent.text


CASE = replace(PASSAGE, locator="/us/scotus/393/503", text="Pupils may wear armbands in a school.", heading="Majority")


@pytest.mark.parametrize(
    ("question", "told"),
    [
        ("What did Justice Black say in his dissent in Tinker?", "Schools may forbid armbands."),
        ("What did the dissent in Tinker v. Des Moines say of armbands?", "Schools may forbid armbands."),
        ("What did Justice Harlan say in dissent in Tinker?", ""),
        ("What did the concurrence in Tinker say of armbands?", "Armbands of small pupils are another matter."),
        ("What did the Court say of armbands in Tinker?", "Pupils may wear armbands in a school."),
    ],
)
def test_who_asks_for_a_dissent_is_not_told_what_the_court_held(question, told):
    black = replace(CASE, text="Schools may forbid armbands.", heading="Dissent (Mr. Justice Black)", is_separate=True)
    white = replace(CASE, text="Armbands of small pupils are another matter.", heading="Concurrence", is_separate=True)
    passages = (CASE, black, white) if told else (CASE, black)
    assert [one.passage.text for one in scored(question, question, passages)[:1]] == [told] * bool(told)


class Told:
    """A meaning that tells what a test gives it."""

    def __init__(self, pointed: dict, said: dict):
        self.given, self.said, self.ranked = pointed, said, []

    def pointed(self, places):
        self.places = list(places)
        return self.given

    def log_odds(self, texts):
        self.ranked += texts
        return None if self.said is None else [self.said.get(text, 0.0) for text in texts]


SIX = "A member serves a term of six years."


def test_what_names_point_to_moves_within_a_provision_alone():
    pool = pool_of("q", [PASSAGE, replace(PASSAGE, section=2, rank=2)])
    totals = [1.0, 0.0, 0.5, 2.0, 0.0, 0.0]
    gains = gained(totals, pool, {1: {key_of(SIX): 1.0}})
    assert gains[1] == max(gains) > 0 > gains[0] and gains[3:] == [0, 0, 0]
    moved = [total + gain for total, gain in zip(totals, gains, strict=True)]
    assert log_sum(moved[:3]) == pytest.approx(log_sum(totals[:3]))
    assert gained(totals, pool, {1: {key_of("Of another edition."): 1.0}}) == [0.0] * 6


def test_of_a_provision_the_sentence_is_quoted_that_names_point_to():
    told = Told({1: {key_of(SIX): 1.0}}, {})
    best = scored("who decides", "who decides", [PASSAGE], told)[0]
    assert LAW[best.unit.start : best.unit.end] == SIX
    assert [place.locator for place in told.places] == ["/us/x/1"]


FEES = replace(PASSAGE, text="Fees are paid to the clerk. Fees are owed to the clerk.")


def fees(told: Told | None, passage: Passage = FEES) -> list[str]:
    found = scored("fees to the clerk", "fees to the clerk", [passage], told)
    assert sum(one.probability for one in found) == pytest.approx(1.0)
    return [passage.text[one.unit.start : one.unit.end] for one in found]


def test_what_comes_close_is_weighed_again_by_what_the_ranker_says():
    told = Told({}, {"Fees are owed to the clerk.": 3.0, "Fees are paid to the clerk.": 0.0})
    assert fees(None)[0] == "Fees are paid to the clerk." and fees(told)[0] == "Fees are owed to the clerk."


def test_where_the_ranker_does_not_run_all_else_still_tells():
    assert fees(Told({}, None)) == fees(None)
    assert fees(Told({1: {key_of("Fees are owed to the clerk."): 1.0}}, None))[0] == "Fees are owed to the clerk."


def test_the_ranker_reads_english_alone():
    told = Told({}, {"Fees are owed to the clerk.": 3.0})
    assert fees(told, replace(FEES, language="es"))[0] == "Fees are paid to the clerk." and told.ranked == []


def test_a_unit_is_ranked_with_what_frames_it_behind_its_own_words():
    text = "(a) The fee is waived for—\n(1) minors; and\n(2) the blind."
    passage = replace(PASSAGE, text=text)
    [minors] = [one for _, one in pool_of("q", [passage]) if text[one.unit.start :].startswith("(1)")]
    assert framed(passage, minors).startswith("(1) minors") and "The fee is waived for" in framed(passage, minors)
    assert framed(PASSAGE, pool_of("q", [PASSAGE])[1][1]) == SIX


def test_what_is_far_from_the_best_is_not_ranked_again():
    pool = pool_of("q", [PASSAGE] * 3)
    totals = [*(5.0 - n / 10 for n in range(RANKED_AGAIN + 1)), 0.0]
    assert closest(totals, pool) == [*range(RANKED_AGAIN)] and closest([0.0, 5.0], pool) == [1]
    told = Told({}, {})
    scored("How long does a member serve a term?", "How long does a member serve a term?", [PASSAGE], told)
    assert told.ranked == []


def test_what_stands_before_words_that_lead_in_to_provisions_is_quoted():
    text = "The court may hear any appeal. The Congress shall have Power"
    assert answering("appeal", replace(PASSAGE, text=text, is_leaf=False)) == "The court may hear any appeal."
    assert answering("appeal", replace(PASSAGE, text=f"{text}—", is_leaf=False)) == "The court may hear any appeal."
