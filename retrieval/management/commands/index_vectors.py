"""manage.py index_vectors"""

from django.core.management.base import CommandParser

from retrieval.indexes import hnsw
from retrieval.management.base import ArfCommand
from retrieval.models import EmbeddingModel


class Command(ArfCommand):
    help = "Makes the indexes of vectors that large public domains lack; a job has the same done after an ingestion."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("models", nargs="*", type=int, help="ids of embedding models (the one in use)")

    def handle(self, **options) -> None:
        for name in hnsw.build_missing(*EmbeddingModel.objects.filter(pk__in=options["models"])):
            self.stdout.write(f"Indexing {name} …")
        self.stdout.write("Every large domain is indexed.")
