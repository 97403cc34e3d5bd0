"""Folders and files that survive a power cut and that nobody else can touch."""

import os
import stat
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from tempfile import NamedTemporaryFile

from arf_site.node.postgres.accounts import Account, PostgresError


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
    sync_folder(path.parent)


def sync_folder(folder: Path) -> None:
    """Make a rename in `folder` outlast a power cut."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def short_hash(path: Path) -> str:
    return sha256(os.fsencode(path)).hexdigest()[:12]
