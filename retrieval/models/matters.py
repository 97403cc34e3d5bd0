"""Case files: a matter of a client, its members and its deadlines. What is said of a matter is its members' alone.

A matter owns the documents handed in to it: their `Document.owner` is its principal, "matter:5", which no caller is.
Members read them by ordinary grants (`retrieval.access.matters`).
"""

from uuid import uuid4

from django.db import models
from django.db.models import F, Min, Q
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from retrieval.access.caller import Caller

PREFIX = "matter:"


class MatterQuerySet(models.QuerySet):
    def held_by(self, caller: Caller) -> "MatterQuerySet":
        """Those that the caller is a member of."""
        member = MatterMember.objects.filter(principal__in=caller.principals)
        return self.filter(pk__in=member.values("matter"))

    def most_urgent_first(self) -> "MatterQuerySet":
        """Open ones by their next deadline, `next_due`; closed ones last."""
        due = self.annotate(next_due=Min("deadlines__due_on", filter=Q(deadlines__done_on=None)))
        return due.order_by(
            F("closed_on").asc(nulls_first=True), F("next_due").asc(nulls_last=True), "reference", "pk"
        )


class Matter(models.Model):
    """A client's case. Whoever opens it is its first lead."""

    public_id = models.UUIDField(unique=True, default=uuid4, editable=False)  # counts nobody's matters
    reference = models.CharField(max_length=200, help_text=_("By which its members know it."))
    client = models.CharField(
        max_length=200, blank=True, help_text=_("Shown to members on the matter's own pages, nowhere else.")
    )
    opened_on = models.DateField(default=timezone.localdate)
    closed_on = models.DateField(null=True, blank=True)
    last_deadline = models.PositiveIntegerField(
        default=0, editable=False, help_text=_("The last number that a deadline was given: none comes again.")
    )

    objects = MatterQuerySet.as_manager()

    def __str__(self) -> str:
        """Without its name: admin, logs and errors may show it."""
        return f"{PREFIX}{self.pk}"

    @property
    def principal(self) -> str:
        """Under which the matter owns documents, and may do with them what an owner may."""
        return f"{PREFIX}{self.pk}"

    @property
    def is_open(self) -> bool:
        return self.closed_on is None


class MatterMember(models.Model):
    """Who works on a matter: a person, a group or a key, named as in grants."""

    class Role(models.TextChoices):
        LEAD = "lead", _("Lead: also changes members, closes and erases it")
        CONTRIBUTOR = "contributor", _("Contributor: also adds documents and deadlines")
        READER = "reader", _("Reader: reads everything in it")

    matter = models.ForeignKey(Matter, on_delete=models.CASCADE, related_name="members")
    name = models.CharField(max_length=160)
    principal = models.CharField(max_length=200)
    role = models.CharField(max_length=11, choices=Role, default=Role.READER)
    has_come = models.BooleanField(
        default=False, editable=False, help_text=_("Has opened the matter, so that there is somebody of this name.")
    )

    class Meta:
        ordering = ["name"]
        constraints = [
            models.UniqueConstraint(fields=["matter", "principal"], name="one_membership_a_principal")
        ]
        indexes = [models.Index(fields=["principal"], name="member_principal")]

    def __str__(self) -> str:
        return f"{self.name} → {PREFIX}{self.matter_id}"


class Deadline(models.Model):
    """What must be done for a matter, and by when."""

    matter = models.ForeignKey(Matter, on_delete=models.CASCADE, related_name="deadlines")
    what = models.CharField(max_length=300)
    due_on = models.DateField()
    done_on = models.DateField(null=True, blank=True)
    number = models.PositiveIntegerField(editable=False, help_text=_("Within its matter: counts no other’s."))

    class Meta:
        ordering = [F("done_on").desc(nulls_first=True), "due_on", "pk"]  # what is still to do, by its day
        constraints = [models.UniqueConstraint(fields=["matter", "number"], name="one_deadline_a_number")]

    def __str__(self) -> str:
        return f"{PREFIX}{self.matter_id}, {self.due_on}"

    @property
    def is_overdue(self) -> bool:
        return self.done_on is None and self.due_on < timezone.localdate()


class Erasure(models.Model):
    """That a matter was erased, without its name: what a backup brings back of it is erased again."""

    public_id = models.UUIDField(unique=True)
    erased_at = models.DateTimeField(default=timezone.now)

    def __str__(self) -> str:
        return str(self.public_id)
