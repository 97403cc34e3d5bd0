"""Publishers on loopback, asked without delay; what is slept is kept instead."""

import pytest

from retrieval.fetching import http
from tests.publishers import Site, served

PATHS = {
    "us_code": "/download/download.shtml",
    "code_of_federal_regulations": "/api/versioner/v1/titles.json",
    "uscis_policy": "/policy-manual",
    "supreme_court_cases": "/api/rest/v4/clusters/",
}


@pytest.fixture
def slept(monkeypatch) -> list[float]:
    pauses: list[float] = []
    monkeypatch.setattr(
        http.time, "sleep", lambda seconds: pauses.append(seconds) if seconds >= 0.001 else None
    )
    return pauses


@pytest.fixture
def site(settings, tmp_path, slept):
    with served() as site:
        settings.VAR_DIR = tmp_path
        addresses = {slug: site.address + path for slug, path in PATHS.items()}
        said = {
            "addresses": addresses,
            "delay": 1e-6,
            "private": True,
            "hosts": [],
            "token": "",
            "contact": "",
        }
        settings.ARF_FETCH = said
        yield site


def fetching(site: Site) -> http.Site:
    return http.Site(site.address)
