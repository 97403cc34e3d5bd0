"""A rule's way from draft to what searches apply, and out again. Every step is a line in its history."""

from difflib import get_close_matches
from functools import reduce
from operator import or_

from django.conf import settings
from django.core.exceptions import ValidationError
from django.db import transaction
from django.db.models import Q, QuerySet
from django.utils import timezone
from django.utils.translation import gettext as _

from retrieval.errors import ArfError
from retrieval.models import Chunk, Document, Domain, Section
from retrieval.ranking import Caller
from retrieval.selection import Part, below, worded
from retrieval.textnorm import tokens
from rules import proving
from rules.clauses import Clauses
from rules.models import Rule

NEAR = 5  # names offered where one matches nothing
COMPARED = 2_000  # names looked at for likeness
MOST_TOLD = 3  # findings told in one message
CONTENT = (
    "domains",
    "criteria",
    "targets",
    "actions",
    "priority",
    "valid_from",
    "valid_to",
    "rationale",
    "tags",
)  # what a version of a rule is, besides its name
Status = Rule.Status


class RuleRefused(ArfError):
    """A step that a rule cannot take; the message says why."""

    status = 409
    code = "rule_refused"


def save_draft(rule: Rule, *, by, reason: str = "") -> Rule:
    """Saves what was edited. It is a draft again, unless nothing differs from what is in force."""
    as_draft(rule)
    rule.owner = rule.owner or by
    return kept(rule, by, reason)


def as_draft(rule: Rule) -> None:
    """Sets the status that an edited rule has; does not save it."""
    is_live = rule.live is not None and not rule.has_unpublished_changes
    rule.status = Status.PUBLISHED if is_live else Status.DRAFT
    rule.proposed_by = None


def publishable() -> tuple[str, ...]:
    """The statuses from which a rule may be published, as the settings have it."""
    if settings.ARF_RULES_SECOND_PERSON:
        return (Status.PROPOSED,)
    return (Status.DRAFT, Status.PROPOSED, Status.RETIRED)


@transaction.atomic
def propose(rule: Rule, *, by, caller: Caller) -> Rule:
    """Puts a draft before somebody who may approve it. Raises RuleRefused."""
    rule = locked(rule, Status.DRAFT, Status.RETIRED)
    check(rule, caller)
    check_beside_others(rule, caller)
    rule.status, rule.proposed_by = Status.PROPOSED, by
    return kept(rule, by, _("proposed"))


@transaction.atomic
def publish(rule: Rule, *, by, caller: Caller) -> Rule:
    """Puts the rule as it stands in force. Raises RuleRefused; where the settings say so, whoever proposed it cannot
    approve it.
    """
    rule = locked(rule, *publishable())
    if settings.ARF_RULES_SECOND_PERSON and (by is None or by.pk == rule.proposed_by_id):
        raise RuleRefused(_("Another person than the one who proposed it must approve it."))
    check(rule, caller)
    check_beside_others(rule, caller)
    rule.status, rule.live, rule.version = Status.PUBLISHED, rule.content, rule.version + 1
    rule.published_by, rule.published_at = by, timezone.now()
    return kept(rule, by, _("published as version %d") % rule.version)


@transaction.atomic
def send_back(rule: Rule, *, by) -> Rule:
    """Makes a draft of what was proposed."""
    rule = locked(rule, Status.PROPOSED)
    rule.status, rule.proposed_by = Status.DRAFT, None
    return kept(rule, by, _("sent back"))


@transaction.atomic
def retire(rule: Rule, *, by, reason: str = "") -> Rule:
    """Takes the rule out of force; it stays to be read, copied and published again."""
    rule = Rule.objects.select_for_update().get(pk=rule.pk)
    if rule.live is None:
        raise RuleRefused(_("It is not in force."))
    rule.status, rule.live, rule.proposed_by = Status.RETIRED, None, None
    return kept(rule, by, reason or _("retired"))


def revert(rule: Rule, number: int, *, by) -> Rule:
    """Makes the draft say again what it said in that line of its history."""
    then = rule.history.get(pk=number)
    for name in CONTENT:
        setattr(rule, name, getattr(then, name))
    return save_draft(rule, by=by, reason=_("as on %s") % f"{then.history_date:%Y-%m-%d %H:%M}")


def copy(rule: Rule, *, by) -> Rule:
    """A draft that says the same under another name."""
    twin = Rule(name=free_name(rule.name), owner=by, **{name: getattr(rule, name) for name in CONTENT})
    return save_draft(twin, by=by, reason=_("copied from rule %d") % rule.pk)


def free_name(name: str) -> str:
    taken = set(Rule.objects.filter(name__startswith=name[:100]).values_list("name", flat=True))
    numbered = (f"{name[:100]} ({n})" for n in range(2, len(taken) + 3))
    return next(candidate for candidate in numbered if candidate not in taken)


def retire_expired() -> int:
    """Retires rules whose last day is over; gives how many. May run twice."""
    over = list(Rule.objects.over(timezone.localdate()))
    for rule in over:
        retire(rule, by=None, reason=_("its last day is over"))
    return len(over)


def locked(rule: Rule, *allowed: str) -> Rule:
    """The row as it stands now. Raises RuleRefused where its status is none of these."""
    rule = Rule.objects.select_for_update().get(pk=rule.pk)
    if rule.status not in allowed:
        raise RuleRefused(_("Its status is “%s”: this is not possible now.") % rule.get_status_display())
    return rule


def check_beside_others(rule: Rule, caller: Caller) -> None:
    """Raises RuleRefused where it contradicts one in force, or closes a circle of rewrites."""
    refusing = [found for found in proving.findings_about(rule, caller) if found.refuses]
    if refusing:
        raise RuleRefused(" ".join(map(proving.sentence, refusing[:MOST_TOLD])))


def warnings(rule: Rule, caller: Caller) -> list[str]:
    """What a curator should know of the rule as it stands, kept already or not, before proposing it."""
    try:
        check(rule, caller)
    except RuleRefused as problem:
        return [problem.message]
    return proving.warnings(rule, caller)


def kept(rule: Rule, by, reason: str) -> Rule:
    rule._history_user, rule._change_reason = by, reason[:100]
    rule.save()
    return rule


# -- What a rule names must be there


def check(rule: Rule, caller: Caller, *, unique: bool = True) -> None:
    """Raises RuleRefused for a rule that no search could apply, or that names a part of the corpus where nothing is;
    then with what is nearest.
    """
    try:
        rule.full_clean(exclude={"criteria", "actions"}, validate_unique=unique)  # read as a whole by its `clean`
    except ValidationError as problem:
        raise RuleRefused(" ".join(problem.messages)) from problem
    if hidden := set(rule.domains) - set(domains_of(rule, caller).values_list("slug", flat=True)):
        raise RuleRefused(_("There is no domain “%s”.") % sorted(hidden)[0])
    clauses = rule.draft.clauses
    dead = [part for part in clauses.targets.parts if not matching(part, rule, caller).exists()]
    if dead:
        raise RuleRefused(" ".join(nothing_at(part, rule, caller) for part in dead[:3]))
    for action in rule.draft.does("redirect"):
        place = Part("section", action.text)
        if not matching(place, rule, caller).exists():
            raise RuleRefused(nothing_at(place, rule, caller))


def matching(part: Part, rule: Rule, caller: Caller) -> QuerySet[Chunk]:
    """The chunks of a target that the caller may read, in the rule's domains."""
    readable = Section.objects.readable(caller).filter(domain__in=domains_of(rule, caller))
    return Chunk.objects.filter(part.q, section__in=readable)


def domains_of(rule: Rule, caller: Caller) -> QuerySet[Domain]:
    visible = Domain.objects.visible_to(caller)
    return visible.filter(slug__in=rule.domains) if rule.domains else visible


def nothing_at(part: Part, rule: Rule, caller: Caller) -> str:
    told = _("Nothing matches the target “%(kind)s: %(named)s”.") % {"kind": part.kind, "named": part.name}
    near = near_misses(part, rule, caller)
    return f"{told} " + (_("Near to it: %s.") % ", ".join(near) if near else _("Nothing is near to it."))


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
        chunks = Chunk.objects.filter(part.q, section__in=Section.objects.readable(caller))
        if not chunks.filter(private=False).exists():
            named |= set(chunks.order_by().values_list("domain", flat=True).distinct())
    asked_in = {c.values[0] for c in clauses.criteria if c.kind == "domain"}
    return [domain.slug for domain in private if domain.pk in named or domain.slug in asked_in]


def told_undeclared(slugs: list[str]) -> str:
    told = _("It names what is private in “%s”: tick that domain, so that only those who may see it see the rule.")
    return told % "”, “".join(slugs)


def named_parts(clauses: Clauses) -> list[Part]:
    """All that a rule names of the corpus, not its targets alone."""
    cited = [c.values[0] for c in clauses.criteria if c.kind == "citation" and c.values]
    led_to = [action.text for action in clauses.actions if action.kind == "redirect"]
    return [*clauses.targets.parts, *(Part("section", place) for place in (*cited, *led_to))]


def near_misses(part: Part, rule: Rule, caller: Caller) -> list[str]:
    """Names that exist and look like the one that does not."""
    documents = Document.objects.visible_to(caller).filter(domain__in=domains_of(rule, caller))
    if part.kind == "filename":
        return pages_of(documents.filter(filename=part.value), part) or alike(
            part.value, documents.values_list("filename", flat=True)
        )
    if part.kind == "document":
        return pages_of(documents.filter(locator=part.value), part) or alike(
            part.value, documents.values_list("locator", flat=True)
        )
    if part.kind == "tag":
        return alike(part.value, (tag for tags in documents.values_list("tags", flat=True) for tag in tags))
    if part.kind == "metadata":
        return alike_metadata(part, documents)
    if part.kind == "heading":
        return alike_headings(str(part.value), rule, caller)
    if part.kind == "pages":
        return pages_of(documents.order_by("-pages"), part)
    if part.kind == "chunk":
        return []
    return nearest_locators(str(part.value), rule, caller)


def alike(name: str | float, names) -> list[str]:
    known = {known for known in names if known and known != name}
    return get_close_matches(str(name), sorted(known)[:COMPARED], n=NEAR, cutoff=0.4)


def pages_of(documents: QuerySet[Document], part: Part) -> list[str]:
    """Where the document is there but not those pages of it."""
    if not part.pages:
        return []
    lengths = documents.filter(pages__isnull=False).values_list("locator", "pages")
    return [
        _("%(name)s has %(pages)d pages") % {"name": name, "pages": pages} for name, pages in lengths[:NEAR]
    ]


def alike_metadata(part: Part, documents: QuerySet[Document]) -> list[str]:
    kept_values = [
        metadata for metadata in documents.values_list("metadata", flat=True)[:COMPARED] if metadata
    ]
    values = {str(metadata[part.key]) for metadata in kept_values if part.key in metadata}
    if values:
        return alike(part.value, values) or sorted(values)[:NEAR]
    return alike(part.key, {key for metadata in kept_values for key in metadata})


def alike_headings(words: str, rule: Rule, caller: Caller) -> list[str]:
    """Headings that have one of the words."""
    readable = Section.objects.readable(caller).filter(domain__in=domains_of(rule, caller))
    has_one = reduce(or_, (Q(heading__regex=worded(word)) for word in tokens(words)))
    return alike(words, readable.filter(has_one).values_list("heading", flat=True).distinct()[:COMPARED])


def nearest_locators(locator: str, rule: Rule, caller: Caller) -> list[str]:
    """The likest locators under the nearest place above that exists."""
    readable = Section.objects.readable(caller).filter(domain__in=domains_of(rule, caller))
    parts = locator.split("/")
    for length in range(len(parts) - 1, 1, -1):
        place = "/".join(parts[:length])
        names = readable.filter(below("locator", place)).order_by("document", "position")
        if found := list(names.values_list("locator", flat=True)[:COMPARED]):
            return get_close_matches(locator, found, n=NEAR, cutoff=0.0)
    return []
