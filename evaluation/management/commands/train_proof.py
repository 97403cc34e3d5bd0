"""manage.py train_proof [--write]"""

from evaluation.proof.pairs import made, provisions, written
from evaluation.proof.training import cross_validated, fit, report, seen, write
from retrieval.management.base import ArfCommand
from retrieval.proof.model import FILE


class Command(ArfCommand):
    help = "Learns the verifier's model from our pairs, and tells how it does on provisions that it has not seen."

    def add_arguments(self, parser):
        parser.add_argument("--write", action="store_true", help="keep it as the model that is served")

    def handle(self, **options) -> None:
        law = provisions()
        examples = [seen(pair) for pair in (*written(law), *made(law))]
        self.stdout.write(report(cross_validated(examples)))
        if options["write"]:
            write(fit(examples), FILE)
