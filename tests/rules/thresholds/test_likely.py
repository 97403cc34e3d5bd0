"""What is known of each body of law before it is searched."""

import numpy as np
import pytest

from retrieval.access import row_security
from retrieval.access.caller import ANONYMOUS, Caller
from retrieval.engines import loaded
from retrieval.indexes import terms
from retrieval.ingestion.embedding import embedding_in_use
from retrieval.ranking import DomainScope, Query, replace
from retrieval.search.service import in_scope
from rules.aliases.embedding import embed_all
from rules.models import Alias
from rules.thresholds import each_domain, likely
from tests.builders import a_case_file, a_document, a_domain, a_section, embedded

pytestmark = pytest.mark.django_db


def asking(text: str, caller: Caller = ANONYMOUS, **routes: float) -> Query:
    with row_security.as_caller(caller):
        domains, versions = in_scope(caller)
    vector = loaded.active_embedder().embedder.embed_query(text)
    by = embedding_in_use()[0].pk
    told = {domain.id: routes[domain.slug] for domain in domains if domain.slug in routes}
    return Query(text, text, text, "en", domains, versions=versions, vector=vector, embedded_by=by, routes=told)


def of(query: Query, slug: str) -> likely.Told:
    return likely.told_of(query)[next(domain.id for domain in query.filled if domain.slug == slug)]


@pytest.fixture
def leases():
    domain = a_domain(slug="leases")
    sections = [a_section(a_document(domain), text) for text in ("No dog or cat is kept.", "Rent is due each month.")]
    embedded(*sections)
    terms.count_again()
    return domain, sections


def named(domain, section, text: str) -> None:
    Alias.objects.create(domain=domain, text=text, locator=section.locator, language="en")
    embed_all()


def test_a_body_whose_names_say_what_is_asked_is_the_likelier(leases):
    domain, (pets, rent) = leases
    for section, text in ((pets, "may a tenant keep a pet"), (rent, "when must the rent be paid")):
        named(domain, section, text)
    query = asking("may tenants keep pets")
    its, other = of(query, "leases"), of(query, "us_constitution")
    assert its.named > 0.8 > other.named and its.said > 0.4 > other.said
    share = likely.shares(query)
    assert share[domain.id] > 0.9 and sum(share.values()) == pytest.approx(1.0)


def test_of_a_body_with_few_names_they_tell_as_much_as_those_of_others(leases):
    """Where they do not tell more."""
    domain, (pets, _) = leases
    query = asking("who may declare war")
    assert of(query, "leases")[2:] == of(query, "us_constitution")[2:]
    Alias.objects.filter(domain=domain).delete()
    named(domain, pets, "may a tenant keep a pet")
    other = asking("may a tenant keep a pet")
    assert of(other, "leases").named > 0.98 > of(other, "us_constitution").named


def test_of_private_law_nothing_is_asked_and_it_counts_as_the_public_one_that_tells_most(leases):
    ana = Caller(("key:901",))
    a_case_file("Cook book", "The best pie asks for six apples.", granted_to=ana)
    query = asking("who may declare war", ana)
    told, (file,) = likely.told_of(query), [domain.id for domain in query.filled if domain.private]
    private, public = told[file], [its for domain, its in told.items() if domain != file]
    assert private[1:] == tuple(max(its[n] for its in public) for n in (1, 2, 3)) and private.route == 0.0
    assert file not in likely.shares(query)
    told.pop(file)
    assert likely.told_of(asking("who may declare war")) == told


def test_without_a_vector_words_and_the_route_tell(leases):
    domain, (pets, rent) = leases
    query = asking("may a tenant keep a pet", leases=0.7, us_constitution=0.1)
    without = Query("q", query.text, query.text, "en", query.domains, versions=query.versions, routes=query.routes)
    share = likely.shares(without)
    assert share[domain.id] > likely.shares(replace(without, routes={}, worked_out={}))[domain.id] == pytest.approx(0.5)
    assert {its.named for its in likely.told_of(without).values()} == {0.0}


def test_what_a_question_cannot_be_about_has_no_share(leases):
    domain, _ = leases
    query = asking("may a tenant keep a pet", leases=0.0)
    assert domain.id not in likely.shares(query)
    nothing = asking("q", leases=0.0, us_constitution=0.0)
    assert likely.shares(nothing) == {}


LAWS, RULES = DomainScope(1, "laws", 7, False, ("en",)), DomainScope(2, "rules", 7, False, ("en",))


@pytest.mark.parametrize(("said", "searched"), [(0.9, ["laws"]), (0.2, ["laws", "rules"])])
def test_what_is_improbable_beside_another_is_not_searched(monkeypatch, said, searched):
    told = {1: likely.Told(-0.5, 0.5, 0.8, said), 2: likely.Told(-0.9, 0.5, 0.7, 0.2)}
    monkeypatch.setattr(likely, "_told_of", lambda query: told)
    query = Query("q", "q", "q", "en", (LAWS, RULES), vector=np.zeros(384))
    assert [domain.slug for domain in each_domain.chosen(query, query.domains, 4)] == searched
