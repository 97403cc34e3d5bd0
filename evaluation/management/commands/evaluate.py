"""manage.py evaluate (TOPICS.jsonl [--documents DIR] | --beir DIR | --topics-from-db DOMAIN) [--pipeline NAME]
[--everywhere] [--json]
"""

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from django.core.management.base import CommandError

from evaluation.management.base import a_count, topics_in, with_bar
from evaluation.measuring.calibration import CalibrationError
from evaluation.measuring.corpora import beir_corpus, documents_corpus
from evaluation.measuring.groups import Group, differences
from evaluation.measuring.measures import Estimate
from evaluation.measuring.results import TopicResult
from evaluation.measuring.runs import (
    EVERYWHERE,
    Report,
    measured_elsewhere,
    named,
    of_file,
    report,
    report_elsewhere,
    run_topics,
    store,
    versions_in_force,
    with_judgments,
)
from evaluation.models import Run
from evaluation.topics.library import topics_of
from evaluation.topics.reading import read_run
from evaluation.topics.topic import Topic, read_topics
from retrieval import pipeline
from retrieval.access.caller import ANONYMOUS, Caller
from retrieval.management.base import ArfCommand
from retrieval.stages import llm_verifier
from rules.authoring.tables import decoded

LONGEST_NAME = Run._meta.get_field("name").max_length


FIRSTS = {"right body first": "right_body", "right document first": "right_document"}


@dataclass(frozen=True, slots=True)
class Measured:
    """One pass over the topics; `run`: as it was kept."""

    results: Sequence[TopicResult]
    report: Report
    in_force: dict
    everywhere: bool
    run: Run | None = None

    @property
    def run_id(self) -> str | None:
        return str(self.run.pk) if self.run else None


class Command(ArfCommand):
    help = "Measures a pipeline on topics with known answers, by the field's standard measures."

    def add_arguments(self, parser):
        parser.add_argument("topics", nargs="?", type=Path, help="JSON lines: id, query, domain, relevant, …")
        parser.add_argument(
            "--documents", type=Path, help="what the file’s topics ask of, in their domain for the measuring alone"
        )
        parser.add_argument("--beir", type=Path, help="a data set in BEIR layout, ingested for the measuring")
        parser.add_argument("--topics-from-db", metavar="DOMAIN", help="the topics kept in the database")
        parser.add_argument("--pipeline", default="default", choices=pipeline.names())
        parser.add_argument(
            "--trec-run", type=Path, help="measure another system's TREC run instead of a pipeline"
        )
        parser.add_argument(
            "--everywhere", action="store_true", help="ask all bodies of law together too, with no domain named"
        )
        parser.add_argument("--split", default="", help="only the topics of this split")
        parser.add_argument("--limit", type=a_count, help="only the first topics")
        parser.add_argument("--name", default="", help="what to remember the run by")
        parser.add_argument(
            "--llm", action="store_true", help="let it ask a language model, which costs: --pipeline verified"
        )
        parser.add_argument("--no-store", action="store_true", help="measure, but keep no run")
        parser.add_argument("--json", action="store_true")

    def handle(
        self, *, topics: Path | None, beir: Path | None, topics_from_db: str | None, **options
    ) -> None:
        if options["llm"] and not llm_verifier.asks(pipeline.get(options["pipeline"])):
            raise CommandError(
                f"The pipeline {options['pipeline']} asks no language model: name one that does."
            )
        if sum(source is not None for source in (topics, beir, topics_from_db)) != 1:
            raise CommandError("Name either a topics file, --beir DIR or --topics-from-db DOMAIN.")
        if options["everywhere"] and options["trec_run"]:
            raise CommandError("--everywhere searches: it goes with no --trec-run.")
        if options["everywhere"] and (options["documents"] or beir):
            raise CommandError("What is read for measuring alone has an index of words to itself: hand it in.")
        if len(options["name"]) > LONGEST_NAME:
            raise CommandError(f"--name has more than {LONGEST_NAME} characters.")
        if options["documents"] and not topics:
            raise CommandError("--documents are what the topics of a file ask of: name that file.")
        with asked(topics, options["documents"], beir, topics_from_db, options["split"]) as (whole, found):
            if not found:
                raise CommandError(f"There are no topics in {whole}.")
            judged = with_judgments(found)
            unjudged, judged = len(found) - len(judged), judged[: options["limit"]]
            if not judged:
                raise CommandError(f"Nobody judged any of the topics in {whole}.")
            made = [self._measured(judged, options)]
            if options["everywhere"]:
                made.append(self._measured(judged, options, everywhere=True))
        told, *others = [self._kept(one, whole, options) for one in made]  # behind the block, which may undo all in it
        everywhere = next(iter(others), None)
        if options["json"]:
            self.stdout.write(json.dumps(as_json(told, everywhere) | {"unjudged": unjudged}, indent=2))
            return
        self._write(told, unjudged)
        if everywhere:
            self._write_beside(told, everywhere)

    def _measured(self, topics: Sequence[Topic], options: dict, *, everywhere: bool = False) -> Measured:
        """Searched and reported."""
        caller = llm_verifier.MAY_ASK if options["llm"] else ANONYMOUS
        in_force = {} if options["trec_run"] else versions_in_force(topics, caller=caller, everywhere=everywhere)
        results = self._results(topics, caller, options, everywhere)
        return Measured(results, self._report(results, options), in_force, everywhere)

    def _kept(self, told: Measured, whole: str, options: dict) -> Measured:
        if options["no_store"]:
            return told
        topic_set = named(whole, options["limit"], everywhere=told.everywhere)
        run = store(told.results, told.report, topics=topic_set, in_force=told.in_force, name=options["name"])
        return replace(told, run=run)

    def _results(
        self, topics: Sequence[Topic], caller: Caller, options: dict, everywhere: bool
    ) -> list[TopicResult]:
        if path := options["trec_run"]:
            return measured_elsewhere(topics, read_run(decoded(path.read_bytes())))
        return run_topics(topics, options["pipeline"], caller=caller, everywhere=everywhere, show=with_bar)

    def _report(self, results: list[TopicResult], options: dict) -> Report:
        if path := options["trec_run"]:
            return report_elsewhere(results, path)
        return report(results, options["pipeline"])

    def _write_beside(self, named: Measured, everywhere: Measured) -> None:
        self.stdout.write("with the domain named -> all bodies of law together, no domain named")
        apart = differences(everywhere.results, named.results)
        for name, ours in everywhere.report.groups.items():
            theirs = named.report.groups[name]
            self.stdout.write(f"  {name}: {ours.topics} answerable topics")
            for measure, difference in apart.get(name, {}).items():
                self.stdout.write(
                    f"    {measure:<20} {theirs.measures[measure]:.3f} -> {ours.measures[measure]:.3f}"
                    f"  {difference.mean:+.3f} [{difference.low:+.3f}, {difference.high:+.3f}]"
                )
            for label, field in FIRSTS.items():
                self.stdout.write(f"    {label:<20} {getattr(theirs, field):.3f} -> {getattr(ours, field):.3f}")
            self.stdout.write(f"    {'declined':<20} {theirs.declined} -> {ours.declined}")
            if ours.unanswerable:
                self.stdout.write(
                    f"    {'unanswerable':<20} declined {theirs.declined_unanswerable} -> "
                    f"{ours.declined_unanswerable} of {ours.unanswerable}"
                )
        for name, ours in everywhere.report.groups.items():
            self._write_group(f"{name}{EVERYWHERE}", ours)
        self._write_kept(everywhere.run)

    def _write_group(self, name: str, told: Group) -> None:
        """How far its probabilities can be relied on, and Spanish beside English, as far as there are enough topics."""
        if found := told.calibration:
            self.stdout.write(
                f"  {name}: calibration error of {found.questions} first results {error(found.first)}, of the "
                f"{found.results} on their first pages {error(found.page)}"
            )
        for measure, each in told.parallel.items():
            ratio = each.ratio
            self.stdout.write(
                f"  {name}: {told.pairs} questions in both languages, {measure} Spanish {each.spanish:.3f}, English "
                f"{each.english:.3f}, ratio {ratio.mean:.3f} [{ratio.low:.3f}, {ratio.high:.3f}]"
            )

    def _write(self, told: Measured, unjudged: int) -> None:
        result = told.report
        self.stdout.write(f"{result.pipeline}: {result.topics} answerable topics")
        if unjudged:
            self.stdout.write(f"  left out, as nobody judged them: {unjudged} topics")
        for name, value in result.measures.items():
            beside = result.condensed.get(name)
            self.stdout.write(f"  {estimated(name, value)}{condensed(beside) if beside else ''}")
        self.stdout.write(f"  {estimated('judged@10', result.judged_at_10)}")
        for kind, values in result.by_kind.items():
            self.stdout.write(
                f"  {kind:<20} {values['topics']:>4} topics  nDCG@10 {values['nDCG@10']:.3f}"
                f"  MRR@10 {values['MRR@10']:.3f}"
            )
        self.stdout.write(f"  declined though answerable: {result.declined_answerable} of {result.topics}")
        if result.unanswerable:
            self.stdout.write(
                f"  declined when unanswerable: {result.declined_unanswerable} of {result.unanswerable}"
            )
        for name, group in result.groups.items():
            self._write_group(name, group)
        self._write_spent(result)
        for stage, count in result.degraded.items():
            self.stdout.write(f"  degraded: {stage} in {count} topics")
        if result.learned:
            self.stdout.write(
                f"  the reranker learned from {result.learned} of these questions or nearly the same: it is flattered"
            )
        self._write_kept(told.run)

    def _write_kept(self, run: Run | None) -> None:
        if run:
            self.stdout.write(f"  kept as run {run.pk}")

    def _write_spent(self, result: Report) -> None:
        if not result.ms:
            self.stdout.write("  time and cost unknown")
            return
        self.stdout.write("  ms: " + ", ".join(f"{name} {value:.1f}" for name, value in result.ms.items()))
        llm, cost = result.llm, result.cost
        self.stdout.write(
            f"  LLM: {llm['calls']} calls in {llm['queries']} queries, {llm['share']:.1%} of the candidates;"
            f" {cost['per_1000']:.4f} USD for 1,000 queries"
        )


def as_json(named: Measured, everywhere: Measured | None) -> dict:
    """The report as ever and, where all bodies were asked together, theirs and the differences beside it."""
    told = asdict(named.report) | {"run": named.run_id}
    if everywhere is None:
        return told
    apart = {
        group: {measure: asdict(difference) for measure, difference in found.items()}
        for group, found in differences(everywhere.results, named.results).items()
    }
    return told | {"everywhere": asdict(everywhere.report) | {"run": everywhere.run_id, "difference": apart}}


@contextmanager
def asked(
    path: Path | None, documents: Path | None, beir: Path | None, domain: str | None, split: str
) -> Iterator[tuple[str, Sequence[Topic]]]:
    """What the topics are called together, and the topics; the BEIR set or the documents are there as long."""
    if beir:
        with beir_corpus(beir, show=with_bar) as topics:
            yield of_file(beir), topics
        return
    name = of_file(path) if path else domain
    with documents_corpus(documents, the_domain(path)) if documents else nullcontext():
        found = topics_in(path, split) if path else topics_of(domain, split)
        yield f"{name}/{split}" if split else name, found


def the_domain(path: Path) -> str:
    """Raises CommandError where a file's topics ask of several."""
    domains = {topic.domain for topic in read_topics(path)}
    if len(domains) != 1:
        raise CommandError(f"The topics of {path.name} ask of {len(domains)} domains: documents are read into one.")
    return domains.pop()


def estimated(name: str, value: Estimate) -> str:
    return f"{name:<9} {value.mean:.3f}  [{value.low:.3f}, {value.high:.3f}]"


def error(value: CalibrationError) -> str:
    return f"{value.error:.3f} ({value.by_chance:.3f} by chance; {value.predicted:.3f} told, {value.relevant:.3f} so)"


def condensed(value: Estimate) -> str:
    return f"   without the unjudged {value.mean:.3f}"
