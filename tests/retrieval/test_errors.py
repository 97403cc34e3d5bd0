"""Errors whose messages are safe to show."""

import pytest

from retrieval.errors import ArfError, NotFound, NotRun, SourceRefused, UnknownPipeline


def test_a_refusal_keeps_its_values_apart_so_that_it_can_be_translated():
    refused = SourceRefused("%(count)d sections", count=3)
    assert refused.message == "3 sections"
    assert refused.refusal == {"template": "%(count)d sections", "values": {"count": 3}}


def test_a_message_without_values_may_hold_per_cent_signs():
    assert SourceRefused("less than 50 % of it").message == "less than 50 % of it"


@pytest.mark.parametrize(("degrades", "status"), [(True, "failed"), (False, "skipped")])
def test_a_stage_that_makes_the_answer_worse_has_failed(degrades, status):
    assert NotRun("no vector", degrades=degrades).status_in_trace == status


def test_every_error_has_a_status_and_a_code():
    assert (UnknownPipeline("x").status, UnknownPipeline("x").code) == (404, "unknown_pipeline")
    assert issubclass(NotFound, ArfError)
