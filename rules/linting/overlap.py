"""Whether two rules can fire together, shown by a question, and whether one fires whenever another does. Pure.

A question is made of what the rules look for and put to `rules.engine.firing`: what is said to overlap does. For
words, exact texts, beginnings and contained letters some such question fires both whenever any does; patterns are
only tried. Domains are taken one at a time: rules of different domains are not held against each other.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from itertools import islice, product

from retrieval.text.normalization import normalize
from rules.engine.clauses import CompiledRule, Criterion
from rules.engine.firing import Asked, concerns, holds
from rules.engine.matching import folded, has_phrase, is_within, words_of

LANGUAGES = ("en", "es")
ANY_PLACE = "/us/const/amendment/I"  # cited where any citation will do
MAX_QUESTIONS = 400  # tried of one rule; its keywords may be 100, several times over
MAX_JOINED = 40  # of each rule, put together in twos
SYNTAX = re.compile(r"\(\?[a-z]+\)|\\[bBAzdswDSW]|[\\^$()\[\]{}?*+]")
ORDER = {"exact": 0, "starts_with": 1}  # what must stand first in a question


@dataclass(frozen=True, slots=True)
class SampleQuestion:
    text: str
    citations: tuple[str, ...] = ()

    def __add__(self, other: "SampleQuestion") -> "SampleQuestion":
        return SampleQuestion(f"{self.text} {other.text}".strip(), (*self.citations, *other.citations))


@dataclass(frozen=True, slots=True)
class Witness:
    """A question that fires both. `joined`: none was found that is about one of them alone."""

    text: str
    joined: bool = False


def settings_of(jurisdictions: Mapping[str, str]) -> list[tuple[str, str, str]]:
    """(language, domain, jurisdiction): where a question may be asked, one domain at a time."""
    return [(language, slug, place) for language in LANGUAGES for slug, place in jurisdictions.items()]


def asked(question: SampleQuestion, setting: tuple[str, str, str]) -> Asked:
    language, domain, jurisdiction = setting
    return Asked(
        ((language, question.text),),
        language,
        frozenset((domain,)),
        frozenset((jurisdiction,)),
        question.citations,
    )


def fires(rule: CompiledRule, question: SampleQuestion, setting: tuple[str, str, str]) -> bool:
    looked_at = asked(question, setting)
    return concerns(rule, looked_at) and holds(rule, looked_at, True)


def may_be_asked(rule: CompiledRule, setting: tuple[str, str, str]) -> bool:
    """Whether all but the words of the question holds."""
    looked_at = asked(SampleQuestion(""), setting)
    return concerns(rule, looked_at) and holds(rule, looked_at, False)


def common_settings(rules: Iterable[CompiledRule], jurisdictions: Mapping[str, str]) -> list:
    return [
        setting
        for setting in settings_of(jurisdictions)
        if all(may_be_asked(rule, setting) for rule in rules)
    ]


def share_a_day(one: CompiledRule, other: CompiledRule, today: date) -> bool:
    first = max(rule.valid_from or today for rule in (one, other))
    last = min(rule.valid_to or date.max for rule in (one, other))
    return max(first, today) <= last


def witness(one: CompiledRule, other: CompiledRule, jurisdictions: Mapping[str, str]) -> Witness | None:
    """A question that fires both; one about a single rule's words, if there is such a one."""
    alone = [*questions(one), *questions(other)]
    pairs = product(islice(questions(one), MAX_JOINED), islice(questions(other), MAX_JOINED))
    joined = [question for a, b in pairs for question in (a + b, b + a)]
    for setting in common_settings((one, other), jurisdictions):
        for question in (*alone, *joined):
            if fires(one, question, setting) and fires(other, question, setting):
                return Witness(shown(question), question not in alone)
    return None


def shown(question: SampleQuestion) -> str:
    return question.text or " ".join(question.citations)


def questions(rule: CompiledRule) -> Iterator[SampleQuestion]:
    """The shortest questions that meet what a rule looks for in words; some may still not fire it."""
    criteria = sorted(rule.clauses.criteria, key=lambda criterion: ORDER.get(criterion.kind, 2))
    choices = [pieces(criterion) for criterion in criteria if pieces(criterion)]
    for several in islice(product(*choices), MAX_QUESTIONS):
        yield sum_of(dict.fromkeys(several))


def sum_of(several: Iterable[SampleQuestion]) -> SampleQuestion:
    """Together, without what is said already."""
    whole = SampleQuestion("")
    for question in several:
        said = bool(question.text) and folded(question.text) in folded(whole.text)
        whole += SampleQuestion("", question.citations) if said else question
    return whole


def pieces(criterion: Criterion) -> list[SampleQuestion]:
    if criterion.kind == "citation":
        return [SampleQuestion("", criterion.values or (ANY_PLACE,))]
    if criterion.kind == "regex":
        return [SampleQuestion(text) for text in attempts(criterion.values[0])]
    if criterion.kind in ("keywords", "exact", "starts_with", "contains"):
        return [SampleQuestion(value) for value in criterion.values]
    return []


def attempts(pattern: str) -> list[str]:
    """Texts that a pattern may well match: its alternatives without the signs of the syntax."""
    bare = (normalize(SYNTAX.sub("", piece)) for piece in (pattern, *pattern.split("|")))
    return [text for text in dict.fromkeys(bare) if text]


# -- Whenever one fires, so does the other


def implies(narrow: CompiledRule, wide: CompiledRule, today: date) -> bool:
    """Whether `wide` fires whenever `narrow` does, as far as their criteria show; in doubt, no."""
    return (
        (not wide.domains or (bool(narrow.domains) and set(narrow.domains) <= set(wide.domains)))
        and (wide.valid_from is None or wide.valid_from <= max(narrow.valid_from or today, today))
        and (wide.valid_to is None or (narrow.valid_to is not None and narrow.valid_to <= wide.valid_to))
        and all(is_implied(criterion, narrow) for criterion in wide.clauses.criteria)
    )


def is_implied(wide: Criterion, by: CompiledRule) -> bool:
    return wide.kind == "always" or any(follows(narrow, wide) for narrow in by.clauses.criteria)


def follows(narrow: Criterion, wide: Criterion) -> bool:
    if narrow == wide:
        return True
    if wide.kind == "keywords":
        return keyword_follows(narrow, wide)
    if wide.kind == "citation" and narrow.kind == "citation":
        return not wide.values or (
            bool(narrow.values) and f"{narrow.values[0]}/".startswith(f"{wide.values[0]}/")
        )
    if wide.kind == "contains" and narrow.kind in ("exact", "starts_with", "contains"):
        return folded(wide.values[0]) in folded(narrow.values[0])
    if wide.kind == "starts_with" and narrow.kind in ("exact", "starts_with"):
        return folded(narrow.values[0]).startswith(folded(wide.values[0]))
    return narrow.kind == wide.kind == "exact" and folded(narrow.values[0]) == folded(wide.values[0])


def keyword_follows(narrow: Criterion, wide: Criterion) -> bool:
    if narrow.kind == "exact":
        return any(has_phrase(narrow.values[0], phrase) for phrase in wide.values)
    if narrow.kind != "keywords" or (narrow.stemmed and not wide.stemmed):
        return False
    return all(
        any(phrase_follows(longer, phrase, wide) for phrase in wide.values) for longer in narrow.values
    )


def phrase_follows(longer: str, phrase: str, wide: Criterion) -> bool:
    """Whether a text with the longer phrase has this one, however compounds are written, in any language."""
    stemmings = ("", *LANGUAGES) if wide.stemmed else ("",)
    both = ((words_of(longer, language), words_of(phrase, language)) for language in stemmings)
    return all(
        is_within(inner.apart, outer.apart) and is_within(inner.together, outer.together)
        for outer, inner in both
    )
