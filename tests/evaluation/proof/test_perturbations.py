import json
import lzma
from collections import Counter
from functools import cache
from itertools import islice
from random import Random

import pytest

from evaluation.proof.pairs import provisions
from evaluation.proof.perturbations import MAKERS, perturbed
from retrieval.proof.alignment import clauses
from retrieval.proof.types import Source
from retrieval.proof.verify import verify

TEXT = (
    "Except in time of war, the Secretary shall not later than 30 days after January 3, 2001, send the President a "
    "report under section 210, unless the court extends the time."
)


@pytest.mark.parametrize(
    "kind, text",
    [(kind, TEXT) for kind in MAKERS if kind != "modal"] + [("modal", "The Secretary shall send a report.")],
)
def test_each_kind_changes_one_place(kind, text):
    changed = MAKERS[kind](text, Random(1))
    assert changed and changed != text


@pytest.mark.parametrize("kind", MAKERS)
def test_what_has_nothing_of_its_kind_is_left_out(kind):
    assert MAKERS[kind]("Words alone.", Random(1)) is None


def test_the_same_seed_gives_the_same():
    law = list(provisions().values())
    assert list(perturbed(law, each=3, seed=5)) == list(perturbed(law, each=3, seed=5))


def sections(path, count, least=200, most=6000):
    """Of the first so many, of all for None, those of some length, at random."""
    with lzma.open(path, "rt", encoding="utf-8") as lines:
        rows = [json.loads(line) for line in islice(lines, count)]
    Random(2).shuffle(rows)
    return [Source(r["locator"], r["citation"], r["text"]) for r in rows if least < len(r["text"]) < most]


def verdicts(text, sources, read):
    return {claim.verdict for claim in verify(text, sources, language="en", read=read)} - {"not_a_claim"}


@pytest.mark.measuring_data
@pytest.mark.slow
@pytest.mark.parametrize(("each", "count"), [(20, 10_000), pytest.param(100, None, marks=pytest.mark.full)])
def test_changed_law_is_noticed_and_the_laws_own_words_are_not(measuring_data, each, count):
    """So many sentences of the US Code of each of eight kinds, which the model has not seen, each beside two other
    sections. Each section is read once, though two claims are verified of it.
    """
    read, law = cache(clauses), sections(measuring_data / "uscode/sections-2016.jsonl.xz", count)
    every = list(perturbed(law, each=each, seed=2))
    missed, flagged = Counter(), 0
    for place, changed in enumerate(every):
        sources = (changed.source, law[place], law[-place - 1])
        missed[changed.kind] += not verdicts(changed.claim, sources, read) - {"supported"}
        flagged += verdicts(changed.original, sources, read) != {"supported"}
    assert Counter(c.kind for c in every) == dict.fromkeys(MAKERS, each)
    assert {kind: n for kind, n in missed.items() if n > each / 20} == {}
    assert flagged <= 0.05 * len(every)
