"""What the answer tells of rules."""

from rules.engine.actions.account import changed_by, named, telling, with_rules
from tests.rules.engine.compiled_rules import a_ranking, a_rule

PIN, NOTE, BURY = a_rule(1, "pin"), a_rule(2, "note"), a_rule(3, "bury")


class Weigh:
    """An action upon rules that boost or bury."""

    @with_rules("boost", "bury")
    def __call__(self, ranking, rules):
        return telling(ranking, weighed=[rule.number for rule in rules])


def test_an_action_is_given_the_fired_rules_of_its_kinds_and_names_them():
    done = Weigh()(a_ranking(7, fired=(PIN, BURY)))
    assert done.curated == {"weighed": [3]} and done.note == "rule 3"


def test_without_such_a_rule_the_action_is_skipped():
    done = Weigh()(a_ranking(7, fired=(PIN,)))
    assert done.curated == {} and done.details["skipped"]


def test_rules_that_changed_the_page_are_told_once_in_their_order():
    ranking = changed_by(a_ranking(7, fired=(PIN, NOTE, BURY)), [BURY])
    again = changed_by(changed_by(ranking, [PIN, BURY]), [])
    assert again.curated["changed"] == [1, 3]


def test_what_is_told_is_added_to_what_was_told_before():
    ranking = telling(telling(a_ranking(7), policy="global"), notes=[])
    assert ranking.curated == {"policy": "global", "notes": []}
    assert named((PIN, NOTE)) == "rule 1, rule 2"
