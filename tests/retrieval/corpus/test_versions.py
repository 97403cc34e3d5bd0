"""The versions that, with a commit, determine a ranking."""

from retrieval.access.caller import ANONYMOUS, Caller
from retrieval.access.row_security import as_caller
from retrieval.corpus.versions import current
from retrieval.search.service import visible_domains
from rules.models import Alias
from tests.builders import a_case_file


def test_every_domain_searched_has_its_corpus_version(db):
    domains = visible_domains(ANONYMOUS, ["us_constitution"])
    versions = current(domains)
    assert versions["corpus:us_constitution"] == domains[0].corpus_version
    assert [name for name in versions if name.startswith("corpus:")] == ["corpus:us_constitution"]


def test_what_curators_change_is_another_version(db):
    before = current(())["aliases"]
    Alias.objects.first().delete()
    assert current(())["aliases"] > before


def test_grants_are_a_version_of_private_searches_alone(db):
    ana = Caller(("key:901",))
    a_case_file("Matter of Ana", "The brigade burned her bakery.", granted_to=ana)
    with as_caller(ana):
        assert "grants" not in current(visible_domains(ana, ["us_constitution"]))
        assert "grants" in current(visible_domains(ana, ["client_cases"]))
