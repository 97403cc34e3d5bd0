"""What a question puts in quotes."""

import pytest

from retrieval.text.quotes import MOST, quoted, too_many


@pytest.mark.parametrize(
    ("text", "phrases"),
    [
        ('say "we the people" now', ["we the people"]),
        ("say “we the people” or «nosotros»", ["we the people", "nosotros"]),
        ('an unbalanced " quote', []),
        ('""', []),
        ("plain", []),
    ],
)
def test_quotes_must_be_balanced(text, phrases):
    assert quoted(text) == phrases


def test_a_phrase_quoted_again_is_none_more():
    assert not too_many('"War"  "war" ' * 100)
    assert not too_many(" ".join(f'"{n}"' for n in range(MOST)))
    assert too_many(" ".join(f'"{n}"' for n in range(MOST + 1)))
