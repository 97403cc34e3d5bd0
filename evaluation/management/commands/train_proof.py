"""manage.py train_proof [--write]"""

from evaluation.proof.pairs import made, provisions, set_aside, written
from evaluation.proof.training import cross_validated, fit, report, seen, verdict_on, write
from retrieval.management.base import ArfCommand
from retrieval.proof.model import FILE


class Command(ArfCommand):
    help = "Learns the verifier's model from our pairs, and tells how it does on provisions that it has not seen."

    def add_arguments(self, parser):
        parser.add_argument("--write", action="store_true", help="keep it as the model that is served")

    def handle(self, **options) -> None:
        law = provisions()
        examples = [seen(pair) for pair in (*written(law), *made(law))]
        model = fit(examples)
        self.stdout.write(report(cross_validated(examples)))
        self.stdout.write("set aside:")
        self.stdout.write(report([verdict_on(model, seen(pair)) for pair in set_aside(law)]))
        if options["write"]:
            write(model, FILE)
