"""A folder written whole or not at all."""

import threading

import pytest

from retrieval.engines.exporting import ExportRefused, libraries, read_json, save_json, write_once


@pytest.fixture
def older(tmp_path):
    """A folder that was written before."""
    out = tmp_path / "out"
    out.mkdir()
    (out / "old").write_text("")
    return out


def write_new(work) -> None:
    (work / "new").write_text("")


def test_what_is_current_is_left_alone(older):
    assert write_once(older, is_current=lambda: True, write=pytest.fail) == older


def test_the_new_takes_the_place_of_the_older(older, tmp_path):
    write_once(older, is_current=lambda: False, write=write_new)
    assert [path.name for path in tmp_path.rglob("*")] == ["out", "new"]


def test_a_failure_leaves_the_older_and_no_litter(older, tmp_path):
    def fail(work):
        write_new(work)
        raise ExportRefused("no")

    with pytest.raises(ExportRefused):
        write_once(older, is_current=lambda: False, write=fail)
    assert [path.name for path in tmp_path.rglob("*")] == ["out", "old"]


def test_of_several_at_once_one_writes_and_the_others_find_it_made(tmp_path):
    out, written = tmp_path / "deep" / "out", []

    def write(work):
        written.append(work)
        write_new(work)

    threads = [
        threading.Thread(target=write_once, args=(out,), kwargs={"is_current": out.exists, "write": write})
        for _ in range(4)
    ]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert len(written) == 1 and (out / "new").exists()


def test_facts_are_kept_as_json_and_none_where_there_is_no_file(tmp_path):
    save_json(tmp_path / "manifest.json", {"libraries": libraries()})
    assert read_json(tmp_path / "manifest.json")["libraries"]["onnxruntime"]
    assert read_json(tmp_path / "nothing.json") == {}
