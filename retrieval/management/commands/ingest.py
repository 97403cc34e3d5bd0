"""manage.py ingest DOMAIN [SOURCE]"""

from django.core.management.base import BaseCommand, CommandError
from tqdm import tqdm

from retrieval import jobs
from retrieval.errors import ArfError
from retrieval.ingestion import request
from retrieval.models import Domain, JobRun


class Command(BaseCommand):
    help = "Ingests a source into a domain, with progress. Run twice, it changes nothing the second time."

    def add_arguments(self, parser):
        parser.add_argument("domain", help="slug of the domain, e.g. us_constitution")
        parser.add_argument("source", nargs="?", default="", help="file to read; the domain's own by default")
        parser.add_argument(
            "--force", action="store_true", help="accept a source much shorter than what is known"
        )

    def handle(self, *, domain: str, source: str, force: bool, **options) -> None:
        known = Domain.objects.filter(slug=domain).first()
        if known is None:
            slugs = ", ".join(Domain.objects.values_list("slug", flat=True))
            raise CommandError(f"There is no domain {domain}. Domains: {slugs}")
        try:
            run = jobs.create(**request(known, source, force=force))
            run = self._watch(run)
        except ArfError as problem:
            raise CommandError(problem.message) from problem
        if run.status != JobRun.Status.DONE:
            raise CommandError(run.error or run.message)
        self.stdout.write(run.message)

    def _watch(self, run: JobRun) -> JobRun:
        with tqdm(total=run.total or None, unit="section", disable=None) as bar:
            for run in jobs.run_here(run):  # noqa: B020
                bar.total = run.total or None
                bar.update(run.position - bar.n)
                bar.set_postfix_str(run.message[:60])
        return run
