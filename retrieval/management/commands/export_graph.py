"""manage.py export_graph DOMAIN"""

from django.core.management.base import CommandError
from django.db.models import Q

from retrieval.access.caller import ANONYMOUS
from retrieval.corpus.graph import exported
from retrieval.management.base import ArfCommand
from retrieval.models import Document, Domain


class Command(ArfCommand):
    help = "Writes the provisions of a public domain or document, what they cite, and their citations."

    def add_arguments(self, parser):
        parser.add_argument("domain", help="slug of the domain, e.g. us_code")
        parser.add_argument("--document", help="locator of one document of it, e.g. /us/usc/t8")
        parser.add_argument("--format", choices=["jsonl", "graphml"], default="jsonl")

    def handle(self, *, domain: str, document: str | None, format: str, **options) -> None:
        found = Domain.objects.visible_to(ANONYMOUS).filter(slug=domain).first()
        if found is None:
            raise CommandError(f"There is no public domain {domain}.")
        within = Q(domain=found)
        if document:
            known = Document.objects.visible_to(ANONYMOUS).filter(domain=found, locator=document).first()
            if known is None:
                raise CommandError(f"{domain} has no document {document}.")
            within = Q(document=known)
        for line in exported(within, format):
            self.stdout.write(line)
