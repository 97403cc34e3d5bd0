import pytest

from retrieval.proof.types import outcome
from retrieval.proof.verify import verify
from tests.retrieval.proof.provisions import AGE, EVERY


def test_a_claim_with_a_problem_is_never_supported_however_many_words_of_the_law_it_has():
    claims = verify(AGE.text.replace("thirty five", "forty"), EVERY, language="en")
    assert [claim.verdict != "supported" for claim in claims if claim.problems] == [True]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Hello! What does the law say? U.S. Const. art. II", "nothing_to_verify"),
        (AGE.text, "verified"),
        (AGE.text.replace("thirty five", "forty"), "not_verified"),
    ],
)
def test_a_text_that_claims_nothing_has_nothing_to_verify(text, expected):
    assert outcome(claim.verdict for claim in verify(text, EVERY, language="en")) == expected
