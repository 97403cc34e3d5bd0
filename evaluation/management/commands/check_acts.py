"""manage.py check_acts sections-2016.jsonl.xz"""

import json
from pathlib import Path

from evaluation.measuring.act_maps import compared
from retrieval.management.base import ArfCommand
from retrieval.parsing.packed import OPENERS


class Command(ArfCommand):
    help = "Tells which sections of acts the law says to be elsewhere in the Code than our table of acts has them."

    def add_arguments(self, parser):
        parser.add_argument("law", type=Path, help="JSON lines of law, packed or not")

    def handle(self, *, law: Path, **options) -> None:
        with OPENERS.get(law.suffix, open)(law, "rb") as lines:
            same, others = compared(json.loads(line).get("text", "") for line in lines)
        for each in others:
            places = ", ".join(f"{place} ({times})" for place, times in each.stated.items())
            self.stdout.write(f"{each.act} § {each.number}: {each.known or 'not known'}; the law says {places}")
        self.stdout.write(f"{same} stand where the law says; {len(others)} do not, or are not known.")
