"""Looking again: only where the evidence is poor, for a reason, at most twice, never to something worse; and how
probable it is that what was found answers.
"""

import json
from dataclasses import dataclass, replace

import numpy as np
import pytest

from evaluation.measuring.runs import Runner
from retrieval.ranking import Candidate, DomainScope, Query, Ranking
from retrieval.request import SearchRequest
from retrieval.search.service import search
from rules.sufficiency.stage import (
    FEATURES,
    FILE,
    Sufficient,
    UntilSufficient,
    features,
    in_force,
    share_in,
    unknown,
)

LAWS = DomainScope(1, "laws", 7, False, ("en",))
QUERY = Query("q", "q", "q", "en", (LAWS,))


@dataclass(frozen=True)
class Answers:
    """Answers these texts and declines all others."""

    known: tuple[str, ...]

    def __call__(self, ranking: Ranking) -> Ranking:
        if ranking.query.text in self.known:
            return replace(ranking, candidates=(Candidate(1, domain_id=1),))
        return replace(ranking, candidates=(), abstained=True)


@dataclass(frozen=True)
class Reads:
    """Adds a letter to the question; or does not apply."""

    letter: str
    share: float = 1.0
    reason = "letters"

    def missing(self, ranking: Ranking) -> float:
        return self.share

    def __call__(self, ranking: Ranking) -> Ranking:
        if not self.letter:
            return ranking.noting("does not apply", skipped=True)
        query = replace(ranking.query, text=ranking.query.text + self.letter)
        return replace(ranking, query=query)


def looked(*letters: str | Reads, known: tuple[str, ...], most: int = 2, **changes) -> Ranking:
    corrections = tuple(one if isinstance(one, Reads) else Reads(one) for one in letters)
    stage = UntilSufficient(Answers(known), Sufficient(), corrections=corrections, most=most)
    return stage(replace(Ranking(QUERY), **changes))


def runs(ranking: Ranking) -> int:
    return sum(report.name == "Answers" for report in ranking.reports)


def test_what_answers_is_searched_once():
    answer = looked("a", known=("q",))
    assert (runs(answer), answer.corrected) == (1, ())


def test_the_first_correction_that_helps_ends_it():
    answer = looked("", "a", "b", known=("qa",))
    assert (runs(answer), answer.query.text, answer.corrected) == (2, "qa", ("Reads",))
    assert not answer.abstained


def test_it_looks_again_at_most_so_often_and_then_says_what_it_said_at_first():
    answer = looked("a", "b", "c", "d", known=("qd",))
    assert (runs(answer), answer.query.text, answer.corrected) == (3, "q", ())
    assert answer.abstained and answer.details["tries"] == 2


def test_a_correction_that_made_nothing_better_is_not_built_upon():
    answer = looked("a", "b", known=("qab",))
    assert (answer.query.text, runs(answer)) == ("q", 3)


def test_what_is_missing_most_is_put_right_first_and_what_is_not_missing_never():
    answer = looked(Reads("a", 0.2), Reads("b", 0.0), Reads("c", 0.9), known=("qa",), most=3)
    assert (answer.query.text, runs(answer)) == ("qa", 3)
    assert "Reads (letters)" in answer.note


def test_every_attempt_is_in_the_trace():
    answer = looked("a", "b", known=())
    assert [report.name for report in answer.reports] == [
        "Answers", "Sufficient", "Reads", "Answers", "Sufficient", "Reads", "Answers", "Sufficient",
    ]  # fmt: skip


def test_what_answers_poorly_is_looked_up_again_whatever_body_of_law_it_is(monkeypatch):
    monkeypatch.setattr("rules.sufficiency.stage.supported", lambda ranking: 0.1)
    answer = looked("a", known=("q",))
    assert (runs(answer), answer.query.text, answer.abstained) == (2, "q", False)


@pytest.mark.parametrize("changes", [{"final": True}, {"degraded": ("DenseRetriever",)}])
def test_a_final_order_and_an_answer_that_lacks_a_part_are_left_alone(changes):
    assert runs(looked("a", known=("qa",), **changes)) == 1


@pytest.mark.django_db
def test_a_citation_alone_is_never_looked_up_again():
    answer = search(SearchRequest(text="Amendment IV", domains=("us_constitution",)))
    assert answer["corrected"] == [] and answer["results"][0]["locator"] == "/us/const/amendment/IV"
    missing = search(SearchRequest(text="Amendment XXX"))
    assert missing["abstained"] and missing["corrected"] == []


def test_evidence_that_cannot_be_weighed_leaves_the_answer_and_says_so(monkeypatch):
    def fail(ranking):
        raise ValueError("a word without a number")

    monkeypatch.setattr("rules.sufficiency.stage.supported", fail)
    answer = looked("a", known=())
    assert (runs(answer), answer.degraded) == (1, ("Sufficient",))


# -- The evidence


@pytest.mark.django_db
def test_the_shipped_weights_are_of_the_features_that_are_read():
    row = json.loads(FILE.read_text(encoding="utf-8"))
    assert set(row["weights"]) == set(FEATURES) and 0 < row["minimum"] < 1


def values_of(text: str, language: str | None = None) -> dict[str, float]:
    ranking = Runner("once").ranking(text, ("us_constitution",), language)
    return dict(zip(FEATURES, features(ranking), strict=True))


@pytest.mark.django_db
def test_words_that_no_law_here_has_and_words_that_it_has():
    plain, odd = values_of("unreasonable searches and seizures"), values_of("unreezonable blorpings of zzyzx")
    assert plain["unknown"] == 0 and odd["unknown"] > 0.5
    assert plain["covered"] == 1 and odd["covered"] < 0.5


@pytest.mark.django_db
def test_the_part_of_a_question_that_has_least_is_told():
    both = values_of("What are unreasonable searches and seizures? Who sells cryptocurrency tokens?")
    assert both["part_covered"] < both["covered"]


@pytest.mark.django_db
def test_nothing_found_has_features_too():
    ranking = Runner("once").ranking("zzz qqq", ("us_code",))
    assert np.isfinite(features(replace(ranking, candidates=(), near_misses=()))).all()
    assert share_in("of the", np.zeros(0, np.uint32)) is None


@pytest.mark.django_db
def test_a_question_in_the_other_language_than_it_is_called():
    assert values_of("me catearon la casa sin orden", "en")["other_language"] == 1
    assert values_of("me catearon la casa sin orden", "es")["other_language"] == 0


@pytest.mark.django_db
def test_the_model_in_force_tells_an_answer_from_none():
    good, bad = values_of("unreasonable searches and seizures"), values_of("recipe for banana bread")
    as_array = lambda values: np.array([values[name] for name in FEATURES])  # noqa: E731
    assert in_force().of(as_array(good)) > in_force().of(as_array(bad))
    assert unknown(Runner("once").ranking("search", ("us_constitution",)).query) == 0
