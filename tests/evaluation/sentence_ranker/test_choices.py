"""What the sentence ranker learns from."""

import numpy as np
import pytest

from evaluation.models import Topic
from evaluation.sentence_ranker.choices import OF_ONE, OTHERS, drawn, gathered
from retrieval.models import Domain
from rules.models import Alias

LEGISLATION = "/us/const/article/I/section/7/clause/2"
KEPT = "If any Bill shall not be returned by the President within ten Days (Sundays excepted) after it shall have been"
PASSED = "Every Bill which shall have passed the House of Representatives and the Senate, shall, before it become a Law"


@pytest.fixture
def names(db):
    """Of one provision alone."""
    Alias.objects.update(sentence="")
    domain = Domain.objects.get(slug="us_constitution")

    def point(text: str, sentence: str, **values) -> Alias:
        return Alias.objects.create(domain=domain, locator=LEGISLATION, text=text, sentence=sentence, **values)

    return point


def test_a_name_comes_with_the_sentence_that_it_points_to_and_others_of_its_provision(names):
    names("how long may the president keep a bill", KEPT)
    [choice] = gathered()
    assert choice.question == "how long may the president keep a bill"
    assert choice.texts[0].startswith(KEPT)
    assert len(choice.texts) == 1 + OTHERS and len({*choice.texts}) == len(choice.texts)
    assert gathered() == [choice]


def test_of_one_provision_a_few_are_taken(names):
    for number in range(2 * OF_ONE):
        names(f"the {number}th question on bills", PASSED)
    assert len(gathered()) == OF_ONE


@pytest.mark.parametrize(
    ("sentence", "values"),
    [
        ("", {}),
        ("Of another edition it", {}),
        (PASSED, {"language": "es"}),
        (PASSED, {"enabled": False}),
    ],
)
def test_what_points_nowhere_is_in_spanish_or_out_of_use_is_left_out(names, sentence, values):
    names("a question on bills", sentence, **values)
    assert gathered() == []


def test_a_name_that_is_nearly_a_question_kept_for_measuring_is_left_out(names):
    kept = Topic.objects.filter(split="test", language="en", domain__slug="us_constitution").first()
    names(kept.query, PASSED)
    assert gathered() == []


def test_what_is_hardest_to_tell_apart_is_drawn_first():
    chance = np.random.default_rng(1)
    for _ in range(20):
        first, second, third = drawn([*range(20)], chance)
        assert {first, second} < {0, 1, 2} and 3 <= third < 10
    assert sorted(drawn([0, 1, 2], chance)) == [0, 1, 2] and len(drawn([0, 1], chance)) == 2
