"""The real model, exported once for all, and one kept pipeline of Apertium."""

import pytest

from retrieval.engines import onnx_export
from retrieval.engines.apertium import Apertium
from retrieval.engines.embedders import OnnxEmbedder, TorchEmbedder, default_model_dir


@pytest.fixture(scope="session")
def export_dir(tmp_path_factory):
    return onnx_export.export(default_model_dir(), tmp_path_factory.mktemp("set up") / "onnx")


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
