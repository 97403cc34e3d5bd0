"""manage.py index_vectors"""

from retrieval.ingestion.publishing import indexing_request
from retrieval.management.jobs import JobCommand


class Command(JobCommand):
    help = "Makes the indexes of vectors that large public domains lack; ingestion orders the same as a job."
    unit = "index"

    def handle(self, **options) -> None:
        self.run_job(indexing_request())
