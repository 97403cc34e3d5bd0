"""Looking again: only where the evidence is poor, for a reason, at most twice, never to something worse."""

from dataclasses import dataclass, replace

import pytest

from retrieval.ranking import Candidate, DomainScope, Query, Ranking, Thresholds
from retrieval.request import SearchRequest
from retrieval.search.service import search
from rules.sufficiency.stage import UntilSufficient

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

    def __call__(self, ranking: Ranking) -> Ranking:
        if not self.letter:
            return ranking.noting("does not apply", skipped=True)
        query = replace(ranking.query, text=ranking.query.text + self.letter)
        return replace(ranking, query=query)


def looked(*letters: str, known: tuple[str, ...], most: int = 2, **changes) -> Ranking:
    stage = UntilSufficient(Answers(known), corrections=tuple(map(Reads, letters)), most=most)
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


def test_every_attempt_is_in_the_trace():
    answer = looked("a", "b", known=())
    assert [report.name for report in answer.reports] == [
        "Answers", "Sufficient", "Reads", "Answers", "Sufficient", "Reads", "Answers", "Sufficient",
    ]  # fmt: skip


def test_what_a_domain_without_thresholds_answers_is_left_alone(monkeypatch):
    monkeypatch.setattr("rules.sufficiency.stage.supported", lambda ranking: 0.1)
    assert runs(looked("a", known=("q",))) == 1
    own = {1: Thresholds(version=3)}
    assert runs(looked("a", known=("q",), query=replace(QUERY, thresholds=own))) == 2


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
