"""Which unit answers."""

from dataclasses import replace

from retrieval.answers import selection
from retrieval.answers.selection import Passage, scored

LAW = "The Board shall meet in May. A member serves a term of six years. Fees are paid to the clerk."
PASSAGE = Passage(1, "/us/x/1", "X § 1", LAW, 0, 1, 0.9, "en", (0, 0))


def best(question: str, *passages: Passage) -> str:
    first = scored(question, question, passages or (PASSAGE,))[0]
    return first.passage.text[first.unit.start : first.unit.end]


def test_the_sentence_with_the_words_of_the_question_comes_first():
    assert best("Who gets the fees?") == "Fees are paid to the clerk."


def test_the_kind_of_answer_counts():
    assert best("How long does a member serve?") == "A member serves a term of six years."


def test_of_equal_units_the_better_provision_comes_first():
    other = replace(PASSAGE, section=2, rank=2, probability=0.2)
    assert scored("fees", "fees", [other, PASSAGE])[0].passage.rank == 1


def test_probabilities_are_probabilities():
    assert all(0 < one.probability < 1 for one in scored("fees", "fees", [PASSAGE]))


def test_every_feature_has_a_weight():
    assert list(selection.shipped_weights()["features"]) == list(selection.FEATURES)


def test_nothing_private_stays_in_memory():
    selection.read_public.cache_clear()
    scored("fees", "fees", [replace(PASSAGE, private=True)])
    assert selection.read_public.cache_info().currsize == 0
    scored("fees", "fees", [PASSAGE])
    assert selection.read_public.cache_info().currsize == 1
