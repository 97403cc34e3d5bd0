"""A BEIR folder is measured as a corpus of its own."""

import json
from pathlib import Path

import pytest
from django.core.management import call_command

from retrieval.models import Domain


def part_of(beir: Path, folder: Path, queries: int) -> Path:
    """The first queries of a BEIR set with the documents judged for them."""
    asked = (beir / "queries.jsonl").read_text().splitlines()[:queries]
    names = {json.loads(line)["_id"] for line in asked}
    header, *lines = (beir / "qrels/test.tsv").read_text().splitlines()
    judged = [line for line in lines if line.split("\t")[0] in names]
    found = {line.split("\t")[1] for line in judged}
    documents = (beir / "corpus.jsonl").read_text().splitlines()
    (folder / "qrels").mkdir(parents=True)
    (folder / "queries.jsonl").write_text("\n".join(asked))
    (folder / "qrels/test.tsv").write_text("\n".join([header, *judged]))
    (folder / "corpus.jsonl").write_text("\n".join(d for d in documents if json.loads(d)["_id"] in found))
    return folder


@pytest.mark.django_db
@pytest.mark.measuring_data
@pytest.mark.parametrize(("queries", "least"), [(12, 0.6), pytest.param(225, 0.43, marks=pytest.mark.full)])
def test_a_beir_set_is_measured_and_leaves_nothing_behind(measuring_data, tmp_path, capsys, queries, least):
    whole = measuring_data / "beir/cranfield"
    folder = whole if queries == 225 else part_of(whole, tmp_path / "cranfield", queries)
    call_command("evaluate", beir=folder, json=True)
    result = json.loads(capsys.readouterr().out)
    assert result["topics"] == queries
    assert result["measures"]["nDCG@10"]["mean"] >= least
    assert not Domain.objects.filter(slug__startswith="beir").exists()
