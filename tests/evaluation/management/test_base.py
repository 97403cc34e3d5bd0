"""The topics that commands measure on."""

import json
from argparse import ArgumentTypeError

import pytest

from evaluation.management.base import a_count, chosen_topics, topics_in
from retrieval.errors import ArfError

pytestmark = pytest.mark.django_db
OF = {"domain": "us_constitution", "split": "tune"}
HERE, MISSING = "/us/const/amendment/I", "/us/const/amendment/XXXIII"


@pytest.fixture
def write(tmp_path):
    """Writes a file of topics: write(first=HERE), each with the one provision that is relevant."""

    def topics(**relevant):
        rows = (
            {"id": name, "query": f"what of {name}", "relevant": {place: 3}} | OF for name, place in relevant.items()
        )
        path = tmp_path / "topics.jsonl"
        path.write_text("\n".join(map(json.dumps, rows)))
        return path

    return topics


def test_topics_of_a_file_are_those_of_the_split_and_the_domain(write):
    path = write(first=HERE, second=HERE)
    assert [topic.id for topic in chosen_topics("us_constitution", "tune", path)] == ["first", "second"]
    with pytest.raises(ArfError, match="There are no test topics for us_constitution"):
        chosen_topics("us_constitution", "test", path)
    assert topics_in(path, domain="us_code") == []


def test_topics_that_name_what_is_not_here_are_told_and_refused_where_all_do(write, capsys):
    assert len(topics_in(write(first=HERE, second=MISSING))) == 2
    assert "1 of 2 topics name what is not here; topic second" in capsys.readouterr().err
    with pytest.raises(ArfError, match="1 of 1 topics"):
        topics_in(write(second=MISSING))


def test_a_count_is_one_at_least():
    assert a_count("7") == 7
    for said in ("0", "-1", "many"):
        with pytest.raises(ArgumentTypeError, match=f"“{said}” is no count"):
            a_count(said)
