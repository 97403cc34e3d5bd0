"""What commands that measure and learn share: their topics, and a bar that shows how far they are."""

import sys
from argparse import ArgumentTypeError
from functools import partial
from pathlib import Path

from tqdm import tqdm

from evaluation.topics import library
from evaluation.topics.provisions import not_here
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
    """Of a file, those of one split and domain where they are named. Says so where topics name provisions that are not
    here, as of titles that are not loaded: these count as not found. Raises ArfError where all do.
    """
    topics = [topic for topic in read_topics(path, split=split) if not domain or topic.domain == domain]
    if missing := not_here(topics):
        name, reason = next(iter(missing.items()))
        told = f"{len(missing)} of {len(topics)} topics name what is not here; topic {name}: {reason}."
        if len(missing) == len(topics):
            raise ArfError(told)
        tqdm.write(told, file=sys.stderr)
    return topics


def a_count(said: str) -> int:
    """The type of an argument."""
    if not said.isdecimal() or int(said) == 0:
        raise ArgumentTypeError(f"“{said}” is no count: it is 1 at least")
    return int(said)
