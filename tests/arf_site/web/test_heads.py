"""What a HEAD is answered: the headers alone."""

import pytest
from django.core.handlers.base import BaseHandler
from django.http import HttpResponse, StreamingHttpResponse
from django.test import RequestFactory

from arf_site.web.heads import without_body

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("path", ["/api/v1/search?q=jury", "/api/v1/search", "/privacy-nowhere"])
def test_no_body_is_sent_to_a_head(path):
    server = BaseHandler()  # the client of the tests drops such bodies itself
    server.load_middleware()
    response = server.get_response(RequestFactory().head(path))
    assert response.content == b"" and int(response["Content-Length"]) > 0


def test_a_get_has_its_body_and_no_stream_is_begun_for_a_head():
    asked = RequestFactory()
    assert without_body(lambda _: HttpResponse("law"))(asked.get("/")).content == b"law"
    streamed = without_body(lambda _: StreamingHttpResponse(1 / 0 for _ in "law"))(asked.head("/"))
    assert b"".join(streamed) == b""
