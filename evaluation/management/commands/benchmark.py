"""manage.py benchmark search | answers | features | rules | vectors | scale"""

import json
import time
from argparse import ArgumentTypeError
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from evaluation.benchmarks.answers import benchmark_answers
from evaluation.benchmarks.features import benchmark_features
from evaluation.benchmarks.rules import benchmark_rules
from evaluation.benchmarks.scale import as_plot, as_table, benchmark_scale
from evaluation.benchmarks.search import NoServer, benchmark_search, kinds_of, worker_memory
from evaluation.benchmarks.vectors import benchmark_vectors
from evaluation.topics.topic import Topic, read_topics

RULES = (1_000, 10_000)
TOPICS = Path(settings.BASE_DIR) / "evaluation/topics/data"
DOMAINS = ("us_constitution", "us_code", "code_of_federal_regulations", "supreme_court_cases")
ALL = "all"


class Command(BaseCommand):
    help = (
        "search: measures a running server over HTTP (start it by `make run`), cold and cached, stages, memory. "
        "answers: what an answer takes longer than its search, likewise. "
        "features: the reranker's time for a pool, in this process, beside the first ARF's way of computing. "
        "rules: the time to find which of 1,000 and of 10,000 keyword rules a question fires. "
        "vectors: filtered vector search among --size made-up chunks, beside brute force. "
        "scale: searches, indexes and publishing in made-up bodies of --chunks, as a table."
    )

    def add_arguments(self, parser):
        what = ["search", "answers", "features", "rules", "vectors", "scale"]
        parser.add_argument("what", nargs="?", default="search", choices=what)
        parser.add_argument("--url", default=f"http://127.0.0.1:{settings.ARF_PORT}")
        parser.add_argument(
            "--domain",
            choices=[*DOMAINS, ALL],
            default=DOMAINS[0],
            help="for search and answers: whose shipped questions are asked there, or all of them everywhere",
        )
        parser.add_argument("--clients", type=int, nargs="+", default=[1, 4, 16])
        parser.add_argument(
            "--count",
            type=int,
            default=300,
            help="cold searches for each number of clients, pools, or questions",
        )
        parser.add_argument("--chunks", type=sizes_of, default="10k,100k,320k", help="for scale: 10k,100k,1M")
        parser.add_argument("--plot", type=Path, help="for scale: an SVG file to write")
        parser.add_argument("--size", type=int, default=300_000, help="chunks made up for vectors")
        parser.add_argument(
            "--seed", type=int, help="another for every run by default, so that searches are cold"
        )
        parser.add_argument("--json", action="store_true")

    def handle(self, *, what: str, **options) -> None:
        getattr(self, what)(**options)

    def vectors(self, *, count: int, size: int, seed: int | None, **options) -> None:
        lay = [t.query for t in shipped_topics() if t.language == "en" and t.kind != "citation"]
        for row in benchmark_vectors(lay[:count], size=size, seed=seed or 0):
            told = "  ".join(f"{name} {value}" for name, value in row.items())
            self.stdout.write(json.dumps(row) if options["json"] else told)

    def scale(self, *, chunks: list[int], count: int, seed: int | None, plot: Path | None, **options) -> None:
        kinds = kinds_of(shipped_topics())
        kinds = {kind: kinds[kind][:count] for kind in ("lay", "spanish")}  # a made-up body is cited by nobody
        rows = []
        for row in benchmark_scale(kinds, sizes=chunks, seed=seed or 0):
            rows.append(row)
            self.stderr.write(json.dumps(row))
        if plot:
            plot.write_text(as_plot(rows))
        self.stdout.write(json.dumps(rows, indent=2) if options["json"] else as_table(rows))

    def rules(self, *, count: int, seed: int | None, **options) -> None:
        rows = benchmark_rules(shipped_topics(), sizes=RULES, count=count, seed=seed or 0)
        if options["json"]:
            self.stdout.write(json.dumps(rows, indent=2))
            return
        for row in rows:
            ways = "  ".join(
                f"{way}: p50 {row[name]['p50']:.3f}  p95 {row[name]['p95']:.3f} ms"
                for way, name in (("index", "index_ms"), ("one by one", "one_by_one_ms"))
            )
            self.stdout.write(
                f"{row['rules']:>6} rules, {row['fired']:.1f} fire  {ways}  indexed once in {row['indexing_ms']:.0f} ms"
            )

    def features(self, *, count: int, seed: int | None, **options) -> None:
        result = benchmark_features(repeat=count, seed=seed or 0)
        if options["json"]:
            self.stdout.write(json.dumps(result, indent=2))
            return
        pool = f"{result['candidates']} candidates of {result['words']} words"
        for who in ("ours", "arf"):
            told = result[f"{who}_ms"]
            self.stdout.write(f"{pool}, {who}: p50 {told['p50']:.2f}  p95 {told['p95']:.2f} ms")
        if loaded := result["loading"]:
            ms = f"p50 {loaded['ms']['p50']:.2f}  p95 {loaded['ms']['p95']:.2f} ms"
            self.stdout.write(
                f"apart, once a process: stored words of {loaded['sections']} sections ({loaded['words']}) {ms}"
            )

    def search(
        self, *, url: str, domain: str, clients: list[int], count: int, seed: int | None, **options
    ) -> None:
        topics, where = shipped_topics(domain), None if domain == ALL else domain
        seed = time.time_ns() if seed is None else seed
        with served_at(url):
            rows = list(benchmark_search(url, topics, domain=where, clients=clients, count=count, seed=seed))
        result = {"url": url, "seed": seed, "rows": rows, "workers": worker_memory()}
        if options["json"]:
            self.stdout.write(json.dumps(result, indent=2))
        else:
            self._write(result)

    def answers(self, *, url: str, domain: str, count: int, seed: int | None, **options) -> None:
        topics, where = shipped_topics(domain), None if domain == ALL else domain
        seed = time.time_ns() if seed is None else seed
        with served_at(url):
            result = benchmark_answers(url, topics, domain=where, count=count, seed=seed)
        if options["json"]:
            self.stdout.write(json.dumps(result, indent=2))
            return
        for part, told in (("a cold search", "search_ms"), ("an answer on top of it", "on_top_ms")):
            ms = "  ".join(f"{name} {result[told][name]:7.1f}" for name in ("p50", "p95", "p99"))
            self.stdout.write(f"{part:<24}{ms} ms")

    def _write(self, result: dict) -> None:
        for row in result["rows"]:
            for kind, told in (("cold", row["cold"]), ("cached", row["cached"])):
                ms = "  ".join(f"{name} {told['all'][name]:7.1f}" for name in ("p50", "p95", "p99"))
                self.stdout.write(
                    f"{row['clients']:>3} clients  {kind:<7}{ms} ms  {told['per_second']:>7} a second"
                )
            bare = ", ".join(f"{part} {ms:.1f}" for part, ms in row["bare_ms"].items())
            self.stdout.write(f"             cold lay questions: {row['times_bare']} times the bare parts ({bare} ms)")
            for kind, told in row["cold"]["kinds"].items():
                self.stdout.write(
                    f"             cold {kind:<10} p50 {told['p50']:.1f}  p95 {told['p95']:.1f} ms"
                )
        stages = ", ".join(
            f"{name} {ms:.2f}" for name, ms in result["rows"][0]["stages_ms"].items() if ms >= 0.05
        )
        self.stdout.write(f"mean ms of a cold search at {result['rows'][0]['clients']} client: {stages}")
        for worker in result["workers"]:
            self.stdout.write(
                f"web worker: {worker['rss_mb']} MB resident, {worker['pss_mb']} MB its own share"
            )


@contextmanager
def served_at(url: str) -> Iterator[None]:
    """Says in one line that nothing answers there."""
    try:
        yield
    except NoServer as problem:
        raise CommandError(f"{url}: {problem}") from problem


def sizes_of(said: str) -> list[int]:
    """Of "10k,1M"."""
    try:
        return [int(float(one.rstrip("kM")) * {"k": 1_000, "M": 1_000_000}.get(one[-1], 1)) for one in said.split(",")]
    except (ValueError, IndexError) as problem:
        raise ArgumentTypeError(f"“{said}” is no list of sizes such as 10k,100k") from problem


def shipped_topics(domain: str = DOMAINS[0]) -> list[Topic]:
    domains = DOMAINS if domain == ALL else [domain]
    return [topic for one in domains for topic in read_topics(TOPICS / f"{one}.jsonl")]
