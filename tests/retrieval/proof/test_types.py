import pytest

from retrieval.proof.types import Claim, Proof


def claim(verdict):
    return Claim("", 0, 0, verdict, 1.0)


@pytest.mark.parametrize(
    "verdicts, whole",
    [
        ([], "nothing_to_verify"),
        (["not_a_claim"], "nothing_to_verify"),
        (["supported", "not_a_claim"], "verified"),
        (["supported", "not_found"], "unsupported"),
        (["contradicted"], "unsupported"),
    ],
)
def test_a_text_is_verified_only_where_it_claims_something_and_all_is_supported(verdicts, whole):
    assert Proof(tuple(map(claim, verdicts))).verdict == whole
