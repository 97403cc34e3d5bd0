"""What tells which body of law answers is learned from topics put to all of them."""

from dataclasses import replace
from itertools import compress

import numpy as np
import pytest
from django.core.management import call_command

from evaluation.learning import bodies, registry
from evaluation.learning.any_answer import placed
from evaluation.learning.bodies import Asked, as_unjudged, asked_of, compared, fitted, told_of, verdict
from evaluation.measuring.runs import Runner
from evaluation.topics.topic import Topic
from retrieval import jobs
from retrieval.indexes import terms
from retrieval.models import JobRun
from retrieval.stages.reranker.features import JudgedNeighbours, JudgedQuestion
from rules.thresholds import likely
from tests.builders import a_document, a_domain, a_section, embedded
from tests.evaluation.learning.conftest import some
from tests.rules.thresholds.test_each_domain import knowing_unanswerable

SLUGS = ("laws", "rules", "news")
UNIT = np.eye(4)


def asked(name: str, domain: str, row: list[list[float]], group: str = "") -> Asked:
    return Asked(Topic(name, name, domain=domain, group=group), SLUGS, np.array(row), UNIT[0])


def topics(count: int) -> list[Asked]:
    """Of laws the names are near, of rules their words say most; of news there is one."""
    made = []
    for n in range(count):
        noise = 0.1 * (n % 3)
        made.append(asked(f"l{n}", "laws", [[-1, 0.5, 0.8 - noise, 0.3], [-1, 0.5, 0.5, 0.3], [-2, 0.5, 0.4, 0.3]]))
        made.append(asked(f"r{n}", "rules", [[-1, 0.5, 0.6, 0.2], [-1, 0.5, 0.6, 0.6 - noise], [-2, 0.5, 0.4, 0.2]]))
    return [*made, asked("n", "news", [[-1, 0.5, 0.5, 0.2], [-1, 0.5, 0.5, 0.2], [-1, 0.5, 0.6, 0.2]])]


def test_weights_tell_bodies_apart_that_enough_is_asked_of():
    learned = fitted(topics(20))
    assert learned.bodies == {"laws", "rules"}
    found = compared(topics(20), learned)
    assert found.serves and found.right[1] >= found.right[0] and found.log_loss[1] < found.log_loss[0]
    assert verdict(found).startswith("Serves: of 41 tune topics")


def test_nothing_is_fitted_to_one_body():
    assert fitted([one for one in topics(30) if one.topic.domain == "laws"]) is None
    assert fitted(topics(5)) is None


def test_what_tells_no_better_or_finds_less_of_a_body_does_not_serve():
    same = likely.Learned(likely.WEIGHTS, frozenset(SLUGS[:2]))
    assert not compared(topics(20), same).serves
    backwards = likely.Learned(np.array([0.0, 0.0, 40.0, -40.0]), frozenset(SLUGS[:2]))
    found = compared(topics(20), backwards)
    assert found.falls == ("rules",) and not found.serves
    assert verdict(found).startswith("What ships serves: ") and "rules falls" in verdict(found)


def test_a_topic_is_learned_from_as_if_it_and_its_paraphrases_were_judged_by_nobody():
    near = (UNIT[0] + 0.5 * UNIT[1]) / np.linalg.norm(UNIT[0] + 0.5 * UNIT[1])
    vectors = np.array([UNIT[0], near, *[UNIT[2]] * 60], np.float32)
    of = ["laws", "laws", *SLUGS * 20]
    judged = JudgedNeighbours(
        vectors, tuple({} for _ in of), {}, tuple(JudgedQuestion(domain, "en", "") for domain in of)
    )
    row = [[-1, 0.9, 0.5, 0.2]] * 3
    alone, other = asked("a", "laws", row), asked("b", "rules", row)
    paraphrase = replace(asked("c", "laws", row, group="g"), vector=near)
    told = as_unjudged([alone, other], judged)[0].features[:, bodies.JUDGED]
    assert told == pytest.approx([near[0] / JudgedNeighbours.FEW, 0.0, 0.0], abs=1e-6)
    grouped = replace(alone, topic=replace(alone.topic, group="g"))
    assert as_unjudged([grouped, paraphrase], judged)[0].features[0, bodies.JUDGED] == pytest.approx(0.0)


def test_topics_are_told_of_as_each_would_be_with_the_others_judged_alone():
    random = np.random.default_rng(7)
    vectors, unanswerable = (random.normal(size=(count, 4)).astype(np.float32) for count in (150, 30))
    vectors, unanswerable = (each / np.linalg.norm(each, axis=1, keepdims=True) for each in (vectors, unanswerable))
    of = [SLUGS[n % 3] if n < 65 else SLUGS[n % 2] for n in range(150)]  # of news about as many as are enough
    questions = tuple(JudgedQuestion(domain, "en", "") for domain in of)
    judged = JudgedNeighbours(vectors, tuple({} for _ in of), {}, questions, unanswerable)
    row = [[-1, 0.9, 0.5, 0.2]] * 3
    some = [replace(asked(f"{n}", of[n], row, f"g{n // 3}"), vector=vectors[n].astype(float)) for n in range(60)]
    for n, told in enumerate(as_unjudged(some, judged)):
        own = vectors[n // 3 * 3 : n // 3 * 3 + 3]
        kept = (vectors @ own.T).max(axis=1) < JudgedNeighbours.SAME
        others = replace(judged, vectors=vectors[kept], questions=tuple(compress(questions, kept)))
        near = others.near_each(vectors[n], SLUGS)
        assert told.features[:, bodies.JUDGED] == pytest.approx([near[slug] for slug in SLUGS], abs=1e-6)


# -- The job


@pytest.fixture
def two_bodies(db, reindex):
    document = a_document(a_domain(slug="leases"), title="Lease")
    embedded(a_section(document, "Landlord repairs the roof, the pipes and the heating of the apartment."))
    terms.count_again()
    reindex()
    knowing_unanswerable("best recipe for apple pie", "how do I reset my phone")


def test_of_a_question_every_public_body_is_told_unless_it_names_or_cites_one(two_bodies):
    runner = Runner("once")
    told = told_of(placed(runner, Topic("t", "who may declare war")))
    assert set(told["features"]) == {"leases", "us_constitution"} and len(told["vector"]) == 384
    of_law, of_none = Topic("t", "who may declare war", domain="us_constitution"), Topic("u", "q", domain="us_code")
    (one,) = asked_of([(of_law, told), (of_none, told), (of_law, None)])
    assert one.slugs[one.right] == "us_constitution" and one.features.shape == (2, len(bodies.FEATURES))
    for named in ("who may declare war under the Constitution", "U.S. Const. amend. IV"):
        assert told_of(placed(runner, Topic("t", named))) is None


@pytest.fixture
def fitting(two_bodies, monkeypatch):
    """The command, on six train and six tune topics."""
    monkeypatch.setattr(bodies, "library_topics", lambda split: some(split, 6))

    def ran() -> JobRun:
        call_command("train_bodies")
        return JobRun.objects.get(kind="bodies", status=JobRun.Status.DONE)

    return ran


def test_what_is_fitted_is_kept_with_the_reranker_and_whether_any_body_answers_is_fitted_next(fitting, monkeypatch):
    learned = likely.Learned(np.array([1.0, 2.0, 3.0, 4.0]), frozenset(["leases", "us_constitution"]))
    monkeypatch.setattr(bodies, "fitted", lambda asked: learned)
    monkeypatch.setattr(bodies, "above_zero", lambda gained: 0.01)
    run = fitting()
    assert run.message.startswith("Serves: of ")
    model = registry.active()
    assert model.manifest["bodies"]["serves"] and model.bodies["bodies"] == ["leases", "us_constitution"]
    serving = likely.learned(Runner("once").query("who may declare war", (), "en"))
    assert serving.weights.tolist() == [1.0, 2.0, 3.0, 4.0]
    assert JobRun.objects.unfinished().get().kind == "any_answer"
    monkeypatch.setattr(bodies, "above_zero", lambda gained: 0.5)
    JobRun.objects.all().delete()
    assert fitting().message.startswith("What ships serves: of ")
    assert registry.active().bodies is None and not registry.active().manifest["bodies"]["serves"]


@pytest.mark.parametrize("cancelled", [False, True])
def test_where_it_fails_or_is_cancelled_whether_any_body_answers_is_fitted_still(two_bodies, monkeypatch, cancelled):
    monkeypatch.setattr(bodies, "library_topics", lambda split: 1 / 0)
    run = jobs.create(**bodies.REQUEST)
    if cancelled:
        jobs.cancel(run)
        jobs.take_step(run.pk, run.ticket)
    else:
        with pytest.raises(ZeroDivisionError):
            jobs.take_step(run.pk, run.ticket)
    run.refresh_from_db()
    assert run.status == ("cancelled" if cancelled else "failed")
    assert JobRun.objects.unfinished().get().kind == "any_answer"


def test_without_a_reranker_or_enough_topics_nothing_is_fitted(fitting, monkeypatch):
    assert fitting().message.startswith("Nothing to fit: two bodies of law")
    JobRun.objects.all().delete()
    monkeypatch.setattr(bodies, "library_topics", lambda split: [])
    assert fitting().message.startswith("Nothing to fit: no reranker serves")
