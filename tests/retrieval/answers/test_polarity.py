"""Yes and no are said only where nothing can be otherwise."""

import pytest

from retrieval.answers.polarity import polarity

EXPORTS = "No Tax or Duty shall be laid on Articles exported from any State."


def test_a_plain_prohibition_says_no():
    assert polarity("Can a tax be laid on articles exported from a state?", EXPORTS) == "no"


def test_a_plain_permission_says_yes():
    assert polarity("Can the owner ask for a hearing?", "The owner may ask for a hearing.") == "yes"


@pytest.mark.parametrize(
    ("question", "sentence"),
    [
        ("Can the owner ask for a hearing?", "The owner may ask for a hearing if the rent is paid."),
        ("Can the owner ask for a hearing?", "The owner may not ask for a hearing unless it is urgent."),
        ("Can't the owner ask for a hearing?", "The owner may ask for a hearing."),
        ("Can only the owner ask for a hearing?", "The owner may ask for a hearing."),
        ("Who can ask for a hearing?", "The owner may ask for a hearing."),
        ("Can the tenant sell the house?", "The owner may ask for a hearing."),
        ("Can the owner ask for a hearing?", "The owner may ask for a hearing and shall not be refused."),
        ("Can the police search my phone?", "No Person shall be searched."),
    ],
)
def test_any_doubt_leaves_it_open(question, sentence):
    assert polarity(question, sentence) == ""
