"""What says that later law departed from a holding, and what says that a decision departed from others."""

import pytest

from retrieval.text.later_law import departed_from, tells_of_departure


@pytest.mark.parametrize(
    "sentence",
    [
        "Students for Fair Admissions (2023) has since held such programs unlawful.",
        "Brandenburg later rejected that view.",
        "Brandenburg later set a far stricter test.",
        "Decisions from the 1930s on abandoned this distinction.",
        "Later cases confine the ruling.",
        "This decision was later overruled.",
        "It is no longer followed.",
        "It was overruled by Brown v. Board of Education.",
        "The Sixteenth Amendment, ratified in 1913, allows income taxes.",
    ],
)
def test_later_law_departed_from_it(sentence):
    assert tells_of_departure(sentence)
    assert departed_from(f"A state may do so. {sentence}")


@pytest.mark.parametrize(
    "sentence",
    [
        "The law was upheld and Adkins was overruled.",
        "Wolf was overruled on that point.",
        "Stanford no longer controls.",
        "A later statute prevails over an earlier treaty.",
        "His later voluntary statement was admissible.",
        "The rigid two-part test drawn from Aguilar was abandoned.",
        "Reasons given later could not cure it.",
        "The tenant may later end the lease.",
    ],
)
def test_it_departed_from_others_or_from_none(sentence):
    assert not tells_of_departure(sentence)
