"""A body of law is made up, indexed, searched and published into; how long it takes is no test's business."""

import numpy as np
import pytest
from django.core.management import CommandError, call_command

from evaluation.benchmarks.scale import as_plot, as_table, grown, per_second
from evaluation.management.commands.benchmark import sizes_of
from retrieval.models import ChunkVector, EmbeddingModel


def test_sizes_are_read_as_people_write_them():
    assert sizes_of("10k,1.5k,1M,300") == [10_000, 1_500, 1_000_000, 300]
    with pytest.raises(CommandError, match="no list of sizes"):
        call_command("benchmark", "scale", "--chunks", "many")


def test_a_body_is_made_indexed_searched_and_published_into(db, tmp_path, settings):
    settings.ARF_LEXICAL_DIR = tmp_path / "lexical"
    model = EmbeddingModel.objects.get()
    source = np.array(ChunkVector.objects.order_by("pk").values_list("vector", flat=True)[:50], np.float32)
    questions = {"lay": ["who may bark"], "spanish": ["quién puede ladrar"]}
    row = grown(model, source, ["Dogs may bark.", "Cats may not."], questions, size=90, seed=3)
    assert row["chunks"] == 90 and row["publish_s"] > 0
    assert {kind: told["n"] for kind, told in row["ms"].items()} == {"lay": 1, "spanish": 1}
    assert row["stages_ms"].keys() >= {"DenseRetriever", "LexicalRetriever", "Fuse", "Present"}
    row |= {"per_second": 20.5}
    assert "lay, p95, 90: " in as_plot([row, row])
    assert as_table([row, row]).splitlines()[0] == "| made-up chunks | 90 | 90 |"


def test_processes_that_ask_at_once_are_timed_together_and_what_fails_in_one_is_told():
    assert per_second(str.upper, ["who may bark"] * 20) > 0
    with pytest.raises(ValueError, match="invalid literal"):
        per_second(int, ["12", "no number"])
