"""Curated names of provisions."""

import pytest
from django.core.exceptions import ValidationError

from retrieval.models import Domain
from rules.models import Alias

pytestmark = pytest.mark.django_db


def named(text: str, locator: str) -> Alias:
    return Alias(domain=Domain.objects.get(slug="us_constitution"), text=text, locator=locator)


def test_blanks_in_a_name_are_made_one():
    alias = named("  double   jeopardy ", "/us/const/amendment/V")
    alias.clean()
    assert alias.text == "double jeopardy"


@pytest.mark.parametrize(
    ("text", "locator", "field"),
    [("…", "/us/const/amendment/V", "text"), ("double jeopardy", "/us/const/amendment/VV", "locator")],
)
def test_a_name_has_letters_and_a_provision_that_exists(text, locator, field):
    with pytest.raises(ValidationError) as problem:
        named(text, locator).clean()
    assert list(problem.value.message_dict) == [field]
