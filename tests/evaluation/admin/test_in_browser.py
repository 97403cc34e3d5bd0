"""Every page of evaluation in a real browser: drawn, labelled, narrow enough, without script errors.

With ARF_SHOTS set to a folder each page is pictured wide and narrow, light and dark.
"""

import json
import os
from dataclasses import asdict
from datetime import timedelta

import pytest
from django.contrib.auth.models import Group, User
from django.utils import timezone
from selenium.webdriver.common.by import By

from evaluation.judging import grading
from evaluation.learning.promotion import Paired, decide
from evaluation.models import Judgment, Measurement, RetrainingRun, Run, Topic
from evaluation.topics import importing
from evaluation.topics.importing import Options
from retrieval import jobs
from retrieval.models import Domain, JobRun, RankerModel, SearchLog, Section
from retrieval.models.access import caller_for
from retrieval.request import SearchRequest
from retrieval.search.service import search
from rules.authoring import workflow
from rules.models import DomainThreshold, Rule, RuleUse, SearchDay
from tests.builders import nothing_judged
from tests.served import picture, sign_in, turning, until

pytestmark = [pytest.mark.browser, pytest.mark.django_db]
PASSWORD = "a long password"
FIFTH, FOURTH = "/us/const/amendment/V", "/us/const/amendment/IV"
WIDTHS = (1400, 390)
TOO_WIDE = """
const edge = document.documentElement.clientWidth;
if (document.documentElement.scrollWidth <= edge) return "";
const over = [...document.querySelectorAll("#content *")].filter(e => e.getBoundingClientRect().right > edge + 1);
return over.map(e => e.outerHTML.slice(0, 90)).slice(0, 4).join(" ") || "too wide";
"""
UNNAMED = """
return [...document.querySelectorAll("#content input, #content select, #content textarea, #content button, #content a")]
  .filter(e => e.type !== "hidden" && e.checkVisibility())
  .filter(e => !(e.labels?.length || e.getAttribute("aria-label") || e.getAttribute("aria-labelledby")
                 || e.title || e.placeholder || e.innerText?.trim() || e.querySelector("img[alt], svg title")))
  .map(e => e.outerHTML.slice(0, 160));
"""


def staff(name: str, group: str) -> User:
    user = User.objects.create_user(name, password=PASSWORD, is_staff=True)
    user.groups.add(Group.objects.get(name=group))
    return user


@pytest.fixture
def boss(browser, site):
    """An administrator signed in; gives what opens a path of the site."""
    user = staff("boss", "Administrator")
    sign_in(browser, site, "boss")
    user.go = lambda path: browser.get(site + path)
    return user


@pytest.fixture
def topic(db) -> Topic:
    nothing_judged()
    domain = Domain.objects.get(slug="us_constitution")
    return Topic.objects.create(name="t1", domain=domain, query="Can I be tried twice for the same crime?")


def section(locator: str) -> Section:
    return Section.objects.get(locator=locator, live=True, valid_to=None)


# -- What there is to see


def disagreeing(topic: Topic) -> None:
    ann, ben, cleo = (staff(name, "Judge") for name in ("ann", "ben", "cleo"))
    for locator in (FIFTH, FOURTH):
        grading.judge(
            topic, section(locator), None, 3, ann, "It forbids a second jeopardy for the same offence."
        )
        grading.judge(topic, section(locator), None, 0, ben)
    settled = grading.disagreement(topic.pk, FOURTH, caller_for(ann))
    grading.adjudicate(settled, 1, cleo, "Same subject, no answer.")


def measured(topic: Topic) -> Run:
    def estimate(mean: float) -> dict:
        return {"mean": mean, "low": mean - 0.02, "high": mean + 0.02}

    names = ("MRR@10", "P@1", "P@5", "R@5", "nDCG@5", "nDCG@10")
    for day, value in ((3, 0.78), (2, 0.81), (1, 0.80)):
        run = Run.objects.create(
            pipeline="default", stages="Pipeline(ResolveCitations(), …)", topics="us_constitution, test",
            created_at=timezone.now() - timedelta(days=day), versions={"aliases": 4 - day, "corpus": 1},
            summary={
                "measures": {name: estimate(value) for name in names}, "judged_at_10": estimate(0.4),
                "by_kind": {kind: {"topics": 9, "nDCG@10": value} for kind in ("lay", "situation", "court", "es")},
            },
        )  # fmt: skip
    Measurement.objects.create(run=run, topic=topic.name, locators=[FIFTH], measures={"nDCG@10": 1.0})
    for number, (label, value) in enumerate((("dense", 0.6), ("+ lexical", 0.58), ("+ MLP", 0.8))):
        step = {
            "id": "a", "step": number, "label": label, "pipeline": "dense",
            "measures": {name: estimate(value) for name in names},
            "difference": estimate(-0.02) if number else None, "loses": number == 1, "llm_share": 0.02,
            "cost_per_1000": 0.01, "ms": {"p50": 12.1, "p95": 30.0}, "topics": 300, "declined_answerable": 0,
        }  # fmt: skip
        Run.objects.create(
            name=f"ablation {label}", pipeline="dense", stages="", topics="t", summary={"ablation": step}
        )
    return run


CONFUSION = {
    "measured_at": "2026-01-02T03:04:05+00:00",
    "counts": {
        asked: {told: 40 if told == asked else 3 for told in ("us_constitution", "us_code", "supreme_court_cases")}
        for asked in ("us_constitution", "us_code")
    },
}


def retrained() -> tuple[RetrainingRun, RankerModel]:
    old, new = (
        RankerModel.objects.create(
            family="MLP (128, 64, 32)", sha256=name * 16, artifact=b"x" * 90_000,
            manifest={"topics": ["a"], "confusion": CONFUSION},
            status=status, deployed_at=timezone.now(),
        )
        for name, status in (("1234", "retired"), ("abcd", "active"))
    )  # fmt: skip
    pairs = [
        Paired(f"t{n}", 0.7, 0.7 + 0.1 * (n % 2), ("lay" if n % 3 else "situation", "en"), ("hard",))
        for n in range(120)
    ]
    estimates = {"mean": 0.8, "low": 0.76, "high": 0.84}
    systems = ("fused", "champion", "challenger")
    error = {"error": 0.041, "by_chance": 0.036}
    report = {
        "decision": asdict(decide(pairs, ece=0.02, ms=0.9)),
        "measures": {
            key: {n: estimates for n in ("nDCG@10", "MRR@10", "P@1", "R@5")} for key in systems
        },
        "per_topic": {pair.topic: [pair.champion, pair.challenger] for pair in pairs},
        "reliability": [{"n": 9 * n, "predicted": n / 10, "relevant": n / 11} for n in range(1, 10)],
        "calibration": {"us_code, es": {"questions": 61, "first": error, "page": error}},
        "ece": 0.021, "ms": 0.9,
        "manifest": {"families": {"MLP (128, 64, 32)": {"nDCG@10": 0.83, "standard_error": 0.013}}},
        "gathered": {"learned": 552, "judgments": 1400, "tested": 340, "aside": []},
    }  # fmt: skip
    job = JobRun.objects.create(
        kind="retrain", key="retrain", status="running", position=30, total=80,
        message="12 of 20 cross-validated: MLP (64, 32)",
    )  # fmt: skip
    RetrainingRun.objects.create(report={"job": job.pk})
    RetrainingRun.objects.create(outcome="failed", reason="12 answerable topics are too few to learn from.")
    return (
        RetrainingRun.objects.create(
            champion=old, challenger=new, outcome="deployed", report=report,
            reason=report["decision"]["reasons"][0], finished_at=timezone.now(),
        ),
        new,
    )  # fmt: skip


def uploaded(user: User) -> str:
    text = (
        f"topic,query,locator,grade\nt1,,{FIFTH},2\nt2,Who may vote?,{FOURTH},1\nt3,,{FIFTH},2\nt1,,/no,1\n"
    )
    staged = importing.stage(text.encode(), "auto", Options(judge="ann"), by=user, name="grades of June.csv")
    return f"/admin/import/{staged.pk}/"


def used_rules() -> None:
    today = timezone.localdate()
    for name, times in (("Never asked", 0), ("Quartering of soldiers in any house in time of peace", 1_204)):
        rule = Rule(name=name, criteria=[{"kind": "exact", "value": name}], status=Rule.Status.PUBLISHED)
        rule.actions = [{"kind": "note", "text": name}]
        rule.live = rule.content
        rule.save()
        RuleUse.objects.create(rule=rule, day=today, fired=times, changed=times // 2, helpful=times // 9)
    SearchDay.objects.create(day=today, searches=12_345)


def given_up(question: str) -> None:
    usual = {"channel": "page", "language": "en", "pipeline": "default", "took_ms": 9, "result_count": 3}
    SearchLog.objects.create(query_text=question, query_hash=question[:60], **usual)


def pages(topic: Topic, boss: User) -> dict[str, tuple[str, str]]:
    """By name: the path and a word that must be there."""
    return {
        "quality-empty": ("/admin/quality/", "No run is stored yet"),
        "rule-usage-empty": ("/admin/rule-usage/", "No rule is published"),
        "questions-empty": ("/admin/questions/", "No question of this kind"),
        "ablation-empty": ("/admin/ablation/", "No ablation is stored yet"),
        "agreement-empty": ("/admin/disagreements/", "No disagreement waits"),
        "retraining-empty": ("/admin/evaluation/retrainingrun/", "Retrain now"),
        "import-empty": ("/admin/import/", "Nothing has been imported yet"),
    }


def filled(topic: Topic, boss: User) -> dict[str, tuple[str, str]]:
    disagreeing(topic)
    run = measured(topic)
    attempt, model = retrained()
    used_rules()
    given_up("Can I be tried twice for the same crime if the first trial ended without a verdict?")
    judgment = Judgment.objects.filter(judge="ann").first()
    return {
        "judge": (f"/admin/judge/?topic={topic.pk}&locator={FIFTH}", "How well does it answer?"),
        "agreement": ("/admin/disagreements/", "weighted kappa"),
        "agreement-settled": ("/admin/disagreements/?settled=1", "decided"),
        "quality": ("/admin/quality/", "What changed"),
        "ablation": ("/admin/ablation/", "loses too much"),
        "bodies": ("/admin/bodies/", "Answered by"),
        "rule-usage": ("/admin/rule-usage/", "Quartering of soldiers"),
        "questions": ("/admin/questions/?kind=abandoned", "Make a rule"),
        "rules": ("/admin/rules/rule/", "1204"),
        "retraining": ("/admin/evaluation/retrainingrun/", "cross-validated"),
        "retraining-run": (
            f"/admin/evaluation/retrainingrun/{attempt.pk}/change/",
            "Reliability on the test topics",
        ),
        "models": ("/admin/retrieval/rankermodel/", "MLP"),
        "model": (f"/admin/retrieval/rankermodel/{model.pk}/change/", "Roll back"),
        "topics": ("/admin/evaluation/topic/", "Download this list"),
        "topic": (f"/admin/evaluation/topic/{topic.pk}/change/", "tried twice"),
        "judgments": ("/admin/evaluation/judgment/", "second jeopardy"),
        "judgment": (f"/admin/evaluation/judgment/{judgment.pk}/change/", "second jeopardy"),
        "judgment-history": (f"/admin/evaluation/judgment/{judgment.pk}/history/", "directly controls"),
        "run": (f"/admin/evaluation/run/{run.pk}/change/", "TREC run"),
        "import": ("/admin/import/", "Show what would change"),
        "import-preview": (uploaded(boss), "there is no topic t3"),
        "not-found": ("/admin/import/6b7b6dfa-0000-4000-8000-000000000000/", ""),
    }


def looked_at(browser, boss, named: dict[str, tuple[str, str]]) -> dict[str, object]:
    """What is wrong, by page."""
    wrong: dict[str, object] = {}
    for name, (path, expected) in named.items():
        boss.go(path)
        shown = until(browser, lambda b: b.find_element(By.TAG_NAME, "body").text)
        if expected not in shown:
            wrong[name] = f"“{expected}” is missing: {shown[-300:]}"
        for width in WIDTHS if "ARF_SHOTS" in os.environ else WIDTHS[1:]:
            browser.set_window_size(width, 1100)
            if over := browser.execute_script(TOO_WIDE):
                wrong[f"{name} at {width}"] = over
            pictured(browser, f"evaluation-{name}-{width}")
        if unnamed := browser.execute_script(UNNAMED):
            wrong[f"{name}, without a name"] = unnamed
    if severe := [entry["message"] for entry in browser.get_log("browser") if is_severe(entry)]:
        wrong["scripts"] = severe
    return wrong


def is_severe(entry: dict) -> bool:
    return entry["level"] == "SEVERE" and "404" not in entry["message"]


def pictured(browser, name: str) -> None:
    if "ARF_SHOTS" not in os.environ:
        return
    for scheme in ("light", "dark"):
        browser.execute_script(f"document.documentElement.classList.toggle('dark', {int(scheme == 'dark')})")
        picture(browser, f"{name}-{scheme}")


def test_every_page_draws_empty_and_filled(browser, boss, topic):
    wrong = looked_at(browser, boss, pages(topic, boss)) | looked_at(browser, boss, filled(topic, boss))
    assert not wrong, json.dumps(wrong, indent=1, ensure_ascii=False)


def test_a_file_is_imported_by_hand_and_thresholds_are_tried(browser, boss, topic, tmp_path):
    file = tmp_path / "grades.csv"
    file.write_text(f"topic,query,locator,grade\nt1,,{FIFTH},3\n", encoding="utf-8")
    boss.go("/admin/import/")
    browser.find(By.CSS_SELECTOR, "input[type=file]").send_keys(str(file))
    pictured(browser, "evaluation-import-chosen")
    with turning(browser):
        browser.find(By.CSS_SELECTOR, ".arf-upload button[type=submit]").click()
    with turning(browser):
        browser.find(By.NAME, "import").click()
    assert "/jobrun/" in browser.current_url
    run = JobRun.objects.get(kind="import_judgments")
    *_, run = jobs.run_here(run)
    browser.refresh()
    until(browser, lambda b: "1 new judgments" in b.find_element(By.ID, "content").text)
    pictured(browser, "evaluation-import-job")
    boss.go("/admin/rules/domainthreshold/add/")
    with turning(browser):
        browser.find(By.CSS_SELECTOR, "[formaction='/admin/preview/']").click()
    until(browser, lambda b: "cannot be published" in b.find_element(By.ID, "content").text)
    pictured(browser, "evaluation-preview-refused")
    threshold = DomainThreshold.objects.get(domain=topic.domain, active=True)
    boss.go(f"/admin/rules/domainthreshold/add/?copy={threshold.pk}")
    browser.find(By.NAME, "reason").send_keys("a try")
    with turning(browser):
        browser.find(By.CSS_SELECTOR, "[formaction='/admin/preview/']").click()
    until(browser, lambda b: "would be answered otherwise" in b.find_element(By.ID, "content").text)
    pictured(browser, "evaluation-preview")
    browser.set_window_size(390, 1100)
    assert browser.execute_script(TOO_WIDE) == ""


def test_a_rule_is_previewed_from_its_page(browser, boss, topic):
    """Wide and narrow, in English and Spanish; from the page of the rule to the preview and back."""
    Judgment.objects.create(topic=topic, locator=FIFTH, grade=3, judge="ann")
    search(SearchRequest(text="Can I be tried twice for the same crime in two states?"))
    rule = Rule(
        name="Never the Fifth",
        criteria=[{"kind": "keywords", "value": ["tried twice"]}],
        targets=[{"kind": "section", "value": FIFTH}],
        actions=[{"kind": "exclude"}, {"kind": "note", "text": "Ask a lawyer."}],
    )
    workflow.save_draft(rule, by=boss)
    for language, told in (("en", "would be answered otherwise"), ("es", "se responderían de otro modo")):
        boss.go(f"/admin/rules/rule/{rule.pk}/change/")
        browser.add_cookie({"name": "django_language", "value": language})
        browser.refresh()
        with turning(browser):
            browser.find(By.CSS_SELECTOR, f"[action='/admin/preview/rule/{rule.pk}/'] button").click()
        until(browser, lambda b, told=told: told in b.find_element(By.ID, "content").text)
        assert browser.execute_script(UNNAMED) == []
        for width in (1400, 390):
            browser.set_window_size(width, 1100)
            assert browser.execute_script(TOO_WIDE) == ""
            pictured(browser, f"evaluation-rule-preview-{language}-{width}")
        with turning(browser):
            browser.find(By.LINK_TEXT, rule.name).click()
        assert browser.find(By.CSS_SELECTOR, "a[href^='/admin/preview/']")
        assert browser.execute_script(TOO_WIDE) == ""
        pictured(browser, f"evaluation-rule-previewed-{language}-390")
        browser.set_window_size(1400, 1100)
    assert not [entry for entry in browser.get_log("browser") if is_severe(entry)]
