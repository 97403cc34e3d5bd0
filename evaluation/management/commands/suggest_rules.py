"""manage.py suggest_rules [--json]"""

import json

from django.core.management.base import CommandParser

from evaluation.models import RuleSuggestion
from evaluation.rule_impact import suggestions
from retrieval.management.base import JobCommand


class Command(JobCommand):
    help = "Looks for judged topics that fail (train and tune only) and the rules that would mend them."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--json", action="store_true", help="print the open suggestions as JSON")

    def handle(self, **options) -> None:
        self.run_job(suggestions.request())
        found = RuleSuggestion.objects.filter(status=RuleSuggestion.Status.OPEN).select_related("topic")
        if options["json"]:
            self.stdout.write(json.dumps(list(map(as_json, found)), indent=2, ensure_ascii=False))
            return
        for row in found:
            worse = f", {len(row.hurt)} worse" if row.hurt else ""
            self.stdout.write(
                f"{row.gain:+.4f} ({row.gain_low:+.4f} to {row.gain_high:+.4f}){worse}  {row.topic.query}"
            )


def as_json(row: RuleSuggestion) -> dict:
    return {
        "topic": row.topic.name,
        "query": row.topic.query,
        "failure": row.failure,
        "rule": row.content,
        "gain": {"mean": row.gain, "low": row.gain_low, "high": row.gain_high, "topics": row.topics},
        "touched": row.touched,
        "mended": row.mended,
        "hurt": row.hurt,
    }
