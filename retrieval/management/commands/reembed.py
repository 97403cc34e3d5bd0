"""manage.py reembed"""

from retrieval.management.jobs import JobCommand
from retrieval.reembedding import request


class Command(JobCommand):
    help = "Embeds every chunk by the embedder that settings name, beside the old vectors, and switches at the end."
    unit = "chunk"

    def handle(self, **options) -> None:
        self.run_job(request())
