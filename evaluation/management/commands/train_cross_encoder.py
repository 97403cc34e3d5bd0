"""manage.py train_cross_encoder [--out DIR] [--start DIR] [--epochs N] [--max-tokens N] [--limit N]"""

import os
from pathlib import Path

from django.conf import settings

from evaluation.cross_encoder import run
from evaluation.cross_encoder.fitting import Plan
from evaluation.cross_encoder.worth import MOST_MS, Worth, best_of
from evaluation.management.base import a_count, with_bar
from retrieval.engines.embedders import default_model_dir
from retrieval.management.base import ArfCommand


class Command(ArfCommand):
    help = (
        "Fine-tunes a cross-encoder on the train split's judgments and measures on the tune split what it adds to the "
        "learned order. A run that was stopped goes on; nothing is deployed."
    )

    def add_arguments(self, parser):
        default = Path(settings.VAR_DIR) / "cross_encoder_training"
        parser.add_argument("--out", type=Path, default=default, help="the run's folder: it goes on there")
        parser.add_argument("--start", type=Path, help="weights to begin with; default: the embedded MiniLM")
        parser.add_argument("--epochs", type=int, default=Plan.epochs, help="at most; it may stop earlier")
        parser.add_argument("--max-tokens", type=int, default=Plan.max_tokens, help="of question and text")
        cores = len(os.sched_getaffinity(0))
        parser.add_argument("--threads", type=int, default=cores, help="that fit; every core by default")
        parser.add_argument("--limit", type=a_count, help="only so many topics of each split")

    def handle(self, *, out: Path, start: Path | None, epochs: int, max_tokens: int, **options) -> None:
        plan = Plan(start or default_model_dir(), max_tokens, epochs, options["threads"])
        depths = run.trained(out.absolute(), plan, limit=options["limit"], show=with_bar, say=self.say)
        self.stdout.write("\n".join([HEAD, *map(line, depths)]))
        self.stdout.write(verdict(depths[1:], out.absolute() / run.MODEL))


HEAD = (
    f"{'depth':>5}{'nDCG@10':>9} {'difference':<26}{'MRR@10':>8} {'difference':<26}"
    f"{'p':>7}{'ms':>8}{'p95 ms':>8}{'gain/ms':>10}"
)


def line(at: Worth) -> str:
    cells = [
        f"{at.means[name]:8.3f} {f'{each.mean:+.3f} [{each.low:+.3f}, {each.high:+.3f}]' if at.depth else '':<26}"
        for name, each in at.differences.items()
    ]
    cost = f"{at.p_better:7.4f}{at.ms:8.1f}{at.p95_ms:8.1f}{at.gain_per_ms:10.6f}" if at.depth else ""
    return f"{at.depth:5} {''.join(cells)}{cost}"


def verdict(depths: list[Worth], model: Path) -> str:
    best = best_of(depths)
    if best is None:
        return (
            f"Not proven better within {MOST_MS:.0f} ms at p95 at any depth: leave it. "
            f"The model lies in {model} all the same."
        )
    return (
        f"Better on the tune split; depth {best.depth} gains most for each millisecond. To let it serve, set "
        f"ARF_CROSS_ENCODER={model} and run `manage.py prepare` and `manage.py retrain`, whose gate decides."
    )
