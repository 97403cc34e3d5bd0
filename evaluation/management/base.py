"""What commands that measure and learn share: their topics, and a bar that shows how far they are."""

from argparse import ArgumentTypeError
from functools import partial
from pathlib import Path

from tqdm import tqdm

from evaluation.topics import library
from evaluation.topics.provisions import require_provisions
from evaluation.topics.topic import Topic, read_topics
from retrieval.errors import ArfError

with_bar = partial(tqdm, unit="topic", disable=None)  # nothing is drawn where nobody watches


def chosen_topics(domain: str, split: str, path: Path | None) -> list[Topic]:
    """Of a file, or else of the database. Raises ArfError where there are none."""
    topics = topics_in(path, split, domain) if path else library.topics_of(domain, split)
    if not topics:
        raise ArfError(f"There are no {split} topics for {domain}.")
    return topics


def topics_in(path: Path, split: str = "", domain: str = "") -> list[Topic]:
    """Of a file, those of one split and domain where they are named. Raises ArfError where a provision is not there."""
    topics = [topic for topic in read_topics(path, split=split) if not domain or topic.domain == domain]
    require_provisions(topics)
    return topics


def a_count(said: str) -> int:
    """The type of an argument."""
    if not said.isdecimal() or int(said) == 0:
        raise ArgumentTypeError(f"“{said}” is no count: it is 1 at least")
    return int(said)
