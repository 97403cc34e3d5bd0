"""Which rules a question fires, and which the index finds near to it."""

from dataclasses import replace
from datetime import date, timedelta

import pytest
from django.utils import timezone
from hypothesis import given, settings
from hypothesis import strategies as st

from rules.engine import firing
from rules.engine.clauses import CRITERIA, Clauses, CompiledRule, Criterion, Selection
from rules.engine.firing import Asked, RuleIndex
from tests.keyword_cases import KEYWORD_CASES
from tests.rule_searches import FIFTH, FIRST, QUESTION, THIRD, ask, fired, locators, section


@pytest.mark.django_db
def test_a_rule_fires_only_when_all_its_criteria_hold(rule):
    criteria = [{"kind": "keywords", "value": ["phone", "teléfono"]}, {"kind": "language", "value": "es"}]
    rule("pin", targets=section(THIRD), criteria=criteria)
    assert fired(ask(QUESTION)) == []
    assert locators(ask("¿La policía puede registrar mi telefono?"))[0] == THIRD


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("criterion", "question", "fires"),
    [
        ({"kind": "exact", "value": "May I quarter soldiers"}, "may I quarter soldiers?", True),
        ({"kind": "exact", "value": "quarter"}, "may I quarter soldiers?", False),
        ({"kind": "starts_with", "value": "may i"}, "May I quarter soldiers?", True),
        ({"kind": "contains", "value": "quart"}, "May I quarter soldiers?", True),
        ({"kind": "regex", "value": r"\bsoldiers?\b"}, "May I quarter soldiers?", True),
        ({"kind": "regex", "value": r"^soldier"}, "May I quarter soldiers?", False),
        (
            {"kind": "citation", "value": "/us/const/amendment/XIV"},
            "what does amend. XIV, § 1 say of debt",
            True,
        ),
        ({"kind": "citation", "value": ""}, "what does amend. XIV, § 1 say of debt", True),
        ({"kind": "citation", "value": FIRST}, "what does amend. XIV, § 1 say of debt", False),
        ({"kind": "domain", "value": "us_constitution"}, QUESTION, True),
        ({"kind": "domain", "value": "us_code"}, QUESTION, False),
        ({"kind": "jurisdiction", "value": "us"}, QUESTION, True),
        ({"kind": "jurisdiction", "value": "us-ca"}, QUESTION, False),
    ],
)
def test_each_kind_of_criterion_decides(rule, criterion, question, fires):
    rule("pin", targets=section(THIRD), criteria=[criterion])
    assert bool(fired(ask(question))) is fires


@pytest.mark.django_db
def test_a_rule_acts_from_its_first_to_its_last_day(rule):
    today, day = timezone.localdate(), timedelta(days=1)
    rule("pin", targets=section(THIRD), valid_from=today + day)
    rule("pin", targets=section(FIRST), valid_to=today - day)
    rule("pin", targets=section(FIFTH), valid_from=today, valid_to=today)
    assert locators(ask(QUESTION))[0] == FIFTH and len(fired(ask(QUESTION))) == 1


ASKED = firing.Asked(
    texts=(("es", "¿Cuándo vence la renta?"), ("en", "When is the rent due?")),
    language="es",
    domains=frozenset({"leases"}),
    jurisdictions=frozenset({"us-ca"}),
    citations=("/us/const/amendment/V",),
    shares=lambda: {"leases": 0.7, "us_code": 0.3},
)


def test_every_kind_of_criterion_has_its_test():
    assert set(firing.HOLDS) == set(CRITERIA)


@pytest.mark.parametrize(
    ("criterion", "holds"),
    [
        (Criterion("keywords", ("zebra", "rent due")), True),
        (Criterion("keywords", ("rents",)), False),
        (Criterion("keywords", ("rents",), stemmed=True), True),
        (Criterion("keywords", ("THE",)), False),
        (Criterion("keywords", ("THE", "IS THE RENT")), True),
        (Criterion("keywords", ("RENT",)), True),
        (Criterion("starts_with", ("cuando",)), True),
        (Criterion("exact", ("when is the rent due",)), True),
        (Criterion("citation", ("/us/const",)), True),
        (Criterion("citation", ("/us/const/amendment/VI",)), False),
        (Criterion("route", ("leases",)), True),
        (Criterion("route", ("us_code",)), False),
        (Criterion("route", ("elsewhere",)), False),
        (Criterion("language", ("en",)), False),
        (Criterion("jurisdiction", ("us-ca",)), True),
    ],
)
def test_a_criterion_looks_at_the_question_as_typed_and_in_english(criterion, holds):
    assert firing.HOLDS[criterion.kind](criterion, ASKED) is holds


def test_the_body_of_law_is_asked_only_where_all_else_holds():
    def never() -> dict:
        raise AssertionError("worked out for nothing")

    asked = replace(ASKED, shares=never)
    assert not firing.holds(rule(1, [Criterion("route", ("leases",)), Criterion("language", ("en",))]), asked, True)
    assert firing.holds(rule(1, [Criterion("route", ("leases",))]), asked, False), "the words do not count"


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
    assert firing.fired(RuleIndex(rules).near(asked), asked, TODAY) == firing.fired(rules, asked, TODAY)


@pytest.mark.parametrize(("about", "phrase", "stemmed", "language", "question", "fires"), KEYWORD_CASES)
def test_a_keyword_fires_through_the_index_as_the_table_says(
    about, phrase, stemmed, language, question, fires
):
    asked = Asked(((language, question),), language, frozenset(), frozenset(), ())
    index = RuleIndex([rule(1, [Criterion("keywords", (phrase,), stemmed)])])
    assert bool(firing.fired(index.near(asked), asked, TODAY)) is fires


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
    assert [one.number for one in firing.fired(near, asked, TODAY)] == [7, 12, 2_000]


def test_without_words_to_look_for_a_rule_is_near_to_every_question():
    nothing = Asked((("en", ""),), "en", frozenset(), frozenset(), ())
    assert RuleIndex([rule(1, [Criterion("starts_with", ("a",))])]).near(nothing)
    assert not RuleIndex([rule(1, [Criterion("exact", ("a",))])]).near(nothing)
