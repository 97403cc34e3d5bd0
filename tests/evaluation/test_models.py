"""A topic knows by which hash logs call its question."""

from evaluation.models import Topic
from retrieval.text.normalization import normalize
from retrieval.text.personal_data import query_hash


def test_a_topic_of_a_search_has_the_hash_in_its_name():
    assert Topic(name="search-abc", source="search", query="scrubbed").query_hash == "abc"


def test_other_topics_have_that_of_their_question():
    hashed = query_hash(normalize("Who may vote?"))
    assert Topic(name="search-abc", source="admin", query="Who may  vote?").query_hash == hashed
