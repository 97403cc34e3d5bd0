"""A signed-in person's requests run under that person's grants; everybody else's cost nothing."""

import pytest
from django.contrib.auth.models import AnonymousUser, User
from django.http import HttpResponse

from retrieval.access.middleware import caller_of, row_access_of_user
from retrieval.access.row_security import as_caller
from retrieval.models import Document, Domain
from retrieval.models.access import caller_for
from tests.builders import a_case_file


def titles(request) -> HttpResponse:
    """A view that shows the titles of all documents it can see."""
    return HttpResponse("\n".join(Document.objects.values_list("title", flat=True)))


@pytest.fixture
def ana(db):
    user = User.objects.create_user("ana")
    a_case_file("Matter of Ana", "The brigade burned her bakery.", granted_to=caller_for(user))
    return user


def request_of(rf, user, settings, **cookies):
    request = rf.get("/")
    request.COOKIES, request.user = cookies, user
    return request


def test_a_signed_in_person_sees_what_was_granted(rf, ana, settings):
    request = request_of(rf, ana, settings, **{settings.SESSION_COOKIE_NAME: "x"})
    assert "Matter of Ana" in row_access_of_user(titles)(request).content.decode()


def test_the_next_request_sees_nothing_of_it(rf, ana, settings):
    row_access_of_user(titles)(request_of(rf, ana, settings, **{settings.SESSION_COOKIE_NAME: "x"}))
    stranger = request_of(rf, AnonymousUser(), settings)
    assert "Matter of Ana" not in row_access_of_user(titles)(stranger).content.decode()


def test_a_request_without_a_session_asks_the_database_nothing(rf, db, settings, django_assert_num_queries):
    with django_assert_num_queries(0):
        row_access_of_user(lambda request: HttpResponse())(request_of(rf, AnonymousUser(), settings))


def test_who_asks_is_read_once_a_request(rf, ana, django_assert_num_queries):
    request = rf.get("/")
    request.user = ana
    with django_assert_num_queries(2):
        assert caller_of(request) is caller_of(request)


def test_an_answer_5xx_changes_nothing(rf, ana, settings):
    def fails(request) -> HttpResponse:
        Domain.objects.update(name="changed")
        return HttpResponse(status=503)

    row_access_of_user(fails)(request_of(rf, ana, settings, **{settings.SESSION_COOKIE_NAME: "x"}))
    with as_caller(caller_for(ana)):
        assert not Domain.objects.filter(name="changed").exists()
