from retrieval.proof.verify import verify
from tests.retrieval.proof.provisions import AGE, EVERY


def test_a_claim_with_a_problem_is_never_supported_however_many_words_of_the_law_it_has():
    claims = verify(AGE.text.replace("thirty five", "forty"), EVERY, language="en")
    assert [claim.verdict != "supported" for claim in claims if claim.problems] == [True]
