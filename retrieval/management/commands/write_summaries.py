"""manage.py write_summaries [DOMAIN] [--most 100]"""

from collections import Counter

from django.core.management.base import CommandError, CommandParser
from django.utils import timezone

from retrieval.engines.llm.requests import LLMUnavailable
from retrieval.management.base import ArfCommand
from retrieval.models import Domain
from retrieval.summaries import writing


class Command(ArfCommand):
    help = (
        "Has the language model write summaries of long provisions of public law, most cited ones first, and keeps "
        "what is proven, as a task does every night."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("domain", nargs="?", help="all public bodies of law, if left out")
        parser.add_argument("--most", type=int, default=writing.MOST, help="provisions to write of")

    def handle(self, *, domain: str | None, most: int, **options) -> None:
        told, began = Counter(), timezone.now()
        try:
            for summary in writing.write(domain and public(domain), most):
                told[writing.became(summary)] += 1
                why = f" ({summary.problem})" if summary.problem else ""
                self.stdout.write(
                    f"{summary.section}, {summary.language}: {writing.became(summary)}{why}; "
                    f"{len(summary.sentences)} sentences, {len(summary.withheld)} withheld"
                )
        except LLMUnavailable as problem:
            self.stdout.write(f"Stopped: {problem.message}.")
        self.stdout.write(
            f"{told['shown']} summaries shown, {told['withheld']} withheld, {told['failed']} failed; "
            f"{writing.spent_since(began):.4f} USD spent."
        )


def public(slug: str) -> Domain:
    found = Domain.objects.filter(slug=slug).first()
    if found is None or found.is_private:
        raise CommandError(f"There is no public body of law “{slug}”.")
    return found
