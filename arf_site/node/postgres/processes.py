"""Which process is a PostgreSQL server."""

import os
import re
import subprocess
from contextlib import suppress
from pathlib import Path


def read_pid(pid_file: Path) -> int | None:
    """The pid on the first line, or None where there is no file or it is empty."""
    first = pid_file.read_text().split("\n", 1)[0] if pid_file.exists() else ""
    return int(first) if re.fullmatch(r"[1-9]\d*", first) else None


def is_postmaster(pid: int, cluster: Path) -> bool:
    """Whether `pid` lives and was started on `cluster`. A zombie does not count: it has no command line."""
    if Path("/proc/self/cmdline").exists():
        with suppress(FileNotFoundError, ProcessLookupError):
            return b"\0-D\0" + os.fsencode(cluster) + b"\0" in Path(f"/proc/{pid}/cmdline").read_bytes()
        return False
    shown = subprocess.run(["ps", "-ww", "-o", "command=", "-p", str(pid)], capture_output=True, text=True)
    return f" -D {cluster} " in shown.stdout
