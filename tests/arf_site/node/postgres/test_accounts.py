"""What is run as the server's user sees nothing of the caller's."""

import os
import subprocess

import pytest

from arf_site.node.postgres import accounts
from arf_site.node.postgres.accounts import Account, service_account
from tests.arf_site.node.servers import ROOT

OURSELVES = Account(os.geteuid(), os.getegid())


def test_a_command_has_nothing_of_our_environment_folder_and_file_mask(monkeypatch):
    monkeypatch.setenv("PGPASSWORD", "hush")
    script = "pwd; umask; echo ${PGPASSWORD:-none}"
    done = OURSELVES.run(["/bin/sh", "-c", script], stdout=subprocess.PIPE)
    assert done.stdout.split() == ["/", "0077", "none"]


def test_what_can_be_reached_and_read_is_asked_of_the_user(tmp_path):
    (tmp_path / "file").write_text("words")
    assert OURSELVES.can_reach(tmp_path) and not OURSELVES.can_reach(tmp_path / "nowhere")
    assert OURSELVES.can_read(tmp_path / "file")
    assert not OURSELVES.can_read(tmp_path / "file", tmp_path / "nowhere")


def test_without_a_user_or_a_way_to_make_one_the_message_says_what_to_do(monkeypatch):
    def unknown(name):
        raise KeyError(name)

    monkeypatch.setattr(accounts.pwd, "getpwnam", unknown)
    monkeypatch.setattr(accounts.shutil, "which", lambda name: None)
    with pytest.raises(accounts.PostgresError, match="make a system user `arf`"):
        service_account()


if ROOT:

    def test_roots_server_runs_as_somebody_else():
        account = service_account()
        done = account.run(["id", "-u"], stdout=subprocess.PIPE)
        assert int(done.stdout) == account.uid != 0
        assert account.name in ("postgres", "arf")
