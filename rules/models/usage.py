"""How often rules are used, by the day."""

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.utils.translation import gettext_lazy as _

from retrieval.access.caller import Caller
from retrieval.models import Domain
from rules.models.rules import Rule


def count(help_text: str) -> models.PositiveIntegerField:
    return models.PositiveIntegerField(default=0, help_text=help_text)


class RuleUseQuerySet(models.QuerySet):
    def visible_to(self, caller: Caller) -> "RuleUseQuerySet":
        """What was counted in domains that the caller may see; a rule may have moved since."""
        visible = list(Domain.objects.visible_to(caller).values_list("slug", flat=True))
        return self.filter(domains__contained_by=visible)


class RuleUse(models.Model):
    """How often a rule was used on a day by readers and clients; counted from the search log and kept longer.

    Searches that reached a private domain count only for a rule that acts in private domains alone.
    """

    rule = models.ForeignKey(Rule, on_delete=models.CASCADE, related_name="uses")
    day = models.DateField()
    domains = ArrayField(
        models.SlugField(max_length=50),
        default=list,
        blank=True,
        help_text=_("Those of a rule that acted in private domains alone; else none."),
    )
    fired = count(_("Searches in which it fired."))
    changed = count(_("Of these, those whose first page it changed."))
    clicks = count(_("Results that readers opened that day from pages of such searches."))
    helpful = count(_("Readers’ thumbs up that day for such searches."))
    unhelpful = count(_("Thumbs down."))

    objects = RuleUseQuerySet.as_manager()

    class Meta:
        verbose_name = _("use of a rule")
        verbose_name_plural = _("uses of rules")
        ordering = ["-day", "rule"]
        constraints = [models.UniqueConstraint(fields=["rule", "day"], name="one_use_a_rule_and_day")]

    def __str__(self) -> str:
        return f"{self.rule_id} on {self.day}"


class SearchDay(models.Model):
    """A day of which the use of rules is counted, and how many searches of public domains alone readers and clients
    made on it.
    """

    day = models.DateField(primary_key=True)
    searches = models.PositiveIntegerField()

    class Meta:
        verbose_name = _("day of searches")
        verbose_name_plural = _("days of searches")
        ordering = ["-day"]

    def __str__(self) -> str:
        return str(self.day)
