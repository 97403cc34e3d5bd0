"""What the learned reranker reads of a candidate."""

from dataclasses import replace

import numpy as np
import pytest

from retrieval.indexes.terms import UNCITED, CandidateWords, QueryWords, SectionWords, frequencies, numbers
from retrieval.ranking import Candidate
from retrieval.stages.reranker.features import FEATURES, Asked, JudgedNeighbours, JudgedQuestion, matrix
from tests.rerankers import NOBODY


def candidate(section: int, **scores: float) -> Candidate:
    return Candidate(
        section,
        locator=f"/us/const/amendment/I/section/{section}",
        scores=scores,
        ranks={leg: 1 for leg in scores},
        score=sum(scores.values()),
    )


def words(body: str, head: str = "", breadcrumb: str = "") -> SectionWords:
    of_head, of_breadcrumb = (np.unique(numbers(text, "en")) for text in (head, breadcrumb))
    return SectionWords(np.sort(numbers(body, "en")), of_head, of_breadcrumb)


def texts(*known: SectionWords) -> CandidateWords:
    return CandidateWords(known, [frequencies(known)], np.zeros(len(known), int), [UNCITED] * len(known))


def test_a_row_holds_what_the_legs_gave():
    candidates = [candidate(1, dense=0.5, alias=2.0), candidate(2, dense=0.3)]
    known = texts(words("no law abridging it", "speech", "Bill of rights"), words("an army, free"))
    rows = matrix(Asked(QueryWords.of({"en": "the free speech"}), None), candidates, known, NOBODY)
    told = [dict(zip(FEATURES, row.tolist(), strict=True)) for row in rows]
    assert rows.shape == (2, len(FEATURES))
    assert told[0]["dense_score"] == 0.5
    assert told[1]["dense_below_best"] == pytest.approx(0.2)
    assert told[0]["parent_score"] == told[1]["parent_score"] == 0.5
    assert (told[0]["heading_overlap"], told[0]["amendment"]) == (pytest.approx(1 / 3), 1.0)
    assert [each["terms_covered"] for each in told] == [0.5, 0.5]  # "the" tells nothing
    assert (told[0]["bm25"], told[1]["bm25"] > 0.1) == (0.0, True)


def test_what_names_say_is_told_of_each_in_its_place():
    candidates = [candidate(1, named=1.0, name_near=0.7, name_words=0.2), candidate(2, dense=0.3)]
    known = texts(words("one"), words("two"))
    rows = matrix(Asked(QueryWords.of({"en": "three"}), None), candidates, known, NOBODY)
    told = [dict(zip(FEATURES, row.tolist(), strict=True)) for row in rows]
    names = ("named", "name_near", "name_words", "name_near_below_best", "coverage")
    assert [told[0][name] for name in names] == pytest.approx([1.0, 0.7, 0.2, 0.0, 0.0])
    assert [told[1][name] for name in names] == pytest.approx([0.0, 0.0, 0.0, 0.7, 0.0])


def test_similar_judged_questions_vote_by_their_similarity():
    vectors = np.array([[1.0, 0.0], [0.6, 0.8]], dtype=np.float32)
    judged = JudgedNeighbours(vectors, ({"/a": 3}, {"/b": 3}), {})
    votes, nearest = judged.votes(np.array([1.0, 0.0], dtype=np.float32))
    assert votes["/a"] == pytest.approx(1.0)
    assert votes["/b"] == pytest.approx(0.6**4, rel=1e-5)
    assert nearest == pytest.approx({"/a": 1.0, "/b": 0.6})


def test_a_question_is_likened_to_those_that_were_answered_and_those_that_nothing_answers():
    ways = np.eye(3, dtype=np.float32)
    judged = JudgedNeighbours(ways[:1], ({"/a": 3},), {}, unanswerable=ways[1:2])
    assert [judged.likeness(way) for way in ways] == [1.0, -1.0, 0.0]
    assert judged.likeness(None) is None and NOBODY.likeness(ways[0]) is None


def test_a_question_is_near_those_judged_in_a_body_and_as_near_as_usual_to_a_body_with_few():
    enough = JudgedNeighbours.ENOUGH
    bodies = ("laws",) * enough + ("rules",) * enough + ("new",)
    vectors = np.repeat(np.array([[1.0, 0.0], [0.6, 0.8], [0.0, 1.0]], np.float32), [enough, enough, 1], axis=0)
    questions = tuple(JudgedQuestion(body, "en", "") for body in bodies)
    judged = JudgedNeighbours(vectors, ({"/a": 3},) * len(bodies), {}, questions)
    asked, domains = vectors[0], ["laws", "rules", "new"]
    assert judged.near_each(asked, domains) == pytest.approx({"laws": 1.0, "rules": 0.6, "new": 0.8})
    far, close = (replace(judged, unanswerable=np.array([way], np.float32)) for way in ([0.5, 0.866], [0.96, 0.28]))
    assert far.near_each(asked, domains)["new"] == pytest.approx(0.7)
    assert close.near_each(asked, domains)["new"] == close.unanswered(asked) == pytest.approx(0.96)
    assert judged.near_each(asked, ["laws", "new"])["new"] == 1.0
    assert NOBODY.near_each(np.eye(3, dtype=np.float32)[0], domains) == {}


def test_only_the_very_question_that_was_judged_has_agreed_grades():
    judged = JudgedNeighbours(np.array([[1.0, 0.0], [0.0, 1.0]], np.float32), ({"/a": 3}, {"/b": 1}), {})
    assert judged.agreed(np.array([1.0, 0.0], np.float32)) == {"/a": 3}
    assert judged.agreed(np.array([0.97, 0.243], np.float32)) == {}
    assert judged.agreed(None) == {}
