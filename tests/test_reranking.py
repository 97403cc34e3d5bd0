"""The learned reranker: features as served, an artifact without pickle, training that is repeatable and honest."""

import hashlib
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.preprocessing import StandardScaler

from evaluation import registry
from evaluation.topics import read_topics
from evaluation.training import (
    FAMILIES,
    PREFERRED,
    Trained,
    choose,
    encoded,
    grouped,
    neighbours,
    pools_of,
    probabilities,
    rankings,
    row_of,
    served_form,
    train,
)
from retrieval.errors import ArfError
from retrieval.features import FEATURES, Asked, JudgedNeighbours, matrix
from retrieval.models import RankerModel
from retrieval.networks import Dense, Layer
from retrieval.ranking import ANONYMOUS, Candidate, Limits, Ranking
from retrieval.reranking import BadArtifact, LearnedReranker, Reranker, blended, pack, unpack
from retrieval.search import SearchRequest, run, search, visible_domains
from retrieval.serving import active_embedder
from retrieval.terms import AskedWords, Texts, Words, frequencies, numbers
from retrieval.versions import current
from rules.models import DomainThreshold
from rules.thresholds import next_version, publish
from tests.conftest import ROOT

TOPICS = ROOT / "evaluation/topics/us_constitution.jsonl"
SURE = np.array([0.0, 0.0, 0.0, 0.0, 40.0])  # always says that there is an answer
NOBODY = JudgedNeighbours(np.zeros((0, 3), np.float32), (), {})


def some_reranker() -> Reranker:
    """One that knows nothing, but is of different minds about different candidates: it reads cosines alone."""
    chance = np.random.default_rng(4)
    n = len(FEATURES)
    read = np.isin(FEATURES, ["dense_score", "alias_near_score"])[:, None]
    layers = (
        Layer(chance.normal(size=(n, 4)) * read, np.zeros(4)),
        Layer(chance.normal(size=(4, 1)), np.zeros(1)),
    )
    ends = (np.full(n, -9.0), np.full(n, 9.0), np.full(n, 0.3), np.full(n, 0.1))
    judged = JudgedNeighbours(np.eye(3, 384, dtype=np.float32), ({"/a": 3}, {"/b": 1}, {}), {"/a": 2})
    return Reranker(*ends, Dense(layers), np.array([[0.0, 1.0], [0.1, 0.9]]), SURE, judged)


def candidate(section: int, **scores: float) -> Candidate:
    return Candidate(
        section,
        locator=f"/us/const/amendment/I/section/{section}",
        scores=scores,
        ranks={leg: 1 for leg in scores},
        score=sum(scores.values()),
    )


def words(body: str, head: str = "", way: str = "") -> Words:
    return Words(numbers(body, "en"), np.unique(numbers(head, "en")), np.unique(numbers(way, "en")))


def texts(*known: Words) -> Texts:
    return Texts(known, [frequencies(known)], np.zeros(len(known), int))


def test_a_row_holds_what_the_legs_gave():
    candidates = [candidate(1, dense=0.5, alias=2.0), candidate(2, dense=0.3)]
    known = texts(words("no law abridging it", "speech", "Bill of rights"), words("an army, free"))
    rows = matrix(Asked(AskedWords.of({"en": "the free speech"}), None), candidates, known, NOBODY)
    told = [dict(zip(FEATURES, row.tolist(), strict=True)) for row in rows]
    assert rows.shape == (2, len(FEATURES))
    assert told[0]["dense_score"] == 0.5
    assert told[1]["dense_below_best"] == pytest.approx(0.2)
    assert told[0]["parent_score"] == told[1]["parent_score"] == 0.5
    assert (told[0]["heading_overlap"], told[0]["amendment"]) == (pytest.approx(1 / 3), 1.0)
    assert [each["terms_covered"] for each in told] == [0.5, 0.5]  # "the" tells nothing
    assert (told[0]["bm25"], told[1]["bm25"] > 0.1) == (0.0, True)


def test_similar_judged_questions_vote_by_their_similarity():
    vectors = np.array([[1.0, 0.0], [0.6, 0.8]], dtype=np.float32)
    judged = JudgedNeighbours(vectors, ({"/a": 3}, {"/b": 3}), {})
    votes, nearest = judged.votes(np.array([1.0, 0.0], dtype=np.float32))
    assert votes["/a"] == pytest.approx(1.0)
    assert votes["/b"] == pytest.approx(0.6**4, rel=1e-5)
    assert nearest == pytest.approx({"/a": 1.0, "/b": 0.6})


@pytest.mark.parametrize("family", FAMILIES)
def test_the_forward_pass_equals_scikit_learns(family):
    chance = np.random.default_rng(1)
    rows = chance.normal(size=(300, len(FEATURES))).astype(np.float32)
    labels = (rows[:, 0] + chance.normal(size=300) > 0).astype(int)
    scaler = StandardScaler().fit(rows)
    model = FAMILIES[family](0).fit(scaler.transform(rows), labels)
    ends = (
        end.astype(np.float32) for end in (rows.min(axis=0), rows.max(axis=0), scaler.mean_, scaler.scale_)
    )
    ours = Reranker(*ends, served_form(model), np.array([[0.0, 1.0], [0.0, 1.0]]), SURE, NOBODY)
    artifact = pack(ours, seed=0)
    served = unpack(artifact, hashlib.sha256(artifact).hexdigest())
    assert served.raw(rows) == pytest.approx(model.predict_proba(scaler.transform(rows))[:, 1], abs=1e-6)


def test_an_artifact_comes_back_as_it_was_and_a_changed_one_is_refused():
    reranker = some_reranker()
    artifact = pack(reranker, seed=0)
    sha256 = hashlib.sha256(artifact).hexdigest()
    rows = np.ones((2, len(FEATURES)))
    assert unpack(artifact, sha256).raw(rows) == pytest.approx(reranker.raw(rows))
    assert unpack(artifact, sha256).judged.prior == {"/a": 2}
    with pytest.raises(BadArtifact, match="not the one that was registered"):
        unpack(artifact + b" ", sha256)


def test_the_blend_lies_between_zero_and_one_and_follows_its_share():
    scores, learned = np.array([3.0, 1.0, 2.0]), np.array([0.0, 1.0, 0.5])
    assert blended(scores, learned, 0.0).tolist() == [1.0, 0.0, 0.5]
    assert blended(scores, learned, 1.0).tolist() == learned.tolist()
    assert blended(np.array([2.0, 2.0]), np.array([0.1, 0.2]), 0.5) == pytest.approx([0.55, 0.6])


def test_one_blend_each_is_that_of_each():
    scores, learned = np.array([2.0, 1.0]), np.array([0.5, 0.5])
    assert blended(scores, learned, np.array([0.0, 1.0])).tolist() == [1.0, 0.5]


@given(
    rows=st.lists(st.tuples(st.floats(0, 9), st.floats(0, 1), st.floats(0, 1)), min_size=1, max_size=20),
    probability=st.floats(0, 1),
)
def test_a_higher_probability_never_lowers_a_candidate(rows, probability):
    scores, learned, blends = (np.array(column) for column in zip(*rows, strict=True))
    raised = learned.copy()
    raised[0] = max(learned[0], probability)
    before, after = blended(scores, learned, blends), blended(scores, raised, blends)
    assert (after[1:] == before[1:]).all() and after[0] >= before[0]


@pytest.mark.parametrize(
    ("probability", "zone"),
    [(0.0, "rejected"), (0.2, "rejected"), (0.21, "uncertain"), (0.69, "uncertain"), (0.7, "accepted")],
)
def test_the_limits_themselves_are_decided(probability, zone):
    assert Limits(low=0.2, high=0.7).zone(probability) == zone


def test_where_both_limits_are_one_nothing_is_uncertain():
    assert [Limits(low=0.5, high=0.5).zone(p) for p in (0.49, 0.5, 0.51)] == [
        "rejected",
        "accepted",
        "accepted",
    ]


def test_the_preferred_family_stays_within_one_standard_error():
    chance = np.random.default_rng(0)
    best = chance.uniform(size=400)
    families = dict.fromkeys(["logistic regression", "MLP (64, 32)"], best) | {PREFERRED: best - 0.01}
    assert choose(families) == PREFERRED
    assert choose(families | {PREFERRED: best - 0.2}) != PREFERRED
    assert choose(families | {"gradient boosting": best + 0.1}) == "gradient boosting"


@pytest.fixture
def deployed(db) -> RankerModel:
    model = registry.save(Trained(pack(some_reranker(), seed=1), {"family": "a test"}))
    registry.deploy(model)
    return model


def ranked_by(pipeline: str) -> Ranking:
    scopes = visible_domains(ANONYMOUS, ["us_constitution"])
    return run(
        SearchRequest("who may search my house", pipeline=pipeline), ANONYMOUS, scopes, current(scopes)
    )


def publish_limits(**changed: float) -> DomainThreshold:
    row = DomainThreshold.objects.get(domain__slug="us_constitution", active=True)
    return publish(next_version(row, reason="a test", **changed))


def scored_of(ranking: Ranking) -> list[Candidate]:
    return list(ranking.candidates[: LearnedReranker().depth])


def sections_of(ranking: Ranking) -> list[int]:
    return [candidate.section_id for candidate in ranking.candidates]


def test_the_domains_limits_tell_whom_the_reranker_accepts(deployed):
    given = [c.probability for c in scored_of(ranked_by("learned"))]
    row = publish_limits(mlp_low=float(np.quantile(given, 0.3)), mlp_high=float(np.quantile(given, 0.7)))
    ranking = ranked_by("learned")
    assert {c.zone for c in scored_of(ranking)} == {"accepted", "uncertain", "rejected"}
    for candidate in scored_of(ranking):
        assert (candidate.zone == "accepted") == (candidate.probability >= row.mlp_high)
        assert (candidate.zone == "rejected") == (candidate.probability <= row.mlp_low)
    report = next(report for report in ranking.reports if report.name == "ReadThresholds")
    assert report.note == f"us_constitution v{row.version}"


def test_nobody_is_dropped_whatever_the_limits(deployed):
    publish_limits(mlp_low=1.0, mlp_high=1.0)
    ranking = ranked_by("learned")
    assert {c.zone for c in scored_of(ranking)} == {"rejected"}
    assert sorted(sections_of(ranking)) == sorted(sections_of(ranked_by("gated")))


def test_the_domains_blend_orders(deployed):
    publish_limits(blend=0.0)
    assert sections_of(ranked_by("learned")) == sections_of(ranked_by("gated"))
    publish_limits(blend=1.0)
    learned = sections_of(ranked_by("learned"))
    assert learned != sections_of(ranked_by("gated"))
    publish_limits(blend=0.6)
    assert sections_of(ranked_by("learned")) not in (learned, sections_of(ranked_by("gated")))


def test_a_challenger_is_compared_in_the_order_that_its_domain_would_show(deployed):
    publish_limits(blend=0.0)
    [topic] = [t for t in read_topics(TOPICS, split="train") if t.answerable][:1]
    [pool] = pools_of([topic])
    assert pool.blend == 0.0
    fused = [pool.locators[n] for n in np.argsort([-c.score for c in pool.candidates], kind="stable")]
    assert rankings(pack(some_reranker(), seed=1), [pool]) == [fused]


def test_without_thresholds_the_usual_limits_hold(deployed):
    ranking = ranked_by("gated")
    ranking = replace(ranking, query=replace(ranking.query, limits={}))
    scored = scored_of(LearnedReranker()(ranking))
    assert [c.zone for c in scored] == [Limits().zone(c.probability) for c in scored]


@pytest.fixture(scope="module")
def pools(django_db_setup, django_db_blocker):
    """A part of the train split, gathered once."""
    with django_db_blocker.unblock():
        return pools_of(read_topics(TOPICS, split="train")[::3])


@pytest.fixture(scope="module")
def trained(pools) -> Trained:
    return train(pools)


def test_topics_of_one_group_are_never_on_both_sides(pools):
    for inside, outside in grouped(pools, 5):
        assert not {pools[n].topic.group for n in inside} & {pools[n].topic.group for n in outside}


def test_no_topic_votes_for_itself_in_training(pools):
    column = FEATURES.index("votes_best_neighbour")
    alone = [pool for pool in pools if pool.topic.relevant and pool.vector is not None][:60]
    served = [row_of(pool, neighbours(alone))[:, column].max() for pool in alone]
    learned = [rows[:, column].max() for rows in encoded(alone)]
    assert np.mean(served) > 0.99
    assert np.mean(learned) < 0.9


@pytest.mark.slow
def test_training_is_repeatable_and_better_than_fusion_on_topics_it_never_saw(pools, trained):
    assert train(pools).artifact == trained.artifact
    told = trained.manifest
    assert told["families"][told["family"]]["nDCG@10"] > told["before"]
    assert told["ece"] <= 0.05
    assert set(told["families"]) >= {"logistic regression", PREFERRED, "gradient boosting"}


@pytest.mark.slow
def test_probabilities_are_calibrated_and_rankings_whole(pools, trained):
    for pool, ranking, p in zip(
        pools, rankings(trained.artifact, pools), probabilities(trained.artifact, pools), strict=True
    ):
        assert sorted(ranking) == sorted(pool.locators)
        assert ((p >= 0) & (p <= 1)).all()


@pytest.mark.slow
def test_a_question_asked_again_has_what_people_judged_relevant_first(pools, trained):
    judged = [pool for pool in pools if pool.topic.relevant and not pool.settled]
    found = [pool.topic.relevant.keys() & set(pool.locators) for pool in judged]
    for pool, relevant, ranking in zip(judged, found, rankings(trained.artifact, judged), strict=True):
        assert set(ranking[: len(relevant)]) == relevant, pool.topic.query


def test_only_the_very_question_that_was_judged_has_agreed_grades():
    judged = JudgedNeighbours(np.array([[1.0, 0.0], [0.0, 1.0]], np.float32), ({"/a": 3}, {"/b": 1}), {})
    assert judged.agreed(np.array([1.0, 0.0], np.float32)) == {"/a": 3}
    assert judged.agreed(np.array([0.97, 0.243], np.float32)) == {}
    assert judged.agreed(None) == {}


def test_too_few_topics_are_refused(pools):
    with pytest.raises(ArfError, match="too few to learn from"):
        train(pools[:20])


@pytest.mark.django_db
def test_what_people_answered_is_not_declined():
    request = SearchRequest(text="How do I bake a sourdough bread with rye?")
    assert search(request)["abstained"]
    vector = active_embedder().embedder.embed_query(request.text)
    judged = JudgedNeighbours(vector[None, :], ({"/us/const/amendment/I": 2},), {})
    artifact = pack(replace(some_reranker(), judged=judged), seed=0)
    registry.deploy(registry.save(Trained(artifact, {"family": "a test"})))
    answer = search(request)
    assert not answer["abstained"] and answer["results"][0]["locator"] == "/us/const/amendment/I"
    assert answer["results"][0]["probability"] >= 0.95


@pytest.mark.django_db
def test_a_deployed_model_serves_at_once_and_can_be_rolled_back():
    def note() -> str:
        answer = search(SearchRequest(text="who may search my house", pipeline="learned"))
        return next(s["note"] for s in answer["stages"] if s["name"] == "LearnedReranker")

    assert note() == "no reranker is deployed"
    models = []
    for seed in (1, 2):
        artifact = pack(some_reranker(), seed=seed)
        models.append(registry.save(Trained(artifact, {"family": "a test"})))
        registry.deploy(models[-1])
        assert note().startswith(f"model {models[-1].sha256[:8]};")
    assert registry.rollback() == models[0]
    assert note().startswith(f"model {models[0].sha256[:8]};")
    assert RankerModel.objects.filter(status="active").count() == 1
