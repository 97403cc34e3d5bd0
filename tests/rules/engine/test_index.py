"""The index of rules: what it leaves out never fires, whatever the rules and the question."""

from datetime import date

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rules.engine.clauses import Clauses, CompiledRule, Criterion, Selection
from rules.engine.firing import Asked, fired
from rules.engine.index import RuleIndex
from tests.keyword_cases import KEYWORD_CASES

TODAY = date(2026, 11, 21)
WORDS = [
    "asylum", "Asylum's", "asylums", "non-immigrant", "nonimmigrant", "non", "U.S.C.", "usc", "it", "committee",
    "peña", "Pena", "abogados", "abogado", "l'avocat", "9/11", "rent?", "renting", "a.", "难民", "'", "Ⅳ",
]  # fmt: skip


def worded_texts(most: int) -> st.SearchStrategy[str]:
    return st.lists(st.sampled_from(WORDS), min_size=1, max_size=most).map(" ".join)


phrases = worded_texts(2) | st.text(max_size=8)
languages = st.sampled_from(["en", "es", "fr"])


def worded(kind: str) -> st.SearchStrategy[Criterion]:
    return phrases.map(lambda text: Criterion(kind, (text,)))


keywords = st.builds(
    Criterion, st.just("keywords"), st.lists(phrases, min_size=1, max_size=3).map(tuple), st.booleans()
)
criteria = keywords | st.one_of(
    *map(worded, ["exact", "starts_with", "contains"]),
    st.just(Criterion("always")),
    st.just(Criterion("regex", ("[rt]en",))),
    st.just(Criterion("citation", ("/us/const",))),
    languages.map(lambda language: Criterion("language", (language,))),
)
questions = st.builds(
    lambda texts, cited: Asked(
        tuple(texts.items()),
        next(iter(texts)),
        frozenset({"law"}),
        frozenset({"us"}),
        ("/us/const/1",) * cited,
    ),
    st.dictionaries(languages, worded_texts(12) | phrases, min_size=1, max_size=2),
    st.booleans(),
)


def rule(number: int, criteria: list[Criterion], *, priority: int = 100, domains=()) -> CompiledRule:
    return CompiledRule(
        number, f"rule {number}", 1, priority, domains, Clauses(tuple(criteria), Selection(()), ())
    )


rulebooks = st.lists(
    st.tuples(
        st.lists(criteria, min_size=1, max_size=2), st.integers(1, 3), st.sampled_from([(), ("law",), ("x",)])
    ),
    max_size=8,
).map(lambda drawn: [rule(n, of, priority=p, domains=d) for n, (of, p, d) in enumerate(drawn, start=1)])


@settings(max_examples=400)
@given(rulebooks, questions)
def test_a_question_fires_the_same_through_the_index_and_without_it(rules, asked):
    assert fired(RuleIndex(rules).near(asked), asked, TODAY) == fired(rules, asked, TODAY)


@pytest.mark.parametrize(("about", "phrase", "stemmed", "language", "question", "fires"), KEYWORD_CASES)
def test_a_keyword_fires_through_the_index_as_the_table_says(
    about, phrase, stemmed, language, question, fires
):
    asked = Asked(((language, question),), language, frozenset(), frozenset(), ())
    index = RuleIndex([rule(1, [Criterion("keywords", (phrase,), stemmed)])])
    assert bool(fired(index.near(asked), asked, TODAY)) is fires


@pytest.mark.parametrize(
    ("language", "word", "other"), [("en", "deadline", "deadlines"), ("es", "abogado", "abogados")]
)
def test_another_form_of_a_word_leads_to_its_rule(language, word, other):
    asked = Asked(((language, f"x {other} y"),), language, frozenset(), frozenset(), ())
    found = {
        stemmed: RuleIndex([rule(1, [Criterion("keywords", (word,), stemmed)])]).near(asked)
        for stemmed in (False, True)
    }
    assert found[True] and not found[False]


def test_of_many_rules_a_question_meets_those_of_its_words():
    rules = [rule(n, [Criterion("keywords", (f"asylum case {n}", f"file {n}"))]) for n in range(1, 1_001)]
    asked = Asked((("en", "What of asylum case 7, and of file 12?"),), "en", frozenset(), frozenset(), ())
    near = RuleIndex([*rules, rule(2_000, [Criterion("always")])]).near(asked)
    assert [one.number for one in near] == [7, 12, 2_000]
    assert [one.number for one in fired(near, asked, TODAY)] == [7, 12, 2_000]


def test_without_words_to_look_for_a_rule_is_near_to_every_question():
    nothing = Asked((("en", ""),), "en", frozenset(), frozenset(), ())
    assert RuleIndex([rule(1, [Criterion("starts_with", ("a",))])]).near(nothing)
    assert not RuleIndex([rule(1, [Criterion("exact", ("a",))])]).near(nothing)
