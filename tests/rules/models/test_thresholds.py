"""Versions of a domain's thresholds."""

import pytest
from django.core.exceptions import ValidationError

from retrieval.stages.reranker.features import ANSWER_SCALE
from rules.models import DomainThreshold


@pytest.mark.parametrize(
    ("changed", "field"),
    [({"minimum": 0.3}, "verify"), ({"verify": 0.7}, "accept"), ({"mlp_low": 0.7}, "mlp_high")],
)
def test_thresholds_rise(changed, field):
    with pytest.raises(ValidationError) as problem:
        DomainThreshold(answer_minimum=0.5, **changed).clean()
    assert list(problem.value.message_dict) == [field]


@pytest.mark.parametrize(
    ("minimum", "scale", "holds"), [(0.5, ANSWER_SCALE, True), (0.5, 0, False), (0.0, 0, True)]
)
def test_an_answer_minimum_holds_on_the_scale_it_was_chosen_on(minimum, scale, holds):
    assert DomainThreshold(answer_minimum=minimum, answer_scale=scale).is_on_scale is holds
