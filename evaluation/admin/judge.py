"""The judging page and the list of disagreements: each reads a form, calls one function, renders."""

from django import forms
from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.http import urlencode
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from evaluation.judging import assignment, grading, visibility
from evaluation.judging.agreement import agreement
from evaluation.judging.assignment import JudgingPool, Pair
from evaluation.models import Judgment, Topic
from evaluation.topics.library import grades_by_judge
from retrieval.access.middleware import caller_of
from retrieval.admin.base import page, require
from retrieval.admin.picker import LocatorField
from retrieval.errors import ArfError
from retrieval.models import Chunk, Domain, Section
from retrieval.models.uploads import in_words
from retrieval.search.places import as_locator
from retrieval.text.language import detect

REMEMBERED = 200  # skips and steps back that a session keeps
MAX_EXPLANATION = 2_000  # characters
MOST_TOPICS = 20  # offered to choose from
GRADES = [
    (0, gettext_lazy("Not relevant"), gettext_lazy("It does not bear on the question.")),
    (1, gettext_lazy("Related"), gettext_lazy("Same subject, but it does not answer.")),
    (2, gettext_lazy("Relevant"), gettext_lazy("It answers in part, or only together with others.")),
    (3, gettext_lazy("Controls"), gettext_lazy("It directly answers the question.")),
]


class ExplanationField(forms.CharField):
    """A line ends in one character, as its box counts; browsers send two."""

    def to_python(self, value: str | None) -> str:
        return super().to_python(value).replace("\r\n", "\n")


class GradeForm(forms.Form):
    topic = forms.IntegerField()
    locator = forms.CharField(max_length=300)
    grade = forms.TypedChoiceField(choices=Judgment.Grade.choices, coerce=int)
    explanation = ExplanationField(max_length=MAX_EXPLANATION, required=False)


class AnotherForm(forms.Form):
    """To judge what is not among the candidates."""

    another = LocatorField(label=gettext_lazy("Judge another provision"), max_length=300)


def judge_page(request: HttpRequest) -> HttpResponse:
    """One topic, one candidate at a time; POST grades, skips or takes back, and goes on to the next pair."""
    require(request, "evaluation.add_judgment")
    if request.method == "POST":
        done = DEEDS.get(request.POST.get("action", "save"), save)(request)
        return redirect(done) if isinstance(done, str) else done
    if "domain" in request.GET and "topic" not in request.GET:  # of one topic it only tells what is offered
        choose_domain(request, request.GET["domain"])
    return judging(request, chosen_pair(request))


def judging(request: HttpRequest, pair: Pair | None, typed: dict | None = None) -> HttpResponse:
    """`typed`: grade and explanation that were refused; else those that were given before stand in the form."""
    sheet = sheet_of(request, pair) if pair else None
    context = {
        "title": _("Judge"),
        "sheet": sheet,
        "typed": typed or (sheet and sheet["own"]),
        "last": last_made(request, pair),
        "another": AnotherForm(),
        "choice": choice_of(request),
        "grades": GRADES,
        "max_explanation": MAX_EXPLANATION,
    }
    return page(request, "admin/judge.html", context)


# -- Which pair


def choose_domain(request: HttpRequest, slug: str) -> None:
    """Kept for the session; the empty one means all."""
    if slug and not Domain.objects.visible_to(caller_of(request)).filter(slug=slug).exists():
        raise Http404
    request.session["judging_domain"] = slug


def choice_of(request: HttpRequest) -> dict:
    """Domains and topics that this judge may choose, topics by words of their question."""
    caller, words = caller_of(request), request.GET.get("q", "").strip()
    found = assignment.Seeker(request.user, caller, domain_chosen(request)).topics()
    for word in words.split():
        found = found.filter(query__icontains=word)
    return {
        "domains": Domain.objects.visible_to(caller).filter(topics__isnull=False).distinct(),
        "domain": domain_chosen(request),
        "q": words,
        "asked": "q" in request.GET,
        "topics": found.order_by("query")[:MOST_TOPICS],
    }


def domain_chosen(request: HttpRequest) -> str:
    return request.session.get("judging_domain", "")


def next_pair(request: HttpRequest, prefer: Topic | None = None) -> Pair | None:
    domain, passed = domain_chosen(request), skipped(request)
    return assignment.next_pair(request.user, prefer=prefer, domain=domain, skipped=passed)


def chosen_pair(request: HttpRequest) -> Pair | None:
    """The pair that the address names, else the next of its topic, else the next of all."""
    if "topic" not in request.GET:
        return next_pair(request)
    topic = topic_named(request, request.GET["topic"])
    if locator := request.GET.get("locator"):
        return Pair(topic, locator, "chosen")
    if another := as_locator(request.GET.get("another", "").strip(), caller_of(request)):
        if visibility.readable_sections(topic, [another], caller_of(request)):
            return Pair(topic, another, "chosen")
        messages.error(request, _("“%s” is no provision here that you may read.") % another[:300])
    order = assignment.pool(topic, caller_of(request)).shuffled(topic, request.user)
    done = set(visibility.own_judgments(request.user, topic).values_list("locator", flat=True))
    left = [locator for locator in order if locator not in done]
    return Pair(topic, (left or order)[0], "chosen") if order else None


def topic_named(request: HttpRequest, number: str | int) -> Topic:
    known = visibility.topics_for(caller_of(request))
    topic = known.filter(pk=number).first() if str(number).isdecimal() else None
    if topic is None:
        raise Http404
    return topic


def section_named(request: HttpRequest, topic: Topic, locator: str) -> Section:
    found = visibility.readable_sections(topic, [locator], caller_of(request)).get(locator)
    if found is None:
        raise Http404
    return found


def sheet_of(request: HttpRequest, pair: Pair) -> dict:
    """What the judge sees of one pair."""
    caller, topic = caller_of(request), pair.topic
    section = section_named(request, topic, pair.locator)
    candidates = assignment.pool(topic, caller)
    order = candidates.shuffled(topic, request.user)
    if pair.locator not in order:
        order.append(pair.locator)
    at = order.index(pair.locator)
    own = visibility.own_judgments(request.user, topic).filter(locator=pair.locator).first()
    few = [name for name in order if name in candidates.first[: assignment.FEW]]
    readable = visibility.readable_sections(topic, few, caller)
    before, chunk, after = parts_of(visibility.text_of(section, caller), chunk_of(candidates, section))
    return {
        "topic": topic,
        "section": section,
        "before": before,
        "chunk": chunk,
        "after": after,
        "translated": candidates.translated,
        "narrative_language": detect(topic.narrative),
        "few": [(readable[name], chunk_of(candidates, readable[name])) for name in few],
        "doubtful": candidates.doubtful,
        "unanswered": topic.no_answers.filter(judge=request.user.get_username()).exists(),
        "own": own,
        "opinions": visibility.opinions(own) if own else [],
        "position": at + 1,
        "previous": order[at - 1] if at else None,
        "next": order[at + 1] if at + 1 < len(order) else None,
        "progress": grading.progress(request.user, topic, order),
    }


def chunk_of(candidates: JudgingPool, section: Section) -> Chunk | None:
    return Chunk.objects.filter(pk=candidates.chunks.get(section.locator), section=section).first()


def parts_of(text: str, chunk: Chunk | None) -> tuple[str, str, str]:
    """The text before the chunk, the chunk, and after it; no chunk where it is all of the text."""
    if chunk is None or chunk.text.strip() == text.strip() or text[chunk.start : chunk.end] != chunk.text:
        return text, "", ""
    return text[: chunk.start], chunk.text, text[chunk.end :]


# -- Deeds: each gives the address to go to, or the page that says what is wrong. What an address names after # has the
# focus there, and so is said: the grade that was kept, or the question.


def save(request: HttpRequest) -> str | HttpResponse:
    form = GradeForm(request.POST)
    topic = topic_named(request, request.POST.get("topic", ""))
    locator = request.POST.get("locator", "")
    section = section_named(request, topic, locator)
    if not form.is_valid():
        messages.error(request, _("Choose a grade from 0 to 3; an explanation has at most 2,000 characters."))
        typed = {"grade": form.cleaned_data.get("grade"), "explanation": request.POST.get("explanation", "")}
        return judging(request, Pair(topic, locator, "chosen"), typed)
    before = visibility.own_judgments(request.user, topic).filter(locator=locator).first()
    chunk = chunk_of(assignment.pool(topic, caller_of(request)), section)
    said = form.cleaned_data
    made = grading.judge(topic, section, chunk, said["grade"], request.user, said["explanation"])
    former = [before.grade, before.explanation] if before else None
    remember(request, "graded", {"judgment": made.pk, "before": former})
    return f"{address(next_pair(request, prefer=topic))}#last"


def nothing_answers(request: HttpRequest) -> str:
    """Grades what the page showed 0, and says that this topic has no answer."""
    topic = topic_named(request, request.POST.get("topic", ""))
    candidates = assignment.pool(topic, caller_of(request))
    names = dict.fromkeys(request.POST.getlist("shown")[: assignment.FEW + 1])
    sections = [section_named(request, topic, name) for name in names]
    try:
        shown = {section: chunk_of(candidates, section) for section in sections}
        made = grading.nothing_answers(topic, shown, request.user)
    except grading.CannotJudge as problem:
        messages.error(request, in_words(problem.refusal))
        return of_topic(topic)
    remember(request, "graded", {"unanswered": topic.pk, "judgments": [judgment.pk for judgment in made]})
    return f"{address(next_pair(request))}#last"


def something_answers(request: HttpRequest) -> str:
    """Takes the word back that nothing answers; the grades stay."""
    topic = topic_named(request, request.POST.get("topic", ""))
    grading.take_back(request.user, topic)
    messages.success(request, _("The question counts as one that may have an answer."))
    return address(Pair(topic, request.POST.get("locator", ""), "chosen"))


def skip(request: HttpRequest) -> str:
    topic = topic_named(request, request.POST.get("topic", ""))
    remember(request, "skipped", [topic.pk, request.POST.get("locator", "")])
    return f"{address(next_pair(request, prefer=topic))}#topic"


def undo(request: HttpRequest) -> str:
    steps = request.session.get("graded", [])
    undone = taken_back(request, steps[-1]) if steps else None
    request.session["graded"] = steps[:-1]
    if undone is None:
        messages.warning(request, _("There is nothing to take back."))
        return reverse("admin_judge")
    messages.success(request, _("What you said last is taken back."))
    return undone


def taken_back(request: HttpRequest, step: dict) -> str | None:
    """Undoes a grade, or that nothing answers with the grades given along; None where it is gone."""
    if "judgment" in step:
        undone = grading.undo(request.user, step["judgment"], step["before"])
        return address(undone) if undone else None
    topic = unanswered_by(request, step)
    if topic is None:
        return None
    grading.take_back(request.user, topic, step["judgments"])
    return of_topic(topic)


def unanswered_by(request: HttpRequest, step: dict) -> Topic | None:
    """The topic of which a step said that nothing answers it."""
    return visibility.topics_for(caller_of(request)).filter(pk=step.get("unanswered")).first()


DEEDS = {
    "save": save,
    "skip": skip,
    "undo": undo,
    "nothing": nothing_answers,
    "something": something_answers,
}


def address(pair: Pair | Judgment | None) -> str:
    if pair is None:
        return reverse("admin_judge")
    return f"{reverse('admin_judge')}?{urlencode({'topic': pair.topic.pk, 'locator': pair.locator})}"


def of_topic(topic: Topic) -> str:
    """Where this judge goes on with a topic."""
    return f"{reverse('admin_judge')}?{urlencode({'topic': topic.pk})}"


def remember(request: HttpRequest, what: str, step: list | dict) -> None:
    request.session[what] = [*request.session.get(what, []), step][-REMEMBERED:]


def skipped(request: HttpRequest) -> set[tuple[int, str]]:
    return {(topic, locator) for topic, locator in request.session.get("skipped", [])}


def last_made(request: HttpRequest, pair: Pair | None) -> dict | None:
    """The grade just given, with what a language model says of it; None on that pair's own page. Or the topic of which
    it was just said that nothing answers it.
    """
    step = next(iter(request.session.get("graded", [])[-1:]), {})
    if topic := unanswered_by(request, step):
        return {"unanswered": topic, "url": of_topic(topic)}
    own = visibility.own_judgments(request.user).select_related("topic", "section")
    judgment = own.filter(pk=step.get("judgment")).first()
    if judgment is None or pair and (judgment.topic, judgment.locator) == (pair.topic, pair.locator):
        return None
    return {"judgment": judgment, "opinions": visibility.opinions(judgment), "url": address(judgment)}


# -- Disagreements


def disagreements_page(request: HttpRequest) -> HttpResponse:
    """How far judges agree; and for those who may change judgments, what is to be settled. POST settles it.

    Who may only judge is shown nobody's grades: they would sway theirs.
    """
    require(request, "evaluation.add_judgment")
    if request.method == "POST":
        return settle(request)
    caller, settles = caller_of(request), request.user.has_perm("evaluation.change_judgment")
    settled = request.GET.get("settled") == "1"
    found = grading.disagreements(caller, settled=settled) if settles else []
    context = {
        "title": _("Agreement"),
        "rows": [(row, visibility.text_of(row.section, caller), is_party(request, row)) for row in found],
        "settled": settled,
        "settles": settles,
        "agreement": agreement(grades_by_judge(of=visibility.judgments_for(caller))),
        "grades": GRADES,
    }
    return page(request, "admin/disagreements.html", context)


def is_party(request: HttpRequest, row: grading.Disagreement) -> bool:
    return request.user.get_username() in {judgment.judge for judgment in row.judgments}


def settle(request: HttpRequest) -> HttpResponse:
    require(request, "evaluation.change_judgment")
    topic = topic_named(request, request.POST.get("topic", ""))
    row = grading.disagreement(topic.pk, request.POST.get("locator", ""), caller_of(request))
    if row is None:
        raise Http404
    form = GradeForm(request.POST)
    try:
        if not form.is_valid():
            raise grading.CannotJudge(_("A grade is 0, 1, 2 or 3."))
        grading.adjudicate(
            row, form.cleaned_data["grade"], request.user, form.cleaned_data["explanation"]
        )
        messages.success(request, _("Your grade is kept: the pair is settled."))
    except ArfError as problem:
        messages.error(request, in_words(problem.refusal))
    return redirect("admin_disagreements")
