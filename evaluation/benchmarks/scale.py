"""How searches, indexes and publishing fare as a body of law grows. Never a unit test.

For each size a body is made up in an empty database of its own (`vectors.make`): the vectors of the law that is here,
resampled with noise, and its passages, drawn anew. It is searched by words and vectors alone: what judges the hundred
candidates does not grow with the law.
"""

import json
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from itertools import chain
from multiprocessing import get_context
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import psutil
from django.conf import settings
from django.db import connections
from django.test import override_settings

from evaluation.benchmarks.search import percentiles
from evaluation.benchmarks.vectors import another_database, make
from evaluation.measuring.plots import lines
from retrieval import jobs
from retrieval.access.caller import ANONYMOUS
from retrieval.corpus.statements import rows
from retrieval.indexes import hnsw, lexical_sync
from retrieval.ingestion import ingest
from retrieval.models import Chunk, ChunkVector, Domain, EmbeddingModel, JobRun
from retrieval.request import SearchRequest
from retrieval.search.service import search
from retrieval.stages.fusion import Fuse
from retrieval.stages.legs import DenseRetriever, LexicalRetriever
from retrieval.stages.present import Present
from retrieval.stages.query import EmbedQuery

PIPELINE = "fusion"
PROCESSES = 2  # that ask at once, as the web workers of two cores do
PUBLISHED = 58  # sections of the document that is ingested into the finished body
LEGS = (DenseRetriever.__name__, LexicalRetriever.__name__)
STAGES = tuple(stage.__name__ for stage in (EmbedQuery, DenseRetriever, LexicalRetriever, Fuse, Present))


def benchmark_scale(
    questions: dict[str, Sequence[str]], *, sizes: Sequence[int], seed: int
) -> Iterator[dict]:
    """A row for each size: seconds to build, ms to search, bytes held. `questions`: by kind."""
    model = EmbeddingModel.objects.get(status=EmbeddingModel.Status.ACTIVE)
    public = ChunkVector.objects.filter(private=False, live=True, model=model).order_by("pk")
    source = np.array(list(public.values_list("vector", flat=True)), dtype=np.float32)
    live = Chunk.objects.filter(private=False, section__live=True).order_by("pk")
    texts = [" ".join(text.split()) for text in live.values_list("text", flat=True)]
    model_row = {field.attname: getattr(model, field.attname) for field in EmbeddingModel._meta.fields}
    for size in sizes:
        with (
            another_database(),
            TemporaryDirectory() as folder,
            override_settings(ARF_LEXICAL_DIR=Path(folder) / "lexical"),
        ):
            made = EmbeddingModel.objects.create(**model_row)
            row = grown(made, source, texts, questions, size=size, seed=seed)
            yield row | {"per_second": per_second(ask, list(chain.from_iterable(questions.values())))}


def grown(
    model: EmbeddingModel,
    source: np.ndarray,
    texts: Sequence[str],
    questions: dict[str, Sequence[str]],
    *,
    size: int,
    seed: int,
) -> dict:
    made, (domain, vectors) = timed(lambda: make(source, size, model, seed=seed, texts=texts))
    with_index, _ = timed(lambda: hnsw.is_large(model, domain) and hnsw.make(model, domain))
    lexical, _ = timed(lambda: lexical_sync.rebuild(lexical_sync.open_writer(settings.ARF_LEXICAL_DIR)))
    row = {"chunks": len(vectors), "made_s": made, "vector_index_s": with_index, "lexical_index_s": lexical}
    row["publish_s"] = publish_one(domain)
    return row | searched(questions) | held()


def timed(call: Callable[[], Any]) -> tuple[float, Any]:
    """Seconds, and what it gives."""
    started = time.perf_counter()
    result = call()
    return round(time.perf_counter() - started, 2), result


def publish_one(domain: Domain) -> float:
    """Seconds of the step that publishes a document of so many sections."""
    lines = [
        json.dumps(
            {"locator": f"/made/new/{n}", "heading": f"Section {n}", "text": f"Rule {n} applies to dogs."}
        )
        for n in range(PUBLISHED)
    ]
    with TemporaryDirectory() as folder:
        source = Path(folder) / "new.jsonl"
        source.write_text("\n".join(lines))
        run = jobs.create(**ingest.request(domain, str(source)))
        started = time.perf_counter()
        for stepped in jobs.run_here(run):
            run = stepped
            took, started = time.perf_counter() - started, time.perf_counter()
    if run.status != JobRun.Status.DONE:
        raise RuntimeError(f"The new document was not published: {run.error or run.message}")
    return round(took, 2)


def searched(questions: dict[str, Sequence[str]]) -> dict:
    """Latency by kind, and mean ms by stage, of searches that no cache answers."""
    by_kind: dict[str, list[float]] = defaultdict(list)
    by_stage: dict[str, list[float]] = defaultdict(list)
    for text in next(iter(questions.values()))[:5]:
        ask(text)  # what a first one loads
    for kind, asked in questions.items():
        for text in asked:
            answer = ask(text)
            by_kind[kind].append(answer["took_ms"])
            for stage in answer["stages"]:
                by_stage[stage["name"]].append(stage["ms"])
    return {
        "ms": {kind: percentiles(values) for kind, values in by_kind.items()},
        "stages_ms": {name: round(float(np.mean(by_stage[name])), 2) for name in STAGES if name in by_stage},
    }


def ask(text: str) -> dict:
    return search(SearchRequest(text, ("made",), pipeline=PIPELINE), ANONYMOUS, fresh=True)


def per_second(call: Callable[[str], Any], questions: Sequence[str]) -> float:
    """Calls a second by processes that ask at once, each with a connection of its own."""
    connections.close_all()  # processes must not share one
    with ProcessPoolExecutor(PROCESSES, mp_context=get_context("fork")) as pool:
        list(pool.map(call, questions[: 5 * PROCESSES]))
        seconds, _ = timed(lambda: list(pool.map(call, questions)))
    return round(len(questions) / max(seconds, 0.01), 1)


def held() -> dict:
    """MB of the database, of the lexical index, and of this process."""
    [(database,)] = rows("SELECT pg_database_size(current_database())")
    lexical = sum(path.stat().st_size for path in Path(settings.ARF_LEXICAL_DIR).rglob("*") if path.is_file())
    sizes = {"database": database, "lexical_index": lexical, "process": psutil.Process().memory_info().rss}
    return {"mb": {name: size // 2**20 for name, size in sizes.items()}}


def as_table(rows: Sequence[dict]) -> str:
    """Markdown: a column for each size."""
    lines = {
        "made-up chunks": [f"{row['chunks']:,}" for row in rows],
        **{
            f"{kind}, p50 / p95 ms": [
                f"{row['ms'][kind]['p50']:.1f} / {row['ms'][kind]['p95']:.1f}" for row in rows
            ]
            for kind in rows[0]["ms"]
        },
        **{f"{name}, mean ms": [f"{row['stages_ms'].get(name, 0):.2f}" for row in rows] for name in STAGES},
        f"a second, {PROCESSES} processes": [f"{row['per_second']:.0f}" for row in rows],
        "index of vectors, s": [f"{row['vector_index_s']:.0f}" for row in rows],
        "lexical index, s": [f"{row['lexical_index_s']:.0f}" for row in rows],
        f"a document of {PUBLISHED} sections published, s": [f"{row['publish_s']:.2f}" for row in rows],
        "database / lexical index / process, MB": [" / ".join(map(str, row["mb"].values())) for row in rows],
    }
    head, *body = [f"| {name} | {' | '.join(values)} |" for name, values in lines.items()]
    return "\n".join([head, "|---" * (len(rows) + 1) + "|", *body])


def as_plot(rows: Sequence[dict]) -> str:
    """Latency by kind, and the time of each leg, over the number of chunks."""
    kinds = {
        f"{kind}, {which}": [row["ms"][kind][which] for row in rows]
        for kind in rows[0]["ms"]
        for which in ("p50", "p95")
    }
    legs = {name: [row["stages_ms"].get(name, 0.0) for row in rows] for name in LEGS}
    return lines("ms of a search by words and vectors", [f"{row['chunks']:,}" for row in rows], kinds | legs)
