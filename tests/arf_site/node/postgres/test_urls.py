"""PostgreSQL URLs as Django's settings."""

import pytest

from arf_site.node.postgres.urls import django_database
from tests.arf_site.node.servers import ask


def test_the_embedded_url_becomes_a_django_database(server):
    database = django_database(server.app_url())
    assert (database["NAME"], database["USER"], database["HOST"]) == ("arf", "arf", str(server.socket_dir))
    assert ask(server.app_url(), "SELECT current_user") == [(database["USER"],)]


def test_a_url_of_a_real_server_is_decoded():
    assert django_database("postgres://us%40er:p%2Fw%3A%25@db.example:5433/law%20books?sslmode=require") == {
        "ENGINE": "django.db.backends.postgresql",
        "NAME": "law books",
        "USER": "us@er",
        "PASSWORD": "p/w:%",
        "HOST": "db.example",
        "PORT": "5433",
        "OPTIONS": {"sslmode": "require"},
    }


@pytest.mark.parametrize(
    "url", ["mysql://a:secret@b/c", "postgresql://a:secret@b", "postgresql://a:secret%zz@b/c", ""]
)
def test_other_urls_are_refused_without_telling_the_password(url):
    with pytest.raises(ValueError, match="DATABASE_URL") as refused:
        django_database(url)
    assert "secret" not in str(refused.value)
