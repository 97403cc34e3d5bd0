"""Which bodies of law a question names, and which it only speaks of."""

from dataclasses import replace

import pytest
from django.core.exceptions import ValidationError

from retrieval.access.caller import Caller
from retrieval.ranking import DomainScope
from retrieval.request import SearchRequest
from retrieval.search.service import search
from rules.models import QuestionPhrase
from rules.questions.named import FindNamedDomains, named_among
from tests.builders import a_case_file
from tests.rules.questions.asked import VERSIONS, judged, ranking_of

LAW = [
    DomainScope(n, slug, 1, slug == "client_files", ("en",), names=tuple(names))
    for n, (slug, *names) in enumerate(
        (
            ("us_constitution", "US Constitution", "Constitución de los EE. UU."),
            ("us_code", "US Code", "Código de los EE. UU."),
            ("code_of_federal_regulations", "Code of Federal Regulations", "Código de Reglamentos Federales"),
            ("uscis_policy", "USCIS Policy Manual", "Manual de Políticas de USCIS"),
            ("supreme_court_cases", "Supreme Court cases", "Casos de la Corte Suprema"),
            ("court_cases", "Decisions of other courts", "Decisiones de otros tribunales"),
            ("county", "County Code", "Código del Condado"),
            ("client_files", "Leases"),
        )
    )
]


def named(text: str, language: str = "en", **asked) -> list[str]:
    ranking = ranking_of(text, language=language, **asked)
    found = FindNamedDomains()(replace(ranking, query=replace(ranking.query, domains=tuple(LAW)))).query.named
    return [domain.slug for domain in LAW if domain.id in found]


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("text", "slug"),
    [
        ("what does the Constitution say about guns", "us_constitution"),
        ("is the right to vote guaranteed by the U.S. Constitution?", "us_constitution"),
        ("según la Constitución, ¿quién puede ser presidente?", "us_constitution"),
        ("me protege la constitucion si digo groserias", "us_constitution"),
        ("under title 8 of the US Code, who is inadmissible", "us_code"),
        ("perjury penalty US Code", "us_code"),
        ("en el Código de los Estados Unidos, ¿qué pena hay por perjurio?", "us_code"),
        ("in the Code of Federal Regulations, who may get a visa", "code_of_federal_regulations"),
        ("do federal regulations require seat belts", "code_of_federal_regulations"),
        ("según los reglamentos federales, cuánto tiempo tengo", "code_of_federal_regulations"),
        ("USCIS policy manual on good moral character", "uscis_policy"),
        ("qué dice el manual de políticas sobre las ausencias", "uscis_policy"),
        ("what did the Supreme Court hold about school prayer", "supreme_court_cases"),
        ("qué dijo la Corte Suprema sobre el aborto", "supreme_court_cases"),
        ("Supreme Court cases about burning flags", "supreme_court_cases"),
        ("in the county code, may I keep chickens", "county"),
        ("county code dog licence", "county"),
        ("what do our leases say about dogs", "client_files"),
    ],
)
def test_a_body_is_named_as_where_the_answer_stands(text, slug):
    assert named(text) == [slug]


@pytest.mark.django_db
@pytest.mark.parametrize(
    "text",
    [
        "who appoints Supreme Court justices",
        "who has original jurisdiction in the Supreme Court",
        "can Congress overturn a Supreme Court decision",
        "is it constitutional to burn a flag",
        "does this law violate the Constitution",
        "who swears to support the US Constitution",
        "under the Texas Constitution",
        "what does the constitution of our club say about dues",
        "artículo 123 de la Constitución mexicana",
        "según el código civil",
        "Constitution Avenue parking",
        "does a weak constitution mean more colds",
        "under federal law",
        "who wrote the county code",
        "under leases made before 1990",
    ],
)
def test_what_is_only_spoken_of_is_not_named(text):
    assert named(text) == []


@pytest.mark.django_db
@pytest.mark.parametrize(
    "text",
    [
        "can I sue the police for violating rights secured by the Constitution",
        "which federal statute lets me sue for violations of rights guaranteed by the Constitution",
        "what is the penalty under federal law for denying rights protected by the Constitution",
        "qué ley castiga a quien viola derechos garantizados por la Constitución",
        "which regulation implements a right given by federal statutes",
        "who is liable for taking away rights under the Constitution",
    ],
)
def test_what_only_describes_a_right_names_no_place_of_an_answer(text):
    assert named(text, "es" if "qué" in text else "en") == []


@pytest.mark.django_db
def test_several_bodies_may_be_named():
    assert named("is that in the Constitution or in the US Code?") == ["us_constitution", "us_code"]


@pytest.mark.django_db
def test_what_a_rule_made_of_the_question_counts():
    query = replace(ranking_of("guns").query, rewritten="what does the Constitution say about guns")
    assert [domain.slug for domain in named_among(query, LAW)] == ["us_constitution"]


@pytest.mark.django_db
def test_with_one_body_of_law_none_need_be_named():
    ranking = FindNamedDomains()(ranking_of("what does the Constitution say about guns"))
    assert ranking.details == {"skipped": True} and not ranking.query.named


@pytest.mark.django_db
def test_who_names_private_documents_gets_no_public_law():
    ana = Caller(("user:901",))
    a_case_file("Lease", "The tenant pays the rent on the first of each month.", granted_to=ana)
    for text, law in (("who pays the rent", True), ("in the client cases, who pays the rent", False)):
        stages = search(SearchRequest(text=text), ana, fresh=True)["stages"]
        assert any("us_constitution: " in (stage["note"] or "") for stage in stages) is law


@pytest.mark.django_db
def test_staff_name_a_body_in_their_own_words_and_say_what_names_none():
    QuestionPhrase.objects.create(text="reglas de la migra", language="es", use="domain", answer="uscis_policy")
    QuestionPhrase.objects.create(text="constitution say cheese", use="domain")
    assert named("las reglas de la migra para viajar", "es") == ["uscis_policy"]
    assert named("did the constitution say cheese") == []


@pytest.mark.django_db
def test_a_phrase_names_a_public_body_that_is_there():
    QuestionPhrase(text="the green book", use="domain", answer="us_code").clean()
    QuestionPhrase(text="the green book", use="domain").clean()
    for slug in ("client_cases", "green_book"):
        with pytest.raises(ValidationError, match="us_constitution"):
            QuestionPhrase(text="the green book", use="domain", answer=slug).clean()


@pytest.mark.django_db
def test_no_judged_question_names_another_body_than_its_own():
    rows = [row for row in judged() if row["split"] != "test"]
    once = next(VERSIONS)
    found = {row["query"]: (row["domain"], named(row["query"], row["language"], phrases=once)) for row in rows}
    of_some = {query: pair for query, pair in found.items() if pair[1]}
    assert len(of_some) >= 10
    assert not {query: pair for query, pair in of_some.items() if pair[0] not in pair[1]}
