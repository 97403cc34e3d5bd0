"""Whether searches could apply a rule: it is well formed and what it names exists."""

from django.core.exceptions import ValidationError
from django.utils.translation import gettext as _

from retrieval.access.caller import Caller
from retrieval.corpus.filters import in_part
from retrieval.errors import ArfError
from retrieval.models import Chunk, Domain, Section
from retrieval.targets import Part
from rules.authoring.similar_names import Scope, similar_names
from rules.engine.clauses import Clauses
from rules.models import Rule

MOST_MISSING = 3  # targets named in one message


class RuleRefused(ArfError):
    """A step that a rule cannot take; the message says why."""

    status = 409
    code = "rule_refused"


def check(rule: Rule, caller: Caller, *, unique: bool = True) -> None:
    """Raises RuleRefused for a rule that no search could apply, or that names a part of the corpus where nothing is;
    then with what is nearest.
    """
    try:
        rule.full_clean(
            exclude={"criteria", "actions"}, validate_unique=unique
        )  # read as a whole by its `clean`
    except ValidationError as problem:
        raise RuleRefused(" ".join(problem.messages)) from problem
    scope = Scope.of(rule.domains, caller)
    if hidden := set(rule.domains) - set(scope.domains.values_list("slug", flat=True)):
        raise RuleRefused(_("There is no domain “%s”.") % sorted(hidden)[0])
    redirects = [Part("section", action.text) for action in rule.draft.does("redirect")]
    for parts in (rule.draft.clauses.targets.parts, redirects):
        if missing := [part for part in parts if not scope.chunks(part).exists()]:
            raise RuleRefused(" ".join(missing_message(part, scope) for part in missing[:MOST_MISSING]))


def missing_message(part: Part, scope: Scope) -> str:
    message = _("Nothing matches the target “%(kind)s: %(named)s”.") % {"kind": part.kind, "named": part.name}
    near = similar_names(part, scope)
    return f"{message} " + (_("Near to it: %s.") % ", ".join(near) if near else _("Nothing is near to it."))


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
        chunks = Chunk.objects.filter(in_part(part), section__in=Section.objects.readable(caller))
        if not chunks.filter(private=False).exists():
            named |= set(chunks.order_by().values_list("domain", flat=True).distinct())
    asked_in = {c.values[0] for c in clauses.criteria if c.kind == "domain"}
    return [domain.slug for domain in private if domain.pk in named or domain.slug in asked_in]


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
