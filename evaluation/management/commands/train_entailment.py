"""manage.py train_entailment [--out DIR] [--begin-with DIR] [--threads N] [--write]"""

import os
from pathlib import Path

from django.conf import settings

from evaluation.fine_tuning import fitted_in
from evaluation.management.base import with_bar
from evaluation.proof import entailment
from retrieval.engines.onnx_export import export_fitted
from retrieval.management.base import ArfCommand
from retrieval.proof.entailment import FOLDER


class Command(ArfCommand):
    help = (
        "Fits the entailment model, which reads claims beside passages of law, to the claims that we wrote. A run that "
        "was stopped goes on; what serves is left alone without --write."
    )

    def add_arguments(self, parser):
        var = Path(settings.VAR_DIR)
        parser.add_argument(
            "--out", type=Path, default=var / "entailment_training", help="the run's folder: it goes on there"
        )
        parser.add_argument(
            "--begin-with",
            type=Path,
            default=var / "sentence_ranker_training",
            help="the folder of a run of `manage.py train_sentence_ranker`, or of an earlier one of this command, with "
            "whose weights it begins",
        )
        cores = len(os.sched_getaffinity(0))
        parser.add_argument("--threads", type=int, default=cores, help="that fit; every core by default")
        parser.add_argument("--write", action="store_true", help="put it in the place of the one that serves")

    def handle(self, *, out: Path, begin_with: Path, threads: int, write: bool, **options) -> None:
        out, begin_with = out.absolute(), begin_with.absolute()
        fitted_in(begin_with)  # what lacks it is refused before ten thousand claims are read
        learned = entailment.examples(entailment.learned(), show=with_bar)
        self.say(f"{len(learned)} claims beside passages")
        fitted = entailment.fit(out, begin_with, learned, threads=threads, say=self.say)
        folder = FOLDER if write else out / "export"
        export_fitted(fitted, folder, model="entailment")
        self.say(f"The entailment model lies in {folder}.")
        if write:
            self.say("What its readings weigh is learned by `manage.py train_proof --write`.")
