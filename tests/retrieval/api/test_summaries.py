"""Summaries over the API."""

import pytest

from retrieval.api.summaries import SummarySentence
from tests.retrieval.api.asking import assert_shape, section

pytestmark = pytest.mark.django_db


def test_sentences_have_what_the_schema_promises(client):
    told = section(client, "us/const/article/II")["summary"]
    assert told
    for sentence in told:
        assert_shape(sentence, SummarySentence)
