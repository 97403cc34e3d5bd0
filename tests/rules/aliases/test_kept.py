"""What one process makes and the others map."""

import mmap
import os
import subprocess
import sys
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import pytest

from rules.aliases import kept
from rules.aliases.kept import load, store
from tests.conftest import ROOT

ROWS = np.random.default_rng(3).integers(-127, 128, (500, 384)).astype(np.int8)


@dataclass
class Inner:
    ends: np.ndarray


@dataclass
class Value:
    rows: np.ndarray
    words: dict[str, int]
    inner: Inner

    @cached_property
    def first(self) -> np.ndarray:
        return self.rows[:, 0]

    @cached_property
    def places(self) -> dict[str, int]:
        return {"bail": 0}


VALUE = Value(ROWS, {"bail": 1, "años": 2}, Inner(np.array([4, 9])))


@pytest.fixture
def path(tmp_path):
    (tmp_path / "2").mkdir()
    return tmp_path / "2" / "wording"


def same(found: Value) -> bool:
    return np.array_equal(found.rows, ROWS) and found.words == VALUE.words and found.inner.ends.tolist() == [4, 9]


def is_mapped(rows: np.ndarray) -> bool:
    while isinstance(rows, np.ndarray):
        rows = rows.base
    return isinstance(rows.obj if isinstance(rows, memoryview) else rows, mmap.mmap)


def test_what_is_loaded_is_what_was_stored_and_nobody_writes_its_arrays(path):
    held = store({"made by": "one"}, VALUE, path)
    assert load(path, Value)[0] == {"made by": "one"}
    assert is_mapped(vars(held)["first"]) and np.array_equal(held.first, ROWS[:, 0]) and "places" not in vars(held)
    assert same(held) and is_mapped(held.rows) and held.rows.ctypes.data % kept.ALIGNED == 0
    with pytest.raises(ValueError, match="read-only"):
        held.rows[0, 0] = 1
    assert [*path.parent.iterdir()] == [path] and path.stat().st_mode & 0o077 == 0


# Not forked: a process that has threads may stand still in its child.
ANOTHER = """
import sys
from pathlib import Path
from rules.aliases.kept import load, one_at_a_time, store
from rules.aliases.texts import Texts

path = Path(sys.argv[1])
with one_at_a_time(path.parent):
    found = load(path, Texts)
    texts = found[1] if found else store({}, Texts.of(["by the first"]), path)
print(path.stat().st_ino, *texts)
"""


def test_processes_that_begin_together_have_what_the_first_made(path):
    command = [sys.executable, "-c", ANOTHER, str(path)]
    environment = os.environ | {"DJANGO_SETTINGS_MODULE": "arf_site.settings"}
    begun = [
        subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=ROOT, env=environment) for _ in range(3)
    ]
    said = {process.communicate(timeout=60)[0].strip() for process in begun}
    assert said == {f"{path.stat().st_ino} by the first"}


@pytest.mark.parametrize("damage", ["empty", "short", "a byte", "of other code", "its size", "a folder"])
def test_what_is_damaged_or_of_other_code_is_not_read_and_is_replaced(path, damage, monkeypatch):
    store({}, VALUE, path)
    whole = path.read_bytes()
    match damage:
        case "empty":
            path.write_bytes(b"")
        case "short":
            path.write_bytes(whole[:-100])
        case "a byte":
            path.write_bytes(whole[:-70_000] + bytes([whole[-70_000] ^ 1]) + whole[-69_999:])
        case "its size":
            path.write_bytes(whole[:40] + b"\xff" * 8 + whole[48:])
        case "of other code":
            monkeypatch.setattr(kept, "fingerprint", lambda: b"x" * 32)
        case "a folder":
            path.unlink()
            path.mkdir()
    assert load(path, Value) is None
    if damage != "a folder":
        assert same(store({}, VALUE, path)) and same(load(path, Value)[1])


def test_who_maps_what_was_there_keeps_it(path):
    before = store({}, VALUE, path)
    after = store({}, replace(VALUE, rows=ROWS[::-1]), path)
    assert same(before) and np.array_equal(after.rows, ROWS[::-1])


def test_where_nothing_can_be_written_each_keeps_its_own_and_the_log_says_so(tmp_path, caplog):
    in_the_way = tmp_path / "names"
    in_the_way.write_text("a file")
    with kept.one_at_a_time(in_the_way / "2"):
        assert store({}, VALUE, in_the_way / "2" / "wording") is VALUE
    assert "could hold once: Not a directory" in caplog.text


def test_the_room_that_postgresql_needs_is_left(path, monkeypatch, caplog):
    monkeypatch.setattr(kept, "has_room", lambda: False)
    assert store({}, VALUE, path) is VALUE and not path.exists()
    assert "No space left on device" in caplog.text


def test_what_a_process_that_was_killed_left_goes(path):
    (path.parent / f"{path.name}.left").write_bytes(b"half")
    store({}, VALUE, path)
    assert [*path.parent.iterdir()] == [path]
