"""What commands say of their arguments."""

import pytest
from django.core.management import CommandError, call_command


@pytest.mark.parametrize(
    "command", [["check_brief", "brief.txt", "--as-of=foo"], ["fetch", "us_code", "--since=foo"]]
)
def test_what_is_no_day_is_told_with_the_form_wanted(command):
    with pytest.raises(CommandError, match="“foo” is no day: write it like 1950-01-31"):
        call_command(*command)
