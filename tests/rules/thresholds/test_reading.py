"""Thresholds are read once and carried by the query."""

import pytest

from retrieval.access.caller import ANONYMOUS
from retrieval.corpus import statements
from retrieval.models import Domain
from retrieval.ranking import Query, Ranking
from retrieval.search.service import visible_domains
from rules.thresholds.publishing import next_version, publish
from rules.thresholds.reading import ReadThresholds

pytestmark = pytest.mark.django_db


def read() -> Ranking:
    scopes = visible_domains(ANONYMOUS, ("us_constitution",))
    query = Query("law", "law", "law", "en", scopes, versions=statements.current_versions(scopes))
    return ReadThresholds()(Ranking(query))


def test_the_query_carries_what_its_curators_published():
    domain = Domain.objects.get(slug="us_constitution")
    row = publish(next_version(domain.thresholds.get(active=True), reason="a test", blend=0.25, gap=0.5))
    ranking = read()
    own = ranking.query.thresholds[domain.pk]
    assert (own.blend, own.gap, own.version) == (0.25, 0.5, row.version)
    assert own.calibration == row.calibration and own.name == str(row)
    assert ranking.note == f"us_constitution v{row.version}"


def test_a_domain_without_thresholds_gives_none():
    Domain.objects.get(slug="us_constitution").thresholds.update(active=False)
    ranking = read()
    assert ranking.query.thresholds == {} and ranking.details["skipped"]
