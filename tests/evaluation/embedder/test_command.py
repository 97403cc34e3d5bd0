"""manage.py train_embedder, whole: on the names in the database, in two batches."""

from io import StringIO

import pytest
from django.core.management import call_command

from retrieval.engines.embedders import OnnxEmbedder


@pytest.mark.full
@pytest.mark.django_db
def test_an_adapter_is_fitted_exported_and_measured(tmp_path):
    written = StringIO()
    call_command("train_embedder", out=tmp_path, batches=2, threads=1, stdout=written)
    said = written.getvalue()
    assert "names and headings of" in said and "2 of 2 batches; loss" in said
    measured = [line.split() for line in said.splitlines() if line.startswith("us_constitution")]
    assert [words[2] for words in measured] == ["MRR@10", "R@100"]
    assert f"ARF_EMBEDDER_DIR={tmp_path / 'model'}" in said
    assert OnnxEmbedder(tmp_path / "onnx").embed_query("who may declare war").shape == (384,)
