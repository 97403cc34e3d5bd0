"""A corpus for measuring alone is searchable while it lasts, and leaves nothing behind."""

import json
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from evaluation.measuring.corpora import LABELS, Label, documents_corpus, normalised, read_labels, rolled_back
from evaluation.models import Run
from retrieval.errors import ArfError
from retrieval.models import Domain
from retrieval.request import SearchRequest
from retrieval.search.service import search
from tests.builders import a_document, a_domain, a_section, embedded

pytestmark = pytest.mark.django_db


def lighthouses() -> Domain:
    domain = a_domain(slug="lighthouses", locator_prefix="/lighthouses")
    embedded(a_section(a_document(domain), "The keeper of the lighthouse trims its lamp every night."))
    return domain


def test_it_is_searched_by_the_ordinary_search_and_then_gone(settings):
    before = settings.ARF_LEXICAL_DIR
    with rolled_back(lighthouses) as domain:
        folder = Path(settings.ARF_LEXICAL_DIR)
        assert folder != before and folder.is_dir()
        found = search(SearchRequest("who trims the lamp", domains=(domain.slug,), pipeline="lexical"))
        assert found["results"][0]["domain"] == "lighthouses"
    assert before == settings.ARF_LEXICAL_DIR and not folder.exists()
    assert not Domain.objects.filter(slug="lighthouses").exists()


def test_a_corpus_that_cannot_be_made_changes_nothing(settings):
    before = settings.ARF_LEXICAL_DIR

    def broken():
        lighthouses()
        raise ValueError("torn file")

    with pytest.raises(ValueError, match="torn file"), rolled_back(broken):
        pass
    assert before == settings.ARF_LEXICAL_DIR
    assert not Domain.objects.filter(slug="lighthouses").exists()


def test_labels_are_read_in_pieces_without_what_was_omitted(tmp_path):
    row = {"pdf": "a.pdf", "category": "Law", "pages": [2], "quotes": ["one <omitted> two", "..."]}
    (tmp_path / LABELS).write_text(json.dumps(row) + "\n")
    assert read_labels(tmp_path) == [Label("a.pdf", "Law", frozenset({2}), ("one ", " two"))]


def test_a_broken_file_of_labels_is_named(tmp_path):
    (tmp_path / LABELS).write_text('{"pdf": "a.pdf"}\n')
    with pytest.raises(ArfError, match=LABELS):
        read_labels(tmp_path)


def test_quotes_match_whatever_their_typography_and_line_breaks():
    assert normalised("“Non-\ncompete”  clause") == normalised('"non- compete" clause') == '"non-compete" clause'


BEIR = {
    "corpus.jsonl": '{"_id": "d1", "text": "The keeper trims the lamp."}\n',
    "queries.jsonl": '{"_id": "q1", "text": "who trims the lamp"}\n',
    "qrels/test.tsv": "query-id\tcorpus-id\tscore\nq1\td1\t1\n",
}


@pytest.mark.parametrize(
    "name, text, message",
    [
        ("qrels/test.tsv", "q1\td1\t1\n", "test.tsv needs the header"),
        ("qrels/test.tsv", "q1 0 d1 1\n", "test.tsv needs the header"),
        ("qrels/test.tsv", "query-id\tcorpus-id\tscore\nq1\td1\n", "test.tsv, line 2"),
        ("corpus.jsonl", BEIR["corpus.jsonl"] * 2, "corpus.jsonl: two lines have the _id d1"),
        ("queries.jsonl", BEIR["queries.jsonl"] * 2, "queries.jsonl: two lines have the _id q1"),
        ("queries.jsonl", '{"_id": "q1"}\n', "queries.jsonl: KeyError"),
    ],
)
def test_a_beir_set_that_cannot_be_read_is_refused_in_words(tmp_path, name, text, message):
    (tmp_path / "qrels").mkdir()
    for file, whole in (BEIR | {name: text}).items():
        (tmp_path / file).write_text(whole)
    with pytest.raises(CommandError, match=message):
        call_command("evaluate", beir=tmp_path)


@pytest.fixture
def papers(tmp_path) -> tuple[Path, Path]:
    """Two documents, one in Spanish, and the topics that ask of them."""
    (tmp_path / "papers").mkdir()
    lease = "LEASE\n\n1. Pets\n\nA cat costs $25 a month.\n\n2. Rent\n\nIt is due in May."
    (tmp_path / "papers/lease.txt").write_text(lease)
    (tmp_path / "papers/clinica.md").write_text("# Clínica\n\n## 1. Citas\n\nLas citas se piden por teléfono.\n")
    asked = [
        {"id": "1", "query": "what does a cat cost a month", "relevant": {"/papers/lease/1": 3}},
        {"id": "2", "query": "¿cómo pido una cita?", "relevant": {"/papers/clinica/1": 3}, "language": "es"},
        {"id": "3", "query": "who was the first man on the moon", "answerable": False},
    ]
    topics = tmp_path / "topics.jsonl"
    topics.write_text("".join(json.dumps(row | {"domain": "papers"}) + "\n" for row in asked))
    return topics, tmp_path / "papers"


def test_documents_are_measured_by_topics_of_a_file_and_leave_nothing_behind(papers, capsys):
    topics, folder = papers
    call_command("evaluate", topics, documents=folder, pipeline="lexical", json=True)
    result = json.loads(capsys.readouterr().out)
    assert Run.objects.get(pk=result["run"]).measurements.count() == 3
    assert (result["topics"], result["unanswerable"]) == (2, 1)
    assert result["measures"]["MRR@10"]["mean"] == 1
    assert not Domain.objects.filter(slug="papers").exists()


def test_documents_are_refused_where_their_domain_holds_some_and_topics_that_ask_of_several(papers):
    topics, folder = papers
    with topics.open("a") as file:
        file.write(json.dumps({"id": "4", "query": "who may vote", "domain": "us_constitution"}))
    with pytest.raises(CommandError, match="hand it in"):
        call_command("evaluate", topics, documents=folder, everywhere=True)
    with pytest.raises(CommandError, match="ask of 2 domains"):
        call_command("evaluate", topics, documents=folder)
    with pytest.raises(CommandError, match="name that file"):
        call_command("evaluate", topics_from_db="papers", documents=folder)
    with pytest.raises(ArfError, match="us_constitution holds documents"), documents_corpus(folder, "us_constitution"):
        pass


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
@pytest.mark.parametrize(("queries", "least"), [(4, 0.6), pytest.param(225, 0.42, marks=pytest.mark.full)])
def test_a_beir_set_is_measured_and_leaves_nothing_behind(measuring_data, tmp_path, capsys, queries, least):
    whole = measuring_data / "beir/cranfield"
    folder = whole if queries == 225 else part_of(whole, tmp_path / "cranfield", queries)
    call_command("evaluate", beir=folder, json=True)
    result = json.loads(capsys.readouterr().out)
    assert result["topics"] == queries and Run.objects.filter(pk=result["run"]).exists()
    assert result["measures"]["nDCG@10"]["mean"] >= least
    assert not Domain.objects.filter(slug__startswith="beir").exists()
