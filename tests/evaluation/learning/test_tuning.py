"""Thresholds chosen from stated risks: bounds, feasibility, what is missing; never a test topic."""

import json
from io import StringIO

import numpy as np
import pytest
from django.core.management import CommandError, call_command
from scipy.stats import binom

from evaluation.learning import registry, tuning
from evaluation.learning.training import Trained
from evaluation.learning.tuning import (
    FEWEST,
    GATES,
    RERANKER,
    Page,
    Targets,
    choose,
    choose_accept,
    choose_answer_minimum,
    choose_low,
    fit,
    is_relevant,
    judged_first_pages,
    risk_coverage,
    still_missing,
    upper_bound,
    verify,
)
from evaluation.management.commands.tune_thresholds import described
from evaluation.topics import library
from evaluation.topics.topic import Topic
from retrieval.errors import ArfError
from retrieval.models import Domain
from retrieval.stages.reranker.artifact import pack
from rules.models import DomainThreshold
from rules.thresholds.publishing import next_version
from tests.evaluation.learning.conftest import TOPICS, some
from tests.rerankers import some_reranker


def a_topic(number: int, split: str = "tune", **fields) -> Topic:
    return Topic(id=f"t{number}", query="q", split=split, **fields)


def a_page(probabilities, relevant, number: int = 0, **fields) -> Page:
    answer = max(probabilities, default=0.0)
    return Page(a_topic(number, **fields), tuple(probabilities), tuple(relevant), answer)


def calibrated_pages(count: int, seed: int, split: str = "tune") -> list[Page]:
    """Topics whose probabilities are true: sharp ones, as a good model's are."""
    rng = np.random.default_rng(seed)
    drawn = rng.beta(0.15, 0.6, (count, 20))
    hits = rng.random((count, 20)) < drawn
    return [
        a_page(sorted(p, reverse=True), h[np.argsort(-p)].tolist(), n, split=split)
        for n, (p, h) in enumerate(zip(drawn, hits, strict=True))
    ]


@pytest.mark.parametrize(("events", "n"), [(0, 59), (3, 200), (40, 100)])
def test_the_bound_is_that_share_which_would_show_so_few_one_time_in_twenty(events, n):
    assert binom.cdf(events, n, upper_bound(events, n)) == pytest.approx(0.05, abs=1e-6)


def test_of_nothing_seen_nothing_is_known():
    assert upper_bound(0, 0) == upper_bound(5, 5) == 1.0


def test_what_is_missing_is_enough_and_no_more():
    more = still_missing(0, 10, 0.02)
    assert upper_bound(0, 10 + more) <= 0.02 < upper_bound(0, 10 + more - 1)
    assert still_missing(5, 100, 0.02) is None
    assert (
        upper_bound(
            int(np.ceil(0.01 * (100 + still_missing(1, 100, 0.02)))), 100 + still_missing(1, 100, 0.02)
        )
        < 0.021
    )


def test_what_is_accepted_keeps_the_stated_risk():
    choice = choose_accept(calibrated_pages(400, 1), 0.05)
    assert choice.value is not None and choice.bound <= 0.05 < 1
    assert choice.events / choice.n < 0.05


def test_a_bound_is_told_with_the_certainty_that_it_has():
    choice = choose_accept(calibrated_pages(400, 1), 0.05)
    assert upper_bound(choice.events, choice.n, 0.9875) == choice.bound
    assert "with 98.75 % certainty" in described(choice)
    assert "with 95 % certainty" in described(choose_low(calibrated_pages(300, 2), 0.1, high=0.9))


def test_too_few_judgments_are_told_with_how_many_are_missing():
    choice = choose_accept([a_page([0.99], [True])] * 20, 0.02)
    assert choice.value is None
    assert choice.missing == 197  # 217 are needed without a single error


def test_a_target_that_no_number_of_judgments_meets_is_told_apart():
    wrong_half_the_time = [a_page([0.9, 0.9], [True, False])] * 400
    choice = choose_accept(wrong_half_the_time, 0.02)
    assert choice.value is None and choice.missing is None


def test_the_unjudged_count_as_wrong_and_are_counted():
    choice = choose_accept([a_page([0.9], [None])] * 400, 0.02)
    assert choice.value is None
    assert choice.unjudged == choice.events == choice.n == choice.missing


def test_the_uncertain_band_holds_no_more_than_its_share():
    choice = choose_low(calibrated_pages(300, 2), 0.1, high=0.9)
    assert choice.value < 0.9 and choice.events / choice.n <= choice.bound <= 0.1


def test_the_answer_minimum_declines_no_more_than_its_share():
    pages = [a_page([n / 400], [True], n) for n in range(400)]
    choice = choose_answer_minimum(pages, 0.05)
    assert 0 < choice.value < 0.05
    assert choice.bound <= 0.05
    assert choose_answer_minimum(pages[:10], 0.05).missing == 49


def test_test_topics_are_refused_for_choosing():
    with pytest.raises(ArfError, match="never chosen on test"):
        choose([*calibrated_pages(3, 1), *calibrated_pages(1, 2, "test")], Targets())


def test_thresholds_chosen_on_some_topics_keep_their_risks_on_others():
    targets = Targets(wrongly_accepted=0.05, llm_share=0.2, declined=0.05)
    kept = []
    for seed in range(10):
        chosen = choose(calibrated_pages(300, seed), targets, RERANKER)
        seen = verify(chosen, calibrated_pages(500, 1_000 + seed, "test"), targets, resamples=50)
        kept += [told["rate"] <= told["target"] for told in seen.values()]
    assert np.mean(kept) >= 0.9


def test_checking_says_how_often_a_target_is_missed():
    targets = Targets(0.05, 0.2, 0.05)
    chosen = choose(calibrated_pages(300, 1), targets)
    always_wrong = [a_page([1.0], [False], n, split="test") for n in range(50)]
    assert verify(chosen, always_wrong, targets)["wrongly_accepted"]["violated"] == 1.0


def test_risk_grows_from_the_surest_to_all():
    pages = [a_page([0.9], [True]), a_page([0.2], [False]), a_page([0.5], [True])]
    assert np.allclose(risk_coverage(pages), [(1 / 3, 0), (2 / 3, 0), (1, 1 / 3)])


def test_a_candidate_is_right_wrong_or_unjudged():
    topic = a_topic(1, relevant={"/a": 2}, irrelevant=frozenset({"/b"}))
    assert [is_relevant(locator, topic) for locator in ("/a", "/b", "/c")] == [True, False, None]
    assert is_relevant("/c", a_topic(2, answerable=False)) is False


# -- With the real pipeline


@pytest.fixture
def domain(db):
    return Domain.objects.get(slug="us_constitution")


def test_a_raised_threshold_takes_those_above_along(domain):
    before = domain.thresholds.get(active=True)
    draft = next_version(before, reason="a test", accept=0.9, verify=0.1, mlp_high=0.9, mlp_low=0.1)
    assert (draft.accept, draft.confident, draft.calibration) == (0.9, 0.9, before.calibration)


def deployed(**manifest) -> None:
    registry.deploy(registry.save(Trained(pack(some_reranker(), seed=1), {"family": "a test"} | manifest)))


def test_the_command_chooses_checks_and_publishes(domain, tmp_path, monkeypatch):
    deployed()
    few = {
        split: library.topics_of("us_constitution", split)[:count] for split, count in (("tune", 36), ("test", 16))
    }
    monkeypatch.setattr(library, "topics_of", lambda domain, split: few[split])
    out, picture = StringIO(), tmp_path / "curve.svg"
    call_command(
        "tune_thresholds",
        "us_constitution",
        "--json",
        "--publish",
        "--declined",
        "0.1",
        "--svg",
        str(picture),
        stdout=out,
    )
    told = json.JSONDecoder().raw_decode(out.getvalue())[0]
    gates, reranker = told["gated"], told["learned"]
    minimum = reranker["chosen"]["answer_minimum"]["value"]
    assert gates["chosen"].keys() == {"accept", "verify", "row"}
    accept = gates["chosen"]["accept"]
    assert accept["value"] is None or accept["bound"] <= 0.02
    assert reranker["test"]["declined"]["n"] > 10 and "declined" not in gates["test"]
    assert told["risk_coverage"][-1][0] == 1
    assert picture.read_text().startswith("<svg")
    row = DomainThreshold.objects.get(domain=domain, active=True)
    assert row.answer_minimum == minimum and row.version == 2
    few["test"] = few["test"][:5]
    again = StringIO()
    call_command("tune_thresholds", "us_constitution", "--json", "--declined", "0.1", stdout=again)
    assert json.loads(again.getvalue())["learned"]["chosen"]["answer_minimum"]["value"] == minimum


def tuned(*options: str) -> tuple[dict, str]:
    out, problems = StringIO(), StringIO()
    call_command("tune_thresholds", "us_constitution", "--json", *options, stdout=out, stderr=problems)
    return json.loads(out.getvalue()), problems.getvalue()


def test_without_a_reranker_nothing_is_chosen_on_its_scale(domain, monkeypatch):
    few = {split: library.topics_of("us_constitution", split)[:5] for split in ("tune", "test")}
    monkeypatch.setattr(library, "topics_of", lambda domain, split: few[split])
    told, problems = tuned()
    assert "learned" not in told and not {"mlp_high", "mlp_low", "answer_minimum"} & told["row"].keys()
    assert problems.startswith("No reranker serves")


def test_no_limit_of_the_reranker_is_chosen_on_what_it_learned_from(domain, monkeypatch):
    few = {split: library.topics_of("us_constitution", split)[:5] for split in ("train", "tune", "test")}
    monkeypatch.setattr(library, "topics_of", lambda domain, split: few[split])
    deployed(topics=[topic.id for topic in few["train"]])
    chosen = []
    monkeypatch.setattr(tuning, "choose", lambda pages, *_: chosen.append(pages) or choose(pages, *_))
    tuned("--with-train")
    assert [{page.topic.split for page in pages} for pages in chosen] == [{"train", "tune"}, {"tune"}]


def test_a_share_of_more_than_all_is_refused_in_words(domain):
    with pytest.raises(CommandError, match="as 0.02 for 2 %"):
        call_command("tune_thresholds", "us_constitution", "--wrongly-accepted", "2")


def test_pages_hold_the_pool_as_it_was_before_anything_was_dropped(domain):
    topics = library.topics_of("us_constitution", "tune")[:3]
    DomainThreshold.objects.filter(domain=domain).update(answer_minimum=1.0, minimum=0.2)
    assert all(len(page.probabilities) == tuning.POOL for page in tuning.pages(topics, "default"))


def test_the_rerankers_limits_are_chosen_on_its_own_probabilities(domain):
    deployed()
    topics = library.topics_of("us_constitution", "tune")[:3]
    by_gates, by_reranker = (tuning.pages(topics, scale.pipeline) for scale in (GATES, RERANKER))
    assert all(0.1 <= p <= 0.9 for page in by_reranker for p in page.probabilities)  # what it gives at all
    assert any(p < 0.1 for page in by_gates for p in page.probabilities)
    sure = [a_page([0.99] * 20, [True] * 20, n) for n in range(300)]
    assert choose(sure, Targets(), RERANKER).row.keys() == {"mlp_high", "mlp_low", "answer_minimum"}
    assert choose(sure, Targets(), GATES).row.keys() == {"accept", "verify"}


@pytest.mark.django_db
def test_a_calibration_declines_no_more_than_it_was_allowed():
    fitted = fit(judged_first_pages(some("tune", FEWEST + 10), "gated"), most_declined=0.05)
    assert fitted.declined_answerable <= 0.05 + 1 / fitted.topics
    assert fitted.declined_unanswerable > fitted.declined_answerable
    assert all(weight >= 0 for name, weight in fitted.weights.items() if "intercept" not in name)


def test_too_few_topics_are_refused_for_a_calibration():
    with pytest.raises(ArfError, match=f"{FEWEST} are needed"):
        fit([], most_declined=0.05)


@pytest.mark.parametrize("relevant", [(), (False,), (True,)])
def test_topics_that_find_nothing_or_nothing_but_one_kind_are_refused_for_a_calibration(relevant):
    found = [{"dense": 0.5, "coverage": 0.1}] * len(relevant)
    pages = [tuning.Judged(a_topic(n), tuple(found), relevant) for n in range(FEWEST)]
    with pytest.raises(ArfError, match="nothing to tell apart"):
        fit(pages, most_declined=0.05)


def test_a_topic_of_the_test_split_never_reaches_the_calibration():
    with pytest.raises(CommandError, match="invalid choice"):
        call_command("calibrate", "us_constitution", str(TOPICS), "--split", "test")
