"""What commands that measure and learn share: their topics, and a bar that shows how far they are."""

from functools import partial
from pathlib import Path

from tqdm import tqdm

from evaluation.topics import library
from evaluation.topics.topic import Topic, read_topics
from retrieval.errors import ArfError

with_bar = partial(tqdm, unit="topic", disable=None)  # nothing is drawn where nobody watches


def chosen_topics(domain: str, split: str, path: Path | None) -> list[Topic]:
    """Of a file, or else of the database. Raises ArfError where there are none."""
    found = read_topics(path, split=split) if path else library.topics_of(domain, split)
    topics = [topic for topic in found if topic.domain == domain]
    if not topics:
        raise ArfError(f"There are no {split} topics for {domain}.")
    return topics
