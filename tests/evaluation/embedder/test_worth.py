"""How well an embedder alone finds what is asked for."""

import numpy as np
import pytest

from evaluation.embedder import worth
from retrieval.engines import loaded
from retrieval.models import Section


@pytest.mark.django_db
def test_questions_are_measured_among_the_provisions_that_are_given():
    amendments = Section.objects.filter(locator__startswith="/us/const/amendment/", is_result=True)
    [ground] = worth.grounds(amendments.values_list("pk", flat=True))
    assert ground.domain == "us_constitution" and len(ground.topics) > 20
    assert all(locator.startswith("/us/const/amendment/") for locator in ground.locators)
    rows = worth.measured(ground, loaded.active_embedder().embedder)
    assert len(rows) == len(ground.topics)
    assert 0.3 < np.mean([row["MRR@10"] for row in rows]) < 1


def test_a_provision_stands_where_its_nearest_passage_does():
    assert worth.nearest(np.array([0.2, 0.9, 0.5]), ["a", "b", "a"]) == ["b", "a"]
