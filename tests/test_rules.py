"""Rules in searches: when they fire, what they do, what they may never do."""

from datetime import date, timedelta

import pytest
from django.contrib.auth.models import User
from django.utils import timezone

from retrieval.models import Section
from retrieval.ranking import ANONYMOUS, Caller, RulesAsked
from retrieval.row_access import as_caller
from retrieval.search import SearchRequest, search
from retrieval.searchlog import trace_for
from rules import inline, tasks, workflow
from rules.clauses import page_ranges
from rules.models import Rule, compiled
from rules.rule_stages import put_by
from rules.workflow import RuleRefused
from tests.builders import a_case_file, a_document, a_domain, a_section, embedded

pytestmark = pytest.mark.django_db
FIRST, THIRD, FIFTH = (f"/us/const/amendment/{n}" for n in ("I", "III", "V"))
ALWAYS = [{"kind": "always"}]


def section(*locators: str) -> list[dict]:
    return [{"kind": "section", "value": locator} for locator in locators]


@pytest.fixture
def ann(db) -> User:
    return User.objects.create_superuser("ann")


@pytest.fixture
def ben(db) -> User:
    return User.objects.create_superuser("ben")


@pytest.fixture
def rule(ann, ben):
    """Makes a published rule of what is given."""

    def make(*actions: dict | str, criteria=ALWAYS, targets=(), caller=ANONYMOUS, **fields) -> Rule:
        made = Rule(
            name=fields.pop("name", f"rule {Rule.objects.count() + 1}"),
            criteria=criteria,
            targets=list(targets),
            actions=[{"kind": action} if isinstance(action, str) else action for action in actions],
            **fields,
        )
        made.full_clean()
        workflow.save_draft(made, by=ann)
        workflow.propose(made, by=ann, caller=caller)
        return workflow.publish(made, by=ben, caller=caller)

    return make


def ask(text: str, caller: Caller = ANONYMOUS, **fields) -> dict:
    fields.setdefault("domains", ("us_constitution",))
    return search(SearchRequest(text=text, **fields), caller)


def locators(answer: dict) -> list[str]:
    return [result["locator"] for result in answer["results"]]


def fired(answer: dict) -> list[str]:
    return [rule["name"] for rule in answer["rules"]["fired"]]


QUESTION = "Can the police search my phone without a warrant?"


def test_without_rules_nothing_is_said_to_have_fired():
    answer = ask(QUESTION)
    assert fired(answer) == [] and answer["rules"]["policy"] == "global"


def test_a_pin_stands_at_its_place_and_says_why(rule):
    rule({"kind": "pin", "position": 2}, targets=section(THIRD), name="quartering")
    answer = ask(QUESTION)
    assert locators(answer)[1] == THIRD and fired(answer) == ["quartering"]
    assert {"code": "rule_pin", "name": "quartering"}.items() <= answer["results"][1]["reasons"][-1].items()


def test_no_language_model_undoes_a_rule(rule, unsure):
    asks = Caller(("key:1",), frozenset({"pipelines"}))
    rule({"kind": "pin", "position": 2}, targets=section(THIRD))
    rule("exclude", targets=section(FIFTH))
    answer = ask(QUESTION, asks, pipeline="verified")
    assert locators(answer)[1] == THIRD and FIFTH not in locators(answer)
    assert len(unsure.asked) == 3


def test_a_rule_fires_only_when_all_its_criteria_hold(rule):
    criteria = [{"kind": "keywords", "value": ["phone", "teléfono"]}, {"kind": "language", "value": "es"}]
    rule("pin", targets=section(THIRD), criteria=criteria)
    assert fired(ask(QUESTION)) == []
    assert locators(ask("¿La policía puede registrar mi telefono?"))[0] == THIRD


@pytest.mark.parametrize(
    ("criterion", "question", "fires"),
    [
        ({"kind": "exact", "value": "May I quarter soldiers"}, "may I quarter soldiers?", True),
        ({"kind": "exact", "value": "quarter"}, "may I quarter soldiers?", False),
        ({"kind": "starts_with", "value": "may i"}, "May I quarter soldiers?", True),
        ({"kind": "contains", "value": "quart"}, "May I quarter soldiers?", True),
        ({"kind": "regex", "value": r"\bsoldiers?\b"}, "May I quarter soldiers?", True),
        ({"kind": "regex", "value": r"^soldier"}, "May I quarter soldiers?", False),
        (
            {"kind": "citation", "value": "/us/const/amendment/XIV"},
            "what does amend. XIV, § 1 say of debt",
            True,
        ),
        ({"kind": "citation", "value": ""}, "what does amend. XIV, § 1 say of debt", True),
        ({"kind": "citation", "value": FIRST}, "what does amend. XIV, § 1 say of debt", False),
        ({"kind": "domain", "value": "us_constitution"}, QUESTION, True),
        ({"kind": "domain", "value": "us_code"}, QUESTION, False),
        ({"kind": "jurisdiction", "value": "us"}, QUESTION, True),
        ({"kind": "jurisdiction", "value": "us-ca"}, QUESTION, False),
    ],
)
def test_each_kind_of_criterion_decides(rule, criterion, question, fires):
    rule("pin", targets=section(THIRD), criteria=[criterion])
    assert bool(fired(ask(question))) is fires


def test_exclude_beats_pin_beats_boost(rule):
    rule("pin", targets=section(FIRST, THIRD))
    rule({"kind": "boost", "factor": 100}, targets=section(FIFTH))
    rule("exclude", targets=section(FIRST), priority=900)
    found = locators(ask(QUESTION, k=50))
    assert found[:2] == [THIRD, FIFTH] and FIRST not in found


def test_priority_then_age_decides_who_is_pinned_first(rule):
    rule("pin", targets=section(FIRST))
    rule("pin", targets=section(THIRD))
    rule("pin", targets=section(FIFTH), priority=1)
    assert locators(ask(QUESTION))[:3] == [FIFTH, FIRST, THIRD]


def test_bury_lowers_what_would_be_first(rule):
    first = locators(ask(QUESTION))[0]
    rule({"kind": "bury", "factor": 100}, targets=section(first))
    assert locators(ask(QUESTION))[0] != first


def test_a_restriction_leaves_nothing_else_and_not_too_little(rule):
    rule("restrict", targets=section("/us/const/article/III"))
    inside = Section.objects.live().results().below("/us/const/article/III").count()
    found = locators(ask("judges and courts", k=50))
    assert found and all(locator.startswith("/us/const/article/III/") for locator in found)
    assert ask("judges and courts", k=50, pipeline="default")["total"] == inside


def test_a_pin_outside_a_restriction_is_not_shown(rule):
    rule("restrict", targets=section("/us/const/article/III"))
    rule("pin", targets=section(FIRST, "/us/const/article/III/section/1"))
    assert FIRST not in locators(ask("judges and courts"))


def test_a_rewrite_is_searched_instead_and_told(rule):
    rule({"kind": "rewrite", "phrase": "flibbertigibbet", "text": "quartering of soldiers"})
    answer = ask("Tell me of the Flibbertigibbet")
    assert answer["rules"]["rewritten"] == "Tell me of the quartering of soldiers"
    assert locators(answer)[0] == THIRD


def test_pages_are_read_as_the_ranges_they_make():
    assert page_ranges("8, 3-5, 4-6, 7, 10") == page_ranges([3, 4, 5, 6, 7, 8, 10]) == ((3, 8), (10, 10))
    with pytest.raises(ValueError, match="at most 100"):
        page_ranges(",".join(map(str, range(1, 300, 2))))


def test_rewrites_make_no_question_longer_than_one_may_be():
    """Ten that each put a hundred words for one would make a text that no memory holds."""
    text = "tax " * 60
    growing = compiled(
        {"name": "n", "domains": [], "criteria": ALWAYS, "targets": [], "priority": 1, "valid_from": None}
        | {"valid_to": None, "actions": [{"kind": "rewrite", "phrase": "tax", "text": text}] * 10},
        number=1,
        version=1,
    )
    assert put_by([growing] * 10, "a tax") == f"a {text.strip()}"


def test_a_synonym_is_looked_for_besides(rule):
    rule({"kind": "synonym", "text": "quartered soldier"}, criteria=[{"kind": "keywords", "value": "billet"}])
    legs = legs_of("billet")
    assert "lexical" in legs[THIRD]


def test_an_alias_brings_its_provision(rule):
    rule("alias", targets=section(THIRD), criteria=[{"kind": "keywords", "value": "billet"}])
    legs = legs_of("the billet question")
    assert legs[THIRD]["rule"] == 1


def legs_of(text: str) -> dict[str, dict]:
    """The ranks of every candidate weighed, whether it was kept or not."""
    account = trace_for(ask(text)["trace_id"], ANONYMOUS)
    return {c["locator"]: c["ranks"] for c in (*account["candidates"], *account["dropped"])}


def test_a_note_and_a_redirect_are_part_of_the_answer(rule):
    rule({"kind": "note", "text": "Ask a lawyer."}, {"kind": "redirect", "locator": FIRST})
    told = ask(QUESTION)["rules"]
    assert [note["text"] for note in told["notes"]] == ["Ask a lawyer."]
    assert told["redirect"]["url"] == f"/law{FIRST}"


def test_abstention_that_a_rule_requires_beats_pins(rule):
    rule("abstain")
    rule("pin", targets=section(THIRD))
    answer = ask(QUESTION)
    assert answer["abstained"] and answer["results"] == []
    assert answer["near_misses"][0]["locator"] == THIRD


def test_a_pin_answers_where_the_search_would_abstain(rule):
    question = "zxqv wplk"
    assert ask(question)["abstained"]
    rule("pin", targets=section(THIRD), criteria=[{"kind": "exact", "value": question}])
    answer = ask(question)
    assert locators(answer) == [THIRD] and not answer["abstained"] and answer["near_misses"] == []


def test_an_answer_by_citation_alone_keeps_to_rules_too(rule):
    rule("exclude", targets=section(f"{FIFTH}"))
    assert FIFTH not in locators(ask("amend. V"))
    rule("pin", targets=section(THIRD))
    assert locators(ask("amend. I"))[:2] == [THIRD, FIRST]


def test_publishing_and_retiring_are_seen_by_the_next_search(rule, ben):
    assert locators(ask(QUESTION))[0] != THIRD
    made = rule("pin", targets=section(THIRD))
    assert locators(ask(QUESTION))[0] == THIRD
    assert ask(QUESTION)["cached"]
    workflow.retire(made, by=ben)
    assert locators(ask(QUESTION))[0] != THIRD


def test_a_draft_over_a_published_rule_changes_nothing_until_it_is_approved(rule, ann):
    made = rule("pin", targets=section(THIRD))
    assert ask(QUESTION)["cached"] is False
    made.targets = section(FIRST)
    workflow.save_draft(made, by=ann)
    answer = ask(QUESTION)
    assert locators(answer)[0] == THIRD and answer["cached"]


def test_a_rule_acts_from_its_first_to_its_last_day(rule):
    today, day = timezone.localdate(), timedelta(days=1)
    rule("pin", targets=section(THIRD), valid_from=today + day)
    rule("pin", targets=section(FIRST), valid_to=today - day)
    rule("pin", targets=section(FIFTH), valid_from=today, valid_to=today)
    assert locators(ask(QUESTION))[0] == FIFTH and len(fired(ask(QUESTION))) == 1


def test_a_job_retires_what_is_over(rule):
    over = rule("pin", targets=section(FIRST), valid_to=timezone.localdate() - timedelta(days=1))
    rule("pin", targets=section(FIRST), valid_to=timezone.localdate())
    rule("pin", targets=section(FIRST))
    assert tasks.retire_expired_rules() == 1 and tasks.retire_expired_rules() == 0
    over.refresh_from_db()
    assert over.status == Rule.Status.RETIRED and over.history.first().history_change_reason


# -- Targets


@pytest.fixture
def contract():
    """A public document of three pages, tagged, with a chunk that crosses from page 2 to 3."""
    domain = a_domain(languages=["en"])
    document = a_document(
        domain, filename="lease.pdf", tags=["lease"], metadata={"party": "Acme", "year": 2024}, pages=3
    )
    sections = embedded(*(a_section(document, f"The tenant pays rent, clause {n}.") for n in range(3)))
    for part, (first, last) in zip(sections, [(1, 1), (2, 3), (3, 3)], strict=True):
        part.chunks.update(page_start=first, page_end=last)
    heads = [
        ("Indemnización", "Lease of Late Payments"),
        ("Late Payments", "Lease of Late Payments"),
        ("Fee", "Lease of Late Payments › Section 3: Tenant's Late Payments"),
    ]
    for part, (heading, breadcrumb) in zip(sections, heads, strict=True):
        Section.objects.filter(pk=part.pk).update(heading=heading, breadcrumb=breadcrumb)
    return document, sections


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


@pytest.mark.parametrize(
    "target",
    [
        {"kind": "filename", "value": "lease.pfd"},
        {"kind": "filename", "value": "lease.pdf", "pages": "7"},
        {"kind": "tag", "value": "leases"},
        {"kind": "metadata", "key": "party", "value": "Acmee"},
        {"kind": "metadata", "key": "year", "comparison": "at_least", "value": 2025},
        {"kind": "metadata", "key": "partyy", "value": "Acme"},
        {"kind": "pages", "pages": "7"},
        {"kind": "heading", "value": "late payment"},
    ],
)
def test_a_target_that_matches_nothing_is_refused_with_what_is_near(contract, rule, target):
    with pytest.raises(RuleRefused, match="Near to it: .*(lease|cme|party|3 pages|2024|Late Payments)"):
        rule("restrict", targets=[target])


def test_a_mistyped_locator_is_told_what_it_may_have_meant(rule):
    with pytest.raises(RuleRefused, match=f"{FIFTH}(,|\\.)"):
        rule("pin", targets=section("/us/const/amendment/VV"))


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


# -- Access


def test_a_pin_shows_only_what_this_caller_could_have_found(rule):
    lawyer, stranger = Caller(("user:901",)), Caller(("user:902",))
    document = a_case_file("Doe", "The tenant fled.", granted_to=lawyer)
    with as_caller(lawyer):
        rule("pin", targets=[{"kind": "document", "value": document.locator}], caller=lawyer)
    secret = document.locator
    assert locators(ask("who fled", lawyer, domains=()))[0].startswith(secret)
    for caller in (stranger, ANONYMOUS):
        assert not [
            place for place in locators(ask("who fled", caller, domains=())) if place.startswith(secret)
        ]
    assert not [place for place in locators(ask("who fled", lawyer)) if place.startswith(secret)]


def test_a_rule_upon_documents_of_others_is_none_to_a_stranger_in_their_domain(rule):
    ana, ben = Caller(("user:901",)), Caller(("user:902",))
    theirs = a_case_file("Doe", "The tenant fled.", granted_to=ana)
    a_case_file("Roe", "The landlord fled.", granted_to=ben)
    told = {"kind": "note", "text": "See the Doe affidavit."}
    with as_caller(ana):
        target = [{"kind": "document", "value": theirs.locator}]
        rule("pin", told, targets=target, caller=ana, name="Doe fled", domains=["client_cases"])
        rule(told, caller=ana, name="Doe in both", domains=["us_constitution", "client_cases"])
    assert names_fired(ask("who fled", ana, domains=())) == ["Doe fled", "Doe in both"]
    assert names_fired(ask("who fled", ben, domains=())) == ["Doe in both"]
    for caller in (ana, ANONYMOUS, Caller(("user:903",))):  # what one asks of public law is kept for all
        answer = ask("who fled", caller)
        assert names_fired(answer) == [f"rule {answer['rules']['fired'][0]['id']}"]
        assert "Doe fled" not in str(answer) and "Doe in both" not in str(
            trace_for(answer["trace_id"], caller)
        )


def names_fired(answer: dict) -> list[str]:
    return [told["name"] for told in answer["rules"]["fired"]]


def test_a_pin_does_not_show_what_was_not_in_force_on_the_day(rule):
    rule("pin", targets=section(THIRD))
    Section.objects.filter(locator=THIRD).update(valid_from="1791-12-15")
    assert THIRD not in locators(ask(QUESTION, as_of=date(1790, 1, 1)))


# -- Rules that a caller gives


def given(*rules: dict | int, **how) -> RulesAsked:
    return RulesAsked(given=inline.given(rules, ANONYMOUS), **how)


def restricting(*places: str, **fields) -> dict:
    return {"targets": section(*places), "actions": [{"kind": "restrict"}]} | fields


def test_given_rules_are_considered_and_no_others(rule):
    rule("pin", targets=section(THIRD))
    pinned = rule("pin", targets=section(FIRST))
    assert locators(ask(QUESTION, rules=given(pinned.pk)))[0] == FIRST
    assert all(
        p.startswith("/us/const/article/II/")
        for p in locators(ask(QUESTION, rules=given(restricting("/us/const/article/II"))))
    )


def test_rules_given_jointly_are_searched_at_once(rule):
    rules = given(restricting("/us/const/article/II"), restricting("/us/const/article/III"))
    found = locators(ask("the president", rules=rules, k=50))
    assert {place.split("/")[4] for place in found} == {"II", "III"}


def test_each_rule_is_covered_by_its_quota():
    places = ("/us/const/article/II", "/us/const/article/III", "/us/const/amendment/XXVI")
    rules = [restricting(place) for place in places]
    answer = ask("Who is the commander in chief?", rules=given(*rules, coverage="each", quota=2), k=6)
    found = locators(answer)
    for place in places:
        below = Section.objects.live().results().below(place).count()
        assert sum(f"{p}/".startswith(f"{place}/") for p in found) >= min(2, below)
    assert len(found) == len(set(found))
    assert answer["rules"]["uncovered"] == []


def test_a_token_budget_drops_by_priority_and_says_what():
    rules = [
        restricting("/us/const/article/II", priority=2),
        restricting("/us/const/amendment/XXVI", priority=1),
    ]
    answer = ask("vote", rules=given(*rules, coverage="each", token_budget=130), k=50)
    assert locators(answer)[0].startswith("/us/const/amendment/XXVI")
    assert answer["rules"]["withheld"]
    assert set(locators(answer)).isdisjoint(row["locator"] for row in answer["rules"]["withheld"])


def test_when_no_given_rule_fires_the_policy_is_applied_and_told():
    unmet = restricting(THIRD, criteria=[{"kind": "keywords", "value": "zebra"}])
    everything = ask(QUESTION, rules=given(unmet))
    assert everything["results"] and everything["rules"]["policy"] == "global"
    nothing = ask(QUESTION, rules=given(unmet, fallback="none"))
    assert nothing["abstained"] and not nothing["results"] and nothing["rules"]["policy"] == "none"


def test_without_the_keyword_trigger_every_given_rule_applies():
    unmet = restricting(THIRD, criteria=[{"kind": "keywords", "value": "zebra"}])
    assert locators(ask("quartering soldiers", rules=given(unmet, keyword_trigger=False))) == [THIRD]


# -- From draft to retired


def test_whoever_proposes_a_rule_cannot_approve_it(ann, ben, settings):
    draft = workflow.save_draft(
        Rule(name="x", criteria=ALWAYS, targets=section(THIRD), actions=[{"kind": "pin"}]), by=ann
    )
    with pytest.raises(RuleRefused):
        workflow.publish(draft, by=ben, caller=ANONYMOUS)
    workflow.propose(draft, by=ann, caller=ANONYMOUS)
    with pytest.raises(RuleRefused, match="Another person"):
        workflow.publish(draft, by=ann, caller=ANONYMOUS)
    settings.ARF_RULES_SECOND_PERSON = False
    assert workflow.publish(draft, by=ann, caller=ANONYMOUS).version == 1


def test_an_earlier_version_can_be_put_back_as_a_draft(rule, ann):
    made = rule("pin", targets=section(THIRD))
    line = made.history.first()
    made.targets = section(FIRST)
    workflow.save_draft(made, by=ann)
    assert made.status == Rule.Status.DRAFT
    workflow.revert(made, line.pk, by=ann)
    assert made.targets == section(THIRD) and made.status == Rule.Status.PUBLISHED


def test_a_copy_is_a_draft_under_another_name(rule, ann):
    made = rule("pin", targets=section(THIRD), name="quartering")
    twin = workflow.copy(made, by=ann)
    assert (twin.name, twin.status, twin.content["targets"]) == ("quartering (2)", "draft", made.targets)
