"""manage.py tune_thresholds DOMAIN [--wrongly-accepted 0.02] [--llm-share 0.10] [--declined 0.05] [--publish]"""

import json
from argparse import ArgumentTypeError
from dataclasses import dataclass
from pathlib import Path

from django.core.management.base import CommandError

from evaluation.learning import registry, tuning
from evaluation.learning.tuning import GATES, RERANKER, Choice, Chosen, Page, Scale, Targets
from evaluation.management.base import chosen_topics, with_bar
from evaluation.measuring.plots import risk_coverage
from evaluation.topics.topic import Topic
from retrieval.errors import ArfError
from retrieval.management.base import ArfCommand
from rules.models import DomainThreshold
from rules.thresholds.publishing import next_version, publish


@dataclass(frozen=True, slots=True)
class Tuned:
    """What was chosen on one scale, the test topics' pages, and what came of it there."""

    chosen: Chosen
    pages: list[Page]
    test: dict

    def as_json(self) -> dict:
        return {"chosen": self.chosen.as_json(), "test": self.test}


class Command(ArfCommand):
    help = "Chooses a domain's thresholds from stated risks on the tune split, and checks them on the test split."

    def add_arguments(self, parser):
        parser.add_argument("domain", nargs="?", default="us_constitution")
        parser.add_argument(
            "--topics", type=Path, help="JSON lines; the judged topics of the database by default"
        )
        parser.add_argument(
            "--with-train",
            action="store_true",
            help="choose the gates' thresholds on the train split too; the reranker learned from it",
        )
        parser.add_argument("--wrongly-accepted", type=share, default=0.02, help="of what is accepted")
        parser.add_argument("--llm-share", type=share, default=0.10, help="of the first 20 candidates")
        parser.add_argument("--declined", type=share, default=0.05, help="of the answerable topics")
        parser.add_argument(
            "--svg", type=Path, help="draws risk and coverage on the test split into this file"
        )
        parser.add_argument("--publish", action="store_true", help="make it the domain's next thresholds")
        parser.add_argument("--json", action="store_true")

    def handle(self, *, domain: str, topics: Path | None, **options) -> None:
        splits = ["train", "tune"] if options["with_train"] else ["tune"]
        targets = Targets(options["wrongly_accepted"], options["llm_share"], options["declined"])
        seen = [t for split in splits for t in chosen_topics(domain, split, topics)]
        unseen = chosen_topics(domain, "test", topics)
        tuned = [self._tuned(GATES, seen, unseen, targets)]
        if registry.serves():
            tuned.append(self._tuned(RERANKER, not_learned(seen), unseen, targets))
        else:
            self.stderr.write(
                "No reranker serves: its thresholds and the answer minimum, which are chosen on its "
                "probabilities, stay as they are. Choose again once one is deployed."
            )
        curve = tuning.risk_coverage(tuned[-1].pages)
        if options["svg"]:
            options["svg"].write_text(risk_coverage("Risk and coverage on the test split", curve))
        row = {name: value for each in tuned for name, value in each.chosen.row.items()}
        if options["json"]:
            told = {each.chosen.scale.pipeline: each.as_json() for each in tuned}
            told |= {"domain": domain, "row": row, "risk_coverage": curve}
            self.stdout.write(json.dumps(told, indent=2))
        else:
            self._write(tuned, row)
        if options["publish"]:
            self._publish(domain, row, reason_for(targets, splits, tuned))

    def _tuned(self, scale: Scale, seen: list[Topic], unseen: list[Topic], targets: Targets) -> Tuned:
        show = with_bar
        chosen = tuning.choose(tuning.pages(seen, scale.pipeline, show=show), targets, scale)
        pages = tuning.pages(unseen, scale.pipeline, show=show)
        return Tuned(chosen, pages, tuning.verify(chosen, pages, targets))

    def _write(self, tuned: list[Tuned], row: dict[str, float]) -> None:
        for each in tuned:
            self.stdout.write(f"by the probabilities of “{each.chosen.scale.pipeline}”:")
            self.stdout.write(f"  chosen on {each.chosen.topics} topics:")
            for name, choice in each.chosen.named.items():
                self.stdout.write(f"    {name:<18}{described(choice)}")
            self.stdout.write("  checked on the test split:")
            for name, told in each.test.items():
                self.stdout.write(
                    f"    {name:<18}{told['rate']:.2%} of {told['n']} (target {told['target']:.1%}); "
                    f"above it in {told['violated']:.1%} of resamples"
                )
        published = ", ".join(f"{name} {value}" for name, value in row.items()) or "nothing"
        self.stdout.write(f"what --publish sets: {published}")

    def _publish(self, domain: str, chosen: dict[str, float], reason: str) -> None:
        if not chosen:
            raise CommandError("Nothing to publish: no target can be met.")
        before = DomainThreshold.objects.filter(domain__slug=domain, active=True).first()
        if before is None:
            raise CommandError(f"{domain} has no thresholds yet: calibrate it first.")
        row = publish(next_version(before, reason=reason, **chosen))
        self.stdout.write(f"published as version {row.version}")


def share(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = 0.0
    if not 0 < value < 1:
        raise ArgumentTypeError(f"{text} is no share: it lies between 0 and 1, as 0.02 for 2 %")
    return value


def not_learned(topics: list[Topic]) -> list[Topic]:
    """Raises ArfError where none is left."""
    if not (left := registry.not_learned(topics)):
        raise ArfError("The reranker in force learned from every one of these topics: choose on others.")
    return left


def described(choice: Choice) -> str:
    seen = f"{choice.events} of {choice.n}, at most {choice.bound:.2%} with {100 * choice.certainty:g} % certainty"
    seen += f", {choice.unjudged} unjudged counted as wrong" if choice.unjudged else ""
    if choice.value is not None:
        return f"{choice.value:.3f}  ({seen})"
    if choice.missing is None:
        return f"cannot meet {choice.target:.1%}: the rate itself is too high ({seen}); stays as it is"
    return f"too few judgments for {choice.target:.1%}: {choice.missing} more are needed ({seen}); stays as it is"


def reason_for(targets: Targets, splits: list[str], tuned: list[Tuned]) -> str:
    topics = " and ".join(str(each.chosen.topics) for each in tuned)
    return (
        f"Tuned on {topics} topics ({', '.join(splits)}): at most {targets.wrongly_accepted:.1%} wrongly "
        f"accepted, {targets.llm_share:.1%} to a language model, {targets.declined:.1%} declined."
    )
