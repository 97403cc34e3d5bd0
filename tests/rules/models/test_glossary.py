"""Spanish legal terms with the English ones."""

import pytest

from rules.models import GlossaryTerm

pytestmark = pytest.mark.django_db


def test_every_change_of_a_term_is_kept_in_history():
    term = GlossaryTerm.objects.create(spanish="fianza de prueba", english="bail")
    term.enabled = False
    term.save()
    assert [line.enabled for line in term.history.all()] == [False, True]
    assert str(term) == "fianza de prueba → bail"
