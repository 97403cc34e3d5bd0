"""manage.py ingest DOMAIN [SOURCE] [--dry-run]"""

from datetime import date
from pathlib import Path

from django.core.management.base import CommandError

from retrieval.fetching.differences import of_source, summary
from retrieval.ingestion.ingest import request
from retrieval.management.base import JobCommand, Reminder, a_day
from retrieval.models import Domain


class Command(JobCommand):
    help = "Ingests a source into a domain, with progress. Run twice, it changes nothing the second time."

    def add_arguments(self, parser):
        parser.add_argument("domain", help="slug of the domain, e.g. us_constitution")
        parser.add_argument(
            "source",
            nargs="?",
            default="",
            help="file, folder or archive to read; the domain's own by default",
        )
        parser.add_argument(
            "--force", action="store_true", help="accept a source much shorter than what is known"
        )
        parser.add_argument("--dry-run", action="store_true", help="say what would change, and change nothing")
        parser.add_argument(
            "--edition", type=a_day, metavar="DATE",
            help="the day from which the source holds, where it does not say",
        )  # fmt: skip

    def handle(
        self, *, domain: str, source: str, force: bool, edition: date | None, dry_run: bool, **options
    ) -> None:
        known = Domain.objects.filter(slug=domain).first()
        if known is None:
            slugs = ", ".join(Domain.objects.values_list("slug", flat=True))
            raise CommandError(f"There is no domain {domain}. Domains: {slugs}")
        path = str(Path(source).absolute()) if source else ""  # workers may go on with it, from another folder
        day = edition.isoformat() if edition else ""
        if dry_run:
            self.compare(known, path, day, force=force)
        else:
            self.run_job(request(known, path, force=force, edition=day))

    def compare(self, domain: Domain, path: str, edition: str, *, force: bool) -> None:
        told = []
        with Reminder(self.say) as reminder:
            reminder.line = "0 documents compared"
            for made in of_source(domain, path, edition, force=force):
                told.append(made.to_dict())
                reminder.line = f"{len(told)} documents compared"
        self.say(summary(domain, told))
        self.write_differences(told)
