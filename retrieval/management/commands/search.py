"""manage.py search "QUERY" [--domain D] [--json] [--explain]"""

import json
import textwrap

from retrieval.access.caller import ANONYMOUS
from retrieval.corpus.absence import in_words as absence_in_words
from retrieval.management.base import ArfCommand
from retrieval.request import SearchRequest
from retrieval.search.log import explanation_of
from retrieval.search.service import search


class Command(ArfCommand):
    help = "Searches what anonymous callers may see."

    def add_arguments(self, parser):
        parser.add_argument("query")
        parser.add_argument(
            "--domain", action="append", default=[], help="may repeat; all public ones by default"
        )
        parser.add_argument("--k", type=int, default=5, help="results shown")
        parser.add_argument("--language", choices=["en", "es"], help="detected by default")
        parser.add_argument("--pipeline", default="default")
        parser.add_argument("--json", action="store_true", help="the answer as the API gives it")
        parser.add_argument(
            "--explain", action="store_true", help="every candidate, kept and dropped, and why"
        )

    def handle(self, *, query: str, **options) -> None:
        request = SearchRequest(
            text=query,
            domains=tuple(options["domain"]),
            k=options["k"],
            language=options["language"],
            pipeline=options["pipeline"],
        )
        answer = search(request)
        if options["explain"]:
            answer |= explanation_of(answer["trace_id"], ANONYMOUS)
        if options["json"]:
            self.stdout.write(json.dumps(answer, indent=2))
            return
        self._write(answer)
        if "explanation" in answer:
            self._explain(answer["explanation"])

    def _write(self, answer: dict) -> None:
        query = answer["query"]
        if answer["respelled"]:
            self.stdout.write(f"Read as: {answer['respelled']}")
        if query["translated"]:
            self.stdout.write(f"In English: {query['translated']}")
        if absent := answer["absent"]:
            self.stdout.write(absence_in_words(absent, written=str))
        elif answer["unresolved"]:
            self.stdout.write(f"There is no {answer['unresolved']} among the law here.")
        if notice := answer["notice"]:
            self.stdout.write(notice["text"])
        elif answer["abstained"]:
            self.stdout.write("No provision answers this well enough. Near misses:")
        for result in answer["results"] or answer["near_misses"]:
            sure = "" if result["probability"] is None else f"  (probability {result['probability']:.2f})"
            self.stdout.write(f"\n{result['rank']}. {result['citation']}: {result['title']}{sure}")
            self.stdout.write(f"   {result['locator']}")
            if result.get("summary_of_decision"):
                self.stdout.write("   (a summary of the decision, not the opinion's words)")
            self.stdout.write(textwrap.indent(textwrap.fill(result["snippet"], 96), "   "))
            self.stdout.write("   because: " + "; ".join(map(in_words, result["reasons"])))
        if answer["degraded"]:
            self.stdout.write(f"\nWithout: {', '.join(answer['degraded'])}")
        source = "from the cache" if answer["cached"] else "searched"
        self.stdout.write(f"\n{answer['took_ms']:.1f} ms, {source}; trace {answer['trace_id']}")

    def _explain(self, explanation: dict) -> None:
        self.stdout.write("\nStages")
        for stage in explanation["stages"]:
            counts = f"{stage['in']:>4} → {stage['out']:<4}"
            self.stdout.write(
                f"  {stage['name']:<23}{stage['status']:<9}{stage['ms']:>8.2f} ms {counts} {stage['note']}"
            )
        self.stdout.write("\nCandidates, best first")
        for rank, candidate in enumerate(explanation["candidates"], start=1):
            self.stdout.write(f"  {rank:>3}. {account(candidate)}")
        self.stdout.write(f"\nDropped: {len(explanation['dropped'])}")
        for candidate in explanation["dropped"]:
            why = f"{candidate['stage']}: {in_words(candidate['why'])}"
            self.stdout.write(f"       {account(candidate)}; {why}")


def account(candidate: dict) -> str:
    legs = ", ".join(f"{leg} #{rank}" for leg, rank in candidate["ranks"].items())
    scores = ", ".join(f"{name} {value:.3f}" for name, value in candidate["scores"].items())
    probability = candidate["probability"]
    sure = "" if probability is None else f" p {probability:.3f}"
    return f"{candidate['locator']}  {candidate['score']:.4f}{sure}  [{legs}] {scores}"


def in_words(reason: dict) -> str:
    values = ", ".join(str(value) for name, value in reason.items() if name != "code")
    return f"{reason['code']} ({values})" if values else reason["code"]
