"""manage.py index_vectors"""

from django.core.management.base import CommandError, CommandParser

from retrieval.indexes import hnsw
from retrieval.management.base import ArfCommand
from retrieval.models import EmbeddingModel


class Command(ArfCommand):
    help = "Makes the indexes of vectors that large public domains lack; a job has it done once nothing comes in."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("models", nargs="*", type=int, help="ids of embedding models (the one in use)")
        parser.add_argument("--settled", action="store_true", help="only of domains that nothing comes into")

    def handle(self, **options) -> None:
        models = EmbeddingModel.objects.filter(pk__in=options["models"])
        if unknown := {*options["models"]} - {model.pk for model in models}:
            raise CommandError(f"There is no embedding model {', '.join(map(str, sorted(unknown)))}.")
        for name in hnsw.build_missing(*models, only_ready=options["settled"]):
            self.stdout.write(f"Indexing {name} …")
        self.stdout.write("Every large domain is indexed." if not options["settled"] else "Nothing else is to be made.")
