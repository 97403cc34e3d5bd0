"""What may be asked."""

import pytest

from retrieval.models import SearchLog
from retrieval.request import BadQuery, SearchRequest
from retrieval.search.service import search

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize(
    "fields",
    [
        {"text": ""},
        {"text": "  ?! "},
        {"text": "x" * 2001},
        {"text": "war", "k": 0},
        {"text": "war", "k": 101},
        {"text": "war", "page": 0},
        {"text": "war", "page": 500, "k": 100},
        {"text": "war", "language": "fr"},
    ],
)
def test_bad_questions_are_refused_before_any_stage(fields):
    with pytest.raises(BadQuery):
        search(SearchRequest(**fields))
    assert not SearchLog.objects.exists()
