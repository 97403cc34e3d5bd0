"""What every leg keeps to, whatever it searches: written once. A leg's own test names the leg, and what it can find."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import date

import pytest

from retrieval.access.caller import ANONYMOUS, Caller
from retrieval.access.row_security import as_caller, as_system
from retrieval.citations.citation import Citation
from retrieval.engines import loaded
from retrieval.errors import NotRun
from retrieval.models import Citation as Link
from retrieval.models import Domain, Section
from retrieval.pipeline import Stage
from retrieval.ranking import Query, Ranking
from retrieval.search.service import in_scope
from retrieval.stages.fusion import Fuse
from retrieval.targets import Part, Selection
from rules.aliases import embedding
from rules.models import Alias, compiled
from tests.builders import a_case_file, a_document, a_domain, a_section, embedded
from tests.database import own_index, rolled_back

ANA, BEN = Caller(("key:951",)), Caller(("key:952",))
QUESTION = "saxophone tariff of the Zamorano Act"
TEXT = "The zamorano saxophone tariff is levied in part {}."


@dataclass(frozen=True)
class Law:
    """Sections by id: two of an act in force since 2000 in a public domain, and one of ANA's private documents."""

    domains: tuple[str, ...]
    first: Section
    second: Section
    private: Section

    @property
    def public(self) -> set[int]:
        return {self.first.pk, self.second.pk}

    @property
    def all(self) -> tuple[Section, ...]:
        return self.first, self.second, self.private


class Broken:
    """A leg that cannot run."""

    weight = 1.0

    def __call__(self, ranking: Ranking) -> Ranking:
        raise NotRun("out of order")


class LegContract:
    """`finds_public` and `finds_private`: what the leg searches at all."""

    leg: Stage
    finds_public = True
    finds_private = True
    pytestmark = pytest.mark.django_db

    @pytest.fixture(scope="class")
    @classmethod
    def law(cls, django_db_setup, django_db_blocker, tmp_path_factory) -> Iterator[Law]:
        """Made once for all tests of a leg: names and words are compiled anew for each version of them."""
        folder = tmp_path_factory.mktemp("law") / "lexical"
        with django_db_blocker.unblock(), rolled_back(), own_index(folder) as reindex:
            made = made_law()
            reindex()
            yield made

    def query(self, law: Law, caller: Caller, **fields) -> Query:
        """All that earlier stages could have found out: every leg has something to go by."""
        slugs = [slug for slug in law.domains if slug != "client_cases" or caller.principals]
        with as_caller(caller):
            known = {domain.slug for domain in Domain.objects.visible_to(caller)}
            scopes, in_force = in_scope(caller, [slug for slug in slugs if slug in known])
        active = loaded.active_embedder()
        query = Query(
            QUESTION,
            QUESTION,
            QUESTION,
            "en",
            scopes,
            caller,
            versions=in_force,
            citations=tuple(cited(section.locator) for section in law.all),
            fired=(naming(law.all),),
            vector=active.embedder.embed_query(QUESTION),
            embedded_by=active.model_id,
        )
        return replace(query, **fields)

    def ran(self, law: Law, caller: Caller, *others: Stage, **fields) -> Ranking:
        query = self.query(law, caller, **fields)
        with as_caller(caller):
            return Fuse(self.leg, *others)(Ranking(query))

    def found(self, law: Law, caller: Caller = ANONYMOUS, **fields) -> set[int]:
        return {candidate.section_id for candidate in self.ran(law, caller, **fields).candidates}

    def test_it_finds_what_it_searches_and_says_why(self, law):
        ranking = self.ran(law, ANA)
        expected = (law.public if self.finds_public else set()) | (
            {law.private.pk} if self.finds_private else set()
        )
        assert {candidate.section_id for candidate in ranking.candidates} == expected
        assert all(candidate.reasons and candidate.ranks for candidate in ranking.candidates)

    def test_nobody_finds_a_private_document_of_another(self, law):
        assert law.private.pk not in self.found(law, BEN)
        assert law.private.pk not in self.found(law)

    def test_a_caller_who_names_another_s_domain_finds_nothing_in_it(self, law):
        """Even if an earlier stage let a scope through that the caller may not have."""
        scopes = self.query(law, ANA).domains
        assert law.private.pk not in self.found(law, BEN, domains=scopes)

    def test_nothing_is_found_outside_the_domains_searched(self, law):
        scopes = tuple(scope for scope in self.query(law, ANA).domains if scope.private)
        assert not law.public & self.found(law, ANA, domains=scopes)

    def test_a_translated_question_finds_what_its_english_finds(self, law):
        spanish = {"language": "es", "original": "arancel de saxofones del Zamorano Act", "translated": QUESTION}
        assert self.found(law, ANA, **spanish) == self.found(law, ANA)

    def test_only_what_was_in_force_on_the_day_is_found(self, law):
        assert not law.public & self.found(law, ANA, as_of=date(1999, 12, 31))
        assert self.found(law, ANA, as_of=date(2000, 1, 1)) >= (law.public if self.finds_public else set())

    def test_what_rules_exclude_is_not_found(self, law):
        for section in (law.first, law.private):
            found = self.found(law, ANA, exclude=selection(section))
            assert found == self.found(law, ANA) - {section.pk}

    def test_where_rules_restrict_the_search_nothing_else_is_found(self, law):
        for section in (law.second, law.private):
            found = self.found(law, ANA, include=selection(section))
            assert found == self.found(law, ANA) & {section.pk}

    def test_where_the_caller_restricts_the_search_nothing_else_is_found(self, law):
        for section in (law.second, law.private):
            below = Part("subtree", document=section.document_id, positions=(section.position, section.position + 1))
            found = self.found(law, ANA, within=Selection((below,)))
            assert found == self.found(law, ANA) & {section.pk}
            found = self.found(law, ANA, within=Selection((below,)), include=selection(law.first))
            assert found == set()

    def test_where_the_caller_restricts_the_search_to_a_domain_all_of_it_is_found_and_nothing_else(self, law):
        for section in (law.first, law.private):
            whole = Part("subtree", domain=section.domain_id)
            in_domain = {other.pk for other in law.all if other.domain_id == section.domain_id}
            assert self.found(law, ANA, within=Selection((whole,))) == self.found(law, ANA) & in_domain
        place = Part("subtree", document=law.private.document_id)
        here = Part("subtree", domain=law.first.domain_id)
        assert self.found(law, ANA, within=Selection((here, place))) == self.found(law, ANA)
        assert self.found(law, within=Selection((here, place))) == self.found(law)

    def test_where_the_search_is_restricted_to_nothing_nothing_is_found(self, law):
        assert self.found(law, ANA, within=Selection()) == set()

    def test_a_leg_that_cannot_run_takes_nothing_from_this_one(self, law):
        both = self.ran(law, ANA, Broken())
        assert {candidate.section_id for candidate in both.candidates} == self.found(law, ANA)
        assert both.degraded == (Broken.__name__,)


def made_law() -> Law:
    domain = a_domain()
    document = a_document(domain)
    act = a_section(
        document, level="chapter", is_result=False, is_leaf=False, depth=1, valid_from=date(2000, 1, 1)
    )
    fields = {"parent_locator": act.locator, "depth": 2, "valid_from": date(2000, 1, 1)}
    sections = embedded(*(a_section(document, TEXT.format(n), **fields) for n in ("one", "two")))
    case = a_case_file("Matter of Zamorano", TEXT.format("three"), granted_to=ANA)
    with as_system():
        private = case.sections.get()
        Alias.objects.bulk_create(
            Alias(domain=section.domain, text=QUESTION, locator=section.locator)
            for section in (*sections, private)
        )
        named = {"text": "This chapter", "called": "Zamorano Act", "start": 0, "end": 1}
        Link.objects.create(source=act, target=act, target_locator=act.locator, **named)
        embedding.embed_all()
    return Law((domain.slug, "client_cases"), *sections, private)


def cited(locator: str) -> Citation:
    return Citation(QUESTION, 0, len(QUESTION), locator, locator)


def selection(section: Section) -> Selection:
    return Selection((Part("section", section.locator),))


def naming(sections: tuple[Section, ...]):
    """A rule that names these sections as an answer."""
    content = {
        "name": "a rule",
        "domains": [],
        "criteria": [{"kind": "always"}],
        "targets": [{"kind": "section", "value": section.locator} for section in sections],
        "actions": [{"kind": "alias"}],
        "priority": 100,
        "valid_from": None,
        "valid_to": None,
    }
    return compiled(content, number=1, version=1)
