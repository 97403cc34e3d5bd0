"""JSON exactly as the standard has it."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrieval.text.strict_json import loads

ANY = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=10,
)


@given(ANY)
def test_what_was_written_is_read(value):
    assert loads(json.dumps(value)) == value


@pytest.mark.parametrize(
    "text", ["", "{", "{'a': 1}", '{"a": 1, "a": 2}', '[{"b": {"a": 1, "a": 1}}]', "NaN", "[-Infinity]"]
)
def test_anything_else_is_a_value_error(text):
    with pytest.raises(ValueError):
        loads(text)
