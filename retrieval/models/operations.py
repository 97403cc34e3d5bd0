"""What keeps the server going: jobs, versions, the change log of the index, the cache, rate windows."""

from django.conf import settings
from django.db import models
from django.db.models.functions import Now
from django.utils import timezone
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from retrieval.models.packed import PackedJSONField
from retrieval.models.uploads import in_words

NEXT_NUMBER = models.Func(
    models.Value("retrieval_version_number"), function="nextval", output_field=models.BigIntegerField()
)
# Private domains have numbers of their own, so that those that anybody sees tell nothing of them.
NEXT_OF_DOMAIN = models.Func(
    models.F("visibility"), function="retrieval_next_number", output_field=models.BigIntegerField()
)


class Version(models.Model):
    """A number for each thing curators change; triggers count it up, cache keys and traces carry it."""

    name = models.CharField(max_length=40, primary_key=True)
    number = models.PositiveBigIntegerField(default=0)

    def __str__(self) -> str:
        return f"{self.name} {self.number}"

    @classmethod
    def count_up(cls, name: str) -> None:
        """For what no trigger sees."""
        cls.objects.update_or_create(name=name, defaults={"number": NEXT_NUMBER})


class JobRunQuerySet(models.QuerySet):
    def unfinished(self) -> "JobRunQuerySet":
        return self.filter(status__in=[JobRun.Status.QUEUED, JobRun.Status.RUNNING])

    def that_read_law(self) -> "JobRunQuerySet":
        """Ingestions and fetches, without those that only said what they would change."""
        return self.filter(kind__in=["ingest", "fetch"]).exclude(params__contains={"dry_run": True})

    def silent_since(self, moment) -> "JobRunQuerySet":
        return self.unfinished().filter(heartbeat_at__lt=moment)


class JobRun(models.Model):
    """A long job: a chain of short steps, each of which commits its work together with the next position."""

    class Status(models.TextChoices):
        QUEUED = "queued", _("Waiting")
        RUNNING = "running", _("Running")
        DONE = "done", _("Done")
        FAILED = "failed", _("Failed")
        CANCELLED = "cancelled", _("Cancelled")

    kind = models.CharField(max_length=40)
    key = models.CharField(max_length=120, help_text=_("Jobs with the same key never run at the same time."))
    params = models.JSONField(default=dict)
    ticket = models.PositiveIntegerField(default=0, editable=False, help_text=_("Number of the next step."))
    tries = models.PositiveSmallIntegerField(
        default=0, editable=False, help_text=_("Times the next step was begun.")
    )
    state = models.JSONField(default=dict, editable=False, help_text=_("What its steps hand on."))
    status = models.CharField(max_length=10, choices=Status, default=Status.QUEUED)
    position = models.PositiveIntegerField(default=0, help_text=_("Units done."))
    total = models.PositiveIntegerField(default=0, help_text=_("Units to do; 0 until known."))
    message = models.TextField(blank=True)
    error = models.TextField(blank=True)
    refusal = models.JSONField(default=dict, editable=False)  # the error's template and values, if it has them
    cancel_requested = models.BooleanField(default=False)
    requested_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL
    )
    created_at = models.DateTimeField(auto_now_add=True)
    started_at = models.DateTimeField(null=True, blank=True)
    heartbeat_at = models.DateTimeField(default=timezone.now)
    finished_at = models.DateTimeField(null=True, blank=True)

    objects = JobRunQuerySet.as_manager()

    class Meta:
        verbose_name = _("job")
        ordering = ["-created_at"]
        indexes = [models.Index(fields=["status", "heartbeat_at"], name="job_status")]

    def __str__(self) -> str:
        return f"{self.kind} {self.key} ({self.get_status_display()})"

    @property
    def is_finished(self) -> bool:
        return self.status in (self.Status.DONE, self.Status.FAILED, self.Status.CANCELLED)

    @property
    def local_error(self) -> str:
        """In the reader's language, where the error can be told in it."""
        return in_words(self.refusal) if self.refusal else self.error and gettext(self.error)

    @property
    def local_message(self) -> str:
        return self.message and gettext(self.message)

    @property
    def percent(self) -> int:
        """Of the whole job; `state["span"]` is the share of it whose units are counted now: from 0 to 1 where one count
        is all there is.
        """
        if self.status == self.Status.DONE:
            return 100
        begin, end = self.state.get("span", (0, 1))
        return int(100 * (begin + (end - begin) * self.position / self.total if self.total else begin))


class Checkpoint(models.Model):
    """What a step of a job hands to the next one, on whichever node that runs; deleted when the job ends."""

    run = models.ForeignKey(JobRun, on_delete=models.CASCADE, related_name="checkpoints")
    name = models.CharField(max_length=80)
    content = models.BinaryField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["run", "name"], name="checkpoint_once_a_run")]


class IndexChange(models.Model):
    """The change log that each node's indexes follow, that of texts and that of notes; written by triggers, in order of
    id. Each row names a chunk, or a section whose notes came or went, or a decided case that came, went or was renamed.
    """

    chunk_id = models.BigIntegerField(null=True)
    section_id = models.BigIntegerField(null=True)
    created_at = models.DateTimeField(auto_now_add=True, db_default=Now())


class CacheEntry(models.Model):
    """A finished answer under a key that holds every version and the access scope: never stale, only old."""

    key = models.CharField(max_length=64, primary_key=True)
    answer = PackedJSONField()
    created_at = models.DateTimeField(default=timezone.now, db_index=True)


class Download(models.Model):
    """A file of a domain's publisher as it was last ingested, to ask whether it has changed since."""

    domain = models.ForeignKey("retrieval.Domain", on_delete=models.CASCADE, related_name="downloads")
    name = models.CharField(max_length=200)
    url = models.URLField(max_length=500)
    etag = models.CharField(max_length=200, blank=True)
    last_modified = models.CharField(max_length=60, blank=True)
    content_hash = models.CharField(max_length=64, help_text=_("SHA-256 of the file."))
    edition = models.DateField(null=True, blank=True)
    fetched_at = models.DateTimeField(default=timezone.now)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["domain", "name"], name="download_once_a_domain")]


class Trouble(models.Model):
    """A part of the server that does not work as it should, since when: one row that all processes see. A part that
    is well has none.
    """

    part = models.CharField(max_length=120, primary_key=True)
    since = models.DateTimeField(default=timezone.now)


class RateWindow(models.Model):
    """Requests of one caller in one minute, counted in the database so that all processes share the count."""

    who = models.CharField(max_length=80)
    minute = models.DateTimeField()
    count = models.PositiveIntegerField(default=0)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["who", "minute"], name="one_window_a_minute")]
