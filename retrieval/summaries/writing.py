"""What a language model writes of long provisions of public law, kept where proof bears it out. Everything is read as
anybody reads it: row-level security shows no private text here.
"""

import time
from collections import Counter
from collections.abc import Iterator
from datetime import datetime, timedelta
from decimal import Decimal
from functools import reduce
from operator import or_

from django.db import transaction
from django.db.models import Exists, OuterRef, Q, QuerySet, Sum
from django.db.models.functions import Length
from django.utils import timezone
from django_q.tasks import async_task

from retrieval.access.caller import ANONYMOUS
from retrieval.answers.generation import LANGUAGES, SETTLED, AnsweredQuestion, Draft, drafted
from retrieval.engines.llm import service as llm
from retrieval.engines.llm.budget import current_policy, spent_today
from retrieval.engines.llm.requests import LLMUnavailable
from retrieval.models import Domain, LLMCall, Section, WrittenSummary
from retrieval.models.corpus import SectionQuerySet
from retrieval.stages.llm_verifier import MAX_PROVISION
from retrieval.summaries.shown import LONG

MOST = 100  # sections of a night
SECONDS = 60.0  # after which a task hands on to the next; the queue ends one after two minutes
PATIENCE = 45.0  # s that a summary waits for the model: nobody waits for the summary
SHARE = Decimal("0.5")  # of a day's budget; the rest is for people's questions
AGAIN = timedelta(days=7)  # from a failure of the model to the next try, so that none is tried every night
PURPOSE = "summary"
ASKED = "What does {citation} say? Tell its most important rules."
ANSWERED = (*SETTLED, "injected", "refused", "malformed")  # the same model would say the same again
UNASKED = ("resting", "over_budget")


def every_night(most: int = MOST) -> dict[str, int | str]:
    """A task of the clock, which is followed by others until `most` sections are written of. Gives how many summaries
    are shown, withheld and failed, and why no more could be asked for.
    """
    until, sections, told = time.monotonic() + SECONDS, set(), Counter()
    try:
        for summary in write(most=most):
            told[became(summary)] += 1
            sections.add(summary.section_id)
            if time.monotonic() > until:
                async_task(f"{__name__}.{every_night.__name__}", most - len(sections))
                break
    except LLMUnavailable as problem:
        return told | {"stopped": problem.message}
    return dict(told)


def write(domain: Domain | None = None, most: int = MOST) -> Iterator[WrittenSummary]:
    """Of at most so many sections in every language, each as it is kept; who stops loses none and goes on there. Raises
    LLMUnavailable where no model may be asked, or none any more today.
    """
    endpoint = llm.endpoint()
    if endpoint is None:
        raise LLMUnavailable("off", "no language model is configured")
    model = endpoint.model[:120]
    for section in list(due(model, domain)[:most]):
        written = set(settled(model).filter(section=section).values_list("language", flat=True))
        for language in (one for one in LANGUAGES if one not in written):
            if summary := keep(section, language, model, draft_of(section, language)):
                yield summary


def became(summary: WrittenSummary) -> str:
    if summary.sentences:
        return "shown"
    return "withheld" if summary.problem in ANSWERED else "failed"


def spent_since(moment: datetime) -> Decimal:
    """US dollars, by whoever had summaries written."""
    calls = LLMCall.objects.filter(purpose=PURPOSE, created_at__gte=moment)
    return calls.aggregate(cost=Sum("cost"))["cost"] or Decimal(0)


# -- Of what, and what is asked


def due(model: str, domain: Domain | None = None) -> SectionQuerySet:
    """Long provisions of public law in force that this model has not written of, most cited ones first."""
    ours = settled(model).filter(section=OuterRef("pk"))
    lacking = reduce(or_, (~Exists(ours.filter(language=language)) for language in LANGUAGES))
    public = Section.objects.readable(ANONYMOUS).results().filter(lacking, is_leaf=True, status="")
    within = public.filter(domain=domain) if domain else public
    long = within.annotate(length=Length("text")).filter(length__gt=LONG, terms__isnull=False)
    return long.select_related("document").order_by("-terms__cited_by", "pk")


def settled(model: str) -> QuerySet[WrittenSummary]:
    """What it need not be asked again: it answered, or failed lately."""
    lately = Q(written_at__gt=timezone.now() - AGAIN)
    return WrittenSummary.objects.filter(lately | Q(problem__in=ANSWERED), model=model)


def draft_of(section: Section, language: str) -> Draft:
    """Raises LLMUnavailable."""
    if spent_today() > SHARE * current_policy().daily_budget:
        raise LLMUnavailable("over_budget", "what summaries may cost of today's budget is spent")
    asked = AnsweredQuestion(ASKED.format(citation=section.citation), passages_of(section))
    [draft] = drafted([asked], language, None, purpose=PURPOSE, allowed=PATIENCE)
    if draft.problem in UNASKED:
        raise LLMUnavailable(draft.problem, f"the language model is not asked now: {draft.problem}")
    return draft


def passages_of(section: Section) -> tuple[dict, ...]:
    """Its first chunks, as an answer quotes the law: a sentence is proven by those that it quotes."""
    chunks = section.chunks.filter(end__lte=MAX_PROVISION).order_by("position")
    return tuple(passage(section, start, end) for start, end in chunks.values_list("start", "end"))


def passage(section: Section, start: int, end: int) -> dict:
    text = section.text[start:end]
    place = {"locator": section.locator, "citation": section.citation, "pin": None, "quote": text}
    return {
        "text": text,
        "language": section.document.language,
        "citations": [place | {"start": start, "end": end}],
    }


def keep(section: Section, language: str, model: str, draft: Draft) -> WrittenSummary | None:
    """None where the text was replaced or withdrawn meanwhile."""
    sentences = [
        {
            "text": entry["text"],
            "confidence": entry["confidence"],
            "places": [[place["start"], place["end"]] for place in entry["citations"]],
        }
        for entry in draft.entries
    ]
    made = {"sentences": sentences, "problem": draft.problem, "withheld": draft.withheld}
    with transaction.atomic():
        current = Section.objects.readable(ANONYMOUS).filter(pk=section.pk)
        if current.select_for_update(of=("self",), no_key=True).first() is None:
            return None
        kept, _ = WrittenSummary.objects.update_or_create(
            section=section,
            language=language,
            model=model,
            defaults=made | {"document_id": section.document_id, "written_at": timezone.now()},
        )
    return kept
