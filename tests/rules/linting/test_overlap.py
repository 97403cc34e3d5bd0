"""Questions that fire two rules, made of what the rules look for."""

from rules.linting.conflicts import conflicts, unused
from rules.models import compiled
from tests.rule_sets import ALWAYS, CORPUS, TODAY, keywords, rule, section, usage_of, when

HERE = "/us/const/amendment/I"


def found_in(*rules: dict) -> list:
    numbered = [compiled(content, number=n, version=1) for n, content in enumerate(rules, start=1)]
    return [*conflicts(numbered, CORPUS, TODAY), *unused(numbered, usage_of(rules), TODAY)]


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
