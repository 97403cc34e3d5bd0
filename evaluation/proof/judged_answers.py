"""Answers that people judged: whether their sources bear out every sentence. `manage.py agreement --answers` tells how
far `retrieval.proof`, the deterministic judge, agrees with them. None of them is learned from.
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from evaluation.judging.agreement import Grades
from retrieval.citations.citation import cite
from retrieval.proof.types import Source
from retrieval.proof.verify import verify

FILE = Path(__file__).parent / "judged_answers.jsonl"
JUDGE = "proof"
BORNE_OUT = {"supported", "not_a_claim"}


@dataclass(frozen=True, slots=True)
class JudgedAnswer:
    """An answer with what it rests on, and by person whether that bears it out."""

    id: str
    text: str
    language: str
    sources: tuple[Source, ...]
    supported: Mapping[str, bool]


def judged_answers() -> Iterator[JudgedAnswer]:
    for line in FILE.read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        sources = tuple(Source(locator, cite(locator), text) for locator, text in row["sources"].items())
        yield JudgedAnswer(row["id"], row["answer"], row["language"], sources, row["supported"])


def is_borne_out(answer: JudgedAnswer) -> bool:
    """Where there is anything to prove, and no claim fails."""
    verdicts = {claim.verdict for claim in verify(answer.text, answer.sources, language=answer.language)}
    return "supported" in verdicts and verdicts <= BORNE_OUT


def grades() -> Grades:
    """1 for borne out, 0 for not, by every judge of every answer."""
    return {
        (one.id, one.text): {
            JUDGE: int(is_borne_out(one)),
            **{who: int(said) for who, said in one.supported.items()},
        }
        for one in judged_answers()
    }
