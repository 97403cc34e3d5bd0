"""What is wrong with rules taken together, and whether two can fire together."""

from datetime import date

import pytest

from rules.linting.conflicts import Usage, conflicts, unused
from rules.models import compiled
from tests.rule_sets import ALWAYS, CORPUS, TODAY, bad, clean, keywords, rule, section, usage_of, when

HERE = "/us/const/amendment/I"


def found_in(*rules: dict) -> list:
    numbered = [compiled(content, number=n, version=1) for n, content in enumerate(rules, start=1)]
    return [*conflicts(numbered, CORPUS, TODAY), *unused(numbered, usage_of(rules), TODAY)]


@pytest.mark.parametrize("case", bad(), ids=lambda case: case.name)
def test_what_is_wrong_with_a_bad_set_is_found_and_nothing_else(case):
    found = found_in(*case.rules)
    assert {(one.kind, frozenset(one.names)) for one in found} == case.wrong
    assert all(
        one.message and (one.question or one.kind in ("dead target", "expired", "never fired"))
        for one in found
    )


@pytest.mark.parametrize("case", clean(), ids=lambda case: case.name)
def test_nothing_is_found_in_a_clean_set(case):
    assert found_in(*case.rules) == []


def test_two_subjects_in_one_question_are_told_but_refuse_nothing():
    (one,) = found_in(
        rule("a", keywords("rent"), "exclude", section(HERE)),
        rule("b", keywords("bail"), "pin", section(HERE)),
    )
    assert one.joined and not one.refuses and set(one.question.split()) == {"rent", "bail"}


def test_of_twins_the_later_is_in_the_shadow():
    twins = [rule(name, keywords("rent"), "pin", section(HERE)) for name in ("first", "second")]
    (one,) = found_in(*twins)
    assert (one.kind, one.names) == ("shadowed", ("first", "second"))


def test_an_earlier_rule_is_in_the_shadow_of_a_later_wider_one():
    earlier = rule("narrow", keywords("rent"), "exclude", section(HERE))
    wider = rule("wide", keywords("rent"), "exclude", section(HERE), section("/us/const/amendment/II"))
    assert [one.names for one in found_in(earlier, wider)] == [("wide", "narrow")]


@pytest.mark.parametrize("since", [None, date(2026, 8, 24)])
def test_nothing_is_said_of_use_that_was_not_counted_for_so_long(since):
    idle = compiled(rule("a", keywords("rent"), "pin", section(HERE)), number=1, version=1)
    usage = Usage(since, {1: date(2026, 1, 1)}, {})
    assert not list(unused([idle], usage, TODAY))
    (found,) = unused([idle], Usage(date(2026, 8, 23), usage.published, {}), TODAY)
    assert found.message == "No question of readers or clients has fired “a” since Aug. 23, 2026."


def test_a_beginning_and_a_word_meet_in_a_question():
    (one,) = found_in(
        rule("a", when("starts_with", "How long"), "exclude", section(HERE)),
        rule("b", keywords("bail"), "pin", section(HERE)),
    )
    assert one.question == "How long bail"


def test_a_pattern_is_tried_and_in_doubt_nothing_is_said():
    always = rule("b", ALWAYS, "pin", section(HERE))
    assert found_in(rule("a", when("regex", r"\brent\b"), "exclude", section(HERE)), always)
    assert not found_in(rule("a", when("regex", r"[x-z]\d{7}"), "exclude", section(HERE)), always)
