"""What commands say of their arguments, and of a full disk."""

import pytest
from django.core.management import CommandError, call_command
from django.db import OperationalError

from retrieval.management import base
from retrieval.management.base import ArfCommand, JobCommand


@pytest.mark.parametrize(
    "command", [["check_brief", "brief.txt", "--as-of=foo"], ["fetch", "us_code", "--since=foo"]]
)
def test_what_is_no_day_is_told_with_the_form_wanted(command):
    with pytest.raises(CommandError, match="“foo” is no day: write it like 1950-01-31"):
        call_command(*command)


class Counting(JobCommand):
    def handle(self, **options):
        self.run_job({"kind": "count", "key": "k"})


class FullDisk(ArfCommand):
    def handle(self, **options):
        raise OperationalError('could not extend file "base/1": No space left on device\nHINT: Check free disk space.')


def test_what_the_database_cannot_do_is_told_in_a_sentence():
    with pytest.raises(CommandError, match="^The database failed: could not extend .* device HINT: Check free"):
        call_command(FullDisk())


def test_no_job_is_begun_by_hand_on_a_full_disk(monkeypatch):
    monkeypatch.setattr(base, "has_room", lambda: False)
    with pytest.raises(CommandError, match="disk is full"):
        call_command(Counting())
