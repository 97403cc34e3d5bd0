"""Rules learned from judged questions of a category."""

import pytest
from django.core.management import call_command

from evaluation.models import Judgment, Topic
from evaluation.rule_impact.category_rules import proposals, trigger
from evaluation.topics.topic import Topic as JudgedTopic
from retrieval.access.caller import ANONYMOUS
from retrieval.models import Section
from rules.models import Rule
from tests.builders import a_document, a_domain, a_section, embedded

HEADINGS = ("Payment", "Governing Law", "Notices", "Term", "Audit", "Insurance", "Assignment")


def test_a_category_is_told_by_its_name_or_by_its_questions_or_not_at_all():
    def asked(query: str, tag: str) -> JudgedTopic:
        return JudgedTopic(query, query, tags=(tag,))

    law, which = asked("What is the governing law?", "Governing Law"), asked("Which law?", "Governing Law")
    term = asked("How long is the term?", "Term")
    assert trigger("Governing Law", [law, term]) == ["Governing Law"]
    assert trigger("Governing Law", [law, which, term]) == ["What is the governing law?", "Which law?"]
    assert trigger("Term", [term, asked("How long is the term? And the notice?", "Notice")]) == []


@pytest.fixture
def judged():
    """Four contracts of eight clauses, each judged for its governing law, which says so by its heading alone."""
    domain = a_domain()
    for n in range(4):
        document = a_document(domain, title=f"Contract {n}")  # titles are embedded: always the same
        sections = [
            a_section(
                document,
                f"Choice of forum {m}: the forum of choice of party {n} is told in another clause.",
                heading=heading,
                breadcrumb=document.title,
            )
            for m, heading in enumerate(("Recitals", *HEADINGS))
        ]
        (clause,) = [section for section in sections if section.heading == "Governing Law"]
        Section.objects.filter(pk=clause.pk).update(text="Ruritania alone.")
        clause.text = "Ruritania alone."
        embedded(*sections)
        topic = Topic.objects.create(
            name=f"law {domain.slug} {n}", domain=domain, query="forum choice", tags=["forum choice"]
        )
        Judgment.objects.create(topic=topic, locator=clause.locator, grade=2, judge="ann")
    return domain


@pytest.mark.django_db
def test_judged_questions_of_a_category_become_a_draft_once(judged, capsys):
    call_command("rules_from_judgments", judged.slug, save=True)
    (rule,) = Rule.objects.filter(domains=[judged.slug])
    assert rule.status == "draft" and rule.live is None
    assert {"kind": "heading", "value": "governing law"} in rule.targets
    assert rule.criteria == [{"kind": "keywords", "value": ["forum choice"]}]
    call_command("rules_from_judgments", judged.slug, save=True)
    assert Rule.objects.filter(domains=[judged.slug]).count() == 1
    assert "is there already" in capsys.readouterr().out


@pytest.mark.django_db
def test_test_topics_teach_nothing(judged, capsys):
    Topic.objects.filter(domain=judged).update(split="test")
    call_command("rules_from_judgments", judged.slug)
    assert "0 rules from 0 judged topics" in capsys.readouterr().out


@pytest.mark.django_db
def test_what_a_draft_promises_is_what_the_search_does(judged):
    from evaluation.rule_impact.category_rules import document_search, places_of
    from evaluation.rule_impact.cross_validation import numbered
    from evaluation.rule_impact.patterns import recall
    from evaluation.topics import library

    topics = library.topics_of(judged.slug)
    (proposed,) = proposals(topics, judged.slug, ANONYMOUS)
    asks = document_search(judged.slug, ANONYMOUS, places_of(judged.slug, ANONYMOUS))
    shown = [
        recall([c.locator for c in ranking.candidates], topic.relevant)
        for topic, ranking in zip(topics, asks.rankings(topics, numbered([proposed.rule])), strict=True)
    ]
    assert sum(shown) / len(shown) == pytest.approx(proposed.after) and proposed.after > proposed.before
