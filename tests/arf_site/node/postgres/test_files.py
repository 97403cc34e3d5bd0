"""Folders that nobody else can touch."""

import os

import pytest

from arf_site.node.postgres.accounts import Account, PostgresError
from arf_site.node.postgres.files import make_private_folder


def test_a_socket_folder_that_is_a_link_or_open_to_others_is_refused(room):
    ourselves = Account(os.geteuid(), os.getegid())
    (room / "elsewhere").mkdir(mode=0o700)
    (room / "link").symlink_to(room / "elsewhere")
    (room / "open").mkdir()
    (room / "open").chmod(0o750)
    for name in ("link", "open"):
        with pytest.raises(PostgresError, match="0700"):
            make_private_folder(room / name, ourselves)
