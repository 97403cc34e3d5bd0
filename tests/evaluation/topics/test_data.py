"""The shipped topic files keep together what README promises of all of them. Pure."""

import json
from collections import Counter, defaultdict
from functools import cache
from itertools import combinations

import pytest

from evaluation.topics.leaks import leaks
from tests.conftest import ROOT
from tests.evaluation.topics.test_topic import (
    ANSWERABLE_KINDS,
    FIELDS,
    TOPICS,
    UNANSWERABLE_KINDS,
    digest,
    split_of,
)

FILES = sorted(TOPICS.glob("*.jsonl"))
NEWER = [path for path in FILES if path.stem != "us_constitution"]
DOMAINS = {row["slug"]: row for row in json.loads((ROOT / "retrieval/corpora/domains.json").read_text())}
PARALLEL = ROOT / "evaluation/measuring/parallel_questions.jsonl"
NO_DOMAINS = {"state_law", "contract"}


@cache
def read(path):
    return tuple(json.loads(line) for line in path.read_text(encoding="utf-8").splitlines())


def every_topic():
    return [topic for path in FILES for topic in read(path)]


def of_split(split):
    return [topic["query"] for topic in every_topic() if topic["split"] == split]


@pytest.mark.parametrize("path", NEWER, ids=lambda path: path.stem)
def test_topics_have_known_fields_and_values(path):
    for topic in read(path):
        assert set(topic) - {"answer", "answered_by"} == FIELDS
        assert topic["query"].strip() == topic["query"] and topic["query"] and topic["narrative"]
        assert topic["kind"] in (ANSWERABLE_KINDS if topic["answerable"] else UNANSWERABLE_KINDS)
        assert topic["language"] in {"en", "es"}


@pytest.mark.parametrize("path", NEWER, ids=lambda path: path.stem)
def test_provisions_lie_in_the_topics_domain_and_one_controls(path):
    for topic in read(path):
        prefix = DOMAINS[topic["domain"]]["locator_prefix"]
        assert all(locator.startswith(f"{prefix}/") for locator in topic["relevant"])
        assert (max(topic["relevant"].values(), default=0) == 3) is topic["answerable"]


def test_what_answers_a_topic_is_another_body():
    answered = [topic for topic in every_topic() if topic.get("answered_by")]
    assert {slug for topic in answered for slug in topic["answered_by"]} <= {*DOMAINS, *NO_DOMAINS}
    assert not [t["id"] for t in answered if t["answerable"] or t["domain"] in t["answered_by"]]


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_the_test_split_is_the_one_whose_digest_was_committed(path):
    committed = path.with_suffix(".test.sha256").read_text(encoding="utf-8").split()[0]
    assert digest(topic for topic in read(path) if topic["split"] == "test") == committed


def test_splits_follow_from_the_groups_in_every_file():
    assert [topic["id"] for topic in every_topic() if topic["split"] != split_of(topic["group"])] == []


def test_ids_and_queries_occur_once_in_all_files():
    queries = defaultdict(list)
    for topic in every_topic():
        queries[" ".join(topic["query"].casefold().split())].append(topic["id"])
    assert [ids for ids in queries.values() if len(ids) > 1] == []
    assert len({topic["id"] for topic in every_topic()}) == len(every_topic())


@pytest.mark.parametrize("left, right", list(combinations(("train", "tune", "test"), 2)))
def test_no_near_duplicates_across_splits_and_files(left, right):
    assert leaks(of_split(left), of_split(right)) == []


def test_parallel_questions_are_tune_topics_and_their_translations_of_the_same_label():
    """None is a test topic, or asks nearly what one asks; what is translated lies in no file that is learned from."""
    shipped = {topic["id"]: topic for topic in every_topic()}
    pairs = defaultdict(list)
    for topic in read(PARALLEL):
        pairs[topic["group"]].append(topic)
    assert all(sorted(topic["language"] for topic in pair) == ["en", "es"] for pair in pairs.values())
    assert all(one["relevant"] == other["relevant"] for one, other in pairs.values())
    translated = [topic for topic in read(PARALLEL) if "translated" in topic["tags"]]
    for topic in read(PARALLEL):
        source = shipped[topic["group"] if topic in translated else topic["id"]]
        assert source["split"] == "tune" and source["relevant"] == topic["relevant"]
        assert topic in translated or source["query"] == topic["query"]
    assert min(Counter(topic["domain"] for topic in translated).values()) >= 12
    for split in ("test", "train"):
        assert leaks([topic["query"] for topic in translated], of_split(split)) == []
