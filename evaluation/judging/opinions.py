"""What language models said of a pair, shown to a judge after the judge's own grade."""

from dataclasses import dataclass

from evaluation.models import Judgment
from retrieval.models import LLMVerdict


@dataclass(frozen=True, slots=True)
class Opinion:
    """What a language model said of a pair. `grade` 0-3 where it graded, else `score` 0-9."""

    model: str
    reason: str
    grade: int | None = None
    score: int | None = None


def opinions(judgment: Judgment) -> list[Opinion]:
    """Language models' verdicts on a pair that this person has judged."""
    graded = judgment.topic.judgments.filter(kind=Judgment.Kind.LLM, locator=judgment.locator)
    verdicts = LLMVerdict.objects.filter(
        query_hash=judgment.topic.query_hash, section_id=judgment.section_id
    ).order_by("model", "prompt_version")
    known = {row.judge for row in graded}  # a verdict becomes a judgment at night
    return [
        *(Opinion(row.judge, row.explanation, grade=row.grade) for row in graded),
        *(Opinion(row.model, row.reason, score=row.score) for row in verdicts if judge_of(row) not in known),
    ]


def judge_of(verdict: LLMVerdict) -> str:
    """A model with another prompt is another judge."""
    return f"{verdict.model} {verdict.prompt_version[:8]}"
