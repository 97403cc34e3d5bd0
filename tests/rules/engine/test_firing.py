"""Which rules a question fires."""

from datetime import timedelta

import pytest
from django.utils import timezone

from rules.engine import firing
from rules.engine.clauses import CRITERIA, Criterion
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
)


def test_every_kind_of_criterion_has_its_test():
    assert set(firing.HOLDS) == set(CRITERIA)


@pytest.mark.parametrize(
    ("criterion", "holds"),
    [
        (Criterion("keywords", ("zebra", "rent due")), True),
        (Criterion("keywords", ("rents",)), False),
        (Criterion("keywords", ("rents",), stemmed=True), True),
        (Criterion("starts_with", ("cuando",)), True),
        (Criterion("exact", ("when is the rent due",)), True),
        (Criterion("citation", ("/us/const",)), True),
        (Criterion("citation", ("/us/const/amendment/VI",)), False),
        (Criterion("language", ("en",)), False),
        (Criterion("jurisdiction", ("us-ca",)), True),
    ],
)
def test_a_criterion_looks_at_the_question_as_typed_and_in_english(criterion, holds):
    assert firing.HOLDS[criterion.kind](criterion, ASKED) is holds
