"""Arrays that processes have in memory once."""

import mmap
import os
import subprocess
import sys

import numpy as np
import pytest

from rules.aliases.shared import shared
from tests.conftest import ROOT

ROWS = np.random.default_rng(3).integers(-127, 128, (500, 384)).astype(np.int8)


@pytest.fixture
def path(tmp_path):
    return tmp_path / "names" / "1.vectors"


def is_mapped(rows: np.ndarray) -> bool:
    while isinstance(rows, np.ndarray):
        rows = rows.base
    return isinstance(rows, mmap.mmap)


def test_rows_are_what_the_file_holds_and_nobody_writes_them(path):
    held = shared(ROWS, path)
    assert is_mapped(held) and np.array_equal(held, ROWS) and path.read_bytes() == ROWS.tobytes()
    with pytest.raises(ValueError, match="read-only"):
        held[0, 0] = 1


# Not forked: a process that has threads may stand still in its child.
ANOTHER = """
import sys
from pathlib import Path
import numpy as np
from rules.aliases.shared import shared

held = shared(np.load(sys.argv[1]), Path(sys.argv[2]))
(line,) = {line for line in Path("/proc/self/maps").read_text().splitlines() if f"{held.ctypes.data:x}-" in line}
print(int(line.split()[4]), np.array_equal(held, np.load(sys.argv[1])))
"""


def others(path, count: int) -> list[str]:
    """Of processes that begin together, each the file that it maps, as the system tells it, and whether it is right."""
    rows = path.parent.parent / "rows.npy"
    np.save(rows, ROWS)
    command = [sys.executable, "-c", ANOTHER, str(rows), str(path)]
    environment = os.environ | {"DJANGO_SETTINGS_MODULE": "arf_site.settings"}
    begun = [
        subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=ROOT, env=environment)
        for _ in range(count)
    ]
    return [process.communicate(timeout=60)[0].strip() for process in begun]


def test_another_process_maps_the_file_that_is_there(path):
    shared(ROWS, path)
    there = path.stat().st_ino
    assert others(path, 1) == [f"{there} True"] and path.stat().st_ino == there


def test_processes_that_begin_together_map_one_file(path):
    assert others(path, 4) == [f"{path.stat().st_ino} True"] * 4


@pytest.mark.parametrize("holds", [b"", b"\0" * 10, b"\0" * ROWS.nbytes, ROWS[:-1].tobytes(), (ROWS + 1).tobytes()])
def test_a_file_that_holds_something_else_is_replaced(path, holds):
    path.parent.mkdir()
    path.write_bytes(holds)
    assert np.array_equal(shared(ROWS, path), ROWS) and path.read_bytes() == ROWS.tobytes()
    assert [*path.parent.iterdir()] == [path]


def test_who_maps_what_was_there_keeps_it(path):
    before = shared(ROWS, path)
    after = shared(ROWS[::-1], path)
    assert np.array_equal(before, ROWS) and np.array_equal(after, ROWS[::-1])


def test_where_nothing_can_be_written_each_keeps_its_own_and_the_log_says_so(tmp_path, caplog):
    in_the_way = tmp_path / "names"
    in_the_way.write_text("a file")
    assert shared(ROWS, in_the_way / "1.vectors") is ROWS
    assert "could hold once: File exists" in caplog.text


def test_the_room_that_postgresql_needs_is_left(path, monkeypatch, caplog):
    monkeypatch.setattr("rules.aliases.shared.has_room", lambda: False)
    assert shared(ROWS, path) is ROWS and not path.exists()
    assert "No space left on device" in caplog.text


def test_what_a_process_that_was_killed_left_goes(path):
    path.parent.mkdir()
    (path.parent / f"{path.name}.left").write_bytes(b"half")
    shared(ROWS, path)
    assert [*path.parent.iterdir()] == [path]
