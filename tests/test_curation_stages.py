"""Stages that read curators' rows: aliases, glossary, calibration, abstention. Every change is seen at once."""

import pytest
from django.core.exceptions import ValidationError

from retrieval.models import Domain, Version
from retrieval.ranking import Candidate
from retrieval.search import SearchRequest, search
from rules import defaults, embedding, thresholds
from rules.models import Alias, DomainThreshold, GlossaryTerm
from rules.published import AliasTable
from rules.stages import dense_ranks, features, logistic, strength

pytestmark = pytest.mark.django_db


@pytest.fixture
def domain():
    return Domain.objects.get(slug="us_constitution")


def ask(text: str, **fields) -> dict:
    return search(SearchRequest(text=text, **fields))


def matched(table: AliasTable, text: str) -> list[str]:
    return [match.text for match in table.matches(text, "en")]


def test_an_alias_matches_whole_phrases_without_case_accents_or_plurals():
    table = AliasTable([("search warrant", "/a", "en"), ("café", "/b", "en")])
    assert matched(table, "Did they need SEARCH WARRANTS?") == ["search warrant"]
    assert matched(table, "the cafe") == ["café"]
    assert matched(table, "research warranty") == []
    assert matched(table, "search without a warrant") == []


def test_the_longer_alias_wins_where_two_overlap():
    table = AliasTable([("due process", "/a", "en"), ("substantive due process", "/b", "en")])
    assert matched(table, "Is it substantive due process?") == ["substantive due process"]
    assert matched(table, "due process, substantive due process") == [
        "due process",
        "substantive due process",
    ]


def test_a_long_name_of_one_provision_is_stronger_than_a_short_shared_one():
    table = AliasTable([("jury", "/a", "en"), ("jury", "/b", "en"), ("civil jury trial", "/c", "en")])
    (civil,) = table.matches("civil jury trial", "en")
    shared = table.matches("a jury", "en")
    assert strength(civil) > max(map(strength, shared))
    assert dense_ranks([0.5, 3.0, 0.5]) == [2, 1, 2]


def test_a_new_alias_is_found_by_the_next_search(domain):
    third = "/us/const/amendment/III"
    before = ask("flibbertigibbet rule")
    assert third not in [result["locator"] for result in before["results"][:1]]
    Alias.objects.create(domain=domain, text="flibbertigibbet rule", locator=third)
    embedding.embed_all()
    answer = ask("flibbertigibbet rule")
    assert answer["results"][0]["locator"] == third
    assert {"code": "alias", "alias": "flibbertigibbet rule"} in answer["results"][0]["reasons"]


def test_a_disabled_alias_is_not_found(domain):
    Alias.objects.create(
        domain=domain, text="flibbertigibbet", locator="/us/const/amendment/III", enabled=False
    )
    reasons = [reason["code"] for result in ask("flibbertigibbet")["results"] for reason in result["reasons"]]
    assert "alias" not in reasons


@pytest.mark.parametrize(
    "change",
    [
        lambda: Alias.objects.first().delete(),
        lambda: Alias.objects.filter(pk__lt=50).update(note="checked"),
        lambda: Alias.objects.bulk_create(
            [
                Alias(
                    domain=Domain.objects.get(slug="us_constitution"),
                    text="x y",
                    locator="/us/const/preamble",
                )
            ]
        ),
    ],
)
def test_every_way_of_changing_aliases_counts_their_version_up(change):
    before = Version.objects.get(name="aliases").number
    change()
    assert Version.objects.get(name="aliases").number > before


def test_an_alias_must_name_a_provision_that_exists(domain):
    with pytest.raises(ValidationError, match="No provision"):
        Alias(domain=domain, text="a name", locator="/us/const/amendment/XXX").full_clean()
    with pytest.raises(ValidationError, match="letter or digit"):
        Alias(domain=domain, text="¿?", locator="/us/const/amendment/I").full_clean()


def test_a_glossary_term_is_kept_exact_in_translation():
    GlossaryTerm.objects.create(spanish="zutanejo", english="cruel and unusual punishment")
    answer = ask("¿Es un zutanejo la cadena perpetua?")
    assert "cruel and unusual punishment" in answer["query"]["translated"]


def test_citations_in_a_spanish_question_survive_translation():
    answer = ask("¿Qué protege la Cuarta Enmienda cuando la policía entra en mi casa?")
    assert "U.S. Const. amend. IV" in answer["query"]["translated"]
    assert answer["results"][0]["locator"] == "/us/const/amendment/IV"


def test_without_apertium_the_glossary_serves_and_the_answer_says_degraded(monkeypatch):
    monkeypatch.setattr("retrieval.serving.apertium", lambda: None)
    answer = ask("derecho a guardar silencio ante la policía")
    assert "Translate" in answer["degraded"]
    assert "/us/const/amendment/V" in [result["locator"] for result in answer["results"][:3]]


def test_a_higher_minimum_abstains_at_once_and_keeps_its_history(domain):
    assert not ask("who can declare war")["abstained"]
    row = domain.thresholds.get(active=True)
    thresholds.publish(
        DomainThreshold(domain=domain, answer_minimum=1.0, calibration=row.calibration, reason="a test")
    )
    assert ask("who can declare war")["abstained"]
    assert domain.thresholds.filter(active=True).count() == 1
    assert domain.thresholds.count() == 2


def test_a_domain_without_a_fit_never_abstains_and_the_trace_says_why(domain):
    DomainThreshold.objects.all().delete()
    answer = ask("best pizza dough hydration for a home oven")
    assert not answer["abstained"]
    stage = next(stage for stage in answer["stages"] if stage["name"] == "Calibrate")
    assert (stage["status"], stage["note"]) == ("skipped", "no calibration for these domains")
    assert answer["results"][0]["probability"] is None


def test_probabilities_lie_between_zero_and_one_and_grow_with_every_score():
    weights = Domain.objects.get(slug="us_constitution").thresholds.get(active=True).calibration
    low = logistic(features(Candidate(1, scores={"dense": 0.1})), weights)
    named = {"dense": 0.6, "alias": 3.0, "alias_near": 0.9, "alias_coverage": 1.0}
    high = logistic(features(Candidate(1, scores=named)), weights)
    assert 0 < low < 0.1 < 0.9 < high < 1


def test_loading_the_defaults_again_brings_back_nothing_staff_removed():
    gone = Alias.objects.get(text="double jeopardy")
    gone.delete()
    changed = GlossaryTerm.objects.first()
    changed.english = "something else"
    changed.save()
    assert defaults.load() == {"aliases": 0, "glossary": 0, "thresholds": 0}
    changed.refresh_from_db()
    assert changed.english == "something else"


def near(answer: dict) -> dict[str, str]:
    """The alias that brought each result by its meaning."""
    return {
        result["locator"]: reason["alias"]
        for result in answer["results"]
        for reason in result["reasons"]
        if reason["code"] == "alias_near"
    }


def test_an_alias_that_means_nearly_what_is_asked_brings_its_provision(domain):
    Alias.objects.create(domain=domain, text="zebras kept as pets", locator="/us/const/amendment/III")
    question = "I want to keep a zebra at home, is that allowed"
    assert near(ask(question)).get("/us/const/amendment/III") != "zebras kept as pets"
    assert embedding.embed_all() == 1
    assert near(ask(question))["/us/const/amendment/III"] == "zebras kept as pets"


def test_an_alias_worded_anew_loses_its_vector_until_it_is_embedded_again():
    alias = Alias.objects.filter(vectors__isnull=False).first()
    Alias.objects.filter(pk=alias.pk).update(note="looked at")
    assert alias.vectors.exists()
    Alias.objects.filter(pk=alias.pk).update(text="something new")
    assert not alias.vectors.exists()
    assert embedding.embed_all() == 1
    assert embedding.embed_all() == 0


def test_a_disabled_alias_is_not_near_either():
    question = "may cops look through the photos on my mobile"
    best = near(ask(question))["/us/const/amendment/IV"]
    Alias.objects.filter(text=best).update(enabled=False)
    assert near(ask(question))["/us/const/amendment/IV"] != best
