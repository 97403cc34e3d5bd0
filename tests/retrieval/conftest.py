"""What several folders' tests share: a cross-encoder exported once, and what the US Code of 2016 holds."""

import json
import lzma
import shutil
from pathlib import Path

import pytest

from retrieval.engines import onnx_export
from retrieval.engines.embedders import sha256_of
from retrieval.parsing import sources
from retrieval.parsing.files import worker
from tests.database import KEPT_IN, hash_of, locked
from tests.matters import firm  # noqa: F401
from tests.retrieval.engines.tiny_cross_encoder import tiny

MADE_BY = (
    *("requirements.txt", "retrieval/engines/onnx_export.py", "retrieval/engines/cross_encoders.py"),
    "tests/retrieval/engines/tiny_cross_encoder.py",
)


@pytest.fixture(scope="session")
def exported() -> Path:
    """The export, kept between runs under a hash of what makes it; the model it was made from lies beside it."""
    KEPT_IN.mkdir(parents=True, exist_ok=True)
    folder = KEPT_IN / f"cross_{hash_of(MADE_BY)}"
    with locked(KEPT_IN / "cross.lock"):
        for old in set(KEPT_IN.glob("cross_*")) - {folder}:
            shutil.rmtree(old, ignore_errors=True)
        if not (folder / "export").is_dir():
            onnx_export.export_cross_encoder(tiny(folder / "tiny"), folder / "export")
    return folder / "export"


@pytest.fixture
def read_here(monkeypatch):
    """Files are read in this process: for tests of what becomes of them, not of how they are read. One of their own
    takes half of the time of handing in a small file.
    """

    def answer_of(content: bytes, arguments: list[str], _seconds: float) -> bytes:
        return worker.answer(content, *arguments).encode()

    monkeypatch.setattr(sources, "answer_of", answer_of)


@pytest.fixture(scope="session")
def code_of_2016(measuring_data) -> dict[str, str]:
    """The path of each section of the US Code by its locator, kept between runs: to unpack the Code takes seconds."""
    packed = measuring_data / "uscode/sections-2016.jsonl.xz"
    KEPT_IN.mkdir(parents=True, exist_ok=True)
    kept = KEPT_IN / f"code_{sha256_of(packed)[:10]}.json"
    with locked(KEPT_IN / "code.lock"):
        if not kept.is_file():
            with lzma.open(packed, "rt", encoding="utf-8") as file:
                paths = {row["locator"]: row["path"] for row in map(json.loads, file)}
            unfinished = kept.with_suffix(".new")
            unfinished.write_text(json.dumps(paths))
            unfinished.rename(kept)
    return json.loads(kept.read_text())
