"""Packed files are read on where they were left, and never from their start for a line just read."""

import gzip
import lzma

import pytest

from retrieval.parsing import packed
from retrieval.parsing.packed import PackedLines

LINES = [f"{n} {'words ' * 5_000}\n".encode() for n in range(4)]  # longer than any buffer
MOST = 10**6


@pytest.fixture(params=[".gz", ".xz"])
def path(request, tmp_path, monkeypatch):
    monkeypatch.setattr(packed, "_kept", {})
    path = tmp_path / f"law.jsonl{request.param}"
    with {".gz": gzip.open, ".xz": lzma.open}[request.param](path, "wb") as file:
        file.writelines(LINES)
    return path


def test_the_last_line_is_read_again_without_going_back(path, monkeypatch):
    lines = PackedLines(path)
    assert [lines.readline(MOST) for _ in range(2)] == LINES[:2]
    monkeypatch.setattr(lines._file, "tell", lambda place=lines._file.tell(): place)  # gzip's own seeks
    monkeypatch.setattr(lines._file, "seek", None)
    lines.seek(len(LINES[0]))
    assert [lines.readline(MOST) for _ in range(3)] == LINES[1:]
    assert lines.readline(MOST) == b""


@pytest.mark.parametrize("places", [(0, 0), (2, 2, 1), (3, 0, 1, 0), (1, 3, 2)])
def test_a_line_is_found_wherever_it_is_asked_for(path, places):
    lines = PackedLines(path)
    for place in places:
        lines.seek(sum(map(len, LINES[:place])))
        assert lines.readline(MOST) == LINES[place]


def test_the_last_file_is_kept_for_one_reader(path, tmp_path):
    lines = packed.taken(path)
    packed.keep(lines)
    assert packed.taken(path) is lines and packed.taken(path) is not lines
    other = tmp_path / f"other{path.suffix}"
    other.write_bytes(path.read_bytes())
    packed.keep(lines)
    packed.keep(packed.taken(other))
    assert lines._file.closed and packed.taken(path) is not lines
