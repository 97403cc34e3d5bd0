"""A claim and a passage read together by the model that ships."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrieval.engines.cross_encoders import CrossEncoder, CrossEncoderUnavailable
from retrieval.proof import entailment
from retrieval.proof.entailment import AROUND, LEAST, of_logits, passage
from retrieval.proof.model import VERDICTS, Model
from retrieval.proof.types import Source
from retrieval.proof.verify import READ_WHOLE, verify

LAW = "The owner shall keep the records of every sale for three years and show them to an inspector who asks."
SALES = Source("/x", "x", LAW)


@given(st.text(alphabet="ab c\n", max_size=1500), st.integers(0, 1500), st.integers(0, 1500))
def test_what_is_read_holds_the_place_in_whole_words_and_little_more(text, one, other):
    start, end = sorted((min(one, len(text)), min(other, len(text))))
    read = passage(text, start, end)
    assert text[start:end].strip() in read and read in text
    assert set(read.split()) <= set(text.split())
    longest = max(map(len, text.split()), default=0)
    assert len(read) <= max(AROUND, end - start) + 2 * longest


def test_a_reading_has_the_log_probability_of_each_verdict():
    read = of_logits(np.array([3.0, 1.0, -40.0]))
    assert len(read) == len(VERDICTS)
    assert read[0] > read[1] > read[2] == -1.0
    assert np.exp(-LEAST * np.array(read)).sum() == pytest.approx(1.0, abs=0.01)


@pytest.mark.parametrize(
    ("said", "verdict"),
    [
        ("Whoever owns the place has to hold on to what shows its sales for three years.", "supported"),
        ("The owner need not show the records of sales to an inspector.", "contradicted"),
        ("The owner must send a copy of the records to the Treasury by mail.", "not_found"),
    ],
)
def test_what_ships_tells_what_a_passage_says_of_a_claim(said, verdict):
    reading = entailment.reading(said, LAW)
    assert VERDICTS[int(np.argmax(reading))] == verdict


def test_spanish_is_not_read(monkeypatch):
    monkeypatch.setattr(entailment, "model", lambda: pytest.fail("read"))
    (claim,) = verify("El dueño debe guardar los registros de cada venta.", [SALES], language="es")
    assert claim.verdict in VERDICTS


def test_what_is_too_long_to_be_read_to_its_end_is_not_read(monkeypatch):
    monkeypatch.setattr(entailment, "model", lambda: pytest.fail("read"))
    said = f"The owner keeps the records of {', '.join(f'sale {n}' for n in range(READ_WHOLE))}."
    assert verify(said, [SALES], language="en")


def test_what_cannot_be_read_is_not_judged(monkeypatch, tmp_path):
    monkeypatch.setattr(entailment, "model", lambda: CrossEncoder(tmp_path))
    with pytest.raises(CrossEncoderUnavailable):
        verify("The owner keeps records.", [SALES], language="en")


def test_what_is_likeliest_supported_but_less_likely_than_not_is_told_with_what_is_left(monkeypatch):
    shares = {"supported": 0.45, "contradicted": 0.2, "not_found": 0.35}
    monkeypatch.setattr(Model, "probabilities", lambda model, values: shares)
    (claim,) = verify("The owner keeps the records of every sale.", [SALES], language="en")
    assert claim.verdict == "not_found" and claim.confidence == pytest.approx(0.35)
