"""Judging: pools, which pair next, grades, doubles, disagreements; and what readers teach."""

import pytest
from django.contrib.auth.models import Group, User
from django.db.models import ProtectedError
from django.urls import reverse

from evaluation import judging, library, registry, tasks
from evaluation.admin.judge import parts_of
from evaluation.agreement import agreement
from evaluation.library import grades_by_judge, qrels_of
from evaluation.models import Judgment, Measurement, Run, Topic
from evaluation.readers import clicks_to_judgments, searches_to_topics, verdicts_to_judgments
from evaluation.training import Trained
from retrieval.models import Chunk, Domain, Feedback, LLMVerdict, SearchLog, Section, Trace
from retrieval.models.access import caller_for
from retrieval.privacy import query_hash
from retrieval.ranking import ANONYMOUS
from retrieval.reranking import pack
from retrieval.search import SearchRequest, search
from retrieval.textnorm import normalize
from tests.test_reranking import publish_limits, some_reranker

pytestmark = pytest.mark.django_db
FIFTH, FOURTH = "/us/const/amendment/V", "/us/const/amendment/IV"
TWICE = "Can I be tried twice for the same crime?"


def staff(name: str, group: str = "Judge") -> User:
    user = User.objects.create_user(name, password="a long password", is_staff=True)
    user.groups.add(Group.objects.get(name=group))
    return user


@pytest.fixture(autouse=True)
def nothing_judged(db):
    """Without the topics that ship."""
    Judgment.objects.all().delete()
    Topic.objects.all().delete()


@pytest.fixture
def ann():
    return staff("ann")


@pytest.fixture
def ben():
    return staff("ben")


@pytest.fixture
def chief(client):
    user = staff("chief", "Curator")
    client.force_login(user)
    return user


def topic(query: str = TWICE, **fields) -> Topic:
    domain = Domain.objects.get(slug="us_constitution")
    fields = {"name": f"t{Topic.objects.count()}", "domain": domain} | fields
    return Topic.objects.create(query=query, **fields)


def section(locator: str) -> Section:
    return Section.objects.get(locator=locator, live=True, valid_to=None)


def grade(asked: Topic, locator: str, grade: int, user: User, explanation: str = "") -> Judgment:
    return judging.judge(asked, section(locator), None, grade, user, explanation)


def sizes() -> tuple[int, int]:
    return Topic.objects.count(), Judgment.objects.count()


# -- The pool


def test_a_pool_joins_what_pipelines_find_and_what_was_judged(ann, ben):
    asked = topic()
    before = judging.pool(asked, caller_for(ann))
    outside = Section.objects.readable(ANONYMOUS).results().exclude(locator__in=before.locators).first()
    grade(asked, outside.locator, 0, ben)
    after = judging.pool(asked, caller_for(ann))
    assert 20 <= len(before.locators) <= 60
    assert FIFTH in before.first
    assert set(after.locators) == {*before.locators, outside.locator}


def test_each_judge_has_an_order_of_their_own_and_keeps_it(ann, ben):
    asked = topic()
    candidates = judging.pool(asked, ANONYMOUS)
    assert candidates.shuffled(asked, ann) == candidates.shuffled(asked, ann)
    assert candidates.shuffled(asked, ann) != candidates.shuffled(asked, ben)
    assert candidates.shuffled(asked, ann) != list(candidates.locators)


def test_an_abstaining_search_still_has_a_pool(ann):
    assert len(judging.pool(topic("how do I repot a cactus"), ANONYMOUS).first) == 10


def test_a_spanish_topic_is_shown_in_english_too(ann):
    asked = topic("¿Qué edad debe tener el presidente?", language="es")
    assert "president" in judging.pool(asked, ANONYMOUS).translated.lower()


# -- The grade


def test_judging_again_changes_the_same_row(ann):
    asked = topic()
    first = grade(asked, FIFTH, 1, ann)
    second = grade(asked, FIFTH, 3, ann, " plain words ")
    assert (second.pk, second.grade, second.explanation) == (first.pk, 3, "plain words")
    assert second.created_at > first.created_at
    assert (second.kind, second.user, second.section) == ("human", ann, section(FIFTH))


def test_what_cannot_be_judged_is_refused(ann):
    with pytest.raises(judging.CannotJudge):
        grade(topic(), FIFTH, 4, ann)
    elsewhere = topic(domain=Domain.objects.get(slug="us_code"))
    with pytest.raises(judging.CannotJudge):
        grade(elsewhere, FIFTH, 3, ann)


def test_undo_takes_back_a_grade_or_restores_the_former(ann, ben):
    asked = topic()
    made = grade(asked, FIFTH, 1, ann, "first")
    grade(asked, FIFTH, 3, ann)
    assert judging.undo(ben, made.pk, None) is None
    judging.undo(ann, made.pk, (1, "first"))
    made.refresh_from_db()
    assert (made.grade, made.explanation) == (1, "first")
    judging.undo(ann, made.pk, None)
    assert not Judgment.objects.filter(pk=made.pk).exists()


# -- Which pair next


def test_without_anything_else_unjudged_pairs_of_a_first_page_come(ann):
    asked = topic()
    pair = judging.next_pair(ann)
    assert (pair.topic, pair.why) == (asked, "first page")
    assert pair.locator in judging.pool(asked, ANONYMOUS).first


def test_every_pair_of_a_pool_is_offered_once_and_then_none(ann, monkeypatch):
    monkeypatch.setattr(judging, "DEPTH", 4)
    monkeypatch.setattr(judging, "FIRST", 2)
    asked, seen = topic(), []
    while pair := judging.next_pair(ann):
        seen.append(pair.locator)
        grade(asked, pair.locator, 0, ann)
    found = judging.pool(asked, ANONYMOUS)
    assert sorted(seen) == sorted(found.locators)
    assert set(seen[:2]) == found.first


def test_the_topic_with_the_least_judged_at_10_comes_first(ann, ben, settings):
    settings.ARF_DOUBLE_JUDGED_PERCENT = 0
    well, badly = topic(name="a"), topic("Who becomes president?", name="b")
    grade(badly, FIFTH, 0, ben)
    grade(badly, FOURTH, 0, ben)
    assert judging.next_pair(ann).topic == well  # nothing measured: the fewest judgments
    run = Run.objects.create(pipeline="default", stages="", topics="all")
    shown = [FIFTH, FOURTH]
    grade(well, FIFTH, 3, ben)
    Measurement.objects.create(run=run, topic="a", locators=shown)
    Measurement.objects.create(run=run, topic="b", locators=["/us/const/preamble", *shown])
    badly_share = judging.judged_shares([well, badly])
    assert badly_share == {"a": 0.5, "b": pytest.approx(2 / 3)}
    assert judging.next_pair(ann).topic == well
    assert judging.next_pair(ann, prefer=badly).topic == badly


def test_skipped_pairs_do_not_come_again(ann):
    asked = topic()
    pair = judging.next_pair(ann)
    assert judging.next_pair(ann, skipped=[(asked.pk, pair.locator)]).locator != pair.locator


def test_a_share_of_what_one_person_judged_is_offered_to_a_second(ann, ben, settings):
    asked = topic()
    settings.ARF_DOUBLE_JUDGED_PERCENT = 100
    grade(asked, FIFTH, 3, ann)
    assert (judging.next_pair(ben).locator, judging.next_pair(ben).why) == (FIFTH, "twice")
    assert judging.next_pair(ann).why == "first page"
    settings.ARF_DOUBLE_JUDGED_PERCENT = 0
    assert judging.next_pair(ben).why == "first page"


def test_about_a_fifth_is_judged_twice(settings):
    share = sum(judging.is_judged_twice(number, FIFTH) for number in range(2000)) / 2000
    assert share == pytest.approx(0.2, abs=0.03)


def test_pairs_two_judges_disagree_on_go_to_a_third(ann, ben, chief):
    asked = topic()
    grade(asked, FIFTH, 3, ann, "it says so")
    grade(asked, FIFTH, 1, ben)
    grade(asked, FOURTH, 1, ann)
    grade(asked, FOURTH, 0, ben)
    pair = judging.next_pair(chief)
    assert (pair.locator, pair.why) == (FIFTH, "disagreement")
    [row] = judging.disagreements(caller_for(chief))
    assert [judgment.judge for judgment in row.judgments] == ["ann", "ben"]
    with pytest.raises(judging.CannotJudge):
        judging.adjudicate(row, 2, ann, "")
    judging.adjudicate(row, 3, chief, "plainly")
    assert judging.disagreements(caller_for(chief)) == []
    [settled] = judging.disagreements(caller_for(chief), settled=True)
    assert settled.decision.grade == 3


# -- Readers


def asked_by_a_reader(text: str = TWICE) -> SearchLog:
    answer = search(SearchRequest(text), ANONYMOUS, door="page", fresh=True)
    return SearchLog.objects.get(pk=answer["trace_id"])


def make_unsure(log: SearchLog, locator: str) -> None:
    trace = Trace.objects.get(log=log)
    for candidate in trace.detail["candidates"]:
        candidate["zone"] = "uncertain" if candidate["locator"] == locator else "accepted"
    trace.save()


def test_uncertain_candidates_of_real_searches_come_first(ann):
    topic(name="a")
    log = asked_by_a_reader("Can the police search my phone? Mail me at ann@example.org")
    make_unsure(log, FIFTH if FIFTH in log.top_locators else log.top_locators[3])
    assert searches_to_topics() == 1
    made = Topic.objects.get(source="search")
    assert (made.split, made.kind, made.name) == ("train", "search", f"search-{log.query_hash}")
    assert "ann@example.org" not in made.query
    pair = judging.next_pair(ann)
    assert (pair.topic, pair.why) == (made, "uncertain")
    assert [pair.locator] == judging.uncertain_locators(made)
    assert searches_to_topics() == 0


def test_what_the_reranker_was_unsure_of_by_its_domains_limits_is_judged():
    registry.deploy(registry.save(Trained(pack(some_reranker(), seed=1), {"family": "a test"})))
    unsure = publish_limits(mlp_low=0.3, mlp_high=0.7)
    log = asked_by_a_reader()
    weighed = {c["locator"]: c["probability"] for c in Trace.objects.get(log=log).detail["candidates"][:20]}
    assert searches_to_topics() == 1
    assert judging.uncertain_locators(Topic.objects.get()) == [
        locator for locator, p in weighed.items() if unsure.mlp_low < p < unsure.mlp_high
    ]


def test_before_there_is_a_reranker_the_gates_say_what_is_to_be_verified():
    publish_limits(verify=0.0, accept=1.0, confident=1.0)
    log = asked_by_a_reader()
    gates = {c["locator"]: c["gate"] for c in Trace.objects.get(log=log).detail["candidates"][:20]}
    assert "B" in gates.values()
    assert searches_to_topics() == 1
    assert judging.uncertain_locators(Topic.objects.get()) == [
        name for name, gate in gates.items() if gate == "B"
    ]


def test_near_misses_of_an_abstaining_search_are_judged(ann):
    log = asked_by_a_reader("how do I repot a cactus")
    assert log.abstained
    assert searches_to_topics() == 1
    assert sorted(judging.uncertain_locators(Topic.objects.get())) == sorted(log.top_locators)


def test_sure_searches_and_those_of_staff_make_no_topic():
    log = asked_by_a_reader()
    make_unsure(log, "")
    staffs = search(SearchRequest("how do I repot a cactus"), ANONYMOUS, door="admin", fresh=True)
    assert staffs["abstained"]
    assert searches_to_topics() == 0


def test_a_question_of_the_test_split_is_never_learned_from():
    topic(TWICE.upper(), split="test")
    log = asked_by_a_reader()
    make_unsure(log, FIFTH)
    Feedback.objects.create(log=log, locator=FIFTH, verdict="helpful")
    assert tasks.learn_from_readers() == {"clicks": 0, "topics": 0, "verdicts": 0}
    assert sizes() == (1, 0)


def test_thumbs_become_click_judgments_apart_from_human_ones(ann):
    log = asked_by_a_reader()
    Feedback.objects.create(log=log, locator=FIFTH, verdict="helpful")
    Feedback.objects.create(log=log, locator=FOURTH, verdict="unhelpful")
    Feedback.objects.create(log=log, verdict="unhelpful")
    assert clicks_to_judgments() == 2
    assert clicks_to_judgments() == 0
    rows = Judgment.objects.order_by("locator").values_list("locator", "grade", "kind", "judge", "user")
    assert list(rows) == [(FOURTH, 0, "click", "reader", None), (FIFTH, 2, "click", "reader", None)]
    assert judging.own_judgments(ann).count() == 0
    assert judging.next_pair(ann, prefer=Topic.objects.get()).why != "twice"


def test_readers_who_disagree_are_counted():
    log = asked_by_a_reader()
    for number, verdict in enumerate(["helpful", "unhelpful", "helpful"]):
        Feedback.objects.create(log=log, locator=FIFTH, verdict=verdict, caller=f"user:{number}")
    clicks_to_judgments()
    assert Judgment.objects.get().grade == 2
    Feedback.objects.create(log=log, locator=FIFTH, verdict="unhelpful", caller="user:9")
    assert clicks_to_judgments() == 1
    assert not Judgment.objects.exists()


def test_thumbs_on_questions_that_were_not_kept_say_nothing():
    log = asked_by_a_reader()
    SearchLog.objects.filter(pk=log.pk).update(query_text="")
    Feedback.objects.create(log=log, locator=FIFTH, verdict="helpful")
    assert clicks_to_judgments() == 0
    assert sizes() == (0, 0)


def verdict_on(locator: str, score: int, question: str = TWICE, **fields) -> LLMVerdict:
    fields = {"model": "m", "prompt_version": "0123456789", "reason": "so"} | fields
    return LLMVerdict.objects.create(
        query_hash=query_hash(normalize(question)), section_id=section(locator).pk, score=score, **fields
    )


def test_verdicts_become_judgments_apart_from_human_ones(ann):
    asked = topic()
    grade(asked, FIFTH, 3, ann)
    verdict_on(FIFTH, 0)
    verdict_on(FOURTH, 9, model="n")
    assert verdicts_to_judgments() == verdicts_to_judgments() == 2
    said = Judgment.objects.filter(kind="llm").order_by("locator").values_list("locator", "judge", "grade")
    assert list(said) == [(FOURTH, "n 01234567", 3), (FIFTH, "m 01234567", 0)]
    [measured] = library.topics_of("us_constitution")
    assert (measured.relevant, measured.irrelevant) == ({FIFTH: 3}, frozenset())
    assert not judging.disagreements(caller_for(ann))
    assert [opinion.grade for opinion in judging.opinions(asked.judgments.get(kind="human"))] == [0]


@pytest.mark.parametrize(("score", "given"), [(0, 0), (3, 0), (4, 1), (5, 1), (6, 2), (7, 2), (8, 3), (9, 3)])
def test_a_verdicts_score_becomes_the_grade_of_its_words(score, given):
    topic()
    verdict_on(FIFTH, score)
    verdicts_to_judgments()
    assert Judgment.objects.get().grade == given


def test_verdicts_on_what_readers_asked_find_their_topic_though_it_is_scrubbed():
    question = "Can the police search my phone? Mail me at ann@example.org"
    log = asked_by_a_reader(question)
    make_unsure(log, log.top_locators[0])
    verdict_on(log.top_locators[0], 7, question)
    assert tasks.learn_from_readers() == {"clicks": 0, "topics": 1, "verdicts": 1}


def test_no_verdict_reaches_a_test_topic_or_one_of_another_domain():
    topic(split="test")
    topic(domain=Domain.objects.get(slug="us_code"))
    verdict_on(FIFTH, 9)
    assert verdicts_to_judgments() == 0


def test_private_provisions_and_topics_stay_private(ann):
    private = Domain.objects.get(slug="client_cases")
    topic("a client's question", domain=private)
    assert judging.next_pair(ann) is None
    Section.objects.filter(locator=FIFTH).update(domain=private)
    log = asked_by_a_reader("privilege against self-incrimination")
    Feedback.objects.create(log=log, locator=FIFTH, verdict="helpful")
    assert clicks_to_judgments() == 0


# -- The pages


@pytest.fixture
def at_work(client, ann):
    client.force_login(ann)
    return ann


def post(client, **fields):
    return client.post(reverse("admin_judge"), fields, follow=True)


def sheet(answer):
    return answer.context["sheet"]


def test_the_page_shows_one_pair_without_rank_or_score(client, at_work):
    asked = topic(narrative="It must speak of a second trial.")
    page = client.get(reverse("admin_judge"))
    shown = sheet(page)
    words = page.content.decode()
    assert shown.topic == asked
    assert shown.section.citation in words and "It must speak of a second trial." in words
    for word in ("first page", "probability", "Probability", "rank", "score"):
        assert word not in words.split('class="arf-judge"')[1].split("</main>")[0], word


def test_the_chunk_found_is_marked_in_the_whole_text():
    chunk = Chunk.objects.filter(position=1, section__domain__slug="us_constitution").first()
    before, marked, after = parts_of(chunk.section.text, chunk)
    assert before and marked == chunk.text
    assert before + marked + after == chunk.section.text


def test_grading_keeps_what_was_shown_and_goes_on(client, at_work):
    asked = topic()
    page = post(client, topic=asked.pk, locator=FIFTH, grade=3, explanation="twice put in jeopardy")
    made = Judgment.objects.get()
    assert (made.judge, made.grade, made.explanation) == ("ann", 3, "twice put in jeopardy")
    assert made.chunk.section == made.section == section(FIFTH)
    assert sheet(page).section.locator != FIFTH
    assert page.context["last"]["judgment"] == made


def test_skip_and_undo(client, at_work):
    asked = topic()
    first = sheet(client.get(reverse("admin_judge"))).section.locator
    second = sheet(post(client, topic=asked.pk, locator=first, action="skip")).section.locator
    assert second != first
    post(client, topic=asked.pk, locator=second, grade=0)
    back = post(client, topic=asked.pk, locator=first, action="undo")
    assert sheet(back).section.locator == second
    assert not Judgment.objects.exists()
    assert "nothing to take back" in post(client, action="undo").content.decode()


def test_a_missing_grade_is_told_and_keeps_the_pair(client, at_work):
    asked = topic()
    page = post(client, topic=asked.pk, locator=FIFTH)
    assert "Choose a grade" in page.content.decode()
    assert sheet(page).section.locator == FIFTH
    assert not Judgment.objects.exists()


def test_a_language_models_verdict_shows_only_after_ones_own(client, at_work):
    asked = topic()
    url = f"{reverse('admin_judge')}?topic={asked.pk}&locator={FIFTH}"
    LLMVerdict.objects.create(
        query_hash=query_hash(normalize(TWICE)), section_id=section(FIFTH).pk, model="a-model",
        prompt_version="1", score=8, reason="Said by a model",
    )  # fmt: skip
    Judgment.objects.create(topic=asked, locator=FIFTH, grade=3, kind="llm", judge="b-model", explanation="B")
    assert "model" not in client.get(url).content.decode().split('class="arf-judge"')[1].split("</main>")[0]
    assert "Said by a model" in post(client, topic=asked.pk, locator=FIFTH, grade=2).content.decode()
    assert "b-model" in client.get(url).content.decode()


def test_only_who_may_judge_judges(client, ann):
    pages = [reverse("admin_judge"), reverse("admin_disagreements")]
    assert [client.get(page).status_code for page in pages] == [302, 302]
    reader = User.objects.create_user("staff", is_staff=True)
    client.force_login(reader)
    assert [client.get(page).status_code for page in pages] == [403, 403]
    client.force_login(ann)
    assert [client.get(page).status_code for page in pages] == [200, 200]


def test_what_is_not_there_is_not_found(client, at_work):
    asked = topic()
    hidden = topic(domain=Domain.objects.get(slug="client_cases"))
    addresses = [f"?topic={hidden.pk}", "?topic=x", f"?topic={asked.pk}&locator=/us/const/amendment/C"]
    assert {client.get(reverse("admin_judge") + a).status_code for a in addresses} == {404}
    gone = {"topic": asked.pk, "locator": "/nowhere", "grade": 3}
    assert client.post(reverse("admin_judge"), gone).status_code == 404


def test_disagreements_are_settled_by_a_third(client, ann, ben, chief):
    asked = topic()
    grade(asked, FIFTH, 3, ann, "it says so")
    grade(asked, FIFTH, 0, ben, "it does not")
    page = client.get(reverse("admin_disagreements")).content.decode()
    assert "it says so" in page and "it does not" in page
    assert "ann and ben" in page
    said = {"topic": asked.pk, "locator": FIFTH, "grade": 3, "explanation": "plainly"}
    client.post(reverse("admin_disagreements"), said)
    assert Judgment.objects.filter(judge="chief", grade=3).exists()
    assert "plainly" in client.get(reverse("admin_disagreements") + "?settled=1").content.decode()


def decided(asked: Topic, ann: User, ben: User, chief: User) -> Judgment:
    """Two disagree, and a third person settles it with a grade that is no median."""
    grade(asked, FIFTH, 3, ann)
    grade(asked, FIFTH, 1, ben)
    [row] = judging.disagreements(caller_for(chief))
    return judging.adjudicate(row, 0, chief, "neither")


def test_an_adjudication_is_the_agreed_grade_and_leaves_the_queue(ann, ben, chief):
    asked = topic()
    decided(asked, ann, ben, chief)
    assert qrels_of(Topic.objects.all()) == {asked.pk: {FIFTH: 0}}
    assert judging.disagreements(caller_for(chief)) == []
    [row] = judging.disagreements(caller_for(chief), settled=True)
    assert row.decision.judge == "chief"
    assert [why for why in offered_to(staff("dora"), asked) if why == "disagreement"] == []


def offered_to(user: User, asked: Topic) -> list[str]:
    """Why each of the next pairs would be offered."""
    seen: list[judging.Pair] = []
    while len(seen) < 3 and (
        pair := judging.next_pair(user, prefer=asked, skipped=[(p.topic.pk, p.locator) for p in seen])
    ):
        seen.append(pair)
    return [pair.why for pair in seen]


def test_agreement_is_the_same_before_and_after_an_adjudication(ann, ben, chief):
    asked = topic()
    grade(asked, FOURTH, 2, ann)
    grade(asked, FOURTH, 2, ben)
    grade(asked, FIFTH, 3, ann)
    grade(asked, FIFTH, 1, ben)
    before = agreement(grades_by_judge())
    [row] = judging.disagreements(caller_for(chief))
    judging.adjudicate(row, 0, chief, "")
    assert agreement(grades_by_judge()) == before
    assert before.kappas[0].quadratic is not None


def test_of_two_who_settle_a_pair_at_once_the_first_decides(ann, ben, chief):
    asked = topic()
    grade(asked, FIFTH, 3, ann)
    grade(asked, FIFTH, 0, ben)
    [seen_by_both] = judging.disagreements(caller_for(chief))
    judging.adjudicate(seen_by_both, 0, chief, "")
    with pytest.raises(judging.CannotJudge, match="settled already"):
        judging.adjudicate(seen_by_both, 3, staff("other", "Curator"), "")
    assert qrels_of(Topic.objects.all())[asked.pk] == {FIFTH: 0}


def test_what_is_decided_stays_decided(ann, ben, chief):
    asked = topic()
    decided(asked, ann, ben, chief)
    [row] = judging.disagreements(caller_for(chief), settled=True)
    with pytest.raises(judging.CannotJudge, match="settled already"):
        judging.adjudicate(row, 3, staff("other", "Curator"), "")
    grade(asked, FIFTH, 3, staff("dora"))
    assert qrels_of(Topic.objects.all())[asked.pk] == {FIFTH: 0}
    grade(asked, FIFTH, 2, chief)
    assert qrels_of(Topic.objects.all())[asked.pk] == {FIFTH: 2}


def test_who_may_only_judge_sees_agreement_but_nobodys_grades(client, ann, ben):
    asked = topic()
    grade(asked, FIFTH, 3, ann, "my reasons")
    grade(asked, FIFTH, 0, ben, "other reasons")
    client.force_login(ann)
    page = client.get(reverse("admin_disagreements")).content.decode()
    assert "ann and ben" in page and "other reasons" not in page
    said = {"topic": asked.pk, "locator": FIFTH, "grade": 3}
    assert client.post(reverse("admin_disagreements"), said).status_code == 403


# -- History


def history_page(client, judgment: Judgment) -> tuple[int, str]:
    answer = client.get(reverse("admin:evaluation_judgment_history", args=[judgment.pk]))
    return answer.status_code, answer.content.decode()


def test_history_says_who_changed_a_grade_from_what_to_what(client, ann, chief):
    asked = topic()
    client.force_login(ann)
    at = reverse("admin_judge")
    for given, why in ((0, "at first"), (3, "at second sight")):
        client.post(at, {"topic": asked.pk, "locator": FIFTH, "grade": given, "explanation": why})
    client.post(at, {"action": "undo"})
    last = Judgment.history.first()
    assert (last.grade, last.history_change_reason, last.history_user) == (0, "taken back", ann)
    client.force_login(chief)
    status, page = history_page(client, Judgment.objects.get())
    assert status == 200 and "0: not relevant → <strong>3: directly controls" in page
    assert "at first" in page and "at second sight" in page and ">ann<" in page


def test_history_is_read_only_and_as_private_as_the_judgment(client, ann, ben, chief):
    judgment = grade(topic(), FIFTH, 3, ann)
    line = reverse("admin:evaluation_judgment_simple_history", args=[judgment.pk, judgment.history.get().pk])
    assert client.get(line).status_code == 200
    assert client.post(line, {"grade": 0}).status_code == 403
    client.force_login(ben)
    assert history_page(client, judgment)[0] == client.get(line).status_code == 404
    hidden = topic(domain=Domain.objects.get(slug="client_cases"))
    private = Judgment.objects.create(topic=hidden, locator="/client-cases/a", grade=1, judge="x")
    client.force_login(chief)
    assert history_page(client, private)[0] == 404


# -- The lists


def test_who_may_only_judge_sees_their_own_judgments(client, ann, ben):
    asked = topic()
    mine, theirs = grade(asked, FIFTH, 3, ann), grade(asked, FOURTH, 0, ben)
    client.force_login(ann)
    page = client.get(reverse("admin:evaluation_judgment_changelist")).content.decode()
    assert mine.locator in page and f"judgment/{theirs.pk}/" not in page


def test_nobody_edits_anothers_grade_or_deletes_one(client, ann, chief):
    theirs, own = grade(topic(), FIFTH, 3, ann), grade(topic(), FIFTH, 3, chief)
    url = "admin:evaluation_judgment_{}"
    changed = {"grade": 0, "explanation": "", "judge": "ann"}
    answers = [client.post(reverse(url.format("change"), args=[row.pk]), changed) for row in (theirs, own)]
    assert [answer.status_code for answer in answers] == [403, 302]
    own.refresh_from_db()
    assert (own.grade, own.judge) == (0, "chief")
    assert client.post(reverse(url.format("delete"), args=[own.pk]), {"post": "yes"}).status_code == 403


def test_judgments_filter_and_are_exported(client, ann, chief):
    asked = topic()
    grade(asked, FIFTH, 3, ann, "=1+1")
    changelist = reverse("admin:evaluation_judgment_changelist")
    for query in (
        "kind__exact=human",
        "judge=ann",
        "grade__exact=3",
        f"topic__domain__id__exact={asked.domain_id}",
    ):
        assert FIFTH in client.get(f"{changelist}?{query}").content.decode(), query
    assert FIFTH not in client.get(f"{changelist}?kind__exact=llm").content.decode()
    page = reverse("admin:evaluation_judgment_export")
    resource = client.get(page).context["form"]
    chosen = {name: "on" for name in resource.fields if name.startswith("judgmentresource_")}
    answer = client.post(page, {"format": "0", "resource": "", **chosen})
    assert "'=1+1" in answer.content.decode() and TWICE in answer.content.decode()


def test_a_test_topic_is_read_only_and_topics_with_judgments_stay(client, ann):
    client.force_login(User.objects.create_superuser("root", password="a long password"))
    held, judged = topic(split="test"), topic(source="admin")
    grade(judged, FIFTH, 3, ann)
    change = [reverse("admin:evaluation_topic_change", args=[row.pk]) for row in (held, judged)]
    assert [client.get(url).status_code for url in change] == [200, 200]
    assert client.post(change[0], {"query": "other"}).status_code == 403
    delete = [reverse("admin:evaluation_topic_delete", args=[row.pk]) for row in (held, judged)]
    answers = [client.post(url, {"post": "yes"}).status_code for url in delete]
    assert answers[0] == 403 and Topic.objects.count() == 2
    with pytest.raises(ProtectedError):
        judged.delete()


def test_a_topic_near_a_test_topic_is_refused_while_it_can_be_worded_otherwise(client, chief):
    topic(split="test", query="May speech be free?")
    own = topic(name="own", query="Who may vote?", source="admin")
    change = reverse("admin:evaluation_topic_change", args=[own.pk])
    said = {"query": "is speech free", "language": "en", "answerable": "on", "tags": "", "group": ""}
    assert "asks nearly the same" in client.post(change, said).content.decode()
    assert client.post(change, said | {"query": "May women vote?"}).status_code == 302


def test_a_topic_is_made_and_found_by_its_filters(client, chief):
    add = reverse("admin:evaluation_topic_add")
    new = {
        "name": "admin-1", "domain": Domain.objects.get(slug="us_constitution").pk, "query": "May they?",
        "language": "en", "split": "tune", "answerable": "on", "kind": "lay", "group": "g", "tags": "",
    }  # fmt: skip
    assert client.post(add, new | {"split": "test"}).status_code == 200
    assert client.post(add, new).status_code == 302
    listed = reverse("admin:evaluation_topic_changelist")
    for query in ("split__exact=tune", "kind=lay", "language=en", "source=admin"):
        assert "May they?" in client.get(f"{listed}?{query}").content.decode(), query
