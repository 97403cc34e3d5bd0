"""Texts to embed, an export's manifest, and where Apertium is needed."""

import json

import pytest

from retrieval.engines.apertium import installed
from retrieval.engines.onnx_export import LEGAL_SENTENCES

TEXTS = LEGAL_SENTENCES[::3]
LONG = " ".join(LEGAL_SENTENCES)
needs_apertium = pytest.mark.skipif(not installed(), reason="apertium-eng-spa is not installed")


def manifest_of(export_dir):
    return json.loads((export_dir / "manifest.json").read_text())


def write_manifest(export_dir, **changes):
    (export_dir / "manifest.json").write_text(json.dumps(manifest_of(export_dir) | changes))
