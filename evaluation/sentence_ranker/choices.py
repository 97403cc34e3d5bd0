"""What the sentence ranker learns from: curated names that point to a sentence of their provision, each with that
sentence and others of the provision that look most like its answer. No judged question is among them, nor a name that
is nearly one which is kept for measuring.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

import numpy as np
from django.db.models.functions import Length

from evaluation.topics.leaks import leaks
from evaluation.topics.library import topics_of
from retrieval.access.caller import ANONYMOUS
from retrieval.answers.selection import Passage, Pool, features, framed, read, shipped_weights, weighed
from retrieval.answers.units import key_of
from retrieval.models import Domain, Section
from rules.models import Alias

OF_ONE = 3  # names of a provision at most
LONGEST = 40_000  # characters of a provision
HARDEST, HARD = 3, 10  # the units whose words fit best: two are drawn from the first and one from the others of these
OTHERS = 3
SEED = 0


@dataclass(frozen=True, slots=True)
class Choice:
    """`texts`: the sentence that answers first, then others of its provision."""

    question: str
    texts: tuple[str, ...]


def gathered(*, show: Callable = iter) -> list[Choice]:
    """Of the public law that is loaded; the same law and names give the same."""
    chance = np.random.default_rng(SEED)
    names = names_by_place()
    found = [
        choice
        for section in show(provisions(names))
        for choice in of_section(section, names[section.domain_id, section.locator], chance)
    ]
    kept = [topic.query for split in ("tune", "test") for topic in topics_of(split=split)]
    near = {leak.learned for leak in leaks([choice.question for choice in found], kept)}
    shuffled = (found[n] for n in chance.permutation(len(found)))
    return [choice for choice in shuffled if choice.question not in near]


def names_by_place() -> dict[tuple[int, str], list[tuple[str, str]]]:
    """By domain and locator, the English names that point to a sentence, each with how it begins."""
    public = Domain.objects.visible_to(ANONYMOUS)
    pointing = Alias.objects.in_use().filter(domain__in=public, language="en").exclude(sentence="").order_by("pk")
    found: dict[tuple[int, str], list[tuple[str, str]]] = defaultdict(list)
    for domain, locator, *name in pointing.values_list("domain", "locator", "text", "sentence"):
        found[domain, locator].append(tuple(name))
    return found


def provisions(named: Iterable[tuple[int, str]]) -> Iterator[Section]:
    """Those in force, in order of their places."""
    places = {*named}
    readable = Section.objects.readable(ANONYMOUS).filter(locator__in={locator for _, locator in places})
    short = readable.annotate(length=Length("text")).filter(length__range=(1, LONGEST), document__language="en")
    for one in short.only("domain_id", "locator", "text").order_by("locator", "pk").iterator(chunk_size=500):
        if (one.domain_id, one.locator) in places:
            yield one


def of_section(
    section: Section, names: list[tuple[str, str]], chance: np.random.Generator
) -> Iterator[Choice]:
    passage = Passage(section.pk, section.locator, "", section.text, 1, 1.0, "en", (0, 0))
    pool = [(passage, one) for one in read(passage)]
    for n in chance.permutation(len(names))[:OF_ONE] if len(pool) > OTHERS else ():
        question, sentence = names[n]
        right = [place for place, (_, one) in enumerate(pool) if one.key == key_of(sentence)]
        others = drawn(likeliest(question, pool, right), chance)
        if right and len(others) == OTHERS:
            yield Choice(question, tuple(framed(*pool[place]) for place in (right[0], *others)))


def likeliest(question: str, pool: Pool, right: list[int]) -> list[int]:
    """The places of the other units, by their words alone."""
    totals = weighed(features(question, question, pool), shipped_weights()["features"])
    return [n for n in np.argsort(-np.array(totals), kind="stable").tolist() if n not in right]


def drawn(places: list[int], chance: np.random.Generator) -> list[int]:
    hardest, hard = places[:HARDEST], places[HARDEST:HARD]
    few = len(hard) == 0
    first = chance.permutation(len(hardest))[: OTHERS if few else OTHERS - 1]
    others = [hardest[n] for n in first]
    return others if few else [*others, hard[chance.integers(len(hard))]]
