"""Kept questions: for who wants that, seen by nobody else whatever the code forgets, erased, never of private law."""

from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from django.db import DatabaseError, IntegrityError, connection, transaction
from django.utils import timezone

from retrieval.access import passwords
from retrieval.access.caller import ANONYMOUS
from retrieval.access.row_security import as_caller, as_system
from retrieval.answers import history
from retrieval.answers.service import AnswerRequest, answer
from retrieval.models import ApiKey, KeptQuestion, QuestionHistory, SearchLog
from retrieval.models.access import caller_for
from retrieval.search import log
from retrieval.search.afterwards import write_now
from tests.builders import a_case_file
from tests.matters import person

pytestmark = pytest.mark.django_db

AGE = "How old must the president be?"
TABLES = (QuestionHistory, KeptQuestion)


@pytest.fixture
def lea():
    caller = person("lea")
    history.turn_on(caller)
    return caller


def keep(caller, text=AGE, address="q=x", domains=(), searched=()):
    about = {"searched": searched, "language": "en", "address": address, "domains": domains}
    return history.keep(text, **about, caller=caller)


def kept(caller):
    with as_caller(caller):
        return [one.text for one in history.kept_of(caller)]


def all_rows():
    with as_system():
        return KeptQuestion.objects.count()


def test_nothing_is_kept_until_a_person_turns_it_on():
    caller = person("ann")
    assert keep(caller) is None and not all_rows()
    history.turn_on(caller)
    assert keep(caller) == history.KEPT and kept(caller) == [AGE]
    history.turn_off(caller)
    assert keep(caller, "Another?", "q=y") is None and kept(caller) == [AGE]


def test_asked_again_it_is_kept_once_and_comes_first(lea):
    for address in ("q=a", "q=b"):
        keep(lea, f"Asked at {address}", address)
    with as_caller(lea):
        first = history.kept_of(lea)[1].pk
    keep(lea, "Asked at q=a", "q=a")
    assert kept(lea) == ["Asked at q=a", "Asked at q=b"]
    history.erase(lea, first)  # as a page shows it that was opened before
    assert kept(lea) == ["Asked at q=b"]


def test_the_oldest_make_room(lea, monkeypatch):
    monkeypatch.setattr(history, "MOST", 2)
    for n in range(4):
        keep(lea, f"Question {n}", f"q={n}")
    assert kept(lea) == ["Question 3", "Question 2"] and all_rows() == 2


def test_a_question_that_reaches_private_documents_is_not_kept(lea):
    a_case_file("Matter of Ibarreche", "The bakery burned.", granted_to=lea)
    assert keep(lea) == keep(lea, domains=("client_cases",)) == history.PRIVATE
    assert keep(lea, domains=("us_constitution",)) == history.KEPT and all_rows() == 1


def test_a_question_with_somebodys_numbers_is_not_kept(lea):
    assert keep(lea, "My SSN is 123-45-6789, may they ask for it?") == history.PERSONAL
    assert not all_rows()


def test_others_see_change_and_erase_nothing_of_it(lea):
    keep(lea)
    key = ApiKey.issue(name="Cora", scopes=["search"])[0].caller
    for other in (ANONYMOUS, person("stan"), person("root", is_staff=True, is_superuser=True), key):
        with as_caller(other):
            assert not any(model.objects.exists() for model in TABLES)
            assert KeptQuestion.objects.update(text="x") == KeptQuestion.objects.all().delete()[0] == 0
    assert kept(lea) == [AGE]


def test_nobody_keeps_or_turns_on_for_another(lea):
    with as_caller(person("stan")):
        for row in (
            QuestionHistory(user_id=history.person(person("ann"))),
            KeptQuestion(user_id=history.person(lea), text="x", language="en", address="x"),
        ):
            with pytest.raises(DatabaseError, match="row-level security"), transaction.atomic():
                row.save(force_insert=True)


def test_the_tables_force_row_security_on_their_owner():
    names = [model._meta.db_table for model in TABLES]
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT count(*) FROM pg_class WHERE relrowsecurity AND relforcerowsecurity AND relname = ANY(%s)",
            [names],
        )
        assert cursor.fetchone() == (len(TABLES),)


def test_keys_and_anonymous_people_have_no_history():
    key = ApiKey.issue(name="Cora", scopes=["search"])[0].caller
    assert history.person(key) is history.person(ANONYMOUS) is None
    assert keep(key) is keep(ANONYMOUS) is None


def test_whose_password_another_set_sees_theirs_only_once_confirmed(lea):
    keep(lea)
    user = User.objects.get(username="lea")
    user.set_password("former")
    passwords.note(user, former=user.password, by=User.objects.create_superuser("root"))
    waiting = caller_for(user)
    assert history.person(waiting) is None and not kept(waiting) and keep(waiting, "Another?", "q=y") is None
    assert passwords.confirm(user, "former") and kept(caller_for(user)) == [AGE]


def test_one_is_erased_or_all(lea):
    for n in range(3):
        keep(lea, f"Question {n}", f"q={n}")
    with as_caller(lea):
        second = history.kept_of(lea)[1].pk
    history.erase(person("stan"), second)
    history.erase(lea, second)
    assert kept(lea) == ["Question 2", "Question 0"]
    history.erase(lea)
    assert not all_rows() and history.is_on(lea)


def test_what_is_erased_is_emptied_in_the_log_of_searches_where_its_asker_asked_it(lea):
    both = "Who can declare war? And how old must the president be?"
    for caller in (lea, ANONYMOUS):
        made = answer(AnswerRequest(both), caller)
    assert len(made["parts"]) == 2
    write_now()
    keep(lea, both, searched=[part["question"] for part in made["parts"]])
    history.erase(lea)
    logs = SearchLog.objects.all()
    assert [log.query_text != "" for log in logs.order_by("caller")] == [True, True, False, False]
    assert {log.caller for log in logs.filter(trace__isnull=False)} <= {"public"}


def test_what_was_asked_further_is_forgotten_as_it_was_searched(lea):
    answer(AnswerRequest("and a senator?", about=AGE), lea)
    write_now()
    assert SearchLog.objects.get().query_text == "How old must a senator be?"
    keep(lea, f"{AGE} and a senator?", searched=["How old must a senator be?"])
    history.erase(lea)
    assert SearchLog.objects.get().query_text == ""


def test_asked_again_in_other_words_all_that_was_searched_is_known(lea):
    for searched in (["one"], ["two", "one"]):
        keep(lea, searched=searched)
    with as_caller(lea):
        assert history.kept_of(lea).get().searched == ["one", "two"]


def test_of_what_was_kept_before_searches_were_noted_what_would_be_searched_is_forgotten(lea):
    answer(AnswerRequest("Who can vote? Who can declare war?"), lea)
    write_now()
    keep(lea, "Who can vote? Who can declare war?")
    history.erase(lea)
    assert {log.query_text for log in SearchLog.objects.all()} == {""}


def test_what_the_log_cannot_forget_is_still_kept_to_be_erased_again(lea, monkeypatch):
    def late():
        raise TimeoutError

    keep(lea)
    with monkeypatch.context() as patched, pytest.raises(TimeoutError):
        patched.setattr(log, "write_now", late)
        history.erase(lea)
    assert kept(lea) == [AGE]


def test_the_night_takes_what_is_old(lea, settings):
    old = timezone.now() - timedelta(days=settings.ARF_HISTORY_DAYS, minutes=1)
    with as_caller(lea):
        KeptQuestion.objects.create(user_id=history.person(lea), text="Old?", language="en", asked_at=old)
    keep(lea, "New?", "q=new")
    assert history.prune() == 1 and kept(lea) == ["New?"]


def test_it_goes_with_the_account_whoever_deletes_it(lea):
    keep(lea)
    with as_caller(caller_for(User.objects.create_superuser("root"))):
        User.objects.get(username="lea").delete()
    with connection.cursor() as cursor:
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
    with as_system():
        assert not any(model.objects.exists() for model in TABLES)


def test_no_question_is_without_an_account():
    with pytest.raises(IntegrityError), transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SELECT set_config('arf.principals', 'user:0', true)")
        KeptQuestion(user_id=0, text="x", language="en", address="x").save()
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")


def test_its_words_are_in_no_name_of_a_row(lea):
    keep(lea)
    with as_caller(lea):
        assert "president" not in str(history.kept_of(lea).get())
