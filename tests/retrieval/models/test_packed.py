import numpy as np

from retrieval.models.packed import PackedJSONField, pack, unpack


def test_what_is_packed_comes_back_as_json_has_it():
    packed = pack({"score": np.float32(0.5), "words": ["¿qué?", None]})
    assert unpack(packed) == {"score": 0.5, "words": ["¿qué?", None]}


def test_a_column_keeps_the_difference_between_nothing_and_null():
    field = PackedJSONField()
    assert field.get_prep_value(None) is None and field.from_db_value(None, None, None) is None
    assert field.from_db_value(field.get_prep_value([]), None, None) == []
