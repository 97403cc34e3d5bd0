"""Phrases of a question that tell one provision from the others, by how often they stand in questions and names of it.
Pure.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone
from django.utils.translation import gettext as _

from evaluation.measuring.measures import Estimate, credited
from evaluation.models import RuleSuggestion
from evaluation.models import Topic as TopicRow
from evaluation.rule_impact import impact
from evaluation.rule_impact.impact import Answer, Effect, PublicSearch, ReplayedQuestion
from evaluation.topics.topic import Topic
from retrieval.access.caller import ANONYMOUS
from retrieval.access.row_security import as_caller
from retrieval.errors import ArfError
from retrieval.jobs import Job, Progress, time_for_more
from retrieval.models import JobRun
from retrieval.ranking import Ranking
from retrieval.text import analyzer
from retrieval.text.normalization import fold, normalize
from rules.authoring import workflow
from rules.engine.firing import Asked, fired
from rules.models import Alias, Rule, compiled

LONGEST = 3  # words of a phrase
SHORTEST = 4  # letters of a phrase of one word
UNSEEN = 4  # texts about something else that a phrase is taken to stand in besides those known

# Words that say how people ask, not what about: no phrase begins or ends with one.
STOP_WORDS = """
a about after again against all allowed also am an and any anyone are as asked at be because been before being between
both but by can cannot could did do does doing don't down during each even ever every for from further get gets
getting give gives go goes going had happen happens has have having he help her here him his how i if in into is it
its itself just keep know let like made make makes many may me might more most much must my need needs no nor not now
of off on once one only or other our out over own people person please possible really right said same say says she
should so some somebody someone something still such take taken takes tell than that the their them then there these
they thing things this those through to too under until up us use used very want wants was way we were what when where
which while who whom whose why will with without would yes you your al algo alguien algun alguna ante antes aqui asi
aun aunque bajo bien cada como con contra cosa cual cuales cuando cuanto cuantos de debe deben del derecho desde
despues dice donde durante e el ella ellas ellos en entre era es esa ese eso esta estan estar este esto estos existe
fue gente ha haber hace hacer hacia hasta hay la las le les lo los mas me mi mis mucho muy nada ni ningun ninguna no
nos nuestro o otra otro para pero persona personas poder por porque pueda puede pueden puedo que quien quienes quiere
se sea segun ser si sin sobre solo son su sus tambien te tener tengo tiene tienen toda todas todo todos tu tus un una
uno unos usted y ya yo
"""
STOP = frozenset(STOP_WORDS.split())
JOINING = frozenset(
    ("of", "the", "and", "to", "in", "for", "at", "on", "a", "de", "del", "la", "el", "los", "las", "y", "en")
)  # may stand inside a phrase


@dataclass(frozen=True, slots=True)
class Text:
    """A question or a name and the provisions it is about; none where it has no answer."""

    words: str
    language: str
    places: frozenset[str]


@dataclass(frozen=True, slots=True)
class Phrase:
    """As it is written in the question. `about`: texts about the places wanted that have it, of `texts` that do;
    `common`: in how many texts each of its words stands, on average.
    """

    words: str
    about: int
    texts: int
    common: float

    @property
    def contrast(self) -> float:
        """The share of texts about the places among those that have it, smoothed."""
        return (self.about + 1) / (self.texts + UNSEEN)


class Contrast:
    """In which texts each phrase stands, whatever the forms of its words."""

    def __init__(self, texts: Iterable[Text]):
        self.texts = tuple(texts)
        self.having: dict[tuple[str, ...], set[int]] = defaultdict(set)
        for number, text in enumerate(self.texts):
            for stemmed in phrases_of(text.words, text.language):
                self.having[stemmed].add(number)

    def best(self, question: str, language: str, places: Collection[str], most: int) -> list[Phrase]:
        """The phrases of a question that best tell these places; among equals those of the rarer words, then the
        longer ones. Without places: those that tell questions without an answer.
        """
        found = [
            self.measured(words, stemmed, places) for stemmed, words in phrases_of(question, language).items()
        ]
        return sorted(found, key=lambda p: (-p.contrast, p.common, -p.words.count(" "), p.words))[:most]

    def measured(self, words: str, stemmed: tuple[str, ...], places: Collection[str]) -> Phrase:
        having = self.having.get(stemmed, set())
        about = sum(meets(self.texts[number].places, places) for number in having)
        common = sum(len(self.having.get((stem,), ())) for stem in stemmed) / len(stemmed)
        return Phrase(words, about, len(having), common)


def meets(some: Collection[str], others: Collection[str]) -> bool:
    """Whether they share a place or one in it; nothing meets nothing."""
    if not some or not others:
        return not some and not others
    return any(a == b or a.startswith(f"{b}/") or b.startswith(f"{a}/") for a in some for b in others)


def phrases_of(text: str, language: str) -> dict[tuple[str, ...], str]:
    """Stems and written words of every run of up to three words that neither begins nor ends with a stop word."""
    plain = normalize(text)
    read = analyzer.words(plain, language)
    words = [plain[word.start : word.end] for word in read]
    stemmed = ["".join(word.stems) for word in read]
    found: dict[tuple[str, ...], str] = {}
    for start in range(len(words)):
        for end in range(start + 1, min(start + LONGEST, len(words)) + 1):
            run = words[start:end]
            if is_telling(run):
                found.setdefault(tuple(stemmed[start:end]), " ".join(run))
    return found


def is_telling(run: list[str]) -> bool:
    first, *inner = map(fold, run)
    if first in STOP or inner and inner.pop() in STOP:
        return False
    return not STOP.intersection(inner) - JOINING and (len(run) > 1 or len(first) >= SHORTEST)


FIRST = 5  # results among which a relevant provision must be
TRIED = 6  # phrases of a question that are tried
NAMED = 2  # provisions that a rule shows at most: the most relevant ones
LOOKED_AT = 10  # topics that are asked before a step of the job looks at the clock
NEWEST = 2**31 - 1  # the number of a draft that is not kept
MILD_FIRST = ({"kind": "alias"}, {"kind": "boost", "factor": 2.0}, {"kind": "pin", "position": 1})
Failure, Status = RuleSuggestion.Failure, RuleSuggestion.Status
IN_HAND = (Rule.Status.DRAFT, Rule.Status.PROPOSED)


class SuggestionSettled(ArfError):
    """Somebody has made a draft of it, or dismissed it."""

    status = 409
    code = "suggestion_settled"

    def __init__(self) -> None:
        super().__init__(_("This suggestion is no longer open."))


class SearchDegraded(ArfError):
    """Searches run without a part of theirs, so that a failure would say nothing of the rules."""

    status = 503
    code = "search_degraded"

    def __init__(self, stages: Iterable[str]):
        told = _("Searches run without %(stages)s now. Look for suggestions when they are whole again.")
        super().__init__(told % {"stages": ", ".join(sorted(stages))})


def failure_of(topic: Topic, answer: Answer) -> str:
    """Why the answer fails the topic; empty where it does not, or nothing is judged."""
    if not topic.answerable:
        return "" if answer.abstained else Failure.ANSWERED
    if not topic.relevant:
        return ""
    if answer.abstained:
        return Failure.DECLINED
    shown = answer.locators[:FIRST]
    return "" if any(credited(locator, topic.judged) for locator in shown) else Failure.UNFOUND


# -- Trying rules


@dataclass(frozen=True)
class Trial:
    """What a rule would do: the effects on the questions that it fires on, of so many measurable ones."""

    content: dict[str, Any]
    effects: tuple[Effect, ...]
    topics: int

    @cached_property
    def gain(self) -> Estimate:
        """In nDCG@10 over all measurable topics."""
        return impact.mean_gain((effect.gain for effect in self.effects), self.topics) or Estimate(0, 0, 0)

    @property
    def mended(self) -> tuple[str, ...]:
        """Topics that failed and no longer would."""
        return tuple(
            e.question.topic.id for e in self.effects if fails(e, e.before) and not fails(e, e.after)
        )

    @property
    def hurt(self) -> tuple[str, ...]:
        """Topics that it would make worse, or fail."""
        return tuple(
            e.question.topic.id
            for e in self.effects
            if e.gain < 0 or (fails(e, e.after) and not fails(e, e.before))
        )


def fails(effect: Effect, answer: Answer) -> bool:
    return bool(failure_of(effect.question.topic, answer))


class Judged:
    """The judged questions of the open splits, read once, with the answers under the rules in force."""

    def __init__(self) -> None:
        self.search = PublicSearch()
        self.questions = impact.judged_questions()
        self.measurable = sum(question.is_measurable for question in self.questions)
        self.before: dict[str, Answer] = {}

    @cached_property
    def readings(self) -> list[tuple[ReplayedQuestion, Ranking, Asked]]:
        with as_caller(ANONYMOUS):
            read = [(question, self.search.read(question)) for question in self.questions]
        return [(question, ranking, self.search.matching.asked(ranking.query)) for question, ranking in read]

    @cached_property
    def contrast(self) -> Contrast:
        """Of judged questions, and of the names of provisions that curators keep."""
        names = Alias.objects.in_use().filter(domain__slug__in={q.domains[0] for q in self.questions})
        rows = names.order_by("pk").values_list("text", "language", "locator")
        return Contrast(
            [
                *(Text(q.text, q.topic.language, frozenset(q.topic.relevant)) for q in self.questions),
                *(Text(text, language, frozenset((locator,))) for text, language, locator in rows),
            ]
        )

    def failures(self, start: int, end: int) -> list[tuple[str, str]]:
        """(topic, why) of those among these questions that fail. Raises SearchDegraded."""
        with as_caller(ANONYMOUS):
            answers = [
                (question.topic, self.search.answer(self.search.read(question), self.search.in_force))
                for question in self.questions[start:end]
            ]
        if missing := {stage for _topic, answer in answers for stage in answer.degraded}:
            raise SearchDegraded(missing)
        why = [(topic.id, failure_of(topic, answer)) for topic, answer in answers]
        return [(name, failure) for name, failure in why if failure]

    def trial(self, content: dict[str, Any]) -> Trial:
        """The rule as the newest of those in force."""
        draft, today = compiled(content, number=NEWEST, version=1), timezone.localdate()
        rules = (*self.search.in_force, draft)
        with as_caller(ANONYMOUS):
            effects = tuple(
                Effect(question, self.answer_before(question, read), self.search.answer(read, rules))
                for question, read, said in self.readings
                if fired((draft,), said, today)
            )
        return Trial(content, effects, self.measurable)

    def answer_before(self, question: ReplayedQuestion, read: Ranking) -> Answer:
        name = question.topic.id
        if name not in self.before:
            self.before[name] = self.search.answer(read, self.search.in_force)
        return self.before[name]


def best_rule(topic: Topic, judged: Judged, spared: Sequence[dict[str, Any]] = ()) -> Trial | None:
    """The rule that mends the topic and does most for all of them, the mildest and most general among equals; a rule
    for this very question only where no other mends it. `spared`: rules that were dismissed.
    """
    for contents in (general_rules(topic, judged), [very_rule(topic)]):
        tried = [judged.trial(content) for content in contents if content not in spared]
        mending = [trial for trial in tried if topic.id in trial.mended and is_worth_it(trial, topic)]
        if mending:
            return max(mending, key=worth)
    return None


def is_worth_it(trial: Trial, topic: Topic) -> bool:
    """A rule to show something gains in the mean; one to decline hurts nobody."""
    return trial.gain.mean > 0 if topic.answerable else not trial.hurt


def worth(trial: Trial) -> tuple[float, int, int]:
    """Of equals the first that was tried counts."""
    return round(trial.gain.mean, 9), -len(trial.hurt), len(trial.mended)


def general_rules(topic: Topic, judged: Judged) -> Iterator[dict[str, Any]]:
    """By the phrases of the question that tell its provisions best."""
    for phrase in judged.contrast.best(topic.query, topic.language, topic.relevant, TRIED):
        criterion = {"kind": "keywords", "value": [phrase.words], "stemmed": True}
        if not topic.answerable:
            yield content(topic, criterion, {"kind": "abstain"})
            continue
        for action in MILD_FIRST:
            yield content(topic, criterion, action)


def very_rule(topic: Topic) -> dict[str, Any]:
    criterion = {"kind": "exact", "value": topic.query[:300]}
    return content(topic, criterion, MILD_FIRST[-1] if topic.answerable else {"kind": "abstain"})


def content(topic: Topic, criterion: dict[str, Any], action: dict[str, Any]) -> dict[str, Any]:
    """As `Rule.content` has it."""
    best = sorted(topic.relevant, key=lambda locator: (-topic.relevant[locator], locator))
    shown = [place for place in best if topic.relevant[place] == topic.relevant[best[0]]][:NAMED]
    return {
        "name": name_of(topic),
        "domains": [topic.domain],
        "criteria": [criterion],
        "targets": [] if action["kind"] == "abstain" else [{"kind": "section", "value": p} for p in shown],
        "actions": [action],
        "priority": 100,
        "valid_from": None,
        "valid_to": None,
    }


def name_of(topic: Topic) -> str:
    return _("For “%s”") % topic.query[:80]


# -- The job


def request() -> dict[str, Any]:
    return {"kind": "suggest_rules", "key": "suggest rules"}


class SuggestRules(Job):
    """First asks every judged question, then looks for a rule for each that fails; each suggestion takes the place of
    the open one that its topic had. If it fails, what was found so far stays, as does what was open for the others, and
    the job's page tells why.
    """

    def step(self, run: JobRun) -> Progress:
        judged = Judged()
        has_asked_all = run.state.get("asked", -1) >= len(judged.questions)
        return self._mend(judged, run) if has_asked_all else self._look(judged, run)

    def _look(self, judged: Judged, run: JobRun) -> Progress:
        end, failing, has_time = run.state.get("asked", 0), run.state.get("failing", []), time_for_more(run)
        while True:
            start, end = end, min(end + LOOKED_AT, len(judged.questions))
            failing = [*failing, *judged.failures(start, end)]
            if end == len(judged.questions) or not has_time():
                break
        if end == len(judged.questions):
            open_now().exclude(topic__name__in=[name for name, _failure in failing]).delete()
        message = _("%(asked)d of %(all)d judged questions asked: %(failing)d fail")
        told = message % {"asked": end, "all": len(judged.questions), "failing": len(failing)}
        total = len(judged.questions) + len(failing)
        return Progress(
            end, total, told, {"asked": end, "failing": failing, "done": 0}, finished=end == total
        )

    def _mend(self, judged: Judged, run: JobRun) -> Progress:
        state, failing, done = run.state, run.state["failing"], run.state["done"]
        suggest(*failing[done], judged)  # reads all questions, which the others need not
        done, has_time = done + 1, time_for_more(run)
        while done < len(failing) and has_time():
            suggest(*failing[done], judged)
            done += 1
        message = _("%(done)d of %(failing)d failures looked at: %(found)d rules suggested")
        found = open_now().filter(topic__name__in=[name for name, _failure in failing[:done]]).count()
        told = message % {"done": done, "failing": len(failing), "found": found}
        total = state["asked"] + len(failing)
        return Progress(
            state["asked"] + done, total, told, {**state, "done": done}, finished=done == len(failing)
        )


def open_now() -> QuerySet[RuleSuggestion]:
    return RuleSuggestion.objects.filter(status=Status.OPEN)


def suggest(name: str, failure: str, judged: Judged) -> None:
    """Keeps in place of a failing topic's open rule the best one, if there is one and none is in hand already."""
    open_now().filter(topic__name=name).delete()
    topic = next((question.topic for question in judged.questions if question.topic.id == name), None)
    settled = RuleSuggestion.objects.filter(topic__name=name).exclude(status=Status.OPEN)
    if topic is None or settled.filter(status=Status.DRAFTED, rule__status__in=IN_HAND).exists():
        return
    trial = best_rule(topic, judged, [row.content for row in settled.filter(status=Status.DISMISSED)])
    if trial is not None:
        RuleSuggestion.objects.create(
            topic=TopicRow.objects.get(name=name),
            failure=failure,
            content=trial.content,
            gain=trial.gain.mean,
            gain_low=trial.gain.low,
            gain_high=trial.gain.high,
            topics=trial.topics,
            touched=len(trial.effects),
            mended=list(trial.mended),
            hurt=list(trial.hurt),
            rules_version=impact.rules_version(),
        )


# -- What becomes of a suggestion


@transaction.atomic
def make_draft(suggestion: RuleSuggestion, *, by) -> Rule:
    """A draft like any other: to be read, previewed, proposed and approved. Raises SuggestionSettled."""
    suggestion = still_open(suggestion)
    fields = {name: suggestion.content[name] for name in ("domains", "criteria", "targets", "actions")}
    rule = Rule(
        name=workflow.free_name(suggestion.content["name"], fields["domains"]),
        rationale=_("Suggested by the judged topic “%(topic)s”: %(failure)s.")
        % {"topic": suggestion.topic.query, "failure": suggestion.get_failure_display()},
        **fields,
    )
    workflow.save_draft(rule, by=by, reason=_("suggested by a failure"))
    settle(suggestion, Status.DRAFTED, by, rule)
    return rule


@transaction.atomic
def dismiss(suggestion: RuleSuggestion, *, by) -> None:
    """It is not suggested again. Raises SuggestionSettled."""
    settle(still_open(suggestion), Status.DISMISSED, by)


def still_open(suggestion: RuleSuggestion) -> RuleSuggestion:
    row = RuleSuggestion.objects.select_for_update().filter(pk=suggestion.pk, status=Status.OPEN).first()
    if row is None:
        raise SuggestionSettled
    return row


def settle(suggestion: RuleSuggestion, status: str, by, rule: Rule | None = None) -> None:
    suggestion.status, suggestion.rule = status, rule
    suggestion.settled_by, suggestion.settled_at = by, timezone.now()
    suggestion.save()
