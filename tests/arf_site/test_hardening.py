"""What hostile people meet, from outside and inside."""

import pytest

from arf_site.node import backup

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("number", ["²", "٣", "9" * 5_000])
def test_numbers_that_are_none_are_no_error_of_the_admin(client, administrator, number):
    listed = client.get("/admin/places/", {"box": "locator", "domain": number, "locator": "a"})
    copied = client.get("/admin/rules/domainthreshold/add/", {"copy": number})
    assert (listed.status_code, copied.status_code) == (200, 200)


def test_a_text_of_rare_letters_may_be_as_long_as_any(client):
    body = {"q": "\U0001d400" * 64_000}
    answer = client.post("/api/v1/citations/resolve", body, content_type="application/json")
    assert answer.status_code == 200


def test_a_backup_to_a_folder_that_is_not_there_says_so(tmp_path):
    with pytest.raises(backup.BackupError, match="cannot be written: No such file"):
        backup.backup("postgresql://nobody@localhost/nothing", tmp_path / "nowhere" / "file")
