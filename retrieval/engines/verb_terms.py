"""Glossary entries that begin with an infinitive, found in every form of their verb and with any pronoun.

"registrar" is found in "me registraron", "pueden registrarnos" and "me quieren registrar". An entry with "-me" needs an
object, which may be anyone's: "correrme, fire me" is found in "los corrieron", not in "corrieron". One with "-se" needs
"se". Pronouns are read behind infinitives and gerunds alone: "mentales" and "legales" are no verbs. No Django.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from retrieval.text.english_verbs import did_not, inflected, of_person, with_object
from retrieval.text.spanish_verbs import (
    ARTICLES,
    BEFORE,
    HELPING,
    INFINITIVE,
    LINKING,
    NOUNS,
    TRANSLATED,
    Form,
    conjugated,
    with_pronouns,
)

BEFORE_VERBS = frozenset({"yo", "quien"})
NO_OBJECTS = ARTICLES | {"se"}
PREPOSITIONS = frozenset({"por", "sin"})  # that English has its -ing behind


@dataclass(frozen=True)
class Words:
    """A text's words, folded; which of them end in an accented vowel, and which only blanks part from the next."""

    folded: Sequence[str]
    stressed: Sequence[bool]
    joined: Sequence[bool]


Span = tuple[int, int, str]  # words from, to, and their English
Reading = tuple[str, Form, bool, tuple[str, ...]]  # a verb, its form, whether it surely is one, pronouns behind


class VerbTerms:
    def __init__(self, entries: Mapping[tuple[str, ...], str]):
        self._rests: dict[str, dict[tuple[str, ...], dict[str, str]]] = {}
        for (first, *rest), english in entries.items():
            if (found := INFINITIVE.fullmatch(first)) and found["verb"] not in NOUNS:
                kinds = self._rests.setdefault(found["verb"], {}).setdefault(tuple(rest), {})
                kinds[found["pronoun"] or ""] = english
        self._forms: dict[str, dict[str, tuple[Form, bool]]] = {}
        for verb in self._rests:
            for word, form, sure in conjugated(verb):
                self._forms.setdefault(word, {}).setdefault(verb, (form, sure))

    def has(self, key: tuple[str, ...]) -> bool:
        """Whether a term begins with a verb."""
        found = INFINITIVE.fullmatch(key[0])
        return found is not None and found["verb"] in self._rests

    def __contains__(self, word: str) -> bool:
        return any(True for _ in self._readings(word))

    def longest(self, words: Words, start: int) -> tuple[int, list[Span]]:
        """How many words from the `start` on belong to a term, and what is put for which of them; 0 for none."""
        denied = words.folded[start] == "no" and words.joined[start]
        first = at = start + denied
        while at < first + 2 and at + 1 < len(words.folded) and _is_pronoun(words, at):
            at += 1
        before = tuple(words.folded[first:at])
        behind = _behind_helping(words, at) if before else None
        if behind is not None and (found := self._at(words, behind, before, helped=True)):
            return found[0] - start, [(first, at, ""), (behind, *found)]
        if found := self._at(words, at, before, denied=denied):
            return found[0] - start, [(start, *found)]
        return 0, []

    def _at(
        self, words: Words, at: int, before: tuple[str, ...], *, denied: bool = False, helped: bool = False
    ) -> tuple[int, str] | None:
        """Where the longest term of a verb ends, and its English."""
        best: tuple[int, str] | None = None
        word = words.folded[at]
        for verb, form, sure, behind in self._readings(word):
            infinitive = word == verb + "".join(behind)
            nonfinite = infinitive or form is Form.DOING
            if before and (nonfinite != helped or behind):
                continue
            if form is Form.DONE and before:
                continue
            if form is not Form.DONE:
                sure = sure or denied or words.stressed[at] or bool(set(before) - ARTICLES)
                sure = sure or (at > 0 and words.folded[at - 1] in BEFORE_VERBS)
            if infinitive and at > denied and words.folded[at - 1 - denied] in PREPOSITIONS:
                form = Form.DOING
            if verb.endswith("ar") and word[-1] in "eo" and not nonfinite and form is not Form.DONE:  # "registré"
                form = Form.PAST if words.stressed[at] else Form.PLAIN
            objects = bool(set(before) - NO_OBJECTS or set(behind) - {"se"})
            for rest, kinds in self._rests[verb].items():
                end = at + 1 + len(rest)
                fits = tuple(words.folded[at + 1 : end]) == rest and all(words.joined[at : end - 1])
                if not rest and verb in TRANSLATED and word != verb and not objects:
                    fits = fits and "se" in kinds and "se" in before + behind
                if not fits or not (sure or rest) or (best is not None and end <= best[0]):
                    continue
                if english := _english(kinds, form, before + behind, denied=denied, finite=not nonfinite):
                    best = end, english
        return best

    def _readings(self, word: str) -> Iterator[Reading]:
        for verb, (form, sure) in self._forms.get(word, {}).items():
            yield verb, form, sure, ()
        for stem, behind in with_pronouns(word):
            for verb, (form, _) in self._forms.get(stem, {}).items():
                if form is Form.DOING or stem == verb:
                    yield verb, form, True, behind


def _is_pronoun(words: Words, at: int) -> bool:
    """Not "sé", and only right before the next word."""
    return words.folded[at] in BEFORE and words.joined[at] and not (words.stressed[at] and words.folded[at] == "se")


def _behind_helping(words: Words, at: int) -> int | None:
    """Where the verb may stand whose pronoun is before "quieren", "van a", "tienen que"."""
    if at + 1 >= len(words.folded) or words.folded[at] not in HELPING or not words.joined[at]:
        return None
    linked = words.folded[at + 1] in LINKING and at + 2 < len(words.folded) and words.joined[at + 1]
    return at + 1 + linked


def _english(
    kinds: Mapping[str, str], form: Form, pronouns: Sequence[str], *, denied: bool, finite: bool
) -> str | None:
    objects = [pronoun for pronoun in pronouns if pronoun != "se"]
    if "me" in kinds and objects:
        english = of_person(kinds["me"], objects[0])
    elif "se" in kinds and "se" in pronouns:
        english = with_object(kinds["se"], objects[0]) if objects else kinds["se"]
    elif "" in kinds:
        english = with_object(kinds[""], objects[0]) if objects else kinds[""]
    else:
        return None
    if denied:
        return did_not(english, form, finite=finite)
    return inflected(english, form)
