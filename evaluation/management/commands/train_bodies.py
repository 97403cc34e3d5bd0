"""manage.py train_bodies"""

from evaluation.learning.bodies import REQUEST
from retrieval.management.base import JobCommand


class Command(JobCommand):
    help = (
        "Fits what tells which body of law answers, and keeps it with the reranker where it tells better; "
        "never on test topics."
    )

    def handle(self, **options) -> None:
        self.run_job(REQUEST)
