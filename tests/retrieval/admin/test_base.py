"""What every page of the admin holds to: private text stays private, scripts are files."""

import pytest

from retrieval.access.row_security import as_system
from retrieval.models import Section
from tests.retrieval.admin.staff import CORPUS

pytestmark = pytest.mark.django_db


@as_system()
def admin_pages_of(section: Section) -> list[str]:
    chunk = section.chunks.get()
    return [
        f"/admin/retrieval/document/{section.document_id}/change/",
        f"/admin/retrieval/section/{section.pk}/change/",
        f"/admin/retrieval/chunk/{chunk.pk}/change/",
    ]


def test_private_text_is_hidden_even_from_superusers(client, superuser, private_section):
    for url in [*CORPUS, "/admin/", *admin_pages_of(private_section)]:
        page = client.get(url, follow=True).content.decode()
        assert "Secret" not in page, url
        assert "A secret heading" not in page, url
    assert "Secret" not in client.get("/admin/retrieval/section/?q=secret").content.decode().replace(
        "?q=secret", ""
    )


def test_the_admin_speaks_spanish_when_asked(client, judge):
    client.cookies["django_language"] = "es"
    assert "Probar esta consulta" in client.get("/admin/").content.decode()
    assert "registro de búsquedas" in client.get("/admin/retrieval/searchlog/").content.decode().lower()


def test_admin_pages_may_evaluate_attributes_but_run_no_inline_script(client, judge):
    directives = client.get("/admin/")["Content-Security-Policy"].split("; ")  # in any order
    assert "script-src 'self' 'unsafe-eval'" in directives
