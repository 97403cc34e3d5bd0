"""Topics to measure by alone: their labels stand in their documents, and no node takes them for its own."""

import json
from collections import Counter

import pytest

from evaluation.topics.leaks import leaks
from evaluation.topics.topic import read_topics
from retrieval.parsing import policy_manual
from retrieval.parsing.files import formats, structure
from tests.conftest import ROOT
from tests.evaluation.topics.test_data import every_topic
from tests.evaluation.topics.test_topic import FIELDS, TOPICS
from tests.publishers import PAGES

APART = ROOT / "evaluation/topics/apart"
PAPERS, MANUAL = APART / "papers.jsonl", APART / "policy_manual_sample.jsonl"
NOTICES = APART / "notices.jsonl"


def read_papers(folder="papers"):
    for path in sorted((APART / folder).iterdir()):
        read = formats.read(path.read_bytes(), path.name)
        yield structure.outline(read, identifier=f"/{folder}/{path.stem}", name=path.stem)


def read_notices():
    return read_papers("notices")


def read_manual():
    pages = {path.name: path.read_bytes() for path in PAGES.glob("*.html")}
    return [policy_manual.read([pages[name] for name in names]) for names in policy_manual.grouped(pages.items())]


def counted(path):
    return Counter((topic.language, topic.answerable) for topic in read_topics(path))


def test_there_are_as_many_as_readme_says():
    assert counted(PAPERS) == {("en", True): 88, ("es", True): 42, ("en", False): 12, ("es", False): 8}
    assert counted(MANUAL) == {("en", True): 20, ("es", True): 10}
    assert counted(NOTICES) == {("en", True): 21, ("es", True): 9, ("en", False): 7, ("es", False): 3}
    assert sum("kept" in topic.tags for topic in read_topics(NOTICES)) == 20


@pytest.mark.parametrize("path, least", [(PAPERS, 1 / 2), (MANUAL, 2 / 3)], ids=["papers", "manual"])
def test_most_are_plain_or_tell_what_happened(path, least):
    kinds = [topic.kind for topic in read_topics(path) if topic.answerable]
    assert sum(kind in ("lay", "situation") for kind in kinds) >= least * len(kinds)


@pytest.mark.parametrize(
    "path, read",
    [(PAPERS, read_papers), (MANUAL, read_manual), (NOTICES, read_notices)],
    ids=["papers", "manual", "notices"],
)
def test_what_is_judged_stands_in_the_documents_and_says_something(path, read):
    said = {node.locator for document in read() for node in document.root.walk() if node.text}
    topics = read_topics(path)
    assert {locator for topic in topics for locator in topic.relevant} <= said
    assert all((3 in topic.relevant.values()) is topic.answerable for topic in topics)


def test_the_sentence_that_answers_stands_in_what_is_judged():
    said = {node.locator: node.text for document in read_notices() for node in document.root.walk()}
    rows = [json.loads(line) for line in NOTICES.read_text(encoding="utf-8").splitlines()]
    assert all(row["answer"] in said[next(iter(row["relevant"]))] for row in rows if row["answerable"])


@pytest.mark.parametrize("path", [PAPERS, MANUAL, NOTICES], ids=["papers", "manual", "notices"])
def test_nothing_learns_from_them(path):
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    assert all(set(row) - {"answer"} == FIELDS and row["split"] == "test" for row in rows)
    assert path not in TOPICS.rglob("*.jsonl") and not {row["id"] for row in rows} & {t["id"] for t in every_topic()}
    learned = [topic["query"] for topic in every_topic() if topic["split"] != "test"]
    assert leaks(learned, [row["query"] for row in rows]) == []
