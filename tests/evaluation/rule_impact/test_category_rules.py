"""Where answers stand, learned from judgments: patterns, the rules made of them, drafts kept once."""

import pytest
from django.core.management import call_command

from evaluation.models import Judgment, Topic
from evaluation.rule_impact.category_rules import (
    Case,
    Corpus,
    Pattern,
    Place,
    boosted,
    halves,
    learn,
    patterns_by_category,
    phrases,
    proposals,
    trigger,
)
from evaluation.topics.topic import Topic as JudgedTopic
from retrieval.access.caller import ANONYMOUS
from retrieval.models import Section
from rules.models import Rule
from tests.builders import a_document, a_domain, a_section, embedded

HEADINGS = ("Payment", "Governing Law", "Notices", "Term", "Audit", "Insurance", "Assignment")
LAW = Pattern("heading", "governing law")


def contract(name: str, *, law: str = "Governing Law") -> list[Place]:
    headings = (law if heading == "Governing Law" else heading for heading in HEADINGS)
    return [Place(f"/{name}/{n}", f"/{name}", (heading,), n) for n, heading in enumerate(headings, start=1)]


def case(name: str, category: str = "Law", *, relevant: int = 2, last: bool = True) -> Case:
    """What is relevant stands last in the ranking, or else first."""
    order = sorted(range(1, len(HEADINGS) + 1), key=lambda n: (n == relevant) is last)
    ranking = tuple((f"/{name}/{n}", 1 / (60 + rank)) for rank, n in enumerate(order, start=1))
    return Case(
        f"{name} {category}", category, frozenset([f"/{name}"]), frozenset([f"/{name}/{relevant}"]), ranking
    )


CORPUS = Corpus(place for name in "abcd" for place in contract(name))


def test_a_heading_speaks_by_runs_of_words_that_say_something():
    assert set(phrases("9. Term of the Agreement")) == {"term", "agreement"}
    assert set(phrases("Governing Law; Venue")) == {
        "governing", "law", "venue", "governing law", "law venue", "governing law venue",
    }  # fmt: skip


def test_the_heading_under_which_answers_stand_is_learned():
    rules = learn([case(name) for name in "abcd"], CORPUS)
    assert rules == {"Law": (LAW,)}
    assert boosted(case("a"), rules["Law"], CORPUS)[0] == "/a/2"


def test_two_documents_teach_nothing():
    assert patterns_by_category([case(name) for name in "ab"], CORPUS, 0.05) == {}


def test_no_rule_is_made_where_the_answer_was_found_anyway():
    assert patterns_by_category([case(name, last=False) for name in "abcd"], CORPUS, 0.05) == {}


def test_a_page_is_a_pattern_up_to_the_third():
    corpus = Corpus(
        Place(f"/{name}/{n}", f"/{name}", (), n) for name in "abcd" for n in range(1, len(HEADINGS) + 1)
    )
    cases = [case(name) for name in "abcd"]
    assert patterns_by_category(cases, corpus, 0.05) == {"Law": (Pattern("pages", 2),)}
    assert Pattern("pages", 2).target == {"kind": "pages", "pages": "1-2"}
    assert patterns_by_category([case(name, relevant=5) for name in "abcd"], corpus, 0.05) == {}


# -- In the database


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
        Section.objects.filter(pk=clause.pk).update(text="The forum of Ruritania.")
        clause.text = "The forum of Ruritania."
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
    from evaluation.rule_impact.category_rules import document_search, numbered, places_of, recall
    from evaluation.topics import library

    topics = library.topics_of(judged.slug)
    (proposed,) = proposals(topics, judged.slug, ANONYMOUS)
    asks = document_search(judged.slug, ANONYMOUS, places_of(judged.slug, ANONYMOUS))
    shown = [
        recall([c.locator for c in ranking.candidates], topic.relevant)
        for topic, ranking in zip(topics, asks.rankings(topics, numbered([proposed.rule])), strict=True)
    ]
    assert sum(shown) / len(shown) == pytest.approx(proposed.after) and proposed.after > proposed.before


def test_halves_are_of_documents_and_the_same_for_a_seed():
    first, second = halves("abcd", 1)
    assert first | second == set("abcd") and len(first) == 2
    assert halves("dcba", 1) == (first, second) != halves("abcd", 2)
