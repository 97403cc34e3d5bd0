"""Whether a brief says that it quotes a dissent or concurrence."""

import pytest

from retrieval.briefs.apart import is_cited_apart, is_of_another_opinion
from retrieval.briefs.citing import cited_in
from retrieval.briefs.library import Source
from retrieval.briefs.quoting import quotations, units

HELD = "The Court held that “the door is shut.” Mapp v. Ohio, 367 U.S. 643"


def is_of_another(text, opinion):
    (cited,), (quotation,) = cited_in(text, None), quotations(text)
    among = units(text, [(cited.start, cited.end)])
    return is_of_another_opinion(text, quotation, cited, among, Source("", "", "The door is shut.", opinion=opinion))


@pytest.mark.parametrize(
    ("text", "apart"),
    [
        (f"{HELD}, 672 (1961) (Harlan, J., dissenting).", True),
        (f"{HELD}, 661 (1961) (Black, J., concurring in the judgment).", True),
        (f"{HELD}, 655 (1961).", False),
        (f"{HELD}, 655 (1961) (quoting Weeks). The dissent (Harlan, J., dissenting) disagreed.", False),
    ],
)
def test_the_brackets_behind_a_citation_name_a_dissent(text, apart):
    (cited,) = cited_in(text, None)
    assert is_cited_apart(text, cited) is apart


@pytest.mark.parametrize(
    ("text", "opinion", "another"),
    [
        (f"{HELD}, 672 (1961).", "dissent", True),
        (f"Justice Harlan dissented. {HELD}, 672 (1961).", "dissent", False),
        (f"Justice Harlan dissented.\n\n{HELD}, 672 (1961).", "dissent", True),
        (f"{HELD}, 672 (1961) (opinion of Harlan, J.).", "concurrence in part", False),
        (f"{HELD}, 672 (1961) (Harlan, J., dissenting).", "majority", True),
        (f"{HELD}, 655 (1961).", "majority", False),
        (f"{HELD}, 672 (1961) (Harlan, J., dissenting).", "", False),
    ],
)
def test_words_of_another_opinion_than_is_said(text, opinion, another):
    assert is_of_another(text, opinion) is another
