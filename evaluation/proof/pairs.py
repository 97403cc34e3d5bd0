"""Pairs of a claim and a provision that we judged: read, and made from the law itself.

What we wrote is in data/*.jsonl: a provision's locator, the claim, its language and label, and what is wrong with it;
of law other than the Constitution also the text. claims.jsonl has passages of the Code, the CFR and the Constitution
with four claims each, kept_apart.jsonl as many of other passages, to measure by.
Made ones are sentences of the law, themselves and changed in one place, and claims beside provisions that do not say
them.
"""

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random

import retrieval
from evaluation.proof.perturbations import perturbed
from retrieval.citations.citation import cite
from retrieval.parsing.tree import Node
from retrieval.parsing.uslm.reader import LeafPolicy, read
from retrieval.proof.types import Source, Verdict

CONSTITUTION = Path(retrieval.__file__).parent / "corpora" / "us_constitution.xml"
FOLDER = Path(__file__).parent / "data"
SET_ASIDE = Path(__file__).parent / "set_aside.jsonl"
CLAIMS = Path(__file__).parent / "claims.jsonl"
KEPT_APART = Path(__file__).parent / "kept_apart.jsonl"
POWERS = "/us/const/article/I/section/8"  # its clauses go on with its opening words
FOR_WEIGHTS = 15  # of a hundred passages of `CLAIMS`: they teach the logistic, the others the entailment model
ELSEWHERE = 0.2  # of the faithful claims of passages are also put beside passages that are not theirs
NEIGHBOURS = 2  # other provisions among which a claim's own is given


@dataclass(frozen=True, slots=True)
class Pair:
    """`sources` has the provision first where it says anything of the claim; `group` is the provision."""

    claim: str
    language: str
    label: Verdict
    kind: str
    group: str
    sources: tuple[Source, ...]
    is_made: bool = False
    of_passage: bool = False  # of `CLAIMS` or `KEPT_APART`

    @property
    def is_laws_own(self) -> bool:
        """Whether the claim is a sentence of the law, itself or changed."""
        return self.is_made and self.kind != "elsewhere"


def provisions() -> dict[str, Source]:
    """The lowest provisions of the Constitution by locator."""
    found: dict[str, Source] = {}

    def add(node: Node, opening: str) -> None:
        if node.text:
            text = f"{opening} {node.text}" if node.locator.startswith(f"{POWERS}/") else node.text
            found[node.locator] = Source(node.locator, cite(node.locator), text)
        for child in node.children:
            add(child, node.text)

    add(read(CONSTITUTION, leaf=LeafPolicy.LOWEST).root, "")
    return found


def written(law: Mapping[str, Source]) -> Iterator[Pair]:
    """What we wrote, each beside two other provisions."""
    return _read(sorted(FOLDER.glob("*.jsonl")), law)


def set_aside(law: Mapping[str, Source]) -> Iterator[Pair]:
    """What we wrote to measure by: no model learns from it."""
    return _read([SET_ASIDE], law)


def of_passages(path: Path) -> Iterator[Pair]:
    """The claims of `CLAIMS` or `KEPT_APART`, each beside two other passages of the file."""
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    sources = [Source(row["locator"], cite(row["locator"]), row["text"]) for row in rows]
    for own, row in enumerate(rows):
        beside = tuple(sources[(own + step) % len(rows)] for step in range(1, NEIGHBOURS + 1))
        for said in row["claims"]:
            around = (sources[own], *beside)
            yield Pair(said["claim"], "en", said["label"], "", row["locator"], around, of_passage=True)


def for_weights(pair: Pair) -> bool:
    return int(hashlib.md5(pair.group.encode()).hexdigest(), 16) % 100 < FOR_WEIGHTS


def elsewhere(pairs: Iterable[Pair]) -> Iterator[Pair]:
    chance = Random(0)
    for pair in pairs:
        if pair.label == "supported" and chance.random() < ELSEWHERE:
            yield replace(pair, label="not_found", kind="elsewhere", sources=pair.sources[1:], is_made=True)


def for_the_logistic(law: Mapping[str, Source]) -> list[Pair]:
    """What we wrote on the Constitution and what is made from it, and claims of passages that the entailment model has
    not read, beside their own and beside others.
    """
    of_some = [pair for pair in of_passages(CLAIMS) if for_weights(pair)]
    return [*written(law), *made(law), *of_some, *elsewhere(of_some)]


def _read(paths: Iterable[Path], law: Mapping[str, Source]) -> Iterator[Pair]:
    random = Random(0)
    others = list(law.values())
    for path in paths:
        for line in path.read_text(encoding="utf-8").splitlines():
            row = json.loads(line)
            beside = tuple(random.sample(others, NEIGHBOURS))
            own = law.get(row["locator"]) or Source(row["locator"], cite(row["locator"]), row["text"])
            sources = (own, *(s for s in beside if s.locator != own.locator))
            yield Pair(row["claim"], row["language"], row["label"], row["kind"], row["locator"], sources)


def made(law: Mapping[str, Source], *, each: int = 100, seed: int = 0) -> Iterator[Pair]:
    """The law's sentences, themselves and changed; and each faithful claim we wrote, without its provision."""
    random = Random(seed)
    others = list(law.values())
    for changed in perturbed(others, each=each, seed=seed):
        sources = (changed.source, random.choice(others))
        group = changed.source.locator
        yield Pair(changed.claim, "en", "contradicted", changed.kind, group, sources, True)
        yield Pair(changed.original, "en", "supported", "", group, sources, True)
    for pair in written(law):
        if pair.label == "supported":
            elsewhere = [s for s in others if not said_alike(s.locator, pair.group)]
            beside = tuple(random.sample(elsewhere, NEIGHBOURS + 1))
            yield Pair(pair.claim, pair.language, "not_found", "elsewhere", pair.group, beside, True)


def said_alike(one: str, other: str) -> bool:
    """Whether two provisions are parts of one section or amendment, which may say the same."""
    return one.partition("/clause")[0] == other.partition("/clause")[0]
