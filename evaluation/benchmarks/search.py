"""How fast a running server answers over HTTP, cold and cached, and where its time goes. Never a unit test."""

import http.client
import itertools
import json
import random
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from datetime import date, timedelta
from typing import Any
from urllib.parse import urlencode, urlsplit

import numpy as np
import psutil

from evaluation.benchmarks.vectors import LIMIT
from evaluation.topics.topic import Topic
from retrieval.access.caller import ANONYMOUS
from retrieval.engines import loaded
from retrieval.indexes.nearest import nearest
from retrieval.ranking import Query
from retrieval.search.service import in_scope

MIX = {"lay": 0.70, "citation": 0.15, "spanish": 0.15}  # shares of what people send
PERCENTILES = (50, 95, 99)
WARM = 40  # searches before any is counted: connections, sessions, compiled aliases
BARE = 60  # questions of which the bare parts are timed
DAYS = range(1, 3_650)  # ago: all law that is measured was in force
LETTERS = str.maketrans("0123456789", "bcdfghjklm")


class NoServer(RuntimeError):
    """Nothing answers at the address, or not with searches."""


@dataclass(frozen=True, slots=True)
class Sample:
    """One answered request."""

    kind: str
    ms: float
    cached: bool
    stages: tuple[tuple[str, float], ...]


def kinds_of(topics: Sequence[Topic]) -> dict[str, list[str]]:
    """Shipped questions by the kinds of the mix."""
    english = [topic for topic in topics if topic.language == "en"]
    return {
        "lay": [t.query for t in english if t.kind in ("lay", "situation", "court")],
        "citation": [t.query for t in english if t.kind == "citation"],
        "spanish": [t.query for t in topics if t.language == "es"],
    }


def requests(kinds: dict[str, list[str]], domain: str | None, count: int, seed: int) -> list[tuple[str, str]]:
    """(kind, path) of searches that no cache has seen: each question with a word of its own, each citation (which
    a word would change) for the law of a day of its own.
    """
    chance = random.Random(seed)
    names = chance.choices(list(MIX), weights=list(MIX.values()), k=count)
    days = chance.sample(DAYS, count)
    return [
        (name, path_of(name, chance.choice(kinds[name]), domain, day, seed))
        for name, day in zip(names, days, strict=True)
    ]


def path_of(kind: str, query: str, domain: str | None, day: int, seed: int) -> str:
    asked = {"q": query} | ({"domain": domain} if domain else {})
    if kind == "citation":
        asked["as_of"] = (date.today() - timedelta(days=day)).isoformat()
    else:
        asked["q"] = f"{query} {word_of(seed % 10**9)}{word_of(day)}"
    return "/api/v1/search?" + urlencode(asked)


def word_of(number: int) -> str:
    """Its digits as letters: a long number might be taken for a telephone's, and such answers are not kept."""
    return str(number).translate(LETTERS)


class Client:
    """One kept connection, as a client application has."""

    def __init__(self, url: str):
        parts = urlsplit(url)
        self.connection = http.client.HTTPConnection(parts.hostname, parts.port, timeout=30)

    def ask(self, kind: str, path: str) -> Sample:
        found, ms = self._got(path)
        stages = tuple((stage["name"], stage["ms"]) for stage in found["stages"])
        return Sample(kind, ms, found["cached"], stages)

    def took(self, path: str) -> float:
        """ms until the whole answer is here."""
        return self._got(path)[1]

    def _got(self, path: str) -> tuple[dict, float]:
        started = time.perf_counter()
        try:
            self.connection.request("GET", path)
            answer = self.connection.getresponse()
            body = answer.read()
        except OSError as problem:
            raise NoServer(f"no answer: {problem}") from problem
        ms = (time.perf_counter() - started) * 1000
        if answer.status != 200:
            raise NoServer(f"status {answer.status}: {body[:200]!r}")
        return json.loads(body), ms


def load(url: str, work: Sequence[tuple[str, str]], clients: int) -> tuple[list[Sample], float]:
    """Sends everything by so many clients at once; the samples and the seconds it took."""
    shares = [work[start::clients] for start in range(clients)]

    def send(share: Sequence[tuple[str, str]]) -> list[Sample]:
        client = Client(url)
        return [client.ask(*one) for one in share]

    started = time.perf_counter()
    with ThreadPoolExecutor(clients) as pool:
        samples = list(itertools.chain.from_iterable(pool.map(send, shares)))
    return samples, time.perf_counter() - started


def percentiles(values: Sequence[float]) -> dict[str, float]:
    return {f"p{p}": round(float(np.percentile(values, p)), 2) for p in PERCENTILES} | {"n": len(values)}


def summary(samples: Sequence[Sample], seconds: float) -> dict:
    by_kind: dict[str, list[float]] = defaultdict(list)
    for sample in samples:
        by_kind[sample.kind].append(sample.ms)
    return {
        "all": percentiles([sample.ms for sample in samples]),
        "kinds": {kind: percentiles(ms) for kind, ms in sorted(by_kind.items())},
        "per_second": round(len(samples) / seconds, 1),
    }


def stage_shares(samples: Sequence[Sample]) -> dict[str, float]:
    """Mean ms of each stage in a cold search. Fuse holds its legs; what is over is HTTP, cache and log."""
    totals: dict[str, float] = defaultdict(float)
    for sample in samples:
        for name, ms in sample.stages:
            totals[name] += ms
    return {name: round(total / len(samples), 3) for name, total in totals.items()}


def bare_parts(questions: Sequence[str], domain: str | None) -> dict[str, float]:
    """Median ms, in this process, of what no search can do without: a query embedded, one search of the lexical index
    and one of the vectors, each for as many hits as the legs ask for.
    """
    active, index = loaded.active_embedder(), loaded.lexical_index()
    scopes, in_force = in_scope(ANONYMOUS, [domain] if domain else ())
    base = Query("", "", "", "en", scopes, versions=in_force, embedded_by=active.model_id)
    took: dict[str, list[float]] = defaultdict(list)

    def timed(part: str, call: Callable, *arguments, **options) -> Any:
        started = time.perf_counter()
        result = call(*arguments, **options)
        took[part].append((time.perf_counter() - started) * 1000)
        return result

    for text in questions:
        query = replace(base, vector=timed("embed", active.embedder.embed_query, text))
        timed("lexical", index.search, {"en": text}, domains=query.domain_ids, as_of=None, limit=LIMIT)
        timed("vectors", nearest, query, LIMIT)
    return {part: round(float(np.median(ms)), 2) for part, ms in took.items()}


def benchmark_search(
    url: str, topics: Sequence[Topic], *, domain: str | None, clients: Sequence[int], count: int, seed: int
) -> Iterator[dict]:
    """One row a number of clients: cold, then the same searches again from the cache. No domain is all of them."""
    kinds = kinds_of(topics)
    load(url, requests(kinds, domain, WARM, seed - 1), 1)
    for turn, number in enumerate(clients):
        work = requests(kinds, domain, count, seed + turn)
        cold, cold_seconds = load(url, work, number)
        if any(sample.cached for sample in cold):
            raise NoServer("a search meant to be cold came from the cache: use another --seed")
        cached, cached_seconds = load(url, [one for one in work for _ in range(3)], number)
        bare = bare_parts(kinds["lay"][:BARE], domain)
        yield {
            "clients": number,
            "bare_ms": bare,
            "times_bare": round(summary(cold, cold_seconds)["kinds"]["lay"]["p50"] / sum(bare.values()), 2),
            "cold": summary(cold, cold_seconds),
            "cached": summary([sample for sample in cached if sample.cached], cached_seconds),
            "stages_ms": stage_shares(cold),
        }


def worker_memory() -> list[dict]:
    """Resident and proportional memory in MB of each web worker on this machine."""
    workers = []
    for process in psutil.process_iter(["cmdline"]):
        line = " ".join(process.info["cmdline"] or ())
        if "gunicorn" in line and process.parent() and "gunicorn" in " ".join(process.parent().cmdline()):
            memory = process.memory_full_info()
            workers.append({"rss_mb": memory.rss // 2**20, "pss_mb": memory.pss // 2**20})
    return workers
