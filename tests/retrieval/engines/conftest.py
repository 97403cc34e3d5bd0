"""The real model, exported once for all, and one kept pipeline of Apertium."""

import shutil
from pathlib import Path

import pytest

from retrieval.engines.apertium import Apertium
from retrieval.engines.embedders import OnnxEmbedder, TorchEmbedder, default_model_dir
from tests.database import export_of_this_code


@pytest.fixture(scope="session")
def export_dir(tmp_path_factory):
    """A copy of this process, whose manifest tests may change."""
    return Path(shutil.copytree(export_of_this_code(), tmp_path_factory.mktemp("set up") / "onnx"))


@pytest.fixture(scope="session")
def torch_embedder():
    return TorchEmbedder(default_model_dir())


@pytest.fixture
def fp32(export_dir):
    return OnnxEmbedder(export_dir, query_precision="fp32", document_precision="fp32")


@pytest.fixture
def int8(export_dir):
    return OnnxEmbedder(export_dir, query_precision="int8", document_precision="int8")


@pytest.fixture(scope="session")
def engine():
    apertium = Apertium()
    yield apertium
    apertium.close()
