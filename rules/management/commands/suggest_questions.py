"""manage.py suggest_questions"""

import math

from django.core.management.base import BaseCommand

from rules.questions.suggesting import suggest_again


class Command(BaseCommand):
    help = (
        "Finds which of the curators' questions may be suggested: those whose provision a search finds first."
    )

    def handle(self, *args, **options) -> None:
        told = suggest_again(math.inf)
        share = f" ({told['share']:.1%})" if told["asked"] else ""
        self.stdout.write(f"Of {told['asked']} questions {told['found']}{share} found their provision first.")
