"""manage.py train_proof [--write]"""

from evaluation.proof.pairs import KEPT_APART, for_the_logistic, of_passages, provisions, set_aside
from evaluation.proof.training import cross_validated, fit, report, seen, verdict_on, write
from retrieval.management.base import ArfCommand
from retrieval.proof.model import FILE


class Command(ArfCommand):
    help = "Learns the verifier's model from our pairs, and tells how it does on provisions that it has not seen."

    def add_arguments(self, parser):
        parser.add_argument("--write", action="store_true", help="keep it as the model that is served")

    def handle(self, **options) -> None:
        law = provisions()
        examples = [seen(pair) for pair in for_the_logistic(law)]
        model = fit(examples)
        self.stdout.write(report(cross_validated(examples)))
        for name, pairs in (("set aside", set_aside(law)), ("kept apart", of_passages(KEPT_APART))):
            self.stdout.write(f"{name}:")
            self.stdout.write(report([verdict_on(model, seen(pair)) for pair in pairs]))
        if options["write"]:
            write(model, FILE)
