from retrieval.proof.alignment import align, clauses, in_window, tokens, weights
from retrieval.proof.types import Source
from tests.retrieval.proof.provisions import AGE, EVERY, TREATIES


def prepared(*sources):
    return [clause for number, source in enumerate(sources) for clause in clauses(source, number)]


def place_of(claim, *sources):
    every = prepared(*sources)
    return align({token.term for token in tokens(claim, "en")}, every, weights(every))


def test_clauses_are_the_whole_text():
    cut = prepared(AGE)
    assert "".join(AGE.text[c.start : c.end] for c in cut) == AGE.text and len(cut) == 2


def test_a_claim_is_placed_in_the_clause_that_says_it():
    place = place_of("One must have attained thirty five years.", *EVERY)
    assert place.source == 2
    assert AGE.text[place.start : place.end].startswith("neither shall any Person")


def test_an_exception_that_follows_stays_with_its_clause():
    source = Source(
        "/x", "x", "The owner shall pay the fee; unless the court waives it; and the clerk keeps it."
    )
    place = place_of("The owner pays the fee.", source)
    assert (
        source.text[place.start : place.end].rstrip()
        == "The owner shall pay the fee; unless the court waives it;"
    )


def test_words_that_no_source_has_are_nowhere():
    assert place_of("Bananas ripen.", *EVERY) is None


def test_the_window_has_its_clauses():
    place = place_of("Ambassadors and Consuls are appointed", *EVERY)
    held = [c for c in prepared(*EVERY) if in_window(c, place)]
    assert [TREATIES.text[c.start : c.end][:20] for c in held] == ["and he shall nominat"]


def test_the_united_states_are_not_one_of_the_states():
    for text, language in (("the United States", "en"), ("los Estados Unidos", "es")):
        assert [token.term for token in tokens(text, language) if token.term] == ["union"]
    assert [token.term for token in tokens("several States", "en")][-1] == "state"
