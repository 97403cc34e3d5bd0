"""manage.py reembed"""

from retrieval.ingestion.reembedding import request
from retrieval.management.base import JobCommand


class Command(JobCommand):
    help = "Embeds every chunk by the embedder that settings name, beside the old vectors, and switches at the end."

    def handle(self, **options) -> None:
        self.run_job(request())
