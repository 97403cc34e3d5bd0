"""Rules by the words that fire them, so that a question meets a few of thousands. Pure.

It narrows, `rules.engine.firing` decides: every rule that a question fires is among those near to it, in doubt the
rule is.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from itertools import chain

from rules.engine.clauses import CompiledRule, Criterion
from rules.engine.firing import Asked
from rules.engine.matching import BREAK, folded, words_of

STEMMED = ("en", "es")  # languages in which words have stems; in any other they are compared as written
AS_WRITTEN = ""

Key = tuple[str, str]  # how its words are compared, and a word; of an exact text, "exact" and the text


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
