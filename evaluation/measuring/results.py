"""What a topic was answered with, and how well by every measure."""

from dataclasses import dataclass

from evaluation.measuring.measures import condense, credited, judged_share, measure_topic
from evaluation.topics.topic import Topic

CONDENSED = ("nDCG@10", "MRR@10", "P@5", "MAP")  # those that a lack of judgments distorts most


@dataclass(frozen=True, slots=True)
class TopicResult:
    """What one topic was answered with. `probability` is the best of the first page, if calibrated; `probabilities`
    are those of the page, in its order.

    `pool` counts the candidates, up to 20, that an LLM could have been asked about, `llm_candidates` those whose
    verdict it gave, now or before; `cost` is in US dollars.
    """

    topic: Topic
    locators: tuple[str, ...]
    abstained: bool
    ms: float
    probability: float | None
    degraded: tuple[str, ...]
    llm_calls: int = 0
    llm_candidates: int = 0
    pool: int = 0
    cost: float = 0.0
    probabilities: tuple[float | None, ...] = ()

    @property
    def shown(self) -> tuple[str, ...]:
        return () if self.abstained else self.locators

    @property
    def values(self) -> dict[str, float]:
        return measure_topic(self.shown, self.topic.judged)

    @property
    def condensed(self) -> dict[str, float]:
        """The measures with what nobody judged taken out of the ranking."""
        kept = condense(self.shown, self.topic.judged)
        values = measure_topic(kept, self.topic.judged)
        return {name: values[name] for name in CONDENSED}

    @property
    def reliability(self) -> list[tuple[float, bool]]:
        """The probability of each result on the page, where it was shown, and whether it is relevant."""
        page = zip(self.shown, self.probabilities, strict=False)
        return [(p, credited(locator, self.topic.judged) is not None) for locator, p in page if p is not None]

    @property
    def judged(self) -> float | None:
        """judged@10; None where nothing was shown."""
        return judged_share(self.shown, self.topic.judged)
