"""Rules that come with one API call, or are named in it by id; found by the API through `settings.ARF_RULES`."""

from collections.abc import Mapping, Sequence
from typing import Any

from django.core.exceptions import ValidationError

from retrieval.access.caller import Caller
from retrieval.errors import ArfError, NotFound
from rules.authoring import rule_checks
from rules.engine.clauses import INLINE_ACTIONS, MAX_TARGETS, CompiledRule
from rules.models import Rule

MAX_INLINE = 10
MAX_HEADINGS = 3  # targets that are looked for in every heading of the corpus
FIELDS = ("criteria", "targets", "actions", "priority", "domains")
ALWAYS = [{"kind": "always"}]


class BadRule(ArfError):
    """A rule of this call that cannot be applied; the message says which and why."""

    code = "bad_rule"


def given(references: Sequence[int | Mapping[str, Any]], caller: Caller) -> tuple[CompiledRule, ...]:
    """The rules of a call, compiled: ids of published rules, and rules written out. Raises BadRule, NotFound."""
    written = [reference for reference in references if not isinstance(reference, int)]
    if len(written) > MAX_INLINE:
        raise BadRule(f"A call takes at most {MAX_INLINE} rules written out.")
    if sum(map(headings_in, written)) > MAX_HEADINGS:
        raise BadRule(f"The rules written out in a call take at most {MAX_HEADINGS} headings together.")
    stored = published_rules({r for r in references if isinstance(r, int)}, caller)
    inline: list[CompiledRule] = []
    for n, rule in enumerate(written, start=1):
        inline.append(written_rule(n, rule, caller))
        if sum(len(each.clauses.targets.parts) for each in inline) > MAX_TARGETS:  # each is looked for
            raise BadRule(f"The rules written out in a call take at most {MAX_TARGETS} targets together.")
    return (*stored, *inline)


def headings_in(rule: Mapping[str, Any]) -> int:
    """Targets by words of a heading in a rule that may not be well formed."""
    targets = rule.get("targets")
    targets = targets if isinstance(targets, list) else []
    return sum(isinstance(target, Mapping) and target.get("kind") == "heading" for target in targets)


def published_rules(numbers: set[int], caller: Caller) -> list[CompiledRule]:
    """One that is not published, or acts where the caller may not look, is answered as one that does not exist."""
    found = {
        rule.pk: rule.compiled for rule in Rule.objects.published().visible_to(caller).filter(pk__in=numbers)
    }
    if missing := sorted(numbers - set(found)):
        raise NotFound(f"There is no published rule {missing[0]}.")
    return [found[number] for number in sorted(found)]


def written_rule(number: int, fields: Mapping[str, Any], caller: Caller) -> CompiledRule:
    """Held to what a stored rule is held to, and to the actions that put no words on a page."""
    name = f"rule {number} of this call"
    if unknown := sorted(str(field) for field in fields if field not in FIELDS):
        raise BadRule(f"In {name}, “{unknown[0][:60]}” is not known. Known: {', '.join(FIELDS)}.")
    rule = Rule(name=name, **{"criteria": ALWAYS, **fields})
    try:
        rule_checks.check(rule, caller, unique=False, hints=False)
        compiled = rule.draft
    except rule_checks.RuleRefused as problem:
        raise BadRule(f"In {name}: {problem.message}") from problem
    except (ValidationError, TypeError, ValueError) as problem:
        raise BadRule(f"In {name}: the fields are not of the right kind.") from problem
    if forbidden := [a.kind for a in compiled.clauses.actions if a.kind not in INLINE_ACTIONS]:
        raise BadRule(
            f"In {name}: “{forbidden[0]}” belongs to stored rules. Possible: {', '.join(INLINE_ACTIONS)}."
        )
    return numbered(compiled, -number)


def numbered(rule: CompiledRule, number: int) -> CompiledRule:
    return CompiledRule(number, rule.name, 0, rule.priority, rule.domains, rule.clauses)
