"""Which rules a question fires, and an index of rules by the words that fire them. Pure: the same question on the same
day under the same rules fires the same.

The index narrows, so that a question meets a few of thousands, and the criteria decide: every rule that a question
fires is among those near to it, in doubt the rule is.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from itertools import chain

from retrieval.text.capitals import may_mean
from rules.engine.clauses import TEXTUAL, CompiledRule, Criterion
from rules.engine.matching import BREAK, folded, has_phrase, matches_pattern, words_of

STEMMED = ("en", "es")  # languages in which words have stems; in any other they are compared as written
AS_WRITTEN = ""
LIKELY = 0.5  # a body of law that is less probable than all others together is not what a question is about

Key = tuple[str, str]  # how its words are compared, and a word; of an exact text, "exact" and the text


@dataclass(frozen=True, slots=True)
class Asked:
    """What criteria look at. `texts` are the question as typed and, where translated, in English, by language; `shares`
    works out how probable it is that the question is about each body of law, by slug: only where a rule asks for it.
    """

    texts: tuple[tuple[str, str], ...]
    language: str
    domains: frozenset[str]
    jurisdictions: frozenset[str]
    citations: tuple[str, ...]  # locators
    shares: Callable[[], Mapping[str, float]] = dict


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
    """What takes long to find out is asked last."""
    return all(
        (not keyword_trigger and criterion.kind in TEXTUAL) or HOLDS[criterion.kind](criterion, asked)
        for criterion in sorted(rule.clauses.criteria, key=asks_for_route)
    )


def asks_for_route(criterion: Criterion) -> bool:
    return criterion.kind == "route"


def keywords(criterion: Criterion, asked: Asked) -> bool:
    """Any of them in any of the texts; in capitals, too, where it would be a common word in small letters."""
    return any(
        has_phrase(text, phrase, stemmed_as=language if criterion.stemmed else "") and may_mean(text, phrase, language)
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


def route(criterion: Criterion, asked: Asked) -> bool:
    return asked.shares().get(criterion.values[0], 0.0) >= LIKELY


HOLDS: Mapping[str, Callable[[Criterion, Asked], bool]] = {
    "always": lambda criterion, asked: True,
    "keywords": keywords,
    "exact": compared(str.__eq__),
    "starts_with": compared(str.startswith),
    "contains": compared(str.__contains__),
    "regex": regex,
    "citation": citation,
    "route": route,
    "language": lambda criterion, asked: asked.language == criterion.values[0],
    "domain": lambda criterion, asked: criterion.values[0] in asked.domains,
    "jurisdiction": lambda criterion, asked: criterion.values[0] in asked.jurisdictions,
}


# -- The index


class RuleIndex:
    """`rules` in the order in which they act. One that no word is needed for is near to every question."""

    def __init__(self, rules: Iterable[CompiledRule]):
        self.rules = tuple(sorted(rules, key=lambda rule: rule.order))
        needed = [needed_by(rule) for rule in self.rules]
        shared = Counter(chain.from_iterable(chain.from_iterable(needed)))
        self.near_all: list[int] = []
        self.places: dict[Key, list[int]] = defaultdict(list)
        for place, phrases in enumerate(needed):
            if not phrases:
                self.near_all.append(place)
            for key in {min(keys, key=lambda key: (shared[key], key)) for keys in phrases}:
                self.places[key].append(place)

    def __len__(self) -> int:
        return len(self.rules)

    def __iter__(self) -> Iterator[CompiledRule]:
        return iter(self.rules)

    def near(self, asked: Asked) -> list[CompiledRule]:
        """Those that the question's words may fire, in the order in which they act."""
        found = {place for key in keys_of(asked) for place in self.places.get(key, ())}
        return [self.rules[place] for place in sorted(found.union(self.near_all))]


def needed_by(rule: CompiledRule) -> list[list[Key]]:
    """One list a phrase: without a key of one of them, the rule cannot fire. Empty where no words are needed."""
    for criterion in rule.clauses.criteria:
        if criterion.kind == "exact":
            return [[("exact", folded(criterion.values[0]))]]
        if criterion.kind == "keywords" and all(phrases := list(phrases_of(criterion))):
            return phrases
    return []


def phrases_of(criterion: Criterion) -> Iterator[list[Key]]:
    """The words of every keyword, in each way in which they may be compared; all of a list are in any text that holds
    the phrase in that way.
    """
    for how in (*STEMMED, AS_WRITTEN) if criterion.stemmed else (AS_WRITTEN,):
        for value in criterion.values:
            words = words_of(value, how)
            yield [(how, word) for word in words.apart if word != BREAK]
            yield [(how, word) for word in words.together if word != BREAK]


def keys_of(asked: Asked) -> set[Key]:
    keys: set[Key] = set()
    for language, text in asked.texts:
        keys.add(("exact", folded(text)))
        for how in {AS_WRITTEN, language} & {AS_WRITTEN, *STEMMED}:
            words = words_of(text, how)
            keys.update((how, word) for word in (*words.apart, *words.together))
    return keys
