"""Questions that a provision's page and an answer suggest; `rules.questions.suggesting` writes them."""

from collections.abc import Sequence

from django.db.models import F
from django.db.models.functions import Abs

from retrieval.access.caller import Caller
from retrieval.models import Section, SuggestedQuestion
from retrieval.text.normalization import normalize

MOST = 3  # of one provision in one language, and on one page
NEAR = 10  # places in its document from a provision whose questions are too few


def questions_near(section: Section, language: str, caller: Caller, *, but: Sequence[str] = ()) -> list[str]:
    """What may be asked of a provision and then of those nearest to it, without the questions `but`."""
    readable = Section.objects.readable(caller).filter(
        document=section.document_id, position__range=(section.position - NEAR, section.position + NEAR)
    )
    known = SuggestedQuestion.objects.filter(section__in=readable, language=language)
    nearest = known.order_by(Abs(F("section__position") - section.position), "section__position", "pk")
    texts = nearest.values_list("text", flat=True)[: MOST + len(but)]
    asked = {normalize(question) for question in but}
    return [text for text in texts if normalize(text) not in asked][:MOST]
