"""How rules are used: what a search logs, what is counted by the day, the report on it, rules never fired."""

from datetime import date, datetime, timedelta

import pytest
from django.contrib.auth.models import Group, User
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from evaluation.models import Judgment, Topic
from evaluation.rule_impact import usage_report
from retrieval.access.caller import ANONYMOUS, Caller
from retrieval.access.row_security import as_caller, as_system
from retrieval.models import Domain, SearchLog
from retrieval.ranking import RuleOptions
from retrieval.request import SearchRequest
from retrieval.search.log import give_feedback, note_click
from retrieval.search.service import search
from rules.authoring import workflow
from rules.engine import inline
from rules.linting import linter, usage
from rules.models import Rule, RuleUse, SearchDay
from tests.builders import a_case_file
from tests.rule_searches import FIFTH, FIRST, QUESTION, THIRD, ask, locators, section

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("unjudged")]
DAY = timedelta(days=1)
PAGE = "/admin/rule-usage/"


def ask_at(text: str = QUESTION, caller: Caller = ANONYMOUS, channel: str = "page", **fields) -> dict:
    fields.setdefault("domains", ("us_constitution",))
    return search(SearchRequest(text=text, **fields), caller, channel=channel)


def logged(answer: dict) -> SearchLog:
    return SearchLog.objects.get(pk=answer["trace_id"])


def changed(*actions, targets=(), text: str = QUESTION, make) -> bool:
    made = make(*actions, targets=targets)
    answer = ask(text)
    assert [fired["id"] for fired in answer["rules"]["fired"]][-1] == made.pk
    return made.pk in answer["rules"]["changed"]


# -- Which rules changed the page


def test_a_pin_changes_the_page_unless_the_result_stood_there(rule):
    assert changed("pin", targets=section(THIRD), make=rule)
    assert not changed(
        {"kind": "boost", "factor": 1.1}, targets=section("/us/const/amendment/XXVI"), make=rule
    )


def test_a_pin_of_what_stands_first_changes_nothing(rule):
    first, second = locators(ask(QUESTION))[:2]
    made = rule("boost", targets=section(first))
    assert made.pk not in ask(QUESTION)["rules"]["changed"]
    other = rule({"kind": "boost", "factor": 100}, targets=section(second))
    assert other.pk in ask(QUESTION)["rules"]["changed"]


def test_of_two_rules_that_do_the_same_neither_is_decisive(rule):
    for _ in range(2):
        rule("pin", targets=section(THIRD))
    assert ask(QUESTION)["rules"]["changed"] == []


@pytest.mark.parametrize(
    ("action", "targets", "does"),
    [
        ("exclude", section(THIRD), True),
        ("restrict", section("/us/const/amendment"), True),
        ({"kind": "synonym", "text": "smartphone"}, (), True),
        ({"kind": "rewrite", "text": "search warrant"}, (), True),
        ({"kind": "rewrite", "text": "zebra", "phrase": "elephant"}, (), False),
        ({"kind": "note", "text": "Ask a lawyer."}, (), True),
        ({"kind": "redirect", "locator": FIRST}, (), True),
        ("abstain", (), True),
        ({"kind": "bury", "factor": 100}, section("/us/const/article/VII"), False),
        ("alias", section(THIRD), True),
    ],
)
def test_an_action_is_known_to_change_the_page_or_not(rule, action, targets, does):
    assert changed(action, targets=targets, make=rule) is does


def test_abstention_where_there_is_no_answer_anyway_changes_nothing(rule):
    assert not changed("abstain", text="zxqv wplk", make=rule)


# -- The log


def test_a_search_logs_what_fired_and_so_does_its_answer_shown_again(rule):
    made = rule("pin", targets=section(THIRD))
    for again in (False, True):
        answer = ask_at()
        log = logged(answer)
        assert (answer["cached"], log.rules_fired, log.rules_changed) == (again, [made.pk], [made.pk])


def test_rules_of_a_call_are_not_logged(rule):
    stored = rule("pin", targets=section(THIRD))
    written = {"targets": section(FIRST), "actions": [{"kind": "pin"}]}
    log = logged(ask_at(rules=RuleOptions(given=inline.given([stored.pk, written], ANONYMOUS))))
    assert log.rules_fired == [stored.pk]


def statements_of(text: str) -> int:
    with CaptureQueriesContext(connection) as made:
        ask_at(text)
    return len(made)


def test_logging_a_rule_costs_a_search_no_statement(rule):
    rule({"kind": "note", "text": "x"}, criteria=[{"kind": "keywords", "value": "judges"}])
    ask_at("warm up")
    assert statements_of("who appoints judges") == statements_of("who appoints somebody")


# -- By the day


def test_uses_are_counted_by_the_day_and_may_be_counted_twice(rule):
    often = rule("pin", targets=section(THIRD))
    rare = rule({"kind": "note", "text": "x"}, criteria=[{"kind": "keywords", "value": "judges"}])
    idle = rule("exclude", targets=section(FIFTH), criteria=[{"kind": "exact", "value": "never asked"}])
    for text in (QUESTION, QUESTION, "who appoints judges"):
        ask_at(text)
    ask_at(channel="admin")
    assert usage.count() == usage.count() == 1
    told = {use.rule_id: (use.fired, use.changed) for use in RuleUse.objects.all()}
    assert told == {often.pk: (3, 3), rare.pk: (1, 1)} and idle.pk not in told
    assert SearchDay.objects.get().searches == 3


def test_days_without_a_count_are_made_up_for_and_old_counts_outlive_the_log(rule):
    made = rule("pin", targets=section(THIRD))
    today = timezone.localdate()
    usage.count(today - 3 * DAY)
    for days in (2, 1, 0):
        log = logged(ask_at())
        SearchLog.objects.filter(pk=log.pk).update(created_at=log.created_at - days * DAY)
    assert usage.count(today) == 4
    SearchLog.objects.all().delete()
    usage.count(today)
    assert list(made.uses.values_list("day", "fired")) == [(today - n * DAY, 1) for n in range(3)]
    assert SearchDay.objects.count() == 4


def test_a_thumb_counts_on_its_day_and_a_second_one_takes_its_place(rule):
    made = rule("pin", targets=section(THIRD))
    answer = ask_at()
    for verdict in ("unhelpful", "helpful"):
        give_feedback(answer["trace_id"], ANONYMOUS, locator=THIRD, verdict=verdict, comment="")
        usage.count()
    assert (made.uses.get().helpful, made.uses.get().unhelpful) == (1, 0)


def test_a_click_counts_once_on_its_day_for_the_rules_of_its_search(rule):
    often = rule("pin", targets=section(THIRD))
    rare = rule({"kind": "note", "text": "x"}, criteria=[{"kind": "keywords", "value": "judges"}])
    answers = [ask_at(), ask_at("who appoints judges")]
    for answer in (*answers, answers[0]):
        note_click(answer["trace_id"], ANONYMOUS, locator=THIRD)
    assert usage.count() == 1
    assert {use.rule_id: use.clicks for use in RuleUse.objects.all()} == {often.pk: 2, rare.pk: 1}


def test_a_day_is_a_local_one(rule, settings):
    settings.TIME_ZONE = "America/Los_Angeles"
    made = rule("pin", targets=section(THIRD))
    log = logged(ask_at())
    evening = timezone.make_aware(datetime(2026, 11, 20, 23, 30))
    SearchLog.objects.filter(pk=log.pk).update(created_at=evening)
    usage.count_day(date(2026, 11, 20))
    assert made.uses.get().day == date(2026, 11, 20)


# -- The report


@pytest.fixture
def curator(client) -> User:
    person = User.objects.create_user("cura", is_staff=True)
    person.groups.add(Group.objects.get(name="Curator"))
    client.force_login(person)
    return person


def test_the_report_tells_of_every_published_rule(client, curator, rule):
    rule("pin", targets=section(THIRD), name="Quartering")
    rule(
        "exclude", targets=section(FIFTH), name="=Idle", criteria=[{"kind": "exact", "value": "never asked"}]
    )
    answer = ask_at()
    give_feedback(answer["trace_id"], ANONYMOUS, locator=THIRD, verdict="helpful", comment="")
    note_click(answer["trace_id"], ANONYMOUS, locator=THIRD)
    usage.count()
    told = {use.rule.name: use for use in usage_report.report(ANONYMOUS, 7).uses}
    used, idle = told["Quartering"], told["=Idle"]
    assert (used.fired, used.changed, used.clicks, used.helpful) == (1, 1, 1, 1)
    assert used.last == timezone.localdate()
    assert (idle.fired, idle.last) == (0, None)
    page = client.get(PAGE, {"days": "7", "sort": "name"}).content.decode()
    assert page.index("=Idle") < page.index("Quartering") and "1 search of readers" in page
    file = client.get(PAGE, {"format": "csv"}).content.decode()
    assert file.startswith("id,rule,fired,changed") and "'=Idle" in file and "Quartering,1,1," in file


def test_the_list_of_rules_tells_how_each_is_used(client, curator, rule):
    made = rule("pin", targets=section(THIRD))
    today = timezone.localdate()
    for days, times in ((0, 2), (29, 3), (30, 40)):
        RuleUse.objects.create(rule=made, day=today - days * DAY, fired=times)
    row = usage.with_uses(Rule.objects.all(), ANONYMOUS).get()
    assert (row.fired_lately, row.last_fired) == (5, today)
    assert 'class="field-fired_lately' in client.get("/admin/rules/rule/").content.decode()


@pytest.mark.parametrize("sort", usage_report.SORTED_BY)
def test_the_report_sorts_either_way_and_by_nothing_else(client, curator, rule, sort):
    for n, times in enumerate((1, 2)):
        made = rule({"kind": "note", "text": f"{n}"}, name=f"rule {n}")
        RuleUse.objects.create(rule=made, day=timezone.localdate(), fired=times)
    names = [
        [use.rule.name for use in usage_report.report(ANONYMOUS, 30, sort=s).uses] for s in (sort, f"-{sort}")
    ]
    assert names[0] == ["rule 0", "rule 1"]
    assert names[1] == (["rule 1", "rule 0"] if sort in ("name", "fired") else names[0])
    assert client.get(PAGE, {"sort": sort}).status_code == 200
    assert client.get(PAGE, {"sort": "rule__live", "days": "9999"}).status_code == 200


def test_judgments_count_for_the_rules_that_their_topics_fire(rule):
    firing = rule("pin", targets=section(THIRD), criteria=[{"kind": "keywords", "value": "flibbertigibbet"}])
    topic = Topic.objects.create(
        name="t", query="Who quarters a flibbertigibbet?", domain=Domain.objects.get(slug="us_constitution")
    )
    for judge, days in (("ann", 1), ("ben", 40)):
        Judgment.objects.create(
            topic=topic, locator=FIRST, grade=1, judge=judge, created_at=timezone.now() - days * DAY
        )
    Judgment.objects.create(topic=topic, locator=THIRD, grade=1, judge="a model", kind="llm")
    told = [{u.rule.pk: u.judgments for u in usage_report.report(ANONYMOUS, days).uses} for days in (30, 90)]
    assert told == [{firing.pk: 1}, {firing.pk: 2}]


def test_what_private_searches_fire_is_counted_for_whoever_may_see_the_rule(rule, client, curator):
    lawyer = Caller(("user:901",))
    document = a_case_file("Doe", "The tenant fled.", granted_to=lawyer)
    with as_caller(lawyer):
        hidden = rule("pin", targets=section(document.locator), domains=["client_cases"], caller=lawyer, name="Doe")
    answer = ask_at("who fled", lawyer, domains=("client_cases",))
    assert logged(answer).query_text == "" and logged(answer).rules_fired == [hidden.pk]
    usage.count()
    with as_caller(lawyer):
        assert [use.fired for use in usage_report.report(lawyer, 30).uses] == [1]
    assert usage_report.report(ANONYMOUS, 30).uses == ()
    for query in ({}, {"format": "csv"}):
        assert "Doe" not in client.get(PAGE, query).content.decode()


def ask_privately(lawyer: Caller, *domains: str) -> SearchLog:
    """A search whose answer is shown again too, a result opened, and a thumb up."""
    ask_at("who fled", lawyer, domains=domains)
    answer = ask_at("who fled", lawyer, domains=domains)
    give_feedback(answer["trace_id"], lawyer, locator="", verdict="helpful", comment="")
    shown = (answer["results"] or answer["near_misses"])[0]
    note_click(answer["trace_id"], lawyer, locator=shown["locator"])
    return logged(answer)


def test_a_private_search_changes_no_number_that_staff_without_a_grant_see(rule, client, curator):
    lawyer = Caller(("user:901",))
    a_case_file("Doe", "The tenant fled.", granted_to=lawyer)
    everywhere, here = (
        rule({"kind": "note", "text": "x"}, domains=named) for named in ([], ["us_constitution"])
    )
    ask_at()

    def told() -> list:
        usage.count()
        listed = client.get("/admin/rules/rule/").context["cl"].result_list
        return [
            client.get(PAGE).context["report"],
            client.get(PAGE, {"format": "csv"}).content,
            [(row.pk, row.fired_lately, row.last_fired) for row in listed],
            list(RuleUse.objects.values_list()),
            list(SearchDay.objects.values_list()),
        ]

    before = told()
    for domains in ((), ("us_constitution", "client_cases")):
        log = ask_privately(lawyer, *domains)
        assert log.private and log.rules_fired == [everywhere.pk, here.pk]
    assert told() == before


def test_a_rule_of_public_and_private_domains_does_not_tell_of_other_private_ones(rule):
    lawyer = Caller(("user:901",))
    a_case_file("Doe", "The tenant fled.", granted_to=lawyer)
    with as_caller(lawyer):
        mixed = rule({"kind": "note", "text": "x"}, domains=["us_constitution", "client_cases"], caller=lawyer)
    ask_privately(lawyer, "us_constitution", "client_cases")
    usage.count()
    assert not mixed.uses.exists()


def test_what_a_rule_did_in_a_private_domain_stays_there_when_it_moves(rule, client, curator):
    lawyer = Caller(("user:901",))
    a_case_file("Doe", "The tenant fled.", granted_to=lawyer)
    with as_caller(lawyer):
        moved = rule({"kind": "note", "text": "x"}, domains=["client_cases"], caller=lawyer)
    assert ask_privately(lawyer, "client_cases").rules_fired == [moved.pk]
    usage.count()
    moved.domains = moved.live["domains"] = []
    moved.save()
    for day in (timezone.localdate(), timezone.localdate() + DAY):
        usage.count(day)
        (seen,) = usage_report.report(ANONYMOUS, 30).uses
        assert (seen.fired, seen.clicks, seen.helpful, seen.last) == (0, 0, 0, None)
        row = client.get("/admin/rules/rule/").context["cl"].result_list.get()
        assert (row.fired_lately, row.last_fired) == (0, None)
        with as_caller(lawyer):
            (known,) = usage_report.report(lawyer, 30).uses
        assert (known.fired, known.clicks, known.helpful) == (2, 1, 1)
        assert known.last == timezone.localdate()


def test_an_empty_report_says_why(client, curator):
    page = client.get(PAGE).content.decode()
    assert "Nothing is counted yet" in page and "No rule is published that you may see." in page


# -- Never fired


@pytest.fixture
def nothing_private(db):
    """Tests that commit may have put texts into the private domain."""
    Domain.objects.filter(visibility=Domain.Visibility.PRIVATE).update(corpus_version=0)


def test_a_rule_that_nobody_fires_for_ninety_days_is_found_by_night(rule, nothing_private):
    idle, used = (rule("pin", targets=section(place)) for place in (THIRD, FIRST))
    today = timezone.localdate()
    Rule.objects.update(published_at=timezone.now() - 91 * DAY)
    RuleUse.objects.create(rule=used, day=today, fired=1)
    assert "never fired" not in {one.kind for one in linter.all_findings()}
    SearchDay.objects.create(day=today - 90 * DAY, searches=1)
    (found,) = (one for one in linter.all_findings() if one.kind == "never fired")
    assert found.rules == (idle.pk,)
    workflow.retire(idle, by=None)
    assert "never fired" not in {one.kind for one in linter.all_findings()}


def test_a_rule_that_private_searches_may_fire_is_not_called_unused(rule, nothing_private):
    lawyer = Caller(("user:901",))
    rule({"kind": "note", "text": "x"})
    rule({"kind": "note", "text": "y"}, domains=["us_constitution"])
    for days in (90, 0):  # counted today, too: the days between are not counted anew
        SearchDay.objects.create(day=timezone.localdate() - days * DAY, searches=1)

    def unused() -> set[int]:
        Rule.objects.update(published_at=timezone.now() - 91 * DAY)
        return {number for one in linter.all_findings() if one.kind == "never fired" for number in one.rules}

    assert len(unused()) == 2
    document = a_case_file("Doe", "The tenant fled.", granted_to=lawyer)
    assert unused() == set()
    with as_caller(lawyer):
        hidden = rule({"kind": "note", "text": "z"}, domains=["client_cases"], caller=lawyer)
    assert unused() == {hidden.pk}
    ask_privately(lawyer)
    usage.count()
    assert unused() == set()
    with as_system():
        document.sections.all().delete()
    assert unused() == set()
