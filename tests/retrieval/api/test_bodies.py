"""Which bodies are read."""

import pytest

from tests.retrieval.api.refusals import assert_refused, post

pytestmark = pytest.mark.django_db


def test_a_huge_body_is_refused(client, no_stage):
    assert_refused(post(client, {"q": "a" * 70_000}), 413, "too_large")


@pytest.mark.parametrize(
    "kind", ["text/plain", "application/x-www-form-urlencoded", "nonsense", "application/xml"]
)
def test_only_json_is_read(client, no_stage, kind):
    assert_refused(post(client, '{"q": "a"}', content_type=kind), 415, "unsupported_media_type")


def test_json_may_say_its_charset(client):
    assert post(client, {"q": "jury"}, content_type="application/json; charset=utf-8").status_code == 200
