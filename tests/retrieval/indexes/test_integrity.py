"""An index is whole, or the file that is not as it was written is named."""

import pytest

from retrieval.indexes.integrity import PARTS, Integrity
from retrieval.indexes.lexical import IndexedChunk, LexicalWriter
from tests.spoiling import spoil


def chunk(pk: int) -> IndexedChunk:
    return IndexedChunk(pk, pk, 1, "en", f"heading {pk}", f"the law of number {pk}", None, None)


@pytest.fixture
def index(tmp_path):
    """Of two segments, from one of which a chunk was deleted."""
    path = tmp_path / "lexical"
    writer = LexicalWriter(path)
    writer.apply([], map(chunk, range(1, 50)), 1)
    writer.apply([7], map(chunk, range(50, 90)), 2)
    writer.close()
    return path


def test_an_index_is_found_whole_and_its_files_are_read_once(index, monkeypatch):
    integrity = Integrity(index)
    assert integrity.damaged() == ""
    monkeypatch.setattr(
        "retrieval.indexes.integrity.is_whole", lambda file: pytest.fail(f"{file} read again")
    )
    assert integrity.damaged() == ""


@pytest.mark.parametrize("part", [*PARTS, "del", "json"])
@pytest.mark.parametrize(
    "damage", [spoil, lambda file: file.unlink(), lambda file: file.write_bytes(b"\x00\x80")]
)
def test_every_file_of_it_is_looked_at(index, part, damage):
    integrity = Integrity(index)
    assert integrity.damaged() == ""
    files = sorted(index.glob(f"*.{part}"))
    assert files
    for file in files:
        kept = file.read_bytes()
        damage(file)
        assert integrity.damaged() == file.name
        file.write_bytes(kept)
    assert integrity.damaged() == ""


def test_a_folder_without_an_index_is_not_whole(tmp_path):
    assert Integrity(tmp_path).damaged() == "meta.json"
