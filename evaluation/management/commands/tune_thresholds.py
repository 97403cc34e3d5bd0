"""manage.py tune_thresholds DOMAIN [--wrongly-accepted 0.02] [--llm-share 0.10] [--declined 0.05] [--publish]"""

import json
from functools import partial
from pathlib import Path

from django.core.management.base import BaseCommand, CommandError
from tqdm import tqdm

from evaluation import library, thresholds
from evaluation.plots import risk_coverage
from evaluation.thresholds import Choice, Chosen, Targets
from evaluation.topics import BadTopics, Topic, read_topics
from retrieval import pipeline
from retrieval.errors import ArfError
from rules.models import DomainThreshold
from rules.thresholds import next_version, publish

SAID = {
    "accept": "accept from (mlp_high)",
    "llm": "verify from (mlp_low)",
    "answer_minimum": "answer minimum",
}


class Command(BaseCommand):
    help = "Chooses a domain's thresholds from stated risks on the tune split, and checks them on the test split."

    def add_arguments(self, parser):
        parser.add_argument("domain")
        parser.add_argument(
            "--topics", type=Path, help="JSON lines; the judged topics of the database by default"
        )
        parser.add_argument("--with-train", action="store_true", help="choose on the train split too")
        parser.add_argument("--pipeline", default="default", choices=pipeline.names())
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
        show = partial(tqdm, unit="topic", disable=None)
        try:
            seen = [t for split in splits for t in chosen_topics(domain, split, topics)]
            chosen = thresholds.choose(thresholds.pages(seen, options["pipeline"], show=show), targets)
            unseen = thresholds.pages(chosen_topics(domain, "test", topics), options["pipeline"], show=show)
        except (OSError, BadTopics, ArfError) as problem:
            raise CommandError(str(problem)) from problem
        checked = thresholds.verify(chosen, unseen, targets)
        curve = thresholds.risk_coverage(unseen)
        if options["svg"]:
            options["svg"].write_text(risk_coverage("Risk and coverage on the test split", curve))
        if options["json"]:
            told = {"domain": domain, "chosen": chosen.as_json(), "test": checked, "risk_coverage": curve}
            self.stdout.write(json.dumps(told, indent=2))
        else:
            self._write(chosen, checked)
        if options["publish"]:
            self._publish(domain, chosen, reason_for(targets, splits, chosen))

    def _write(self, chosen: Chosen, checked: dict) -> None:
        self.stdout.write(f"chosen on {chosen.topics} topics:")
        for name, label in SAID.items():
            self.stdout.write(f"  {label:<24}{described(getattr(chosen, name))}")
        published = ", ".join(f"{name} {value}" for name, value in chosen.row.items()) or "nothing"
        self.stdout.write(f"what --publish sets: {published}")
        self.stdout.write("checked on the test split:")
        for name, told in checked.items():
            self.stdout.write(
                f"  {name:<24}{told['rate']:.2%} of {told['n']} (target {told['target']:.1%}); "
                f"above it in {told['violated']:.1%} of resamples"
            )

    def _publish(self, domain: str, chosen: Chosen, reason: str) -> None:
        if not chosen.row:
            raise CommandError("Nothing to publish: no target can be met.")
        before = DomainThreshold.objects.filter(domain__slug=domain, active=True).first()
        if before is None:
            raise CommandError(f"{domain} has no thresholds yet: calibrate it first.")
        row = publish(next_version(before, reason=reason, **chosen.row))
        self.stdout.write(f"published as version {row.version}")


def share(text: str) -> float:
    value = float(text)
    if not 0 < value < 1:
        raise ValueError("a share lies between 0 and 1")
    return value


def chosen_topics(domain: str, split: str, path: Path | None) -> list[Topic]:
    """Raises ArfError where there are none."""
    found = read_topics(path, split=split) if path else library.topics_of(domain, split)
    topics = [topic for topic in found if topic.domain == domain]
    if not topics:
        raise ArfError(f"There are no {split} topics for {domain}.")
    return topics


def described(choice: Choice) -> str:
    seen = f"{choice.events} of {choice.n}, at most {choice.bound:.2%} with 95 % certainty"
    seen += f", {choice.unjudged} unjudged counted as wrong" if choice.unjudged else ""
    if choice.value is not None:
        return f"{choice.value:.3f}  ({seen})"
    if choice.missing is None:
        return f"cannot meet {choice.target:.1%}: the rate itself is too high ({seen}); stays as it is"
    return f"too few judgments for {choice.target:.1%}: {choice.missing} more are needed ({seen}); stays as it is"


def reason_for(targets: Targets, splits: list[str], chosen: Chosen) -> str:
    return (
        f"Tuned on {chosen.topics} topics ({', '.join(splits)}): at most {targets.wrongly_accepted:.1%} wrongly "
        f"accepted, {targets.llm_share:.1%} to a language model, {targets.declined:.1%} declined."
    )
