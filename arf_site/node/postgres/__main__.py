"""`python -m arf_site.node.postgres start|stop|status|url|psql`: the embedded PostgreSQL by hand."""

import argparse
import os
import sys
from collections.abc import Sequence
from pathlib import Path

from arf_site.node.postgres.server import STOP_SIGNALS, Postgres, default_data_dir, without_password
from arf_site.node.postgres.system import PostgresError, wheel_install


def main(arguments: Sequence[str] | None = None) -> int:
    """Exit status 3 from `status` means that the server does not answer, as with pg_ctl."""
    parser = argparse.ArgumentParser(
        prog="python -m arf_site.node.postgres", description="The embedded PostgreSQL."
    )
    parser.add_argument("command", choices=("start", "stop", "status", "url", "psql"))
    parser.add_argument("--data-dir", type=Path, default=default_data_dir())
    parser.add_argument("--mode", choices=STOP_SIGNALS, default="fast", help="how to stop")
    options, rest = parser.parse_known_args(arguments)
    if rest and options.command != "psql":
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
    else:
        open_psql(server.app_url(), rest)
    return 0


def open_psql(url: str, arguments: Sequence[str]) -> None:
    """Become psql; the password goes by the environment, since everybody can read a command line."""
    address, environment = without_password(url)
    program = wheel_install() / "bin" / "psql"
    os.execve(program, ["psql", f"--dbname={address}", *arguments], os.environ | environment)


if __name__ == "__main__":
    sys.exit(main())
