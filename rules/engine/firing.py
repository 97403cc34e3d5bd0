"""Which rules a question fires. Pure: the same question on the same day under the same rules fires the same."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import date

from rules.engine.clauses import TEXTUAL, CompiledRule, Criterion
from rules.engine.matching import folded, has_phrase, matches_pattern


@dataclass(frozen=True, slots=True)
class Asked:
    """What criteria look at. `texts` are the question as typed and, where translated, in English, by language."""

    texts: tuple[tuple[str, str], ...]
    language: str
    domains: frozenset[str]
    jurisdictions: frozenset[str]
    citations: tuple[str, ...]  # locators


def fired(
    rules: Iterable[CompiledRule], asked: Asked, day: date, *, keyword_trigger: bool = True
) -> tuple[CompiledRule, ...]:
    """Those in force on the day whose criteria all hold, in the order in which they act.

    Without the keyword trigger, whatever looks at the words of the question holds.
    """
    held = [
        rule
        for rule in rules
        if rule.is_valid_on(day) and concerns(rule, asked) and holds(rule, asked, keyword_trigger)
    ]
    return tuple(sorted(held, key=lambda rule: rule.order))


def concerns(rule: CompiledRule, asked: Asked) -> bool:
    return not rule.domains or not asked.domains.isdisjoint(rule.domains)


def holds(rule: CompiledRule, asked: Asked, keyword_trigger: bool) -> bool:
    return all(
        (not keyword_trigger and criterion.kind in TEXTUAL) or HOLDS[criterion.kind](criterion, asked)
        for criterion in rule.clauses.criteria
    )


def keywords(criterion: Criterion, asked: Asked) -> bool:
    """Any of them in any of the texts."""
    return any(
        has_phrase(text, phrase, stemmed_as=language if criterion.stemmed else "")
        for language, text in asked.texts
        for phrase in criterion.values
    )


def compared(compare: Callable[[str, str], bool]) -> Callable[[Criterion, Asked], bool]:
    def holds(criterion: Criterion, asked: Asked) -> bool:
        return any(compare(folded(text), folded(criterion.values[0])) for _, text in asked.texts)

    return holds


def regex(criterion: Criterion, asked: Asked) -> bool:
    return any(matches_pattern(text, criterion.values[0]) for _, text in asked.texts)


def citation(criterion: Criterion, asked: Asked) -> bool:
    """The place or one inside it is cited; without a place, any citation will do."""
    if not criterion.values:
        return bool(asked.citations)
    (place,) = criterion.values
    return any(cited == place or cited.startswith(f"{place}/") for cited in asked.citations)


HOLDS: Mapping[str, Callable[[Criterion, Asked], bool]] = {
    "always": lambda criterion, asked: True,
    "keywords": keywords,
    "exact": compared(str.__eq__),
    "starts_with": compared(str.startswith),
    "contains": compared(str.__contains__),
    "regex": regex,
    "citation": citation,
    "language": lambda criterion, asked: asked.language == criterion.values[0],
    "domain": lambda criterion, asked: criterion.values[0] in asked.domains,
    "jurisdiction": lambda criterion, asked: criterion.values[0] in asked.jurisdictions,
}
