"""What searches teach: readers' thumbs become judgments of kind click, language models' verdicts those of kind llm, and
questions the ranking was unsure of, topics.
"""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterator
from datetime import timedelta

from django.db.models import Count, Exists, Model, OuterRef, QuerySet, Value
from django.db.models.functions import Concat
from django.utils import timezone

from evaluation.judging.assignment import unsure_of
from evaluation.judging.visibility import judge_of
from evaluation.models import Judgment, Topic
from evaluation.topics.topic import SEARCHED
from retrieval.access.caller import ANONYMOUS
from retrieval.models import Domain, Feedback, LLMVerdict, SearchLog, Section, Trace
from retrieval.models.log import READERS
from retrieval.text.normalization import normalize
from retrieval.text.personal_data import scrub

READER = "reader"
GRADES = {Feedback.Verdict.HELPFUL: 2, Feedback.Verdict.UNHELPFUL: 0}
GRADE_FROM = ((8, 3), (6, 2), (4, 1), (0, 0))  # least score of 9 for a grade, as the prompt words its scale
DAYS = 7  # searches of this age are looked at again, should a night be missed
MOST = 200  # topics a night
MOST_READ = 20_000  # looked at a night: the last thumbs, verdicts, and searches that asked what is no topic yet


def name_of(log: SearchLog) -> str:
    return f"{SEARCHED}-{log.query_hash}"


class SearchedTopics:
    """The topics there are by domain and words, read once, as each search is looked up among all of them."""

    def __init__(self) -> None:
        self.topics: dict[tuple[int, str], list[Topic]] = defaultdict(list)
        for topic in Topic.objects.order_by("pk"):
            self.topics[topic.domain_id, normalize(topic.query)].append(topic)

    def topic_of(self, log: SearchLog, domain: Domain) -> Topic | None:
        """The topic that asks this question, made where there is none; None where a test topic asks it."""
        question = scrub(log.query_text)
        same = self.topics[domain.pk, normalize(question)]
        if any(topic.split == Topic.Split.TEST for topic in same):
            return None
        if not same:
            same.append(new_topic(log, question, domain))
        return same[0] if same[0].domain_id == domain.pk else None


def new_topic(log: SearchLog, question: str, domain: Domain) -> Topic:
    """One of another domain where it was asked there first."""
    topic, _made = Topic.objects.get_or_create(
        name=name_of(log),
        defaults={
            "domain": domain,
            "query": question,
            "language": log.language,
            "kind": SEARCHED,
            "split": Topic.Split.TRAIN,
            "group": name_of(log),
            "source": SEARCHED,
        },
    )
    return topic


# -- What is learned


def clicks_to_judgments() -> int:
    """One judgment for each question and provision that readers lately gave thumbs to; may run any number of times.

    All thumbs on these are counted. Where readers disagree the majority speaks; a tie says nothing. Nothing said of a
    private domain, of a question whose words were not kept, or of a test topic becomes a judgment. Gives how many were
    made or changed.
    """
    thumbs: dict[tuple[Topic, Section], Counter] = {}
    known = SearchedTopics()
    for log, section, counted in thumbs_on_public_law():
        if topic := known.topic_of(log, section.domain):
            thumbs.setdefault((topic, section), Counter()).update(counted)
    return sum(keep_click(topic, section, counted) for (topic, section), counted in thumbs.items())


def thumbs_on_public_law() -> Iterator[tuple[SearchLog, Section, Counter]]:
    """A search of each question, and what all who asked it said of a provision."""
    kept = Feedback.objects.exclude(locator="").exclude(log__query_text="").exclude(log__query_hash=None)
    last = kept.filter(pk__in=last_of(Feedback)).select_related("log").order_by("-pk")
    pairs = {(feedback.log.query_hash, feedback.locator): feedback.log for feedback in last}
    current = public_sections({locator for _, locator in pairs})
    same = kept.filter(log__query_hash__in={asked for asked, _ in pairs}, locator__in=current).order_by()
    counted: dict[tuple[str, str], Counter] = defaultdict(Counter)
    for asked, locator, verdict, count in same.values_list("log__query_hash", "locator", "verdict").annotate(
        Count("pk")
    ):
        counted[asked, locator][verdict] += count
    yield from (
        (log, current[locator], counted[asked, locator])
        for (asked, locator), log in reversed(pairs.items())
        if locator in current
    )


def last_of(model: type[Model]) -> QuerySet:
    return model.objects.order_by("-pk").values("pk")[:MOST_READ]


def public_sections(locators: Collection[str]) -> dict[str, Section]:
    """Of public domains alone, by locator, as they are in force."""
    public = Domain.objects.filter(visibility=Domain.Visibility.PUBLIC)
    sections = Section.objects.readable(ANONYMOUS).filter(domain__in=public, locator__in=locators)
    return {section.locator: section for section in sections.select_related("domain")}


def keep_click(topic: Topic, section: Section, thumbs: Counter) -> bool:
    helpful, unhelpful = thumbs[Feedback.Verdict.HELPFUL], thumbs[Feedback.Verdict.UNHELPFUL]
    pair = {"topic": topic, "locator": section.locator, "judge": READER, "kind": Judgment.Kind.CLICK}
    if helpful == unhelpful:
        return bool(Judgment.objects.filter(**pair).delete()[0])
    grade = GRADES[Feedback.Verdict.HELPFUL if helpful > unhelpful else Feedback.Verdict.UNHELPFUL]
    if Judgment.objects.filter(**pair, grade=grade).exists():
        return False
    Judgment.objects.update_or_create(
        **pair, defaults={"grade": grade, "section": section, "created_at": timezone.now()}
    )
    return True


def verdicts_to_judgments() -> int:
    """One judgment of kind llm for each model, prompt, question and provision that a verdict was lately given on, the
    newest verdict's; may run any number of times. Test topics get none. Gives how many there are of these verdicts.
    """
    found = {}
    for verdict, topic, section in verdicts_on_topics():
        found[topic.pk, section.locator, judge_of(verdict)] = judgment_of(verdict, topic, section)
    Judgment.objects.bulk_create(
        found.values(),
        update_conflicts=True,
        unique_fields=["topic", "locator", "judge", "kind"],
        update_fields=["grade", "section", "explanation", "created_at"],
    )
    return len(found)


def verdicts_on_topics() -> Iterator[tuple[LLMVerdict, Topic, Section]]:
    """Those on public law, the newest last."""
    verdicts = list(LLMVerdict.objects.filter(pk__in=last_of(LLMVerdict)).order_by("pk"))
    asked = {verdict.query_hash for verdict in verdicts}
    learned = Topic.objects.exclude(split=Topic.Split.TEST).iterator() if asked else ()
    topics = {(topic.query_hash, topic.domain_id): topic for topic in learned if topic.query_hash in asked}
    public = Section.objects.filter(private=False, domain__visibility=Domain.Visibility.PUBLIC)
    sections = public.in_bulk({verdict.section_id for verdict in verdicts})
    for verdict in verdicts:
        section = sections.get(verdict.section_id)
        topic = section and topics.get((verdict.query_hash, section.domain_id))
        if topic:
            yield verdict, topic, section


def judgment_of(verdict: LLMVerdict, topic: Topic, section: Section) -> Judgment:
    return Judgment(
        topic=topic,
        locator=section.locator,
        section=section,
        grade=next(grade for least, grade in GRADE_FROM if verdict.score >= least),
        kind=Judgment.Kind.LLM,
        judge=judge_of(verdict),
        explanation=verdict.reason,
        created_at=verdict.created_at,
    )


def searches_to_topics() -> int:
    """Questions of readers whose candidates the ranking was unsure of, as topics to judge. Gives how many."""
    since = timezone.now() - timedelta(days=DAYS)
    named = Topic.objects.filter(name=Concat(Value(f"{SEARCHED}-"), OuterRef("log__query_hash")))
    traces = Trace.objects.filter(~Exists(named), created_at__gte=since, log__channel__in=READERS).exclude(
        log__query_text=""
    )
    made, known = 0, SearchedTopics()
    for trace in traces.select_related("log").order_by("-created_at")[:MOST_READ].iterator(chunk_size=50):
        made += is_made_a_topic(trace, known)
        if made == MOST:
            break
    return made


def is_made_a_topic(trace: Trace, known: SearchedTopics) -> bool:
    log = trace.log
    if Topic.objects.filter(name=name_of(log)).exists():
        return False
    unsure = unsure_of(trace.detail, log.abstained, log.top_locators)
    first = public_sections(unsure)
    section = next((first[locator] for locator in unsure if locator in first), None)
    topic = known.topic_of(log, section.domain) if section else None
    return topic is not None and topic.name == name_of(log)
