"""What may be asked."""

import pytest

from retrieval.models import SearchLog
from retrieval.request import MOST_PAGES, BadQuery, SearchRequest, paging
from retrieval.search.service import search

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize(
    "fields",
    [
        {"text": ""},
        {"text": "  ?! "},
        {"text": '"'},
        {"text": "“ ” -"},
        {"text": "x" * 2001},
        {"text": " ".join(f'"{word}"' for word in "abcdefghijk")},
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


def test_a_page_past_the_end_leads_back_to_the_last_that_there_is():
    assert [paging(103, k=7, page=page)["previous"] for page in (1, 2, 15, 16, 40)] == [None, 1, 14, 15, 15]
    assert [paging(0, k=7, page=page)["previous"] for page in (1, 2, 40)] == [None, 1, 1]


def test_no_page_follows_the_last_that_may_be_asked_for():
    assert paging(12_000, k=10, page=MOST_PAGES - 1)["next"] == MOST_PAGES
    assert paging(12_000, k=10, page=MOST_PAGES) == {
        "total": 12_000,
        "page": MOST_PAGES,
        "next": None,
        "previous": MOST_PAGES - 1,
    }
