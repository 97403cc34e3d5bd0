"""One search over several bodies of law: each by itself, merged by what means the same in all."""

from dataclasses import dataclass, replace

import numpy as np
import pytest

from evaluation.learning import registry
from evaluation.learning.training import Trained
from evaluation.measuring.measures import measure_each
from evaluation.measuring.runs import Runner
from evaluation.topics.library import topics_of
from retrieval.access.caller import ANONYMOUS, Caller
from retrieval.engines import loaded
from retrieval.indexes import terms
from retrieval.models import Domain, Section
from retrieval.ranking import Candidate, DomainScope, Query, Ranking, Thresholds
from retrieval.request import SearchRequest
from retrieval.search.service import in_scope, search
from retrieval.stages.reranker.artifact import pack
from retrieval.stages.reranker.features import JudgedNeighbours, JudgedQuestion
from retrieval.stages.route import MOST_WEIGHT, weight_of_words
from retrieval.targets import Part, Selection
from rules.logistic import shipped
from rules.models import Alias, Rule
from rules.thresholds import each_domain, stages
from rules.thresholds.each_domain import (
    FEATURES,
    FILE,
    EachDomain,
    features,
    judged_together,
    signs,
    within_domain,
)
from rules.thresholds.likely import CompareDomains
from rules.thresholds.stages import ANY_TEXT, LEARNED
from tests.builders import a_case_file, a_document, a_domain, a_section, embedded
from tests.rerankers import some_reranker

pytestmark = pytest.mark.django_db

LAWS, RULES = DomainScope(1, "laws", 7, False, ("en",)), DomainScope(2, "rules", 7, False, ("en",))
EMPTY = DomainScope(3, "empty", 0, False, ("en",))
FILES = DomainScope(4, "files", 7, True, ("en",))


def knowing_unanswerable(*questions: str) -> None:
    """Deploys a reranker that is sure of every answer, and knows these questions that nothing answers."""
    embedder = loaded.active_embedder(0).embedder
    vectors = np.array([embedder.embed_query(question) for question in questions], np.float32)
    reranker = some_reranker()
    known = replace(reranker, judged=replace(reranker.judged, unanswerable=vectors))
    registry.deploy(registry.save(Trained(pack(known, seed=0), {"family": "a test"})))


@dataclass(frozen=True)
class Finds:
    """Finds these sections in a domain; with how probable an answer, or a reason to show none."""

    found: dict[int, tuple[int, ...]]
    answers: dict[int, float]
    declines: tuple[int, ...] = ()
    lacks: tuple[int, ...] = ()

    def __call__(self, ranking: Ranking) -> Ranking:
        sections = [(d.id, n) for d in ranking.query.domains for n in self.found.get(d.id, ())]
        candidates = tuple(Candidate(n, domain_id=domain, score=1.0 / n) for domain, n in sections)
        domain = ranking.query.domains[0].id
        found = replace(ranking, candidates=candidates, answer=self.answers.get(domain))
        if domain in self.declines:
            return replace(found, candidates=(), near_misses=candidates, abstained=True)
        return replace(found, missing_words=("cat",) if domain in self.lacks else ())


def ranked(
    stage: Finds, *domains: DomainScope, most: int = 3, within: Selection | None = None, **routes: float
) -> Ranking:
    by_id = {domain.id: routes[domain.slug] for domain in domains if domain.slug in routes}
    own = {domain.id: Thresholds(answer_minimum=0.1) for domain in domains}
    query = Query("q", "q", "q", "en", domains, routes=by_id, thresholds=own, within=within)
    return EachDomain(stage, most=most)(Ranking(query))


def sections(ranking: Ranking) -> list[int]:
    return [candidate.section_id for candidate in ranking.candidates]


FOUND = {1: (11, 12, 13), 2: (21, 22)}


def test_one_domain_is_left_as_its_stages_made_it():
    ranking = ranked(Finds(FOUND, {1: 0.1}), LAWS, EMPTY)
    assert [c.score for c in ranking.candidates] == [1 / 11, 1 / 12, 1 / 13] and ranking.answer == 0.1


def test_each_domain_keeps_its_order_and_the_most_probable_is_first():
    ranking = ranked(Finds(FOUND, {1: 0.5, 2: 0.9}), LAWS, RULES, laws=0.2, rules=0.7)
    assert sections(ranking) == [21, 22, 11, 12, 13]
    assert ranking.candidates[1].score == ranking.candidates[0].score / 4 and ranking.answer == 0.9


def test_what_is_probable_and_holds_no_answer_comes_after_what_is_less_so_and_does():
    assert sections(ranked(Finds(FOUND, {1: 0.9, 2: 0.1}), LAWS, RULES, laws=0.3, rules=0.6))[0] == 11


def test_no_more_are_searched_than_asked_for_and_the_trace_says_which():
    ranking = ranked(Finds(FOUND | {4: (41,)}, {}), LAWS, RULES, FILES, most=1, laws=0.2, rules=0.7)
    assert set(sections(ranking)) == {21, 22, 41}
    assert ranking.note == "searched files, rules; not searched: laws (0.32)"


def test_what_the_search_is_restricted_to_may_lie_in_any_domain():
    within = Selection((Part("subtree", "/laws/1", document=1),))
    ranking = ranked(Finds(FOUND, {}), LAWS, RULES, most=1, within=within, laws=0.2, rules=0.7)
    assert set(sections(ranking)) >= {11, 21} and "not searched" not in ranking.note


def test_a_domain_that_the_search_may_have_whole_is_searched_without_the_other_places():
    place = Part("subtree", "/rules/1", document=1)
    query = Query("q", "q", "q", "en", (LAWS, RULES), within=Selection((Part("subtree", "/laws", domain=1), place)))
    assert within_domain(query, LAWS) is None
    assert within_domain(query, RULES) == Selection((place,))
    assert within_domain(replace(query, within=None), LAWS) is None


def test_what_a_question_cannot_be_about_is_not_searched():
    assert set(sections(ranked(Finds(FOUND, {}), LAWS, RULES, laws=0.0, rules=0.1))) == {21, 22}


def test_a_domain_that_declines_gives_nothing_beside_one_that_answers():
    ranking = ranked(Finds(FOUND, {1: 0.9, 2: 0.5}, declines=(1,)), LAWS, RULES, laws=0.9, rules=0.1)
    assert sections(ranking) == [21, 22] and not ranking.abstained


def test_nothing_is_answered_where_all_decline_and_the_likeliest_misses_are_told():
    ranking = ranked(Finds(FOUND, {1: 0.2, 2: 0.2}, declines=(1, 2)), LAWS, RULES, laws=0.2, rules=0.7)
    assert ranking.abstained and not ranking.candidates
    assert [c.section_id for c in ranking.near_misses] == [21, 11, 22, 12, 13]


def test_quoted_words_are_had_from_where_they_are():
    ranking = ranked(Finds(FOUND, {}, lacks=(1,)), LAWS, RULES, laws=0.9, rules=0.1)
    assert sections(ranking) == [21, 22] and not ranking.missing_words
    both = ranked(Finds(FOUND, {}, lacks=(1, 2)), LAWS, RULES, laws=0.9, rules=0.1)
    assert len(both.candidates) == 5 and both.missing_words == ("cat",)


# -- In a search

LEASE = (
    "Tenant shall pay a rent of $1,450 on the first of each month. A late fee of $75 applies after the fifth.",
    "No dog or cat may be kept in the apartment without the written consent of Landlord.",
    "Landlord repairs the roof, the pipes and the heating of the apartment.",
)


@pytest.fixture
def leases(reindex):
    document = a_document(a_domain(slug="leases"), title="Lease")
    embedded(*(a_section(document, text) for text in LEASE))
    terms.count_again()
    reindex()


def first(text: str, caller: Caller = Caller(), **fields) -> str:
    return search(SearchRequest(text, **fields), caller)["results"][0]["locator"]


@pytest.mark.parametrize("question", ["penny jar", "what is the penny jar?"])
@pytest.mark.parametrize("by_rule", [False, True])
def test_a_name_that_is_all_of_the_question_answers_it(leases, question, by_rule, monkeypatch):
    monkeypatch.setattr(stages, "ANY_TEXT", replace(ANY_TEXT, answer_minimum=0.9))
    domain = Domain.objects.get(slug="leases")
    place = Section.objects.get(domain=domain, text=LEASE[1])
    assert first(question, domains=("leases",)).startswith("/us/const/")  # searched everywhere, since leases decline
    if by_rule:
        publish_naming(place.locator, "penny jar")
    else:
        Alias.objects.create(domain=domain, text="penny jar", locator=place.locator)
    assert first(question) == first(question, domains=("leases",)) == place.locator


def publish_naming(locator: str, keyword: str) -> None:
    """A rule that names this place as the answer of questions with the keyword."""
    rule = Rule(
        name="a name",
        domains=["leases"],
        criteria=[{"kind": "keywords", "value": [keyword], "stemmed": True}],
        targets=[{"kind": "section", "value": locator}],
        actions=[{"kind": "alias"}],
        status=Rule.Status.PUBLISHED,
        version=1,
    )
    rule.live = rule.content
    rule.save()


def test_each_question_finds_the_body_that_answers_it(leases):
    assert not first("may I keep a cat in the apartment").startswith("/us/const/")
    assert first("how many senators has each state").startswith("/us/const/")


PIE = "best recipe for apple pie"


def test_public_bodies_decline_together_what_none_probably_answers_and_one_alone_as_before(leases):
    knowing_unanswerable(PIE)
    answer = search(SearchRequest(PIE))
    assert answer["abstained"] and answer["near_misses"] and not answer["results"]
    assert search(SearchRequest(PIE, domains=("us_constitution",)))["results"]
    assert search(SearchRequest("who may declare war"))["results"]
    assert search(SearchRequest(f"{PIE}, and U.S. Const. amend. IV"))["results"]


def test_law_that_came_after_the_last_training_answers_by_its_own_words(leases):
    """Questions of it are like those that nothing answered when the reranker was trained."""
    knowing_unanswerable("can a tenant keep a pet", "may a cat live in a rented flat", PIE)
    assert not first("may I keep a cat in the apartment").startswith("/us/const/")
    assert not search(SearchRequest(PIE))["results"]


@pytest.mark.parametrize(("cosine", "relevant", "sections"), [(0.9, 0.6, {1, 2}), (0.0, 0.01, set())])
def test_a_body_that_declines_alone_shows_its_nearest_beside_one_that_answers(cosine, relevant, sections):
    knowing_unanswerable(PIE)
    _, versions = in_scope(ANONYMOUS)
    query = Query("q", "q", "q", "en", (LAWS, RULES), versions=versions, vector=np.eye(1, 384, 9, np.float32)[0])
    near = [Candidate(n, domain_id=n, scores={"dense": cosine}, probability=relevant) for n in (1, 2)]
    declines = Ranking(query, near_misses=(near[0],), abstained=True, answer=0.01)
    answers = Ranking(query, candidates=(near[1],), answer=0.6)
    found, doubtful = judged_together(query, [(LAWS, declines), (RULES, answers)])
    assert {c.section_id for _, answer in found for c in answer.candidates} == sections and not doubtful
    nothing = [(LAWS, declines), (RULES, replace(declines, near_misses=(near[1],)))]
    assert judged_together(query, nothing) == (nothing, False)


@pytest.mark.parametrize(
    ("cosine", "answer", "doubtful"), [(0.9, 0.1, False), (0.2, 0.1, True), (0.9, 0.999_999, True)]
)
def test_what_answers_by_itself_of_law_that_nobody_judged_is_not_doubtful(monkeypatch, cosine, answer, doubtful):
    """How like judged questions are to one of it says nothing. But what stands before it may be doubtful."""
    knowing_unanswerable(PIE)
    unsure = replace(shipped(FILE, FEATURES), minimum=0.0, sure=1.0)
    monkeypatch.setattr(each_domain, "any_answers", lambda query: unsure)
    _, versions = in_scope(ANONYMOUS)
    query = Query("q", "q", "q", "en", (LAWS, RULES), versions=versions, vector=np.eye(1, 384, 9, np.float32)[0])
    query = replace(query, thresholds={LAWS.id: LEARNED, RULES.id: ANY_TEXT})
    found = (Candidate(n, domain_id=n, scores={"dense": cosine}, probability=0.1) for n in (LAWS.id, RULES.id))
    law, rule = (Ranking(query, candidates=(one,), answer=answer) for one in found)
    assert judged_together(query, [(LAWS, law), (RULES, rule)])[1] is doubtful


def test_what_a_private_file_answers_is_shown_where_public_bodies_decline(leases):
    ana = Caller(("key:901",))
    a_case_file("Cook book", "The best recipe for apple pie asks for six apples.", granted_to=ana)
    knowing_unanswerable(PIE)
    assert {hit["domain"] for hit in search(SearchRequest(PIE), ana)["results"]} == {"client_cases"}


def test_a_private_contract_is_found_by_its_own_words_before_the_law():
    ana = Caller(("key:901",))
    a_case_file("Supply contract", "Supplier delivers forty pallets of roof tiles to the warehouse.", granted_to=ana)
    assert first("how many pallets of roof tiles does the supplier deliver", ana).startswith("/client_cases/")
    assert first("who may declare war", ana).startswith("/us/const/")


def test_another_body_beside_it_costs_the_law_a_hundredth_at_most(leases):
    topics = [topic for topic in topics_of("us_constitution", "tune") if topic.answerable][:30]
    runner = Runner("learned")

    def ndcg(*domains: str) -> float:
        orders = [[c.locator for c in runner.ranking(t.query, domains, t.language).candidates] for t in topics]
        pairs = [(order, topic.relevant) for order, topic in zip(orders, topics, strict=True)]
        return sum(each["nDCG@10"] for each in measure_each(pairs, ["nDCG@10"])) / len(topics)

    assert Domain.objects.filter(corpus_version__gt=0, visibility="public").count() == 2
    assert ndcg() >= ndcg("us_constitution") - 0.01


def test_each_sign_speaks_for_an_answer_or_against_it():
    answering = shipped(FILE, FEATURES)
    for_it = np.array([3.0, 0.2, -0.2, 0.5, 0.2, 2.0, -1.0])
    neither = np.array([0.0, 0.0, 0.5, 0.5, 0.5, 3.0, 0.5])
    ways = np.diag(for_it)
    assert all(answering.of(neither + way) > answering.of(neither) > answering.of(neither - way) for way in ways)
    assert answering.of(neither - for_it) < answering.minimum < answering.of(neither + for_it)


def test_a_question_is_read_beside_those_that_the_reranker_in_force_knows():
    knowing_unanswerable("best recipe for apple pie")
    found = {"relevant": 0.5, "said": 0.4, "near": 0.7}
    told = dict(zip(FEATURES, features(asking("a recipe for an apple pie"), **found), strict=True))
    assert (told["relevant"], told["said"], told["near"], told["state"]) == (0.0, 0.4, 0.7, 0.0)
    assert told["likeness"] < -0.5 and told["unanswered"] > 0.8
    longer = features(asking("a recipe for an apple pie of Ohio with senators"), **found)
    assert longer[FEATURES.index("weight")] > told["weight"] and longer[FEATURES.index("state")]


def test_private_documents_in_spanish_change_nothing_of_what_is_told_of_public_law(leases):
    a_case_file("Carta", "El perro come en el parque.", granted_to=(ana := Caller(("key:901",))))
    knowing_unanswerable(PIE)
    question = "receta de la tarta de manzana de mi abuela querida"
    told = [signs_of_public(question, caller) for caller in (ANONYMOUS, ana)]
    assert told[0].tolist() == told[1].tolist()


def signs_of_public(text: str, caller: Caller) -> np.ndarray:
    query = asking(text, caller)
    near = Candidate(1, domain_id=1, scores={"dense": 0.4})
    found = [(domain, Ranking(query, candidates=(near,), answer=0.6)) for domain in (LAWS, RULES)]
    return signs(query, found)


def test_a_long_story_weighs_no_more_than_so_many_rare_words():
    words = " ".join(f"zyx{chr(97 + n)}q" for n in range(26))
    assert weight_of_words(asking(words), asking(words).filled) == MOST_WEIGHT


def asking(text: str, caller: Caller = ANONYMOUS) -> Query:
    domains, versions = in_scope(caller)
    vector = loaded.active_embedder(0).embedder.embed_query(text)
    return Query(text, text, text, "es" if " de " in text else "en", domains, versions=versions, vector=vector)


def test_the_body_whose_judged_questions_are_nearest_is_first_of_two_that_answer_as_well():
    asked = np.eye(2, 384, dtype=np.float32)
    bodies = np.repeat([LAWS.slug, RULES.slug], JudgedNeighbours.ENOUGH)
    reranker = some_reranker()
    judged = JudgedNeighbours(
        np.repeat(asked, JudgedNeighbours.ENOUGH, axis=0),
        ({"/a": 3},) * len(bodies),
        {},
        tuple(JudgedQuestion(body, "en", "") for body in bodies),
    )
    registry.deploy(registry.save(Trained(pack(replace(reranker, judged=judged), seed=0), {"family": "a test"})))
    stage, versions = Finds(FOUND, {1: 0.5, 2: 0.5}), in_scope(ANONYMOUS)[1]

    def first(vector: np.ndarray) -> int:
        own = {domain.id: Thresholds(answer_minimum=0.1) for domain in (LAWS, RULES)}
        query = Query("q", "q", "q", "en", (LAWS, RULES), thresholds=own, versions=versions, vector=vector)
        return sections(EachDomain(stage, most=2)(CompareDomains()(Ranking(query))))[0]

    assert (first(asked[0]), first(asked[1])) == (11, 21)
