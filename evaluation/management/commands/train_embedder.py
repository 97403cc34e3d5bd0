"""manage.py train_embedder [--out DIR] [--batches N] [--threads N]"""

import os
from pathlib import Path

from django.conf import settings

from evaluation.embedder import fitting, worth
from evaluation.embedder.pairs import gathered
from evaluation.measuring.measures import estimate, paired_difference
from retrieval.engines import loaded, onnx_export
from retrieval.engines.embedders import OnnxEmbedder, default_model_dir, save_adapted
from retrieval.management.base import ArfCommand

HEAD = f"{'body of law':<30}{'topics':>7}  {'measure':<12}{'now':>6}{'new':>6}  difference"


class Command(ArfCommand):
    help = (
        "Fits an adapter of the packaged embedder to the curated names and headings of the law that is loaded, and "
        "measures on the tune split what it finds by itself. A run that was stopped goes on; nothing is deployed."
    )

    def add_arguments(self, parser):
        default = Path(settings.VAR_DIR) / "embedder_training"
        parser.add_argument("--out", type=Path, default=default, help="the run's folder: it goes on there")
        parser.add_argument("--batches", type=int, default=fitting.Plan.batches, help="of 48 pairs, 3 s each")
        cores = len(os.sched_getaffinity(0))
        parser.add_argument("--threads", type=int, default=cores, help="that fit; every core by default")

    def handle(self, *, out: Path, batches: int, threads: int, **options) -> None:
        out = out.absolute()
        pairs = gathered()
        self.say(f"{len(pairs)} names and headings of {len({pair.section for pair in pairs})} provisions")
        adapter = fitting.fit(out, fitting.Plan(batches, threads), pairs, say=self.say)
        model = save_adapted(default_model_dir(), adapter, out / "model")
        new = OnnxEmbedder(onnx_export.export(model, out / "onnx"))
        now = loaded.active_embedder().embedder
        self.say(HEAD)
        for ground in worth.grounds(pair.section for pair in pairs):
            before, after = worth.measured(ground, now), worth.measured(ground, new)
            for name in worth.MEASURES:
                self.say(line(ground, name, [row[name] for row in before], [row[name] for row in after]))
        self.say(
            f"To let it serve, set ARF_EMBEDDER_DIR={model}, then run `manage.py prepare`, `manage.py reembed`, "
            "`manage.py calibrate` and `manage.py retrain`, whose gate says what the reranker gains."
        )


def line(ground: worth.Ground, name: str, before: list[float], after: list[float]) -> str:
    gain = paired_difference(after, before)
    means = f"{estimate(before).mean:6.3f}{estimate(after).mean:6.3f}"
    interval = f"{gain.mean:+.3f} [{gain.low:+.3f}, {gain.high:+.3f}]"
    return f"{ground.domain:<30}{len(ground.topics):>7}  {name:<12}{means}  {interval}"
