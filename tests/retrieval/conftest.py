"""A cross-encoder, exported once for the tests of its export, of its serving and of its stage."""

from pathlib import Path

import pytest

from retrieval.engines import onnx_export
from tests.retrieval.engines.tiny_cross_encoder import tiny


@pytest.fixture(scope="session")
def exported(tmp_path_factory) -> Path:
    """The export; the model it was made from lies beside it."""
    folder = tmp_path_factory.mktemp("cross")
    return onnx_export.export_cross_encoder(tiny(folder / "tiny"), folder / "export")
