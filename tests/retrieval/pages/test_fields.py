"""What is said of a wrong value in an address."""

import pytest
from django.core.exceptions import ValidationError

from retrieval.pages.fields import DayField, PageField, PassageField, PlacesField


@pytest.mark.parametrize(
    ("field", "value", "said"),
    [
        (DayField(), "zzz", "There is no such day. Write it like 1791-12-15."),
        (PageField(most=500), "9999", "Pages are numbered from 1 to 500."),
        (PageField(most=500), "0", "Pages are numbered from 1 to 500."),
        (PageField(most=500), "x", "Pages are numbered from 1 to 500."),
        (PassageField(required=False), "x", "This is no passage."),
        (PlacesField(required=False), ["/us\x00"], "There is no such provision."),
    ],
)
def test_a_wrong_value_is_told_with_what_is_wanted(field, value, said):
    with pytest.raises(ValidationError) as problem:
        field.clean(value)
    assert problem.value.messages == [said]
