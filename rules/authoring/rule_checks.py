"""Whether searches could apply a rule: it is well formed and what it names exists; else “did you mean”."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches
from functools import reduce
from itertools import islice
from operator import or_

from django.core.exceptions import ValidationError
from django.db.models import Q, QuerySet
from django.utils.translation import gettext as _

from retrieval.access.caller import Caller
from retrieval.corpus.filters import below, in_part, worded
from retrieval.errors import ArfError
from retrieval.models import Chunk, Document, Domain, Section
from retrieval.models.corpus import SectionQuerySet
from retrieval.targets import Part
from retrieval.text.analyzer import tokens
from rules.engine.clauses import Clauses
from rules.models import Rule

MOST_MISSING = 3  # targets named in one message
NEAR = 5  # names offered where one matches nothing
COMPARED = 2_000  # names looked at for likeness


class RuleRefused(ArfError):
    """A step that a rule cannot take; the message says why."""

    status = 409
    code = "rule_refused"


@dataclass(frozen=True)
class Scope:
    """What a rule in these domains can name, as its author may read it."""

    domains: QuerySet[Domain]
    documents: QuerySet[Document]
    sections: SectionQuerySet

    @classmethod
    def of(cls, slugs: Sequence[str], caller: Caller) -> "Scope":
        """No slug means every domain that the caller may see."""
        visible = Domain.objects.visible_to(caller)
        domains = visible.filter(slug__in=slugs) if slugs else visible
        return cls(
            domains,
            Document.objects.visible_to(caller).filter(domain__in=domains),
            Section.objects.readable(caller).filter(domain__in=domains),
        )

    def chunks(self, part: Part) -> QuerySet[Chunk]:
        return Chunk.objects.filter(in_part(part), section__in=self.sections)


def check(rule: Rule, caller: Caller, *, unique: bool = True, hints: bool = True) -> None:
    """Raises RuleRefused for a rule that no search could apply, or that names a part of the corpus where nothing is;
    with hints then with what is nearest, for which names of the whole corpus are read.
    """
    try:
        # Criteria and actions are read as a whole by its `clean`.
        rule.full_clean(exclude={"criteria", "actions"}, validate_unique=unique, validate_constraints=unique)
    except ValidationError as problem:
        raise RuleRefused(" ".join(problem.messages)) from problem
    scope = Scope.of(rule.domains, caller)
    if hidden := set(rule.domains) - set(scope.domains.values_list("slug", flat=True)):
        raise RuleRefused(_("There is no domain “%s”.") % sorted(hidden)[0])
    asked = asked_domains(rule.draft.clauses)
    visible = [*Domain.objects.visible_to(caller).values_list("slug", flat=True)] if asked else []
    if unknown := sorted(asked.difference(visible)):
        message = _("There is no domain “%s”.") % unknown[0]
        raise RuleRefused(f"{message} {told_near(alike(unknown[0], visible))}" if hints else message)
    redirects = [Part("section", action.text) for action in rule.draft.does("redirect")]
    for parts in (rule.draft.clauses.targets.parts, redirects):
        missing = (part for part in parts if not scope.chunks(part).exists())
        if named := list(islice(missing, MOST_MISSING)):
            raise RuleRefused(" ".join(missing_message(part, scope, hints=hints) for part in named))


def missing_message(part: Part, scope: Scope, *, hints: bool) -> str:
    message = _("Nothing matches the target “%(kind)s: %(named)s”.") % {"kind": part.kind, "named": part.name}
    if not hints:
        return message
    return f"{message} {told_near(similar_names(part, scope))}"


def told_near(names: Sequence[str]) -> str:
    return _("Near to it: %s.") % ", ".join(names) if names else _("Nothing is near to it.")


def undeclared(rule: Rule, caller: Caller) -> list[str]:
    """Private domains that the rule names parts of, or by themselves, without acting in them: whoever may not see
    them could read of them in the rule. Raises ValidationError for a rule that cannot be read.
    """
    private = Domain.objects.visible_to(caller).filter(visibility=Domain.Visibility.PRIVATE)
    private = private.exclude(slug__in=rule.domains)
    if not private:
        return []
    named, clauses = set(), rule.draft.clauses
    for part in named_parts(clauses):
        anywhere = in_part(replace(part, domains=()))  # the rule's own domains would hide others'
        chunks = Chunk.objects.filter(anywhere, section__in=Section.objects.readable(caller))
        if not chunks.filter(private=False).exists():
            named |= set(chunks.order_by().values_list("domain", flat=True).distinct())
    asked_in = asked_domains(clauses)
    return [domain.slug for domain in private if domain.pk in named or domain.slug in asked_in]


def asked_domains(clauses: Clauses) -> set[str]:
    """By their slugs, those that its criteria name."""
    return {criterion.values[0] for criterion in clauses.criteria if criterion.kind in ("domain", "route")}


def undeclared_message(slugs: list[str]) -> str:
    message = _(
        "It names what is private in “%s”: tick that domain, so that only those who may see it see the rule."
    )
    return message % "”, “".join(slugs)


def named_parts(clauses: Clauses) -> list[Part]:
    """All that a rule names of the corpus, not its targets alone."""
    cited = [c.values[0] for c in clauses.criteria if c.kind == "citation" and c.values]
    led_to = [action.text for action in clauses.actions if action.kind == "redirect"]
    return [*clauses.targets.parts, *(Part("section", place) for place in (*cited, *led_to))]


# -- Names that look like one that matches nothing


def similar_names(part: Part, scope: Scope) -> list[str]:
    """Names that exist and look like the one that does not."""
    documents = scope.documents
    match part.kind:
        case "filename" | "document" as kind:
            field = "filename" if kind == "filename" else "locator"
            named = documents.filter(**{field: part.value})
            return lengths(named, part) or alike(part.value, documents.values_list(field, flat=True))
        case "tag":
            tags = documents.values_list("tags", flat=True)
            return alike(part.value, (tag for several in tags for tag in several))
        case "metadata":
            return alike_metadata(part, documents)
        case "heading":
            return alike_headings(str(part.value), scope.sections)
        case "pages":
            return lengths(documents.order_by("-pages"), part)
        case "chunk":
            return []
    return nearest_locators(str(part.value), scope.sections)


def alike(name: str | float, names: Iterable[str]) -> list[str]:
    known = {known for known in names if known and known != name}
    return get_close_matches(str(name), sorted(known)[:COMPARED], n=NEAR, cutoff=0.4)


def lengths(documents: QuerySet[Document], part: Part) -> list[str]:
    """How many pages the documents have, where it is only the pages that are missing."""
    if not part.pages:
        return []
    known = documents.filter(pages__isnull=False).values_list("locator", "pages")[:NEAR]
    return [_("%(name)s has %(pages)d pages") % {"name": name, "pages": pages} for name, pages in known]


def alike_metadata(part: Part, documents: QuerySet[Document]) -> list[str]:
    known = [metadata for metadata in documents.values_list("metadata", flat=True)[:COMPARED] if metadata]
    values = {str(metadata[part.key]) for metadata in known if part.key in metadata}
    if values:
        return alike(part.value, values) or sorted(values)[:NEAR]
    return alike(part.key, {key for metadata in known for key in metadata})


def alike_headings(words: str, sections: SectionQuerySet) -> list[str]:
    """Headings that have one of the words."""
    has_one = reduce(or_, (Q(heading__regex=worded(word)) for word in tokens(words)))
    return alike(words, sections.filter(has_one).values_list("heading", flat=True).distinct()[:COMPARED])


def nearest_locators(locator: str, sections: SectionQuerySet) -> list[str]:
    """The likest locators under the nearest place above that exists."""
    parts = locator.split("/")
    for length in range(len(parts) - 1, 1, -1):
        under = sections.filter(below("locator", "/".join(parts[:length]))).order_by("document", "position")
        if found := list(under.values_list("locator", flat=True)[:COMPARED]):
            return get_close_matches(locator, found, n=NEAR, cutoff=0.0)
    return []
