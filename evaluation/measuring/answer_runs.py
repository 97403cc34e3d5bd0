"""Runs of answers, kept where those of rankings are, and the last one as the pages on quality show it."""

from collections.abc import Sequence
from hashlib import sha256

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from evaluation.measuring.answers import Answered
from evaluation.measuring.runs import FROM_FILES, versions_in_force
from evaluation.models import Measurement, Run, Topic
from retrieval import pipeline
from retrieval.access.caller import ANONYMOUS, Caller
from retrieval.answers.selection import WEIGHTS

SHARES = {
    "right_first": _("Right sentence quoted first"),
    "declined_answerable": _("Declined though the law answers"),
    "answered_unanswerable": _("Answered though the law does not"),
    "unsupported_law": _("Claims quoted that the place does not bear out"),
    "unsupported_lead": _("Claims of plain names that the place does not bear out"),
    "unsupported_generated": _("Claims of a language model that the place does not bear out"),
    "citation_precision": _("Provisions cited that are the right ones"),
    "citation_recall": _("Right provisions that are cited"),
}
FAITHFULNESS = "faithfulness"
LEARNED = rf"/({Topic.Split.TRAIN}|{Topic.Split.TUNE})(,|$)"  # behind the name of a file


@transaction.atomic
def store(
    results: Sequence[Answered],
    *,
    questions: str,
    shares: dict,
    means: dict,
    model: str = "",
    caller: Caller = ANONYMOUS,
) -> Run:
    """`questions`: what they are called together; `model`: the language model that wrote, if one did."""
    selector = sha256(WEIGHTS.read_bytes()).hexdigest()
    run = Run.objects.create(
        pipeline=Run.OF_ANSWERS,
        stages=repr(pipeline.get(pipeline.USUAL)),
        topics=questions,
        versions=versions_in_force((), caller=caller) | {"selector": selector, "llm": model},
        summary={"questions": len(results), "shares": shares, "means": means},
    )
    Measurement.objects.bulk_create(
        [measurement(run, number, one) for number, one in enumerate(results, start=1)]
    )
    return run


def measurement(run: Run, number: int, one: Answered) -> Measurement:
    """By its place among the questions, since several may have the same words."""
    return Measurement(
        run=run,
        topic=f"{number:04} {one.labelled.question}"[:100],
        locators=list(one.read),
        measures=one.values,
        abstained=one.declined,
        ms=one.ms,
    )


def last(*, held_out: bool = False) -> dict | None:
    """The shares, and faithfulness as a mean; None where answers were never measured. `held_out`: not on topics that
    something may be learned from or chosen by.
    """
    runs = Run.objects.of_answers().order_by("-created_at")
    if held_out:
        runs = runs.exclude(topics__regex=LEARNED)
    run = runs.first()
    if run is None:
        return None
    shares = run.summary["shares"]
    return {
        "measured_on": timezone.localdate(run.created_at).isoformat(),
        "questions": run.summary["questions"],
        "set": run.topics.removeprefix(FROM_FILES),
        "language_model": bool(run.versions.get("llm")),
        "shares": {name: shares[name] for name in SHARES if name in shares},
        FAITHFULNESS: run.summary["means"][FAITHFULNESS],
    }


def in_words(told: dict | None) -> list[tuple[str, dict]]:
    """(label, share) of those that have a value."""
    every = told["shares"].items() if told else ()
    return [(SHARES[name], share) for name, share in every if share["total"]]
