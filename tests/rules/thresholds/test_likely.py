"""What is known of each body of law before it is searched."""

from unittest.mock import Mock

import numpy as np
import pytest

from retrieval.access import row_security
from retrieval.access.caller import ANONYMOUS, Caller
from retrieval.engines import loaded
from retrieval.indexes import terms
from retrieval.ingestion.embedding import embedding_in_use
from retrieval.models import RankerModel
from retrieval.ranking import Candidate, DomainScope, Query, Ranking, replace
from retrieval.request import SearchRequest
from retrieval.search.service import in_scope, search
from retrieval.targets import Part, Selection
from rules.aliases.embedding import embed_all
from rules.models import Alias
from rules.thresholds import each_domain, likely
from tests.builders import a_case_file, a_document, a_domain, a_section, embedded
from tests.rules.thresholds.test_each_domain import knowing_unanswerable

pytestmark = pytest.mark.django_db


def asking(text: str, caller: Caller = ANONYMOUS, **routes: float) -> Query:
    with row_security.as_caller(caller):
        domains, versions = in_scope(caller)
    vector = loaded.active_embedder().embedder.embed_query(text)
    by = embedding_in_use()[0].pk
    told = {domain.id: routes[domain.slug] for domain in domains if domain.slug in routes}
    query = Query(text, text, text, "en", domains, versions=versions, vector=vector, embedded_by=by, routes=told)
    return likely.CompareDomains()(Ranking(query)).query


def of(query: Query, slug: str) -> likely.DomainFeatures:
    return query.domain_features[next(domain.id for domain in query.filled if domain.slug == slug)]


@pytest.fixture
def leases():
    domain = a_domain(slug="leases")
    texts = ("No dog or cat is kept.", "Rent is due each month.", "Landlord repairs the roof.")
    sections = [a_section(a_document(domain), text) for text in texts]
    embedded(*sections)
    terms.count_again()
    return domain, sections[:2]


def named(domain, section, text: str) -> None:
    Alias.objects.create(domain=domain, text=text, locator=section.locator, language="en")
    embed_all()


def test_a_body_whose_names_say_what_is_asked_is_the_likelier(leases):
    domain, (pets, rent) = leases
    for section, text in ((pets, "may a tenant keep a pet"), (rent, "when must the rent be paid")):
        named(domain, section, text)
    query = asking("may tenants keep pets")
    its, other = of(query, "leases"), of(query, "us_constitution")
    assert its.name_cosine > 0.8 > other.name_cosine and its.name_coverage > 0.4 > other.name_coverage
    share = likely.shares(query)
    assert share[domain.id] > 0.9 and sum(share.values()) == pytest.approx(1.0)


def test_of_a_body_with_few_names_they_tell_as_much_as_those_of_others(leases):
    """Where they do not tell more."""
    domain, (pets, _) = leases
    query = asking("who may declare war")
    assert of(query, "leases")[2:] == of(query, "us_constitution")[2:] != (0.0, 0.0)
    named(domain, pets, "may a tenant keep a pet")
    assert of(asking("who may declare war"), "leases")[2:] == of(query, "us_constitution")[2:]
    other = asking("may a tenant keep a pet")
    assert of(other, "leases").name_cosine > 0.98 > of(other, "us_constitution").name_cosine


def test_of_private_law_nothing_is_asked_and_it_counts_as_the_public_one_that_tells_most(leases):
    ana = Caller(("key:901",))
    file = a_case_file("Cook book", "The best pie asks for six apples.", granted_to=ana)
    Alias.objects.create(domain=file.domain, text="who may declare war", locator="/client_cases/a", language="en")
    embed_all()
    query = asking("who may declare war", ana)
    told, (file,) = dict(query.domain_features), [domain.id for domain in query.filled if domain.private]
    private, public = told[file], [its for domain, its in told.items() if domain != file]
    assert private[1:] in {its[1:] for its in public} and private.log_route == 0.0
    assert private[1:] == of(query, "us_constitution")[1:]
    assert file not in likely.shares(query)
    told.pop(file)
    assert asking("who may declare war").domain_features == told


def test_without_a_vector_words_and_the_route_tell(leases):
    domain, (pets, rent) = leases
    query = asking("may a tenant keep a pet", leases=0.7, us_constitution=0.1)
    without = replace(query, vector=None, domain_features={})
    told = likely.features(without)
    assert {its.name_cosine for its in told.values()} == {0.0} and {its.name_coverage for its in told.values()} != {0.0}
    by_words, by_route = (likely.shares(replace(without, domain_features=told)), likely.shares(without))
    assert by_words[domain.id] > 0.5 and by_route[domain.id] > 0.5
    assert likely.shares(replace(without, routes={}))[domain.id] == pytest.approx(0.5)


def test_a_body_alone_is_compared_with_nothing():
    ranking = likely.CompareDomains()(Ranking(Query("q", "q", "q", "en", (LAWS,))))
    assert ranking.details["skipped"] and not ranking.query.domain_features


def test_a_question_put_right_is_compared_anew(leases):
    domain, (pets, rent) = leases
    for section, text in ((pets, "may a tenant keep a pet"), (rent, "when must the rent be paid")):
        named(domain, section, text)
    wrong = asking("may a tennant kep a pett")
    right = asking("may a tenant keep a pet")
    corrected = replace(wrong, text=right.text, vector=right.vector)
    compared = likely.CompareDomains()(Ranking(corrected)).query.domain_features
    assert compared == right.domain_features != wrong.domain_features


def test_what_a_question_cannot_be_about_has_no_share(leases):
    domain, _ = leases
    query = asking("may a tenant keep a pet", leases=0.0)
    assert domain.id not in likely.shares(query)
    nothing = asking("q", leases=0.0, us_constitution=0.0)
    assert likely.shares(nothing) == {}


LAWS, RULES = DomainScope(1, "laws", 7, False, ("en",)), DomainScope(2, "rules", 7, False, ("en",))


COMPARED = {1: likely.DomainFeatures(-0.5, 0.5, 0.8, 0.9), 2: likely.DomainFeatures(-0.9, 0.5, 0.7, 0.2)}
ALIKE = {1: COMPARED[1], 2: COMPARED[1]}


@pytest.mark.parametrize(
    ("changes", "searched"),
    [
        ({"domain_features": COMPARED}, ["laws"]),
        ({"domain_features": ALIKE}, ["laws", "rules"]),
        ({"domain_features": {1: COMPARED[1]}}, ["laws", "rules"]),
        ({"domain_features": COMPARED, "vector": None}, ["laws", "rules"]),
        ({"domain_features": COMPARED, "original": 'who keeps "dog or cat"'}, ["laws", "rules"]),
        ({"domain_features": COMPARED, "fired": (object(),)}, ["laws", "rules"]),
    ],
)
def test_what_is_improbable_beside_another_is_not_searched_unless_too_little_is_known(changes, searched):
    embedded_by = embedding_in_use()[0].pk
    query = Query("q", "q", "q", "en", (LAWS, RULES), vector=np.zeros(3), embedded_by=embedded_by)
    assert [domain.slug for domain in each_domain.chosen(replace(query, **changes), query.domains, 4)] == searched


def test_nothing_is_left_out_while_names_of_a_body_are_not_embedded(leases):
    domain, (pets, _) = leases
    for text in ("may a tenant keep a pet", "are pets allowed"):
        named(domain, pets, text)
    assert each_domain.may_be_left_out(asking("may tenants keep pets"))
    Alias.objects.create(domain=domain, text="can I have a dog", locator=pets.locator, language="en")
    assert not each_domain.may_be_left_out(asking("may tenants keep pets"))


def test_names_of_what_a_restricted_search_leaves_out_tell_nothing(leases):
    left_out = Selection((Part("subtree", "/a", domain=1),))
    query = replace(asking("may a tenant keep a pet"), domain_features={}, exclude=left_out)
    ranking = likely.CompareDomains()(Ranking(query))
    assert ranking.details["skipped"] and not ranking.query.domain_features


def test_a_search_goes_on_where_names_cannot_be_compared(leases, monkeypatch):
    monkeypatch.setattr(likely, "name_features", Mock(side_effect=ValueError("a damaged vector")))
    answer = search(SearchRequest("who may declare war"), fresh=True)
    assert answer["results"] and "CompareDomains" in answer["degraded"]


def test_bodies_are_judged_together_also_where_one_of_them_alone_is_searched(monkeypatch):
    knowing_unanswerable("best recipe for apple pie")
    versions = in_scope(ANONYMOUS)[1]
    vector = loaded.active_embedder().embedder.embed_query("who may declare war")
    query = Query("q", "q", "q", "en", (LAWS, RULES), versions=versions, vector=vector)
    found = [(LAWS, Ranking(query, candidates=(Candidate(1, domain_id=1, scores={"dense": 0.4}),), answer=0.6))]
    assert each_domain.signs(query, found) is not None
    assert each_domain.signs(replace(query, routes={2: 0.0}), found) is None  # another body is cited


# -- Weights that were fitted

ROWS = np.array([[-0.5, 0.5, 0.8, 0.9], [-0.9, 0.5, 0.7, 0.2], [-0.4, 0.6, 0.7, 0.3]])
BODIES = ["laws", "rules", "news"]


def share_of(fitted: likely.Learned | None) -> np.ndarray:
    logs = np.exp(likely.log_odds(ROWS, BODIES, fitted))
    return logs / logs.sum()


def test_what_was_fitted_divides_anew_only_what_its_bodies_had():
    ships, fitted = share_of(None), share_of(likely.Learned(np.array([9.0, 0.0, 0.0, 0.0]), frozenset(BODIES[:2])))
    assert fitted[2] == pytest.approx(ships[2])
    assert fitted[0] / fitted[1] == pytest.approx(np.exp(9.0 * 0.4))


def test_of_one_body_alone_nothing_is_divided():
    assert share_of(likely.Learned(np.ones(4), frozenset(["laws"]))).tolist() == share_of(None).tolist()


def test_what_is_kept_with_the_reranker_serves_unless_it_reads_other_features(leases):
    domain, _ = leases
    knowing_unanswerable("best recipe for apple pie")
    query = asking("who may declare war", leases=0.2, us_constitution=0.6)
    ships = likely.shares(query)
    row = {"weights": dict.fromkeys(likely.DomainFeatures._fields, 0.0), "bodies": ["leases", "us_constitution"]}
    RankerModel.objects.filter(status="active").update(bodies=row)
    versions = in_scope(ANONYMOUS)[1]
    assert likely.shares(replace(query, versions=versions))[domain.id] == pytest.approx(0.5)
    RankerModel.objects.filter(status="active").update(bodies=row | {"weights": {"length": 1.0}})
    versions = in_scope(ANONYMOUS)[1]
    assert likely.shares(replace(query, versions=versions)) == ships
