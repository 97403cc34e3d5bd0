"""The system user that the server runs as."""

import os
import pwd
import shutil
import subprocess
import sys
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

# Nothing of the caller's environment (PG*, secrets) reaches the server.
ENVIRONMENT = {"PATH": "/usr/bin:/bin", "LC_ALL": "C"}


class PostgresError(RuntimeError):
    """The server cannot be started, stopped or reached; the message says what to do."""


@dataclass(frozen=True)
class Account:
    """The system user that the server runs as and that owns the cluster."""

    uid: int
    gid: int

    @classmethod
    def named(cls, name: str) -> "Account":
        entry = pwd.getpwnam(name)
        return cls(entry.pw_uid, entry.pw_gid)

    @property
    def name(self) -> str:
        return pwd.getpwuid(self.uid).pw_name

    def run(self, command: Sequence[str | Path], **options: Any) -> subprocess.CompletedProcess[str]:
        """Run `command` as this user, away from the caller's folder, environment and file mask."""
        options = {"env": ENVIRONMENT, "stdin": subprocess.DEVNULL, **options}
        if os.geteuid() != self.uid:
            options |= {"user": self.uid, "group": self.gid, "extra_groups": []}
        return subprocess.run(command, cwd="/", umask=0o077, text=True, **options)

    def can_reach(self, folder: Path) -> bool:
        return self.run(["/bin/sh", "-c", 'cd "$1"', "sh", folder], stderr=subprocess.DEVNULL).returncode == 0

    def can_read(self, *paths: Path) -> bool:
        script = 'for path; do test -r "$path" || exit 1; done'
        return self.run(["/bin/sh", "-c", script, "sh", *paths]).returncode == 0


def service_account() -> Account:
    """The user that root's server runs as: PostgreSQL refuses to run as root."""
    for name in ("postgres", "arf"):
        with suppress(KeyError):
            return Account.named(name)
    if shutil.which("useradd") is None:
        raise PostgresError(
            "PostgreSQL does not run as root: make a system user `arf`, or start as another user."
        )
    say("Making the system user arf, which the server runs as.")
    options = ["--system", "--user-group", "--no-create-home", "--shell", "/usr/sbin/nologin"]
    made = subprocess.run(["useradd", *options, "arf"], capture_output=True, text=True)
    if made.returncode != 0:
        raise PostgresError(f"useradd failed: {made.stderr.strip()}")
    return Account.named("arf")


def say(line: str) -> None:
    """To stderr, because stdout may be read by a program."""
    print(line, file=sys.stderr, flush=True)
