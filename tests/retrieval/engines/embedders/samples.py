"""Texts to embed, and an export's manifest."""

import json

from retrieval.engines.exporting import LEGAL_SENTENCES

TEXTS = LEGAL_SENTENCES[::3]
LONG = " ".join(LEGAL_SENTENCES)


def manifest_of(export_dir):
    return json.loads((export_dir / "manifest.json").read_text())


def write_manifest(export_dir, **changes):
    (export_dir / "manifest.json").write_text(json.dumps(manifest_of(export_dir) | changes))
