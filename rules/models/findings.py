"""What the nightly check found wrong with the rules in force."""

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.utils.translation import gettext_lazy as _

from retrieval.access.caller import Caller
from rules.linting.conflicts import KINDS
from rules.models.rules import Rule


class RuleFindingQuerySet(models.QuerySet):
    def visible_to(self, caller: Caller) -> "RuleFindingQuerySet":
        """Findings about rules that the caller may see, all of them."""
        return self.filter(
            rules__contained_by=list(Rule.objects.visible_to(caller).values_list("pk", flat=True))
        )


class RuleFinding(models.Model):
    """Something wrong with the rules in force, as last night's check found it; put anew by every check."""

    kind = models.CharField(max_length=20, choices=KINDS.items(), help_text=_("What is wrong."))
    reason = models.CharField(max_length=20, help_text=_("Why, as the code names it."))
    rules = ArrayField(models.BigIntegerField(), help_text=_("The rules concerned, by number."))
    names = ArrayField(models.CharField(max_length=120), help_text=_("Their names then."))
    question = models.TextField(blank=True, help_text=_("A question that shows it."))
    detail = models.TextField(blank=True, help_text=_("The target or the day concerned."))
    joined = models.BooleanField(
        default=False, help_text=_("Only a question that names the subjects of both rules shows it.")
    )
    found_at = models.DateTimeField(auto_now_add=True)

    objects = RuleFindingQuerySet.as_manager()

    class Meta:
        verbose_name = _("finding")
        verbose_name_plural = _("findings about rules")
        ordering = ["kind", "pk"]

    def __str__(self) -> str:
        return f"{self.kind}: {', '.join(self.names)}"
