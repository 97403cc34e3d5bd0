"""What a summary tells of opinions apart from the Court's."""

import pytest

from retrieval.text.separate_opinions import separate_opinions, tells_of_separate_opinion


@pytest.mark.parametrize(
    "sentence",
    [
        "Justice Holmes, joined by Justice Brandeis, dissented, urging that truth is best tested by trade.",
        "Justice Black also concurred, writing that such an instruction is useless.",
        "Dissenting, Chief Justice Rehnquist argued that towns need permits.",
        "In his concurrence, Justice Souter wrote that the ruling is narrow.",
        "Harlan wrote a separate dissenting opinion.",
        "Justice Fortas would have reversed the conviction.",
    ],
)
def test_it_tells_of_one(sentence):
    assert tells_of_separate_opinion(sentence)


@pytest.mark.parametrize(
    "sentence",
    [
        "The two sentences were concurrent.",
        "A state may not punish the expression of dissent.",
        "Treaties need the concurrence of two thirds of the Senators.",
        "Justice O'Connor wrote for the Court that the award was excessive.",
        "The five justices in the majority each wrote separately.",
    ],
)
def test_it_tells_of_none(sentence):
    assert not tells_of_separate_opinion(sentence)


def test_it_lasts_to_the_end_of_its_paragraph_or_to_where_the_court_is_spoken_of_again():
    text = (
        "The Court held that he may sue. Justice White dissented. He thought the claim too late. "
        "The Court also awarded costs.\nJustice Scalia concurred in the judgment. He would wait.\nA last line."
    )
    said = [text[start:end].strip() for start, end in separate_opinions(text)]
    assert said == [
        "Justice White dissented. He thought the claim too late.",
        "Justice Scalia concurred in the judgment. He would wait.",
    ]
    assert separate_opinions("Justice White dissented.") == [(0, 24)]
