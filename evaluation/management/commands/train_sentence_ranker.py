"""manage.py train_sentence_ranker [--out DIR] [--limit N] [--threads N] [--write]"""

import os
from pathlib import Path

from django.conf import settings

from evaluation.management.base import a_count, with_bar
from evaluation.sentence_ranker import choices, fitting
from retrieval.engines.loaded import SENTENCE_RANKER
from retrieval.engines.onnx_export import export_fitted
from retrieval.management.base import ArfCommand


class Command(ArfCommand):
    help = (
        "Fits the sentence ranker, which tells the sentence that answers from others of its provision, to the curated "
        "names of the law that is loaded. A run that was stopped goes on; what serves is left alone without --write."
    )

    def add_arguments(self, parser):
        default = Path(settings.VAR_DIR) / "sentence_ranker_training"
        parser.add_argument("--out", type=Path, default=default, help="the run's folder: it goes on there")
        parser.add_argument(
            "--limit", type=a_count, help="only so many names; 60,000 take an hour and a half on two cores"
        )
        cores = len(os.sched_getaffinity(0))
        parser.add_argument("--threads", type=int, default=cores, help="that fit; every core by default")
        parser.add_argument("--write", action="store_true", help="put it in the place of the one that serves")

    def handle(self, *, out: Path, limit: int | None, threads: int, write: bool, **options) -> None:
        out = out.absolute()
        learned = choices.gathered(show=with_bar)[:limit]
        self.say(f"{len(learned)} names that point to a sentence")
        fitted = fitting.fit(out, learned, threads=threads, say=self.say)
        folder = SENTENCE_RANKER if write else out / "export"
        export_fitted(fitted, folder, model="sentence ranker")
        self.say(f"The sentence ranker lies in {folder}.")
        if write:
            self.say("How much it weighs is learned by `manage.py train_answers QUESTIONS.jsonl --write`.")
