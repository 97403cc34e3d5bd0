"""What an answer costs on top of its search, over HTTP from a running server. Never a unit test."""

import random
from collections.abc import Sequence
from urllib.parse import urlencode

import numpy as np

from evaluation.benchmarks.search import Client, NoServer, kinds_of, percentiles, word_of
from evaluation.topics.topic import Topic
from retrieval.answers.service import SOURCES

WARM = 10  # questions asked before any is counted: connections, sessions, names in memory


def benchmark_answers(url: str, topics: Sequence[Topic], *, domain: str | None, count: int, seed: int) -> dict:
    """Each question, with a word of its own, is searched, searched again, which the cache answers, and asked. The
    answer finds its search in the cache: what it takes longer than that search is its own, its sentences never weighed
    before. Raises NoServer.
    """
    client, lay = Client(url), kinds_of(topics)["lay"]
    rows = [
        timed(client, f"{question} {word_of(seed % 10**9)}{word_of(n)}", domain)
        for n, question in enumerate(random.Random(seed).choices(lay, k=count + WARM))
    ][WARM:]
    searched, again, answered = (np.array(column) for column in zip(*rows, strict=True))
    return {
        "search_ms": percentiles(searched),
        "answer_ms": percentiles(answered),
        "on_top_ms": percentiles(answered - again),
    }


def timed(client: Client, question: str, domain: str | None) -> tuple[float, float, float]:
    """ms of its search, of the same from the cache, and of its answer."""
    asked = {"q": question, "language": "en"} | ({"domain": domain} if domain else {})
    search = "/api/v1/search?" + urlencode(asked | {"k": SOURCES})
    cold, cached = client.ask("lay", search), client.ask("lay", search)
    if cold.cached or not cached.cached:
        raise NoServer("a search meant to be cold came from the cache, or a cached one did not: use another --seed")
    return cold.ms, cached.ms, client.took("/api/v1/answer?" + urlencode(asked))
