"""Whoever runs the server confirms a set password for a person who has forgotten the former one."""

import pytest
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command

from retrieval.access import passwords
from retrieval.models.access import caller_for

pytestmark = pytest.mark.django_db


def test_a_confirmed_person_reads_private_documents_again(capsys):
    ann, boss = User.objects.create_user("ann"), User.objects.create_user("boss")
    passwords.note(ann, former="a hash", by=boss)
    assert caller_for(ann).principals == ()
    call_command("confirm_password", "ann")
    assert caller_for(ann).principals == (f"user:{ann.pk}",)
    assert "Confirmed: ann" in capsys.readouterr().out


def test_nothing_to_confirm_is_an_error():
    with pytest.raises(CommandError, match="waits"):
        call_command("confirm_password", "ann")
