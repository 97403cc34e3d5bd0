"""manage.py fetch DOMAIN [--titles 8 28] [--dry-run]"""

from datetime import date

from django.core.management.base import CommandError

from retrieval.fetching.job import request
from retrieval.management.base import JobCommand, a_day
from retrieval.models import Domain


class Command(JobCommand):
    help = "Gets a domain's law from where it is published, and ingests what is new. An interrupted fetch goes on."

    def add_arguments(self, parser):
        parser.add_argument("domain", help="slug of the domain, e.g. us_code")
        parser.add_argument(
            "--titles", nargs="+", default=[], metavar="N", help="these alone: titles, or volumes"
        )
        parser.add_argument(
            "--since",
            type=a_day,
            metavar="DATE",
            help="cases decided since then; default: the last known",
        )
        parser.add_argument(
            "--dry-run", action="store_true", help="say what would change, and change nothing"
        )
        parser.add_argument(
            "--force",
            action="store_true",
            help="ask for what is unchanged too, and accept what is much shorter",
        )

    def handle(self, *, domain: str, titles: list[str], since: date | None, **options) -> None:
        known = Domain.objects.filter(slug=domain).first()
        if known is None:
            slugs = ", ".join(Domain.objects.values_list("slug", flat=True))
            raise CommandError(f"There is no domain {domain}. Domains: {slugs}")
        wanted = {name: options[name] for name in ("dry_run", "force")}
        run = self.run_job(
            request(known, titles=tuple(titles), since=since.isoformat() if since else "", **wanted)
        )
        if options["dry_run"]:
            self.write_differences(run.state.get("fetch", {}).get("diff", []))
