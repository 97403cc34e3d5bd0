"""The judging page and the page of agreement."""

from types import SimpleNamespace

import pytest
from django.contrib.auth.models import Group, User
from django.urls import reverse

from evaluation.admin.judge import parts_of
from evaluation.judging import grading
from evaluation.models import Judgment, NoAnswer, Topic
from retrieval.models import Chunk, Domain, Section
from tests.builders import nothing_judged
from tests.retrieval.pages.looking import Page

pytestmark = pytest.mark.django_db


FIFTH, FOURTH = "/us/const/amendment/V", "/us/const/amendment/IV"


TWICE = "Can I be tried twice for the same crime?"


def staff(name: str, group: str = "Judge") -> User:
    user = User.objects.create_user(name, password="a long password", is_staff=True)
    user.groups.add(Group.objects.get(name=group))
    return user


@pytest.fixture(autouse=True)
def empty_library(db):
    """Without the topics that ship."""
    nothing_judged()


@pytest.fixture
def ann():
    return staff("ann")


@pytest.fixture
def ben():
    return staff("ben")


def topic(query: str = TWICE, **fields) -> Topic:
    domain = Domain.objects.get(slug="us_constitution")
    fields = {"name": f"t{Topic.objects.count()}", "domain": domain} | fields
    return Topic.objects.create(query=query, **fields)


def section(locator: str) -> Section:
    return Section.objects.get(locator=locator, live=True, valid_to=None)


def grade(asked: Topic, locator: str, grade: int, user: User, explanation: str = "") -> Judgment:
    return grading.judge(asked, section(locator), None, grade, user, explanation)


@pytest.fixture
def at_work(client, ann):
    client.force_login(ann)
    return ann


def post(client, **fields):
    return client.post(reverse("admin_judge"), fields, follow=True)


def sheet(answer):
    return SimpleNamespace(**answer.context["sheet"])


def test_the_page_shows_one_pair_without_rank_or_score(client, at_work):
    asked = topic(narrative="It must speak of a second trial.")
    page = client.get(reverse("admin_judge"))
    shown = sheet(page)
    words = page.content.decode()
    assert shown.topic == asked
    assert shown.section.citation in words and "It must speak of a second trial." in words
    for word in ("first page", "probability", "Probability", "rank", "score"):
        assert word not in words.split('class="arf-judge"')[1].split("</main>")[0], word


def test_what_is_english_is_marked_so(client, at_work):
    topic("¿Me pueden juzgar dos veces?", language="es", narrative="It must speak of a second trial.")
    page = Page(client.get(reverse("admin_judge"), headers={"accept-language": "es"}))
    assert {shown["lang"] for shown in page.all("p") if shown.get("class") in ("narrative", "crumbs")} == {"en"}


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


def test_lines_of_an_explanation_count_as_its_box_counts_them(client, at_work):
    post(client, topic=topic().pk, locator=FIFTH, grade=3, explanation="a\r\n" * 999 + "ab")
    assert Judgment.objects.get().explanation == "a\n" * 999 + "ab"


def test_what_was_typed_is_given_back_where_it_is_refused(client, at_work):
    page = post(client, topic=topic().pk, locator=FIFTH, grade=2, explanation="why " * 501).content.decode()
    assert "an explanation has at most 2,000 characters" in page and "why " * 501 in page
    assert 'value="2" required checked' in page
    assert not Judgment.objects.exists()


def test_only_who_may_judge_judges(client, ann):
    pages = [reverse("admin_judge"), reverse("admin_disagreements")]
    assert [client.get(page).status_code for page in pages] == [302, 302]
    reader = User.objects.create_user("staff", is_staff=True)
    client.force_login(reader)
    assert [client.get(page).status_code for page in pages] == [403, 403]
    client.force_login(ann)
    assert [client.get(page).status_code for page in pages] == [200, 200]


def test_another_provision_is_judged_by_its_citation(client, at_work):
    asked = topic()
    page = client.get(reverse("admin_judge"), {"topic": asked.pk, "another": "28th amendment"})
    assert "no provision here that you may read" in page.content.decode()
    page = client.get(reverse("admin_judge"), {"topic": asked.pk, "another": "third amendment"})
    assert sheet(page).section.locator == "/us/const/amendment/III"
    assert "data-offers" in page.content.decode()


def test_judging_another_provision_chooses_no_domain(client, at_work):
    asked = {"topic": topic().pk, "domain": "us_constitution", "another": "third amendment"}
    assert client.get(reverse("admin_judge"), asked).context["choice"]["domain"] == ""


def test_what_is_not_there_is_not_found(client, at_work):
    asked = topic()
    hidden = topic(domain=Domain.objects.get(slug="client_cases"))
    addresses = [f"?topic={hidden.pk}", "?topic=x", f"?topic={asked.pk}&locator=/us/const/amendment/C"]
    assert {client.get(reverse("admin_judge") + a).status_code for a in addresses} == {404}
    gone = {"topic": asked.pk, "locator": "/nowhere", "grade": 3}
    assert client.post(reverse("admin_judge"), gone).status_code == 404


def test_who_may_only_judge_sees_agreement_but_nobodys_grades(client, ann, ben):
    asked = topic()
    grade(asked, FIFTH, 3, ann, "my reasons")
    grade(asked, FIFTH, 0, ben, "other reasons")
    client.force_login(ann)
    page = client.get(reverse("admin_disagreements")).content.decode()
    assert "ann and ben" in page and "other reasons" not in page
    said = {"topic": asked.pk, "locator": FIFTH, "grade": 3}
    assert client.post(reverse("admin_disagreements"), said).status_code == 403


def test_nothing_here_answers_is_said_shown_and_taken_back(client, at_work):
    asked = topic("how do I repot a cactus")
    page = client.get(reverse("admin_judge"))
    few = [each.locator for each, _chunk in sheet(page).few]
    assert len(few) == 5 and sheet(page).doubtful
    after = post(client, topic=asked.pk, action="nothing", shown=few)
    assert after.context["sheet"] is None
    assert after.context["last"]["unanswered"] == asked
    assert set(Judgment.objects.values_list("locator", "grade")) == {(name, 0) for name in few}
    back = post(client, action="undo")
    assert sheet(back).topic == asked and not sheet(back).unanswered
    assert not Judgment.objects.exists() and not NoAnswer.objects.exists()


def test_the_word_alone_is_taken_back_later(client, at_work):
    asked = topic()
    post(client, topic=asked.pk, action="nothing", shown=[FIFTH])
    assert sheet(client.get(f"{reverse('admin_judge')}?topic={asked.pk}")).unanswered
    page = post(client, topic=asked.pk, locator=FIFTH, action="something")
    assert not sheet(page).unanswered
    assert Judgment.objects.get().grade == 0


def test_who_graded_an_answer_is_told_so(client, at_work):
    asked = topic()
    grade(asked, FIFTH, 3, at_work)
    page = post(client, topic=asked.pk, action="nothing", shown=[FOURTH])
    assert "change that grade first" in page.content.decode()
    assert not NoAnswer.objects.exists()


def test_what_was_not_to_be_seen_is_not_graded(client, at_work):
    asked = topic()
    gone = {"topic": asked.pk, "action": "nothing", "shown": ["/nowhere"]}
    assert client.post(reverse("admin_judge"), gone).status_code == 404
    assert not NoAnswer.objects.exists()


def test_a_judge_chooses_domain_and_topic(client, at_work):
    here = topic()
    there = topic("What is a ship?", domain=Domain.objects.get(slug="us_code"))
    hidden = topic(TWICE, domain=Domain.objects.get(slug="client_cases"))
    page = client.get(reverse("admin_judge") + "?domain=us_constitution&q=twice+crime")
    assert list(page.context["choice"]["topics"]) == [here]
    assert sheet(page).topic == here
    assert client.get(reverse("admin_judge")).context["choice"]["domain"] == "us_constitution"
    everywhere = client.get(reverse("admin_judge") + "?domain=").context["choice"]
    assert set(everywhere["topics"]) == {here, there}
    assert hidden.domain not in everywhere["domains"]
    assert client.get(reverse("admin_judge") + "?domain=client_cases").status_code == 404
