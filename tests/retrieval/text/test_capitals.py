"""Names in capitals and the common words that they would be."""

import pytest

from retrieval.text.capitals import in_capitals, may_mean


@pytest.mark.parametrize(
    ("text", "name", "language", "meant"),
    [
        ("can they make us leave", "US", "en", False),
        ("can the US make them leave", "US", "en", True),
        ("does the us recognize it", "US", "en", True),
        ("who decides", "WHO", "en", False),
        ("does la county decide", "LA", "en", True),
        ("quién decide en la ciudad", "LA", "es", False),
        ("rights under the ada", "ADA", "en", True),
        ("make us leave", "us", "en", True),
        ("make us leave", "US", "fr", True),
        ("VIRUS and US.", "US", "en", True),
        ("the VIRUS made us leave", "US", "en", False),
    ],
)
def test_a_common_word_is_no_name(text, name, language, meant):
    assert may_mean(text, name, language) is meant


def test_texts_that_may_mean_other_things_are_told_apart():
    assert in_capitals("can the US make us leave") == ["US"]
    assert in_capitals("can the us make us leave") == ["US"]
    assert in_capitals("Can they make us leave under the ADA?") == []
