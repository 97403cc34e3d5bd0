"""Phrases that tell a provision from the others."""

from evaluation.rule_impact.phrases import Contrast, Text, phrases_of
from tests.rule_searches import THIRD

FOURTH = "/us/const/amendment/IV"


def test_a_phrase_neither_begins_nor_ends_with_words_of_asking():
    assert phrases_of("What is the right of way?", "en") == {}
    assert set(phrases_of("Can soldiers stay at home?", "en").values()) == {
        "soldiers", "soldiers stay", "stay", "stay at home", "home",
    }  # fmt: skip
    assert "kennel be taxed" not in phrases_of("May the kennel be taxed?", "en").values()
    assert "qué" not in phrases_of("¿Qué soldados duermen?", "es").values()


def test_the_phrase_that_stands_in_texts_about_the_place_alone_tells_it_best():
    about_third = frozenset((THIRD,))
    contrast = Contrast(
        [
            Text("Must I house troops?", "en", about_third),
            Text("housing troops in peace", "en", about_third),
            Text("May police enter my house?", "en", frozenset((FOURTH,))),
            Text("a house search", "en", frozenset((FOURTH,))),
        ]
    )
    best = contrast.best("Must I house troops?", "en", [THIRD], 3)
    assert [(phrase.words, phrase.about, phrase.texts) for phrase in best] == [
        ("troops", 2, 2), ("house troops", 2, 2), ("house", 2, 4),
    ]  # fmt: skip
