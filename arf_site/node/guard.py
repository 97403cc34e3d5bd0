"""Keeps the embedded PostgreSQL answering. `python -m arf_site.node.guard PARENT`, under the supervisor.

Should the supervisor be killed, this stops the server in its place, so that nothing is left running.
"""

import signal
import sys
import time

from arf_site.node.postgres.server import Postgres
from arf_site.node.supervisor import end_with_parent

EVERY = 1.0  # seconds between questions to the server


class Orphaned(BaseException):
    """The supervisor is gone."""


def main() -> None:
    server = Postgres()
    signal.signal(signal.SIGUSR1, orphaned)
    end_with_parent(int(sys.argv[1]), signal.SIGUSR1)
    try:
        while True:
            server.start()
            time.sleep(EVERY)
    except Orphaned:
        server.stop()


def orphaned(*_) -> None:
    raise Orphaned


if __name__ == "__main__":
    main()
