"""Chunking: what must always hold, and where it cuts."""

import hashlib
import re
from itertools import pairwise

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from retrieval.ingestion.chunking import chunk, chunk_context


def embed(texts):
    """Unit vectors that depend on each text alone."""
    seeds = [int.from_bytes(hashlib.sha256(text.encode("utf-8", "replace")).digest()[:4]) for text in texts]
    vectors = np.stack([np.random.default_rng(seed).normal(size=8) for seed in seeds])
    return (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float32)


def by_topic(texts):
    """Sentences that begin alike point alike."""
    return np.stack([np.eye(26, dtype=np.float32)[ord(text[0].lower()) - 97] for text in texts])


def words(text):
    return len(re.findall(r"\S+", text))


def two_a_character(text):
    return 2 * len(text)


texts = st.lists(
    st.sampled_from(
        ["The court may act. ", "Power;\n", "a, b; and c ", "(a)(15)(F) ", "x" * 30, "\n", "¿Qué? "]
    )
    | st.text(max_size=12),
    max_size=60,
).map("".join)
counters = st.sampled_from([words, len, two_a_character])
limits = st.tuples(st.integers(2, 40), st.integers(0, 20))


def chunked(text, count, limits, embed=embed):
    return chunk(text, embed=embed, count_tokens=count, max_tokens=limits[0], min_tokens=limits[1])


@given(texts, counters, limits)
def test_the_chunks_are_the_text_in_order(text, count, limits):
    spans = chunked(text, count, limits)
    assert "".join(text[span.start : span.end] for span in spans) == text
    assert all(before.end == after.start for before, after in pairwise(spans))
    assert all(span.start < span.end for span in spans)


@given(texts, counters, limits)
def test_no_chunk_exceeds_the_maximum(text, count, limits):
    for span in chunked(text, count, limits):
        assert span.tokens == count(text[span.start : span.end])
        assert span.tokens <= limits[0] or span.end - span.start == 1


@given(texts, counters, limits)
def test_no_small_chunk_stays_beside_one_it_fits_with(text, count, limits):
    most, least = limits
    for before, after in pairwise(chunked(text, count, limits)):
        if min(before.tokens, after.tokens) < least:
            assert count(text[before.start : after.end]) > most


@given(texts, counters, limits)
def test_the_same_text_gives_the_same_chunks(text, count, limits):
    assert chunked(text, count, limits) == chunked(text, count, limits)


@settings(max_examples=20)
@given(st.characters(), st.integers(2, 5))
def test_a_character_too_dear_for_any_chunk_stands_alone(character, repeats):
    spans = chunked(character * repeats, two_a_character, (1, 1))
    assert [(span.start, span.end) for span in spans] == [(n, n + 1) for n in range(repeats)]


def test_a_text_that_fits_is_one_chunk_and_nothing_is_embedded():
    def refuse(texts):
        raise AssertionError("embedded for nothing")

    spans = chunked("One rule. Another rule.", words, (4, 1), embed=refuse)
    assert [(span.start, span.end, span.tokens) for span in spans] == [(0, 23, 4)]
    assert chunked("", words, (4, 1), embed=refuse) == []


def test_it_cuts_where_the_subject_changes():
    text = "Apples are red. Apples are sweet. Apples fall. Zebras run. Zebras are striped. Zebras eat grass."
    spans = chunked(text, words, (12, 2), embed=by_topic)
    assert [text[span.start : span.end] for span in spans] == [
        text[: text.index("Zebras run")],
        text[text.index("Zebras run") :],
    ]


def test_law_with_divisions_of_its_own_is_cut_at_the_highest_and_nothing_is_embedded():
    law = (
        "(a) In general\nAn officer may act.\n(1) at a port;\n(2) at sea; or\n(i) on a ship.\n"
        "(b) Limits\nNo officer may act alone.\n(1) by night;\n(2) by day.\n"
    )
    spans = chunked(law, words, (24, 4), embed=None)
    assert [law[span.start : span.end][:3] for span in spans] == ["(a)", "(b)"]


def test_a_letter_that_is_a_roman_number_too_is_told_by_what_came_before():
    lines = ["(h) One two three four.\n", "(i) One two three four.\n", "(1) One two.\n", "(i) One two.\n"]
    law = "".join(lines)
    spans = chunked(law, words, (15, 2), embed=None)
    assert [law[span.start : span.end] for span in spans] == [lines[0], "".join(lines[1:])]


def test_a_heading_stays_with_what_it_heads():
    text = "Apples are red. Apples are sweet.\nYaks and zebras\nZebras run. Zebras eat grass."
    spans = chunked(text, words, (9, 2), embed=by_topic)
    assert [text[span.start : span.end].split()[0] for span in spans] == ["Apples", "Yaks"]


def test_one_subject_is_cut_evenly_and_only_for_length():
    text = "Apples are red. " * 20
    spans = chunked(text, words, (20, 5), embed=by_topic)
    assert len(spans) == 4 and {span.tokens for span in spans} == {15}


def test_a_sentence_too_long_is_cut_at_its_clauses_then_at_blanks_then_hard():
    clauses = "to lay and collect taxes; to borrow money on credit"
    assert [clauses[s.start : s.end] for s in chunked(clauses, words, (6, 1))] == [
        "to lay and collect taxes; ",
        "to borrow money on credit",
    ]
    assert all(clauses[s.end - 1] in " t" for s in chunked(clauses, words, (2, 1)))
    assert len(chunked("x" * 100, len, (30, 1))) == 4


def test_embedding_happens_once_and_reads_no_blank_edges():
    calls = []

    def noting(texts):
        calls.append(texts)
        return embed(texts)

    chunked("One rule.  \n\nAnother rule. Third rule.", words, (3, 1), embed=noting)
    assert calls == [["One rule.", "Another rule.", "Third rule."]]


def test_context_tells_the_way_the_heading_and_the_plain_names_once():
    assert chunk_context(
        ["Constitution of the United States", "Constitution of the United States", "Article I", ""],
        "Legislative power",
        ["Who makes federal laws", "Quién hace las leyes"],
    ) == (
        "Constitution of the United States > Article I\n"
        "Legislative power: Who makes federal laws; Quién hace las leyes"
    )
    assert chunk_context(["Title 8", "Part II"], "Asylum", []) == "Title 8 > Part II\nAsylum"
    assert chunk_context(["Manual"], "", []) == "Manual"
