"""`python -m arf_site.node.postgres start|stop|status|url|psql`: the embedded PostgreSQL by hand; and its guard, by
`guard PARENT` under the supervisor.
"""

import argparse
import os
import signal
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from psycopg import OperationalError

from arf_site.node.postgres.server import STOP_SIGNALS, Postgres, default_data_dir, without_password
from arf_site.node.postgres.system import NoRoom, PostgresError, say, wheel_install
from arf_site.node.supervisor import end_with_parent

GUARD_EVERY = 1.0  # seconds between the guard's questions to the server


class Orphaned(BaseException):
    """The supervisor is gone."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Exit status 3 from `status` means that the server does not answer, as with pg_ctl."""
    parser = argparse.ArgumentParser(
        prog="python -m arf_site.node.postgres", description="The embedded PostgreSQL."
    )
    parser.add_argument("command", choices=("start", "stop", "status", "url", "psql", "guard"))
    parser.add_argument("--data-dir", type=Path, default=default_data_dir())
    parser.add_argument("--mode", choices=STOP_SIGNALS, default="fast", help="how to stop")
    options, rest = parser.parse_known_args(arguments)
    if rest and options.command not in ("psql", "guard"):
        parser.error(f"unknown arguments: {' '.join(rest)}")
    try:
        return run_command(options.command, Postgres(options.data_dir), options.mode, rest)
    except PostgresError as error:
        print(error, file=sys.stderr)
        return 1


def run_command(command: str, server: Postgres, mode: str, rest: Sequence[str]) -> int:
    if command == "start":
        server.start()
        print(f"PostgreSQL answers; its data lies in {server.place}.")
    elif command == "stop":
        server.stop(mode)
        print("PostgreSQL is stopped.")
    elif command == "status":
        ready = server.is_ready()
        print(f"PostgreSQL {'answers' if ready else 'does not answer'}; its data lies in {server.place}.")
        return 0 if ready else 3
    elif command == "url":
        print(server.app_url())
    elif command == "guard":
        guard(server, int(rest[0]))
    else:
        open_psql(server.app_url(), rest)
    return 0


def open_psql(url: str, arguments: Sequence[str]) -> None:
    """Become psql; the password goes by the environment, since everybody can read a command line."""
    address, environment = without_password(url)
    program = wheel_install() / "bin" / "psql"
    os.execve(program, ["psql", f"--dbname={address}", *arguments], os.environ | environment)


def guard(server: Postgres, parent: int) -> None:
    """Keeps the server answering; one that ended on a full disk, once there is room again. Should the supervisor be
    killed, it stops the server in its place, so that nothing is left running.
    """
    signal.signal(signal.SIGUSR1, orphaned)
    end_with_parent(parent, signal.SIGUSR1)
    try:
        while True:
            try:
                server.start()
            except (NoRoom, OperationalError) as problem:  # it may end again while it is set up
                say(str(problem))
            time.sleep(GUARD_EVERY)
    except Orphaned:
        server.stop()


def orphaned(*_) -> None:
    raise Orphaned


if __name__ == "__main__":
    sys.exit(main())
