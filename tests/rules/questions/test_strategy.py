import time
from dataclasses import replace

import numpy as np
import pytest
from django.core.exceptions import ValidationError

from retrieval.request import SearchRequest
from retrieval.search.service import search
from rules.models import STRATEGIES, QuestionPhrase
from rules.questions.strategy import CHOICES, FEATURES, Strategy, features, probabilities
from tests.rules.questions.asked import judged, ranking_of

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize(
    ("text", "language", "name"),
    [
        ("habeas corpus suspension", "en", "keyword"),
        ("can the police look into my phone without asking a judge", "en", "hybrid"),
        ("overview of immigration law", "en", "hierarchical"),
        ("Can I vote by mail, and when must my ballot arrive?", "en", "multi_part"),
        ("which cases interpret the Tenth Amendment", "en", "graph"),
        ("¿Qué casos citan Gideon v. Wainwright?", "es", "graph"),
    ],
)
def test_a_question_names_its_strategy(text, language, name):
    assert Strategy()(ranking_of(text, language=language)).query.strategy == name


def test_reason_and_confidence_are_in_the_trace():
    details = Strategy()(ranking_of("overview of immigration law")).details
    assert details["reason"] == "broad" and 0.5 < details["confidence"] <= 1


def test_the_trace_tells_as_what_the_question_was_searched():
    named = Strategy()(ranking_of("overview of immigration law"))
    assert named.details["searched_as"] == "hybrid" and named.note.endswith("; searched as hybrid")
    cited = Strategy()(replace(ranking_of("amendment IV"), final=True))
    assert cited.details["searched_as"] == "citation" and "searched as" not in cited.note


def test_staff_name_the_strategy_of_a_phrase_by_any_systems_name():
    QuestionPhrase.objects.create(text="asylum", use="strategy", answer="raptor")
    ranking = Strategy()(ranking_of("how do I ask for asylum"))
    assert ranking.query.strategy == "hierarchical" and ranking.details["confidence"] == 1.0


def test_a_name_that_none_has_is_refused():
    with pytest.raises(ValidationError, match="chain_of_thought"):
        QuestionPhrase(text="asylum", use="strategy", answer="magic").clean()


def test_every_other_name_leads_to_a_strategy():
    assert set(STRATEGIES.values()) == set(CHOICES)


def test_most_judged_questions_of_the_law_are_searched_as_they_are():
    rows = [features(r["query"], r["language"], cited=False, whole=False) for r in judged()]
    shares = probabilities(np.array(rows))
    assert shares.shape == (len(rows), len(CHOICES)) and np.allclose(shares.sum(axis=1), 1)
    assert len(FEATURES) == len(rows[0])


def test_a_citation_is_answered_by_itself_and_says_so():
    stages = {stage["name"]: stage for stage in search(SearchRequest(text="amend. IV"))["stages"]}
    assert stages["Strategy"]["note"].startswith("citation 1.00")


def test_it_takes_few_milliseconds():
    took = []
    for row, _ in zip(judged(), range(300), strict=False):
        started = time.process_time()
        probabilities(features(row["query"], row["language"], cited=False, whole=False)[None, :])
        took.append(time.process_time() - started)
    assert np.median(took) < 0.005
