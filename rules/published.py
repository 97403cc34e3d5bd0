"""What is published now, compiled for matching and kept in memory per version: a new version compiles anew."""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

from retrieval.textnorm import stems
from retrieval.translation import Glossary
from rules.models import Alias, DomainThreshold, GlossaryTerm


@dataclass(frozen=True, slots=True)
class AliasMatch:
    """An alias found in a question. `words` is its length, `shared` how many provisions it names."""

    text: str
    locator: str
    words: int
    shared: int


class AliasTable:
    """Phrases of stems, found on word boundaries in one pass over the question."""

    def __init__(self, rows: list[tuple[str, str, str]]):
        """`rows`: (text, locator, language)."""
        self.phrases: dict[str, dict[tuple[str, ...], list[tuple[str, str]]]] = {}
        for text, locator, language in rows:
            phrase = tuple(stems(text, language))
            by_phrase = self.phrases.setdefault(language, defaultdict(list))
            by_phrase[phrase].append((text, locator))
        self.longest = {
            language: max(map(len, by_phrase), default=0) for language, by_phrase in self.phrases.items()
        }

    def matches(self, text: str, language: str) -> list[AliasMatch]:
        """Every alias in the text; one inside a longer one that matched there is left out."""
        words = stems(text, language)
        by_phrase, longest = self.phrases.get(language, {}), self.longest.get(language, 0)
        found: list[AliasMatch] = []
        covered = 0
        for start in range(len(words)):
            for length in range(min(longest, len(words) - start), 0, -1):
                named = by_phrase.get(tuple(words[start : start + length]))
                if named and start + length > covered:
                    found += [AliasMatch(alias, place, length, len(named)) for alias, place in named]
                    covered = start + length
                    break
        return found


@lru_cache(maxsize=64)
def alias_table(domain_id: int, version: int) -> AliasTable:
    """`version` is that of the aliases: the cache forgets what was published before."""
    enabled = Alias.objects.filter(domain=domain_id, enabled=True)
    return AliasTable(list(enabled.order_by("pk").values_list("text", "locator", "language")))


@lru_cache(maxsize=2)
def glossary(version: int) -> Glossary:
    return Glossary(dict(GlossaryTerm.objects.filter(enabled=True).values_list("spanish", "english")))


@lru_cache(maxsize=2)
def thresholds(version: int) -> Mapping[int, DomainThreshold]:
    """The active thresholds by domain id."""
    return {row.domain_id: row for row in DomainThreshold.objects.filter(active=True)}
