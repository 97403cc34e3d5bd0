"""What is measured of answers is what the labels say, and a wrong quotation counts against them."""

import json
from collections import Counter

import pytest
from django.core.management import CommandError, call_command

from evaluation.measuring.answers import Answered, Share, labelled, means, measure, read_labelled, summary
from evaluation.topics.library import DATA
from retrieval.errors import ArfError
from retrieval.models import Domain

pytestmark = pytest.mark.django_db
AGE = {
    "question": "How old must the president be?", "language": "en", "domain": "us_constitution",
    "locators": ["/us/const/article/II/section/1/clause/5"],
    "sentences": ["attained to the Age of thirty five Years"],
}  # fmt: skip
PIE = {"question": "the best recipe for apple pie", "language": "en", "domain": None}


def test_a_right_sentence_and_a_decline_are_counted():
    told = summary(measure([labelled(AGE), labelled(PIE)]))
    assert told["right_first"]["value"] == told["citation_recall"]["value"] == 1.0
    assert told["unsupported"]["hits"] == 0 and told["unsupported"]["total"] >= 1
    assert told["answered_unanswerable"]["total"] == 1
    assert told["right_first_es"] == {"hits": 0, "total": 0, "value": None, "interval": None}


def test_each_part_of_a_question_needs_its_own_sentence():
    parts = [AGE, AGE | {"sentences": ["No such sentence stands anywhere"]}]
    told = summary(measure([labelled(AGE | {"parts": parts})]))
    assert told["right_first_of_several"]["hits"] == 1 and told["right_first_of_several"]["total"] == 2


def test_a_question_is_asked_with_what_it_goes_on_from():
    row = {"about": "Who can be president?", "question": "and a senator?", "language": "en"}
    wanted = "No Person shall be a Senator who shall not have attained to the Age of thirty Years"
    one = labelled(row | {"sentences": [wanted]})
    assert measure([one])[0].right_first == 1


def test_a_part_of_what_answers_is_cited_rightly_and_found():
    one = Answered(labelled(AGE | {"locators": ["/us/const/article/II/section/1"]}), declined=False)
    one.cited = frozenset(("/us/const/article/II/section/1/clause/5", "/us/const/amendment/XX"))
    told = summary([one])
    assert (told["citation_precision"]["value"], told["citation_recall"]["value"]) == (0.5, 1.0)


def test_the_interval_is_exact():
    low, high = Share(0, 100).interval
    assert low == 0.0 and high == pytest.approx(0.0362, abs=1e-4)  # 1 - .025 ** (1 / 100)


def test_a_line_that_is_no_labelled_question_is_named(tmp_path):
    file = tmp_path / "questions.jsonl"
    file.write_text(f"{json.dumps(AGE)}\n[]\n")
    with pytest.raises(ArfError, match="Line 2 of questions.jsonl"):
        read_labelled(file)


def test_a_topic_with_its_answer_is_a_labelled_question(tmp_path):
    topic = {
        "id": "usc-1", "query": "Can they cut me off?", "language": "en", "domain": "us_code", "split": "tune",
        "relevant": {"/us/usc/t11/s366": 3, "/us/usc/t11/s362": 2}, "answerable": True, "answer": "a utility may not",
    }  # fmt: skip
    unanswered = topic | {"relevant": {}, "answerable": False, "split": "test"}
    file = tmp_path / "topics.jsonl"
    file.write_text(f"{json.dumps(topic)}\n{json.dumps(unanswered)}\n")
    first, second = read_labelled(file)
    assert (first.locators, first.parts) == (("/us/usc/t11/s366",), (("a utility may not",),))
    assert (first.answerable, first.is_test, second.answerable, second.is_test) == (True, False, False, True)
    file.write_text(json.dumps(topic | {"answer": ""}))
    assert read_labelled(file) == []


def test_what_ships_of_marks_can_be_read():
    splits = Counter(one.split for one in read_labelled(DATA / "us_code.jsonl"))
    assert splits == {"train": 403, "tune": 117, "test": 280}
    files = (DATA / "us_constitution.jsonl", DATA / "us_constitution_lay.jsonl")
    splits = Counter(one.split for file in files for one in read_labelled(file) if one.answerable)
    assert splits == {"train": 699, "tune": 190}


def test_the_command_tells_every_share(tmp_path, capsys):
    file = tmp_path / "questions.jsonl"
    file.write_text(f"{json.dumps(AGE)}\n{json.dumps(PIE)}\n")
    call_command("evaluate_answers", file, "--domain", "us_constitution")
    told = capsys.readouterr().out
    assert "right_first" in told and "1.000  (1 of 1" in told and "not applicable" in told
    call_command("evaluate_answers", file, "--json")
    assert json.loads(capsys.readouterr().out)["declined_answerable"]["value"] == 0.0
    with pytest.raises(CommandError, match="No language model"):
        call_command("evaluate_answers", file, "--llm")


def test_documents_are_there_for_the_measuring_alone(tmp_path, capsys):
    folder, file = tmp_path / "notices", tmp_path / "questions.jsonl"
    folder.mkdir()
    (folder / "dogs.md").write_text("# Notice\n\n## 1. Dogs\n\nDogs stay outside the shop.")
    asked = {"question": "may dogs come into the shop", "language": "en", "domain": "notices"}
    file.write_text(json.dumps(asked | {"sentences": ["Dogs stay outside the shop."]}))
    call_command("evaluate_answers", file, "--documents", folder, "--no-store", "--json")
    assert json.loads(capsys.readouterr().out)["right_first"]["value"] == 1.0
    assert not Domain.objects.filter(slug="notices").exists()
    file.write_text(f"{json.dumps(asked)}\n{json.dumps(AGE)}")
    with pytest.raises(CommandError, match="ask of 2 domains"):
        call_command("evaluate_answers", file, "--documents", folder)


def test_context_is_what_was_read_before_and_besides_what_answers():
    wanted = labelled(AGE | {"locators": ["/us/a/1", "/us/b"]})
    made = Answered(wanted, declined=False, read=("/us/c", "/us/a", "/us/d", "/us/a/1/i"))
    assert made.relevant == [False, True, False, True]
    assert made.context_precision == pytest.approx((1 / 2 + 2 / 4) / 2) and made.context_recall == 0.5
    none_read = Answered(wanted, declined=True)
    assert none_read.context_precision == none_read.context_recall == 0.0 and none_read.faithfulness is None
    assert Answered(labelled(PIE), declined=True).context_precision is None


def test_a_mean_without_anything_to_measure_is_not_applicable():
    told = means([Answered(labelled(PIE), declined=True)])
    assert {one["status"] for one in told.values()} == {"not_applicable"}


def test_without_a_language_model_one_definition_of_relevance_has_no_value():
    told = means(measure([labelled(AGE)]))
    assert told["faithfulness"]["mean"] == told["context_recall"]["mean"] == 1.0
    assert 0.2 < told["answer_similarity"]["mean"] < 1.0
    assert told["answer_relevance"] == {"status": "not_applicable"}
