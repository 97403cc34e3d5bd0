"""Small topic sets to learn from, and one model trained a session."""

import json

import pytest

from evaluation.learning import pools as learning_pools
from evaluation.learning import promotion, retraining, training
from evaluation.learning.pools import pools_of
from evaluation.learning.training import Trained
from evaluation.models import Judgment, Topic
from evaluation.topics.topic import read_topics
from retrieval.models import Domain
from tests.builders import nothing_judged
from tests.conftest import ROOT
from tests.trained import trained_on

TOPICS = ROOT / "evaluation/topics/data/us_constitution.jsonl"


@pytest.fixture
def library():
    """No topics but those a test makes."""
    nothing_judged()


def topic(
    name: str, query: str, *, grade: int | None = 3, kind: str = "human", judge: str = "a", **fields
) -> Topic:
    row, _ = Topic.objects.get_or_create(
        name=name, defaults={"query": query, "domain": Domain.objects.get(slug="us_constitution"), **fields}
    )
    if grade is not None:
        Judgment.objects.create(
            topic=row, locator="/us/const/amendment/I", grade=grade, kind=kind, judge=judge
        )
    return row


def some(split: str, count: int) -> list:
    """Shipped topics of a split from its first to its last, four in five of them answerable."""
    shipped = read_topics(TOPICS, split=split)
    answerable = [topic for topic in shipped if topic.answerable]
    others = [topic for topic in shipped if not topic.answerable]
    return [*spread(answerable, count - count // 5), *spread(others, count // 5)]


def spread(topics: list, count: int) -> list:
    return topics[:: max(1, len(topics) // count)][:count]


@pytest.fixture(scope="session")
def few(tmp_path_factory):
    """A topics file small enough to train on in seconds."""
    path = tmp_path_factory.mktemp("topics") / "few.jsonl"
    rows = {json.loads(line)["id"]: line for line in TOPICS.read_text(encoding="utf-8").splitlines()}
    chosen = [*some("train", 40), *some("test", 20)]
    path.write_text("\n".join(rows[each.id] for each in chosen), encoding="utf-8")
    return path


@pytest.fixture(scope="session")
def gathered() -> dict[tuple, list]:
    """Pools by what they were asked for."""
    return {}


@pytest.fixture
def quick(monkeypatch, few, gathered):
    """A gate that decides on the few test topics of the small file, and models that are small too. Its topics are
    searched once for all tests: no model that one deploys changes a pool.
    """

    def pools_made_once(topics, *, nameless):
        asked = *(topic.id for topic in topics), *sorted(nameless.items())
        if asked not in gathered:
            gathered[asked] = pools_of(topics, nameless=nameless)
        return gathered[asked]

    monkeypatch.setattr(retraining, "pools_of", pools_made_once)
    monkeypatch.setattr(training, "EPOCHS", 2)
    monkeypatch.setattr(learning_pools, "FEWEST", 20)
    monkeypatch.setattr(promotion, "FEWEST", 10)
    monkeypatch.setattr(promotion, "MOST_ECE", 1.0)
    nothing_judged()
    return str(few)


@pytest.fixture(scope="session")
def pools(django_db_setup, django_db_blocker):
    """A part of the train split, gathered once: with little more than the fewest answerable topics."""
    with django_db_blocker.unblock():
        return pools_of(some("train", 90))


@pytest.fixture(scope="session")
def trained(pools) -> Trained:
    return trained_on(pools)
