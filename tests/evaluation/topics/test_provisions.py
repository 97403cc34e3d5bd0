"""What is judged is looked for in the corpus, as far as that may be told."""

import pytest

from evaluation.topics.provisions import Provisions, not_here
from evaluation.topics.reading import LineRefused
from evaluation.topics.topic import Topic
from retrieval.models import Domain

pytestmark = pytest.mark.django_db
PREAMBLE, ABSENT = "/us/const/preamble", "/us/const/amendment/XCIX"


def test_topics_whose_provisions_are_not_here_are_told_with_the_reason():
    topics = [
        Topic("here", "q", relevant={PREAMBLE: 3}),
        Topic("absent", "q", relevant={PREAMBLE: 3}, irrelevant=frozenset({ABSENT})),
        Topic("elsewhere", "q", relevant={"/us/usc/t8/s1158": 3}),
        Topic("nowhere", "q", domain="us_constituton", relevant={PREAMBLE: 3}),
        Topic("unanswerable", "q", answerable=False),
    ]
    assert not_here(topics) == {
        "absent": f"there is no provision {ABSENT}",
        "elsewhere": "/us/usc/t8/s1158 is not in us_constitution",
        "nowhere": "there is no domain us_constituton",
    }


def test_of_private_law_nobody_is_told_what_is_in_it():
    private = Domain.objects.get(slug="client_cases")
    provisions = Provisions({ABSENT}, Domain.objects.all())
    provisions.require(f"{private.locator_prefix}/no such file", private)
    with pytest.raises(LineRefused, match="no provision"):
        provisions.require(ABSENT, Domain.objects.get(slug="us_constitution"))
