"""What a draft of thresholds would change, before it is published: on logged public questions and on judged topics."""

from dataclasses import dataclass

from evaluation.measuring.measures import Estimate
from evaluation.models import Topic
from evaluation.rule_impact import impact
from evaluation.rule_impact.impact import Effect
from rules.models import DomainThreshold

LOGGED = 200  # questions asked last; each is asked twice, so a preview takes seconds
JUDGED = 150  # topics of the tune split, which thresholds may be chosen on


@dataclass(frozen=True, slots=True)
class Preview:
    """`logged` and `judged` count the questions asked; the difference is in nDCG@10, None without judged topics."""

    logged: int
    judged: int
    changes: tuple[Effect, ...]
    judged_changes: tuple[Effect, ...]
    difference: Estimate | None


def preview(draft: DomainThreshold) -> Preview:
    domain = draft.domain.slug
    logged = impact.logged_questions(LOGGED, domain=domain)
    judged = impact.judged_questions([domain], [Topic.Split.TUNE])[:JUDGED]
    effects = impact.threshold_effects(draft, [*logged, *judged])
    on_logged, on_judged = effects[: len(logged)], effects[len(logged) :]
    measured = [effect for effect in on_judged if effect.question.is_measurable]
    return Preview(
        logged=len(logged),
        judged=len(judged),
        changes=tuple(effect for effect in on_logged if effect.is_change),
        judged_changes=tuple(effect for effect in on_judged if effect.is_change),
        difference=impact.mean_gain((effect.gain for effect in measured), len(measured)),
    )
