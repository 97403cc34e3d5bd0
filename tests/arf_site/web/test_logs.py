"""Errors that callers cause at will are logged in one line."""

import pytest

pytestmark = pytest.mark.django_db


def test_a_foreign_host_is_refused_and_logged_in_one_line(client, caplog):
    assert client.get("/", headers={"host": "evil.example"}).status_code == 400
    [record] = caplog.records
    assert record.levelname == "WARNING" and record.exc_info is None
    assert "add 'evil.example' to ARF_ALLOWED_HOSTS" in record.getMessage() and "\n" not in caplog.text.strip()
