from functools import cache

import pytest

from evaluation.proof.pairs import made, provisions, said_alike, set_aside, written
from retrieval.proof.alignment import clauses
from retrieval.proof.verify import verify


@pytest.fixture(scope="module")
def law():
    return provisions()


def test_every_provision_of_the_constitution_is_there(law):
    assert len(law) == 135
    assert law["/us/const/article/I/section/8/clause/7"].text.startswith(
        "The Congress shall have Power To establish"
    )


def test_what_we_wrote_names_provisions_and_is_written_once(law):
    pairs = list(written(law))
    assert len(pairs) >= 300 and len({(p.claim, p.group) for p in pairs}) == len(pairs)
    assert {p.language for p in pairs} == {"en", "es"}
    assert all(bool(p.kind) == (p.label == "contradicted") for p in pairs)
    assert all(p.sources[0].locator == p.group for p in pairs)


def test_made_pairs_are_of_all_labels(law):
    pairs = list(made(law, each=2))
    assert {p.label for p in pairs} == {"supported", "contradicted", "not_found"}
    assert not any(said_alike(s.locator, p.group) for p in pairs if p.kind == "elsewhere" for s in p.sources)


def test_parts_of_one_section_are_alike():
    one = "/us/const/article/I/section/8/clause"
    assert said_alike(f"{one}/3", f"{one}/4") and not said_alike(f"{one}/3", "/us/const/amendment/I")


def test_what_is_set_aside_is_not_learned_from(law):
    kept = list(set_aside(law))
    assert len(kept) == 146 and {p.label for p in kept} == {"supported", "contradicted"}
    assert not {p.claim for p in kept} & {p.claim for p in written(law)}


def test_of_what_is_set_aside_most_is_judged_right(law):
    """The share that is shipped: a change that loses much of it is no improvement."""
    read = cache(clauses)
    judged = [(p.label, verify(p.claim, p.sources, language="en", read=read)[0].verdict) for p in set_aside(law)]
    passed = [label for label, verdict in judged if verdict == "supported"]
    assert passed.count("supported") >= 0.75 * len(judged) / 2
    assert passed.count("contradicted") <= 0.25 * len(judged) / 2
