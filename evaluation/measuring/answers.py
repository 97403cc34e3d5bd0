"""How well answers are made, on questions whose answering sentences a person marked: whether the right sentence is
quoted first, whether what is said is the law's, what is declined, what was read for it. Beside the labels
`retrieval.proof` judges what answers say, and of one of two definitions of relevance a language model.
"""

import json
import logging
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path

from evaluation.measuring.answer_relevance import Said, by_questions, similarities
from evaluation.measuring.faithfulness import GENERATED, KINDS, LAW, LEAD, Judged, judged, plain
from evaluation.measuring.measures import estimate
from evaluation.models import Judgment, Topic
from retrieval.access.caller import ANONYMOUS, Caller
from retrieval.answers.service import AnswerRequest, answer
from retrieval.engines.cross_encoders import CrossEncoderUnavailable
from retrieval.engines.llm.requests import LLMUnavailable
from retrieval.errors import ArfError

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Labelled:
    """A question with the sentences that answer it, letter by letter; of several parts, those of each. One that nothing
    answers has none. `about`: what it goes on from; `split`: where it is a topic's.
    """

    question: str
    language: str
    domain: str
    locators: tuple[str, ...] = ()
    parts: tuple[tuple[str, ...], ...] = ()
    about: str = ""
    split: str = ""

    @property
    def is_test(self) -> bool:
        return self.split == Topic.Split.TEST

    @property
    def is_train(self) -> bool:
        return self.split == Topic.Split.TRAIN

    @property
    def answerable(self) -> bool:
        return any(self.parts)


@dataclass(frozen=True, slots=True)
class Share:
    """`hits` of `total`, with the exact 95 % interval (Clopper and Pearson); None of nothing."""

    hits: int
    total: int

    @property
    def value(self) -> float | None:
        return self.hits / self.total if self.total else None

    @property
    def interval(self) -> tuple[float, float] | None:
        from scipy.stats import (
            binomtest,  # where it is used: it takes 76 MB, and web workers import this module
        )

        if not self.total:
            return None
        told = binomtest(self.hits, self.total).proportion_ci(method="exact")
        return float(told.low), float(told.high)

    def to_dict(self) -> dict:
        return {"hits": self.hits, "total": self.total, "value": self.value, "interval": self.interval}


@dataclass(slots=True)
class Answered:
    """What one question was answered with; `judged` is None where the judge of its claims failed."""

    labelled: Labelled
    declined: bool
    right_first: int = 0  # of its parts
    judged: tuple[Judged, ...] | None = ()
    cited: frozenset[str] = field(default_factory=frozenset)
    read: tuple[str, ...] = ()  # locators of what was found, best first
    text: str = ""
    ms: float = 0.0

    @property
    def faithfulness(self) -> float | None:
        """The share of its claims that what they cite bears out; None where there is nothing to verify."""
        return None if (wrong := unsupported([self]).value) is None else 1 - wrong

    @property
    def citation_precision(self) -> float | None:
        """The share of the places it cites that answer."""
        return share_of(among(self.cited, self.labelled.locators)) if self.labelled.answerable else None

    @property
    def citation_recall(self) -> float | None:
        """The share of the places that answer which it cites."""
        return share_of(among({*self.labelled.locators}, self.cited)) if self.labelled.answerable else None

    @property
    def values(self) -> dict[str, float]:
        """What is measured of it alone; of each more is better. What does not apply is left out."""
        parts, answerable = len(self.labelled.parts), self.labelled.answerable
        values = {
            "right_first": self.right_first / parts if answerable else None,
            "faithfulness": self.faithfulness,
            "citation_precision": self.citation_precision,
            "citation_recall": self.citation_recall,
            "answered_answerable": float(not self.declined) if answerable else None,
            "declined_unanswerable": None if answerable else float(self.declined),
        }
        return {name: value for name, value in values.items() if value is not None}

    @property
    def relevant(self) -> list[bool]:
        """Whether each place read is one that answers, a part of it or what it is a part of."""
        return among(self.read, self.labelled.locators)

    @property
    def context_precision(self) -> float | None:
        """The mean precision at the places that answer, as RAGAS has it; 0 where none was read."""
        if not self.labelled.locators:
            return None
        relevant = self.relevant
        at = [sum(relevant[:n]) / n for n, right in enumerate(relevant, start=1) if right]
        return sum(at) / len(at) if at else 0.0

    @property
    def context_recall(self) -> float | None:
        """The share of the places that answer which were read."""
        return share_of(among(self.labelled.locators, self.read))


def share_of(found: Sequence[bool]) -> float | None:
    return sum(found) / len(found) if found else None


def read_labelled(path: Path) -> list[Labelled]:
    """JSON lines: question, about, language, domain, locators, sentences, parts; or topics, those left out that have
    an answer which is not marked as their `answer`. Raises ArfError for a line that is neither.
    """
    rows = []
    for number, line in enumerate(path.read_text("utf-8").splitlines(), 1):
        try:
            row = json.loads(line)
            if "query" not in row:
                rows.append(labelled(row))
            elif row.get("answer") or not row["answerable"]:
                rows.append(labelled_topic(row))
        except (ValueError, KeyError, TypeError, AttributeError) as problem:
            raise ArfError(f"Line {number} of {path.name} is no labelled question: {problem}") from problem
    return rows


def labelled(row: dict) -> Labelled:
    parts = row.get("parts") or ([row] if row.get("sentences") else [])
    if any(not sentence.strip() for part in parts for sentence in part["sentences"]):
        raise ValueError("a sentence is blank")
    return Labelled(
        row["question"],
        row["language"],
        row.get("domain") or "",
        tuple(row.get("locators") or ()),
        tuple(tuple(part["sentences"]) for part in parts),
        row.get("about") or "",
    )


def labelled_topic(row: dict) -> Labelled:
    """Its answer stands in a provision that controls it."""
    controlling = [place for place, grade in row["relevant"].items() if grade == Judgment.Grade.CONTROLLING]
    sentences = [row["answer"]] if row["answerable"] else []
    told = labelled(row | {"question": row["query"], "locators": controlling, "sentences": sentences})
    return replace(told, split=row["split"])


def measure(
    questions: Iterable[Labelled],
    answering: Callable[[AnswerRequest], dict] | None = None,
    *,
    caller: Caller = ANONYMOUS,
    domains: tuple[str, ...] = (),
) -> list[Answered]:
    """Asks each with no domain named unless some are, as anybody may, unless as another caller."""
    asked = answering or (lambda request: answer(request, caller))
    return [measured(one, asked(AnswerRequest(one.question, domains, about=one.about)), caller) for one in questions]


def measured(one: Labelled, made: dict, caller: Caller = ANONYMOUS) -> Answered:
    said = [item for item in made["answer"] if item["kind"] in (LAW, GENERATED)]
    groups = [part["answer"] for part in made["parts"]] or [made["answer"]]
    firsts = [next((item for item in items if item["kind"] == LAW), None) for items in groups]
    places = [place for item in made["answer"] if item["kind"] != LEAD for place in item["citations"]]
    return Answered(
        one,
        declined=not made["answer"],
        right_first=sum(any(first and quotes(first, wanted) for first in firsts) for wanted in one.parts),
        judged=claims_of(made["answer"], caller),
        cited=frozenset(place["locator"] for place in places),
        read=tuple(source["locator"] for source in made["sources"]),
        text=" ".join(item["text"] for item in said),
        ms=made["took_ms"],
    )


def quotes(item: dict, sentences: Sequence[str]) -> bool:
    """Whether one of these sentences, or a clause of one, is what is quoted."""
    quoted = [plain(place["quote"]) for place in item["citations"]]
    wanted = [plain(sentence) for sentence in sentences]
    return any(one in other or other in one for one in quoted for other in wanted)


def among(places: Iterable[str], others: Collection[str]) -> list[bool]:
    """Whether each place is the same as one of the others."""
    return [any(same_place(place, other) for other in others) for place in places]


def same_place(one: str, other: str) -> bool:
    return f"{one}/".startswith(f"{other}/") or f"{other}/".startswith(f"{one}/")


def claims_of(entries: Sequence[dict], caller: Caller) -> tuple[Judged, ...] | None:
    try:
        return judged(entries, caller)
    except CrossEncoderUnavailable:
        logger.exception("What an answer says was left unread.")
        return None


def summary(results: Sequence[Answered]) -> dict:
    """Shares with intervals. Precision and recall are of the provisions cited, against those labelled."""
    answerable = [one for one in results if one.labelled.answerable]
    unanswerable = [one for one in results if not one.labelled.answerable]
    several = [one for one in answerable if len(one.labelled.parts) > 1]
    precise = [right for one in answerable for right in among(one.cited, one.labelled.locators)]
    found = [cited for one in answerable for cited in among({*one.labelled.locators}, one.cited)]
    shares = {
        "right_first": right_first(answerable),
        "right_first_of_several": right_first(several),
        "right_first_en": right_first([one for one in answerable if one.labelled.language == "en"]),
        "right_first_es": right_first([one for one in answerable if one.labelled.language == "es"]),
        "declined_answerable": Share(sum(one.declined for one in answerable), len(answerable)),
        "answered_unanswerable": Share(sum(not one.declined for one in unanswerable), len(unanswerable)),
        "unsupported": unsupported(results),
        **{f"unsupported_{kind}": unsupported(results, {kind}) for kind in KINDS},
        "citation_precision": Share(sum(precise), len(precise)),
        "citation_recall": Share(sum(found), len(found)),
    }
    return {name: share.to_dict() for name, share in shares.items()}


def right_first(results: Sequence[Answered]) -> Share:
    return Share(sum(one.right_first for one in results), sum(len(one.labelled.parts) for one in results))


def unsupported(results: Sequence[Answered], kinds: Collection[str] = KINDS) -> Share:
    """Of the claims of these kinds of entries, those that what they cite does not bear out."""
    found = [one for answered in results for one in answered.judged or () if one.kind in kinds]
    return Share(sum(one.unsupported for one in found), sum(one.claims for one in found))


# -- Means over answers, each {"status": score, mean, low, high, n}, or not_applicable, or judge_failed: never a number
# that stands for a failure.

NOT_APPLICABLE = {"status": "not_applicable"}


def means(results: Sequence[Answered]) -> dict:
    """Faithfulness and context of RAGAS by the labels, and relevance of the answers to what can be answered."""
    said = [Said(one.labelled.question, one.text, one.labelled.language) for one in results if one.labelled.answerable]
    return {
        "faithfulness": mean(
            [one.faithfulness for one in results], failed=sum(one.judged is None for one in results)
        ),
        "context_precision": mean([one.context_precision for one in results]),
        "context_recall": mean([one.context_recall for one in results]),
        "answer_similarity": mean(similarities(said)),
        "answer_relevance": judged_relevance(said),
    }


def mean(values: Sequence[float | None], failed: int = 0) -> dict:
    told = [value for value in values if value is not None]
    if not told:
        return {"status": "judge_failed", "failed": failed} if failed else NOT_APPLICABLE
    found = estimate(told)
    return {"status": "score", **asdict(found), "n": len(told), "failed": failed}


def judged_relevance(said: Sequence[Said]) -> dict:
    try:
        return mean(*by_questions(said))
    except LLMUnavailable:
        return NOT_APPLICABLE
