"""The form of a rule: its three lists as rows of boxes."""

from collections.abc import Callable

from django import forms
from django.core.exceptions import ValidationError
from django.urls import reverse_lazy
from django.utils.translation import gettext_lazy

from retrieval.access.caller import ANONYMOUS
from rules.admin.base import ReasonedForm
from rules.admin.clause_labels import CLAUSES, COMPARISONS, CRITERIA, TARGETS
from rules.admin.clause_rows import Column, RowsField, RowsWidget, read_action, read_criterion, read_target
from rules.authoring import rule_checks, workflow
from rules.engine.clauses import PAGED
from rules.models import Rule

EDITED = ("name", "owner", *workflow.CONTENT)
LABELS = {
    "criteria": gettext_lazy("Criteria"),
    "targets": gettext_lazy("Targets"),
    "actions": gettext_lazy("Actions"),
}
NAMING = ("domains", "criteria", "targets", "actions")
VALUED = tuple(kind for kind, _label in CRITERIA if kind != "always")
NAMED = tuple(kind for kind, _label in TARGETS if kind != "pages")
WORDED = ("rewrite", "synonym", "note", "redirect")
PLACES = reverse_lazy("admin:rules_rule_places")


def rows(name: str, columns: list[Column], read: Callable, **options) -> RowsField:
    """The rows of one of a rule's lists. `options`: those of `RowsWidget`."""
    field = Rule._meta.get_field(name)
    widget = RowsWidget(CLAUSES[name], columns, places=PLACES, **options)
    return RowsField(read=read, widget=widget, label=LABELS[name], required=False, help_text=field.help_text)


class RuleForm(ReasonedForm):
    """Checks what `rules.engine.clauses` checks; a problem is shown at its list."""

    domains = forms.MultipleChoiceField(
        label=gettext_lazy("Domains"),
        required=False,
        widget=forms.CheckboxSelectMultiple,
        help_text=Rule._meta.get_field("domains").help_text,
    )
    criteria = rows(
        "criteria",
        [
            Column("value", gettext_lazy("What; words and phrases separated by ;"), VALUED),
            Column("stemmed", gettext_lazy("other forms of the words too"), ("keywords",), "checkbox"),
        ],
        read_criterion,
        separator="; ",
    )
    targets = rows(
        "targets",
        [
            Column("key", gettext_lazy("Name"), ("metadata",)),
            Column("comparison", gettext_lazy("How"), ("metadata",), "select", COMPARISONS),
            Column("value", gettext_lazy("Which"), NAMED),
            Column("pages", gettext_lazy("Pages, like 3-5, 8"), PAGED),
        ],
        read_target,
        beside="admin/rules/_looking.html",
    )
    actions = rows(
        "actions",
        [
            Column("amount", gettext_lazy("Place or factor"), ("pin", "boost", "bury")),
            Column(
                "phrase", gettext_lazy("In place of this phrase; empty: of the whole question"), ("rewrite",)
            ),
            Column("text", gettext_lazy("Text or provision"), WORDED, "textarea"),
        ],
        read_action,
    )
    caller = ANONYMOUS

    class Meta:
        model = Rule
        fields = EDITED

    def clean(self) -> dict:
        """A rule that names what is private is seen by whoever may see its domains: they must be ticked."""
        said = super().clean()
        try:
            missing = rule_checks.undeclared(Rule(**{name: said[name] for name in NAMING}), self.caller)
        except (KeyError, ValidationError):
            return said  # shown at its field
        if missing:
            self.add_error("domains", rule_checks.undeclared_message(missing))
        return said
