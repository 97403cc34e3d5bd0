"""manage.py rules_from_judgments DOMAIN [--save]"""

from django.core.management.base import CommandParser

from evaluation.models import Topic
from evaluation.rule_impact import category_rules
from evaluation.topics import library
from retrieval.access.caller import ANONYMOUS
from retrieval.management.base import ArfCommand

LEARNED_FROM = (Topic.Split.TRAIN, Topic.Split.TUNE)


class Command(ArfCommand):
    help = (
        "Proposes rules that raise what stands where people found the answers to a category of questions: "
        "judged topics of a public domain, their category being their tag. Test topics are never read."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("domain")
        parser.add_argument("--save", action="store_true", help="keep them as drafts")

    def handle(self, *, domain: str, save: bool, **options) -> None:
        topics = [topic for split in LEARNED_FROM for topic in library.topics_of(domain, split)]
        found = category_rules.proposals(topics, domain, ANONYMOUS)
        for one in found:
            targets = ", ".join(target.get("value") or f"p. {target['pages']}" for target in one.rule.targets)
            self.stdout.write(f"{one.rule.name}: {targets}")
            self.stdout.write(f"  recall@5 on {one.topics} topics: {one.before:.3f}, with it {one.after:.3f}")
            if save:
                self.stdout.write(
                    f"  {'saved as a draft' if category_rules.save(one) else 'is there already'}"
                )
        self.stdout.write(f"{len(found)} rules from {len(topics)} judged topics")
