"""What a target names of the corpus."""

import pytest

from retrieval.models import Section
from tests.builders import a_document, a_domain, a_section, embedded
from tests.rule_searches import QUESTION, ask, fired, locators

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize(
    ("target", "clauses"),
    [
        ({"kind": "filename", "value": "lease.pdf"}, {0, 1, 2}),
        ({"kind": "filename", "value": "lease.pdf", "pages": "3"}, {1, 2}),
        ({"kind": "filename", "value": "lease.pdf", "pages": "1-2"}, {0, 1}),
        ({"kind": "filename", "value": "lease.pdf", "pages": [1]}, {0}),
        ({"kind": "tag", "value": "lease"}, {0, 1, 2}),
        ({"kind": "metadata", "key": "party", "value": "acme"}, {0, 1, 2}),
        ({"kind": "metadata", "key": "party", "comparison": "contains", "value": "cm"}, {0, 1, 2}),
        ({"kind": "metadata", "key": "year", "comparison": "at_least", "value": 2024}, {0, 1, 2}),
        ({"kind": "metadata", "key": "year", "comparison": "at_most", "value": 2024.5}, {0, 1, 2}),
        ({"kind": "metadata", "key": "year", "value": 2024}, {0, 1, 2}),
        ({"kind": "pages", "pages": "1-2"}, {0, 1}),
        ({"kind": "heading", "value": "late payments"}, {1, 2}),
        ({"kind": "heading", "value": "late PAYMENTS"}, {1, 2}),
        ({"kind": "heading", "value": "indemnización"}, {0}),
        ({"kind": "heading", "value": "indemnizacion"}, {0}),
        ({"kind": "heading", "value": "fee"}, {2}),
    ],
)
def test_a_target_names_its_part_of_the_corpus(contract, rule, target, clauses):
    document, sections = contract
    rule("restrict", targets=[target])
    found = locators(ask("the tenant's rent", domains=(document.domain.slug,)))
    assert set(found) == {sections[n].locator for n in clauses}


def test_a_document_and_chunks_can_be_targets(contract, rule):
    document, sections = contract
    chunk = sections[1].chunks.get()
    rule("pin", targets=[{"kind": "chunk", "value": [chunk.pk]}])
    rule("exclude", targets=[{"kind": "document", "value": document.locator, "pages": "1"}])
    found = locators(ask("who pays", domains=(document.domain.slug,)))
    assert found[0] == sections[1].locator and sections[0].locator not in found


def test_what_cites_a_section_can_be_a_target(rule):
    from retrieval.models import Citation

    cited = Citation.objects.filter(source__live=True, source__valid_to=None, target__isnull=False).first()
    made = rule("pin", targets=[{"kind": "cites", "value": cited.target_locator}])
    citing = Section.objects.filter(citations_made__target_locator=cited.target_locator)
    assert locators(ask(QUESTION))[0] in set(citing.values_list("locator", flat=True)), made


def test_the_definitions_a_section_uses_can_be_a_target(rule, contract):
    from retrieval.models import Citation

    document, sections = contract
    Section.objects.filter(pk=sections[2].pk).update(heading="Definitions")
    Citation.objects.create(
        source=sections[0], target=sections[2], target_locator=sections[2].locator, text="2", start=0, end=1
    )
    rule("restrict", targets=[{"kind": "definitions", "value": sections[0].locator}])
    assert locators(ask("rent", domains=(document.domain.slug,))) == [sections[2].locator]


def test_a_new_tag_is_seen_by_the_next_search(contract, rule):
    document, sections = contract
    other = a_document(document.domain, tags=["lease"])
    embedded(a_section(other, "The guest pays nothing."))
    rule("restrict", targets=[{"kind": "tag", "value": "lease"}])
    domains = (document.domain.slug,)
    assert len(locators(ask("who pays", domains=domains))) == 4
    other.tags = []
    other.save()
    assert len(locators(ask("who pays", domains=domains))) == 3


def test_a_target_lies_in_the_domains_of_its_rule(contract, rule):
    document, sections = contract
    other = a_document(a_domain(), tags=["lease"])
    (elsewhere,) = embedded(a_section(other, "Whoever rents pays."))
    rule("exclude", targets=[{"kind": "tag", "value": "lease"}], domains=[document.domain.slug])
    answer = ask("who pays rent", domains=(document.domain.slug, other.domain.slug))
    assert len(fired(answer)) == 1 and locators(answer) == [elsewhere.locator]
