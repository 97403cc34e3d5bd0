"""The shipped topic set of the Constitution keeps its promises: counts, shares, splits, digest. Pure."""

import hashlib
import json
import re
from collections import Counter, defaultdict
from collections.abc import Iterable
from functools import cache
from itertools import combinations

import pytest

from evaluation.topics.leaks import leaks
from evaluation.topics.topic import read_topics
from retrieval.errors import ArfError
from tests.conftest import MEASURING_DATA, ROOT

TOPICS = ROOT / "evaluation" / "topics" / "data"
PROVISIONS = MEASURING_DATA / "constitution" / "provisions.jsonl"
NAMING_KINDS = {"citation", "clause_name"}
ANSWERABLE_KINDS = NAMING_KINDS | {"statutory_language", "lay", "situation", "court", "multi"}
UNANSWERABLE_KINDS = {"out_of_corpus", "other_law"}
QUESTION_FIELDS = {"id", "query", "language", "domain", "kind", "narrative", "tags"}
FIELDS = QUESTION_FIELDS | {"relevant", "answerable", "group", "split"}
SPLIT_SEED = 1143  # of seeds 1 to 1,499, the one whose splits are nearest 50/15/35 in every language and kind


def split_of(group: str) -> str:
    """The split of a whole group, by its hash alone: 50 % train, 15 % tune, 35 % test."""
    bucket = int(hashlib.sha256(f"us_constitution/{SPLIT_SEED}/{group}".encode()).hexdigest(), 16) % 100
    return "train" if bucket < 50 else "tune" if bucket < 65 else "test"


def digest(topics: Iterable[dict]) -> str:
    """SHA-256 of canonical JSON lines (sorted keys, no spaces, UTF-8) in the order of their ids."""
    lines = (
        json.dumps(topic, sort_keys=True, ensure_ascii=False, separators=(",", ":")) + "\n"
        for topic in sorted(topics, key=lambda topic: topic["id"])
    )
    return hashlib.sha256("".join(lines).encode()).hexdigest()


FEDERAL = {"us_code", "code_of_federal_regulations", "uscis_policy"}


@cache
def read() -> tuple[dict, ...]:
    lines = (TOPICS / "us_constitution.jsonl").read_text(encoding="utf-8").splitlines()
    return tuple(json.loads(line) for line in lines)


def topics(**wanted: object) -> list[dict]:
    return [topic for topic in read() if all(topic[name] == value for name, value in wanted.items())]


def count_judged(judged: Iterable[dict], grade: int) -> Counter[str]:
    """How many topics grade each provision at least `grade`."""
    return Counter(at for topic in judged for at, given in topic["relevant"].items() if given >= grade)


def test_every_topic_has_the_same_fields_and_known_values():
    for topic in read():
        assert set(topic) - {"answered_by", "answer"} == FIELDS
        assert "answer" not in topic or topic["split"] != "test"  # what the selector learns from
        answered_by = set(topic.get("answered_by", ()))
        assert answered_by <= (FEDERAL if topic["kind"] == "other_law" else set())
        assert topic["domain"] == "us_constitution" and topic["language"] in {"en", "es"}
        assert re.fullmatch(rf"const-{topic['language']}-\d{{4}}", topic["id"])
        assert topic["query"].strip() == topic["query"] and topic["query"] and topic["narrative"]
        assert topic["kind"] in (ANSWERABLE_KINDS if topic["answerable"] else UNANSWERABLE_KINDS)


def test_ids_and_queries_occur_once():
    assert len({topic["id"] for topic in read()}) == len(read())
    assert len({" ".join(topic["query"].casefold().split()) for topic in read()}) == len(read())


def test_there_are_enough_topics_in_both_languages():
    assert len(topics(answerable=True, language="en")) >= 460
    assert len(topics(answerable=True, language="es")) >= 125


def test_there_are_enough_unanswerable_topics_half_of_them_about_other_law():
    unanswerable = topics(answerable=False)
    assert len(unanswerable) >= 130
    assert len(topics(answerable=False, language="es")) >= 30
    assert 0.45 <= len(topics(kind="other_law")) / len(unanswerable) <= 0.65


def test_at_most_a_quarter_names_its_provision():
    answerable = topics(answerable=True)
    assert sum(topic["kind"] in NAMING_KINDS for topic in answerable) <= len(answerable) / 4


def test_answerable_topics_have_a_controlling_provision_and_unanswerable_none():
    for topic in read():
        grades = set(topic["relevant"].values())
        assert (3 in grades and grades <= {1, 2, 3}) if topic["answerable"] else not grades


def test_no_provision_is_relevant_to_more_than_eight_percent():
    answerable = topics(answerable=True)
    assert max(count_judged(answerable, grade=1).values()) <= 0.08 * len(answerable)


def test_all_135_provisions_are_covered_twice_and_once_without_being_named():
    answerable = topics(answerable=True)
    unnamed = [topic for topic in answerable if topic["kind"] not in NAMING_KINDS]
    assert len(count_judged(answerable, grade=1)) == 135
    assert len([at for at, n in count_judged(answerable, grade=2).items() if n >= 2]) == 135
    assert len(count_judged(unnamed, grade=2)) == 135


def test_splits_follow_from_the_groups():
    assert [topic["id"] for topic in read() if topic["split"] != split_of(topic["group"])] == []


@pytest.mark.parametrize("answerable, least", [(True, 165), (False, 65)])
def test_the_test_split_is_large_enough(answerable, least):
    assert len(topics(answerable=answerable, split="test")) >= least


@pytest.mark.parametrize("split, share", [("train", 0.50), ("tune", 0.15), ("test", 0.35)])
def test_splits_have_their_shares_and_every_kind_in_both_languages(split, share):
    answerable = topics(answerable=True)
    assert abs(sum(topic["split"] == split for topic in answerable) / len(answerable) - share) <= 0.04
    present = {(topic["language"], topic["kind"]) for topic in topics(split=split)}
    assert present == {(topic["language"], topic["kind"]) for topic in read()}


@pytest.mark.parametrize("left, right", list(combinations(("train", "tune", "test"), 2)))
def test_no_near_duplicates_across_splits(left, right):
    queries = {split: [topic["query"] for topic in topics(split=split)] for split in (left, right)}
    assert leaks(queries[left], queries[right]) == []


def test_groups_do_not_mix_answerable_and_unanswerable():
    kinds = defaultdict(set)
    for topic in read():
        kinds[topic["group"]].add(topic["answerable"])
    assert all(len(answerable) == 1 for answerable in kinds.values())


def test_the_test_split_is_the_one_whose_digest_was_committed():
    committed = (TOPICS / "us_constitution.test.sha256").read_text(encoding="utf-8").split()[0]
    assert digest(topics(split="test")) == committed


@pytest.mark.measuring_data
def test_judged_locators_are_those_of_the_official_text():
    lines = PROVISIONS.read_text(encoding="utf-8").splitlines()
    assert set(count_judged(read(), grade=1)) == {json.loads(line)["locator"] for line in lines}


def test_a_broken_topics_file_names_its_line(tmp_path):
    path = tmp_path / "topics.jsonl"
    path.write_text('{"id": 1, "query": "a"}\nnot json\n')
    with pytest.raises(ArfError, match="topics.jsonl, line 2: not JSON"):
        read_topics(path)


def read_line(tmp_path, **fields):
    path = tmp_path / "topics.jsonl"
    row = {"id": "a", "query": "who may vote", "relevant": {"/us/const/preamble": 3}} | fields
    path.write_bytes(b"\xef\xbb\xbf" + json.dumps(row, ensure_ascii=False).encode())
    return read_topics(path)


@pytest.mark.parametrize(
    "fields, message",
    [
        *(({"relevant": {"/us/const/preamble": grade}}, "grade") for grade in (7, -1, 2.9, "", "much")),
        ({"relevant": {"/us/const/preamble": 3, "us/const/preamble": 1}}, "this pair"),
        ({"relevant": ["/us/const/preamble"]}, "no object of grades"),
        ({"query": " "}, "without a query"),
        ({"id": ""}, "without an id"),
    ],
)
def test_a_topic_that_an_import_would_refuse_is_refused(tmp_path, fields, message):
    with pytest.raises(ArfError, match=f"line 1: .*{message}"):
        read_line(tmp_path, **fields)


def test_a_topic_is_read_as_an_import_reads_it(tmp_path):
    [topic] = read_line(tmp_path, relevant={"us/const/preamble/": "2.0"}, answerable="false", tags="old informal")
    assert topic.relevant == {"/us/const/preamble": 2} and not topic.answerable
    assert topic.tags == ("old", "informal")
    [topic] = read_line(tmp_path, narrative="one\u2028line")
    assert topic.narrative == "one\u2028line"
