"""The glossary in the admin."""

import pytest

from rules.models import GlossaryTerm
from tests.rules.alias_pages import confirm, upload

pytestmark = pytest.mark.django_db


def test_glossary_terms_are_imported_by_their_spanish(client, curator):
    term = GlossaryTerm.objects.first()
    preview = upload(
        client, "/admin/rules/glossaryterm/", f"spanish,english,enabled\n{term.spanish},new words,1\n"
    )
    confirm(client, "/admin/rules/glossaryterm/", preview)
    term.refresh_from_db()
    assert term.english == "new words"
