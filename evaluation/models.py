"""What is measured and learned: topics, judgments, runs and what came of retraining."""

import uuid

from django.conf import settings
from django.contrib.postgres.fields import ArrayField
from django.core.validators import MaxValueValidator
from django.db import models
from django.db.models import Exists, OuterRef, Q
from django.utils import timezone
from django.utils.translation import gettext_lazy as _
from simple_history.models import HistoricalRecords

from evaluation.topics.topic import SEARCHED
from retrieval.access.caller import Caller
from retrieval.models import Chunk, Domain, JobRun, RankerModel, Section
from retrieval.text.normalization import normalize
from retrieval.text.personal_data import query_hash
from rules.models import Rule


class Topic(models.Model):
    """A query kept for measuring or learning. Its split never changes: a test topic is never trained on."""

    class Split(models.TextChoices):
        TRAIN = "train", _("Train")
        TUNE = "tune", _("Tune")
        TEST = "test", _("Test: never learned from")

    name = models.CharField(
        max_length=100, unique=True, help_text=_("Its id in topic files, e.g. const-en-0001.")
    )
    domain = models.ForeignKey(Domain, on_delete=models.PROTECT, related_name="topics")
    query = models.TextField()
    language = models.CharField(max_length=5, default="en")
    kind = models.CharField(max_length=40, blank=True, help_text=_("lay, situation, court, citation …"))
    narrative = models.TextField(blank=True, help_text=_("What a relevant provision must say."))
    split = models.CharField(max_length=10, choices=Split, default=Split.TRAIN)
    group = models.CharField(
        max_length=100, blank=True, help_text=_("Paraphrases share a group and so a split.")
    )
    source = models.CharField(max_length=40, default="admin", help_text=_("shipped, import, search or admin"))
    answerable = models.BooleanField(default=True, help_text=_("False where the corpus has no answer."))
    answered_by = ArrayField(
        models.CharField(max_length=80),
        default=list,
        blank=True,
        help_text=_("Other domains, by their slugs, that answer it; once one is loaded it is asked no more."),
    )
    tags = ArrayField(models.CharField(max_length=40), default=list, blank=True)
    created_at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ["name"]
        indexes = [models.Index(fields=["domain", "split"], name="topic_domain_split")]

    def __str__(self) -> str:
        return self.query[:80]

    @property
    def query_hash(self) -> str:
        """What logs and verdicts call its question. A topic made from a search has it in its name: its text is
        scrubbed, and may be another.
        """
        prefix = f"{SEARCHED}-"
        if self.source == SEARCHED and self.name.startswith(prefix):
            return self.name.removeprefix(prefix)
        return query_hash(normalize(self.query))


class Judgment(models.Model):
    """One grade of one topic–section pair by one person or model. Unjudged is no row, never grade 0."""

    class Kind(models.TextChoices):
        HUMAN = "human", _("Human")
        LLM = "llm", _("Language model")
        CLICK = "click", _("Reader’s thumb")

    class Grade(models.IntegerChoices):
        IRRELEVANT = 0, _("0: not relevant")
        RELATED = 1, _("1: related")
        RELEVANT = 2, _("2: relevant")
        CONTROLLING = 3, _("3: directly controls")

    topic = models.ForeignKey(Topic, on_delete=models.PROTECT, related_name="judgments")
    locator = models.CharField(max_length=300, help_text=_("The provision judged, whichever its version."))
    section = models.ForeignKey(
        Section,
        null=True,
        blank=True,
        on_delete=models.SET_NULL,
        related_name="+",
        help_text=_("The version shown."),
    )
    chunk = models.ForeignKey(
        Chunk,
        null=True,
        blank=True,
        on_delete=models.SET_NULL,
        related_name="+",
        help_text=_("The chunk shown."),
    )
    grade = models.PositiveSmallIntegerField(choices=Grade, validators=[MaxValueValidator(3)])
    kind = models.CharField(max_length=10, choices=Kind, default=Kind.HUMAN)
    judge = models.CharField(
        max_length=150, help_text=_("Who judged: a user name, “shipped”, or model and prompt.")
    )
    user = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL)
    explanation = models.TextField(blank=True)
    adjudicates = models.BooleanField(
        default=False,
        help_text=_("Settles a disagreement: the agreed grade is this one, whatever others gave."),
    )
    created_at = models.DateTimeField(default=timezone.now)
    history = HistoricalRecords(excluded_fields=["section", "chunk", "user"])

    class Meta:
        ordering = ["topic", "locator", "created_at"]
        constraints = [
            models.UniqueConstraint(
                fields=["topic", "locator", "judge", "kind"], name="one_grade_a_judge_and_pair"
            ),
            models.CheckConstraint(condition=Q(grade__lte=3), name="grade_at_most_three"),
            models.UniqueConstraint(
                fields=["topic", "locator"], condition=Q(adjudicates=True), name="one_adjudication_a_pair"
            ),
        ]
        indexes = [models.Index(fields=["kind", "created_at"], name="judgment_kind")]

    def __str__(self) -> str:
        return f"{self.locator} {self.grade} by {self.judge}"


ANSWERS = Judgment.Grade.RELEVANT  # the least grade of what answers a question, if only in part


class NoAnswerQuerySet(models.QuerySet):
    def standing(self) -> "NoAnswerQuerySet":
        """Without what a judge said before grading something of the topic as an answer."""
        own = Judgment.objects.filter(
            kind=Judgment.Kind.HUMAN, topic=OuterRef("topic"), judge=OuterRef("judge"), grade__gte=ANSWERS
        )
        return self.filter(~Exists(own))


class NoAnswer(models.Model):
    """One judge's word that nothing in the corpus answers a topic; its candidates are graded 0 beside it."""

    topic = models.ForeignKey(Topic, on_delete=models.PROTECT, related_name="no_answers")
    judge = models.CharField(max_length=150, help_text=_("Who said so: a user name."))
    created_at = models.DateTimeField(default=timezone.now)

    objects = NoAnswerQuerySet.as_manager()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["topic", "judge"], name="one_no_answer_a_judge")]

    def __str__(self) -> str:
        return f"{self.topic} by {self.judge}"


class Upload(models.Model):
    """A file that somebody looks through before it is imported: one a person, forgotten after a day."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    user = models.OneToOneField(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    created_at = models.DateTimeField(default=timezone.now)
    name = models.CharField(max_length=200)
    text = models.TextField()
    format = models.CharField(max_length=10)
    options = models.JSONField(default=dict)

    def __str__(self) -> str:
        return self.name


class RunQuerySet(models.QuerySet):
    def of_answers(self) -> "RunQuerySet":
        return self.filter(pipeline=Run.OF_ANSWERS)

    def of_rankings(self) -> "RunQuerySet":
        return self.exclude(pipeline=Run.OF_ANSWERS)


class Run(models.Model):
    """One pipeline over one topic set, with every version in force, so that it can be told what changed; or answers to
    questions whose sentences are marked.
    """

    OF_ANSWERS = "answers"  # in place of a pipeline

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    created_at = models.DateTimeField(default=timezone.now, db_index=True)
    name = models.CharField(max_length=200, blank=True)
    pipeline = models.CharField(max_length=60)
    stages = models.TextField(help_text=_("The pipeline's repr: every stage with its parameters."))
    topics = models.CharField(max_length=200, help_text=_("The topic set and split measured."))
    versions = models.JSONField(default=dict)
    summary = models.JSONField(
        default=dict, help_text=_("Means with intervals, latency, LLM share, cost, declines.")
    )

    objects = RunQuerySet.as_manager()

    class Meta:
        ordering = ["-created_at"]

    def __str__(self) -> str:
        return f"{self.pipeline} on {self.topics}, {self.created_at:%Y-%m-%d %H:%M}"


class Measurement(models.Model):
    """What one topic was answered with in one run."""

    run = models.ForeignKey(Run, on_delete=models.CASCADE, related_name="measurements")
    topic = models.CharField(max_length=100, help_text=_("The topic's name."))
    locators = ArrayField(models.CharField(max_length=300), default=list)
    measures = models.JSONField(default=dict)
    abstained = models.BooleanField(default=False)
    probability = models.FloatField(null=True)
    ms = models.FloatField(default=0)
    llm_calls = models.PositiveSmallIntegerField(default=0)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["run", "topic"], name="one_measurement_a_topic")]

    def __str__(self) -> str:
        return f"{self.topic} in {self.run_id}"


class RetrainingRun(models.Model):
    """One attempt to train a better reranker, and why it was deployed or not."""

    class Outcome(models.TextChoices):
        RUNNING = "running", _("Running")
        DEPLOYED = "deployed", _("Deployed")
        SHADOW = "shadow", _("In shadow")
        KEPT = "kept", _("Champion kept")
        REFUSED = "refused", _("Refused: leak")
        FAILED = "failed", _("Failed")
        CANCELLED = "cancelled", _("Cancelled")

    created_at = models.DateTimeField(default=timezone.now, db_index=True)
    finished_at = models.DateTimeField(null=True, blank=True)
    outcome = models.CharField(max_length=10, choices=Outcome, default=Outcome.RUNNING)
    reason = models.TextField(blank=True)
    champion = models.ForeignKey(
        RankerModel, null=True, blank=True, on_delete=models.SET_NULL, related_name="+"
    )
    challenger = models.ForeignKey(
        RankerModel, null=True, blank=True, on_delete=models.SET_NULL, related_name="+"
    )
    report = models.JSONField(
        default=dict, help_text=_("Counts, cross-validation, slices, tests, calibration.")
    )
    requested_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL
    )

    class Meta:
        ordering = ["-created_at"]

    def __str__(self) -> str:
        return f"{self.get_outcome_display()}, {self.created_at:%Y-%m-%d}"


class RulePreviewQuerySet(models.QuerySet):
    def visible_to(self, caller: Caller, principal: str) -> "RulePreviewQuerySet":
        """Previews of stored rules that the caller may see, and one's own of rules that are not stored."""
        seen = Rule.objects.visible_to(caller).values("pk")
        domains = list(Domain.objects.visible_to(caller).values_list("slug", flat=True))
        stored = Q(rule__in=seen, domains__contained_by=domains)
        return self.filter(stored | Q(rule=None, principal=principal))


class RulePreview(models.Model):
    """What a rule as it stood would change if it were published, or one in force if it were retired. It names the
    questions by the search or the topic they come from: their words are kept nowhere else, nor longer.
    """

    rule = models.ForeignKey(
        Rule, null=True, on_delete=models.CASCADE, related_name="+", help_text=_("None: it was never stored.")
    )
    number = models.BigIntegerField(help_text=_("The place it takes among rules of its priority."))
    content = models.JSONField(
        null=True, help_text=_("The rule as it would be in force; none: it is retired.")
    )
    domains = ArrayField(models.CharField(max_length=50), default=list)
    principal = models.CharField(max_length=60, help_text=_("Who asked for it."))
    created_at = models.DateTimeField(default=timezone.now, db_index=True)
    finished_at = models.DateTimeField(null=True)
    rules_version = models.PositiveBigIntegerField(help_text=_("Of the rules that it was compared with."))
    job = models.ForeignKey(JobRun, null=True, on_delete=models.SET_NULL, related_name="+")
    counts = models.JSONField(default=dict, help_text=_("Questions looked at and touched."))
    touched = models.JSONField(default=list, help_text=_("The questions asked again, by search or topic."))
    changes = models.JSONField(default=list, help_text=_("Those answered otherwise, before and after."))
    position = models.PositiveIntegerField(default=0, help_text=_("Questions asked so far."))

    objects = RulePreviewQuerySet.as_manager()

    class Meta:
        verbose_name = _("preview of a rule")
        verbose_name_plural = _("previews of rules")
        ordering = ["-created_at"]

    def __str__(self) -> str:
        return self.rule.name if self.rule else str(self.number)


class RuleSuggestionQuerySet(models.QuerySet):
    def visible_to(self, caller: Caller) -> "RuleSuggestionQuerySet":
        return self.filter(topic__domain__in=Domain.objects.visible_to(caller))


class RuleSuggestion(models.Model):
    """A rule that would mend a judged topic which fails, with what it would do to all of them. It is never applied by
    itself: a curator makes a draft of it, or dismisses it.
    """

    class Failure(models.TextChoices):
        UNFOUND = "unfound", _("no relevant provision among the first")
        DECLINED = "declined", _("declined, though there is an answer")
        ANSWERED = "answered", _("answered, though there is no answer")

    class Status(models.TextChoices):
        OPEN = "open", _("Open")
        DRAFTED = "drafted", _("Drafted")
        DISMISSED = "dismissed", _("Dismissed")

    topic = models.ForeignKey(Topic, on_delete=models.CASCADE, related_name="suggestions")
    failure = models.CharField(max_length=10, choices=Failure, help_text=_("How the topic fails."))
    content = models.JSONField(help_text=_("The rule, as rules are kept."))
    gain = models.FloatField(help_text=_("In nDCG@10, the mean over all judged topics of train and tune."))
    gain_low = models.FloatField(help_text=_("Where its 95 % interval begins."))
    gain_high = models.FloatField(help_text=_("Where its 95 % interval ends."))
    topics = models.PositiveIntegerField(help_text=_("Judged topics over which the gain is the mean."))
    touched = models.PositiveIntegerField(help_text=_("Judged topics on which the rule would fire."))
    mended = ArrayField(models.CharField(max_length=100), default=list, help_text=_("Topics it would mend."))
    hurt = ArrayField(
        models.CharField(max_length=100), default=list, help_text=_("Topics it would make worse.")
    )
    rules_version = models.PositiveBigIntegerField(help_text=_("Of the rules that it was tried beside."))
    status = models.CharField(max_length=10, choices=Status, default=Status.OPEN)
    rule = models.ForeignKey(
        Rule, null=True, on_delete=models.SET_NULL, related_name="+", help_text=_("The draft made of it.")
    )
    created_at = models.DateTimeField(auto_now_add=True)
    settled_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+"
    )
    settled_at = models.DateTimeField(null=True)

    objects = RuleSuggestionQuerySet.as_manager()

    class Meta:
        verbose_name = _("suggested rule")
        ordering = ["-gain", "pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["topic"], condition=Q(status="open"), name="one_open_suggestion_a_topic"
            )
        ]

    def __str__(self) -> str:
        return str(self.topic)
