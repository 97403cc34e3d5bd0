"""What the kinds of criteria, targets and actions are called, and clauses written out in words."""

from collections.abc import Iterable, Mapping
from typing import Any

from django.utils.formats import date_format
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from rules.authoring.grammar.sentence import Draft

CRITERIA = (
    ("keywords", gettext_lazy("has one of these words or phrases")),
    ("always", gettext_lazy("always")),
    ("exact", gettext_lazy("is exactly")),
    ("starts_with", gettext_lazy("begins with")),
    ("contains", gettext_lazy("contains the letters")),
    ("regex", gettext_lazy("matches the pattern (RE2)")),
    ("citation", gettext_lazy("cites this place")),
    ("language", gettext_lazy("is in the language (en, es)")),
    ("domain", gettext_lazy("is asked in the domain")),
    ("jurisdiction", gettext_lazy("is asked in the jurisdiction")),
)
TARGETS = (
    ("section", gettext_lazy("provision with all below it")),
    ("heading", gettext_lazy("provisions whose heading has the words")),
    ("pages", gettext_lazy("pages of every document")),
    ("document", gettext_lazy("document")),
    ("filename", gettext_lazy("file")),
    ("tag", gettext_lazy("documents with the tag")),
    ("metadata", gettext_lazy("documents whose metadata say")),
    ("chunk", gettext_lazy("passages by number")),
    ("cites", gettext_lazy("whatever cites this provision")),
    ("definitions", gettext_lazy("the definitions this provision uses")),
)
ACTIONS = (
    ("pin", gettext_lazy("show at the place")),
    ("restrict", gettext_lazy("search only there")),
    ("boost", gettext_lazy("raise by the factor")),
    ("bury", gettext_lazy("lower by the factor")),
    ("exclude", gettext_lazy("never show")),
    ("alias", gettext_lazy("name as an answer")),
    ("rewrite", gettext_lazy("ask instead")),
    ("synonym", gettext_lazy("look for these words too")),
    ("note", gettext_lazy("answer with the note")),
    ("redirect", gettext_lazy("lead to the provision")),
    ("abstain", gettext_lazy("give no answer")),
)
COMPARISONS = (
    ("is", gettext_lazy("is")),
    ("contains", gettext_lazy("contains")),
    ("at_least", gettext_lazy("at least")),
    ("at_most", gettext_lazy("at most")),
)
CLAUSES = {"criteria": CRITERIA, "targets": TARGETS, "actions": ACTIONS}


def draft_fields(draft: Draft) -> list[tuple[str, str]]:
    """Each field of a draft that is set, with its words."""
    fields = [
        (_("When a question"), clauses_text("criteria", draft.criteria)),
        (_("Upon"), clauses_text("targets", draft.targets)),
        (_("Do"), clauses_text("actions", draft.actions)),
        (_("Domains"), ", ".join(draft.domains) or _("all")),
        (_("First day"), draft.valid_from and date_format(draft.valid_from)),
        (_("Last day"), draft.valid_to and date_format(draft.valid_to)),
        (_("Priority"), str(draft.priority)),
    ]
    return [(name, value) for name, value in fields if value]


def clauses_text(name: str, rows: Iterable[Mapping[str, Any]]) -> str:
    """Of one of a rule's lists: `name` is criteria, targets or actions."""
    return "; ".join(clause_text(row, dict(CLAUSES[name])) for row in rows)


def clause_text(row: Mapping[str, Any], labels: Mapping[str, Any]) -> str:
    """ "document /us/usc/t8, pages 3-5", the kind by its label."""
    compared_as = [row["key"], dict(COMPARISONS)[row.get("comparison", "is")]] if "key" in row else []
    words = [labels[row["kind"]], *compared_as, joined(row.get("value", ""))]
    words += [f"{row['phrase']} →" if row.get("phrase") else "", row.get("text"), row.get("locator")]
    words += [row.get("position"), row.get("factor")]
    pages = _("pages %s") % joined(row["pages"]) if row.get("pages") else None
    stemmed = _("in other forms of the words too") if row.get("stemmed") else None
    return ", ".join(part for part in (" ".join(str(word) for word in words if word), pages, stemmed) if part)


def joined(value: Any, separator: str = ", ") -> str:
    return separator.join(map(str, value)) if isinstance(value, list) else str(value)
