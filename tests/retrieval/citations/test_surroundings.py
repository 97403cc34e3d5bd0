"""Whether words around an amendment or article make it the US Constitution's."""

import pytest

from retrieval.citations import surroundings
from retrieval.citations.citation import Source
from retrieval.citations.heads import TAIL, heads, with_tail


def around(text):
    source = Source.of(text)
    head = next(heads(source.folded))
    own = surroundings.has_own_articles(source.folded)
    kept = surroundings.of(source, head, with_tail(source.folded, head, TAIL), own_articles=own)
    return kept and text[kept.start : kept.end]


@pytest.mark.parametrize(
    ("text", "taken_in"),
    [
        ("the First Amendment applies", "First Amendment"),
        ("U.S. Const. art. III applies", "U.S. Const. art. III"),
        ("Article II of the Constitution", "Article II of the Constitution"),
        ("in California, Article III courts", "Article III"),
    ],
)
def test_the_constitutions_name_is_taken_in(text, taken_in):
    assert around(text) == taken_in


@pytest.mark.parametrize(
    "text",
    [
        "Article 2 of the Uniform Commercial Code",
        "the first amendment to the lease",
        "Cal. Const. art. I",
        "an amendment 2 years ago",
        "Colorado Amendment 2",
        "the amendment I proposed",
        "UCC Article 2",
        "the May 5th amendment",
        "Article V of the Texas Constitution",
        "COMPACT\nArticle I.\nThe states. Article II is void.",
    ],
)
def test_what_is_another_texts(text):
    assert around(text) is None


def test_a_text_of_articles_means_its_own():
    assert surroundings.has_own_articles("compact\narticle i.\nthe states")
    assert not surroundings.has_own_articles("article i says")
