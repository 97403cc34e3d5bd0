"""Answers that were measured are kept, and both pages on quality tell the last of them."""

import pytest
from django.core.cache import cache
from django.core.management import call_command

from evaluation.measuring import answer_runs
from evaluation.measuring.answers import Answered, labelled, means, summary
from evaluation.measuring.faithfulness import Judged
from evaluation.measuring.runs import run_named
from evaluation.models import Run
from retrieval.errors import NotFound
from tests.retrieval.pages.looking import look

pytestmark = pytest.mark.django_db
WAR = labelled(
    {"question": "Who declares war?", "language": "en", "locators": ["/us/a"], "sentences": ["Congress"]}
)
PIE = labelled({"question": "How is a pie made?", "language": "en"})


@pytest.fixture(autouse=True)
def nothing_kept():
    cache.clear()


def kept(**fields) -> Run:
    right = Answered(
        WAR,
        declined=False,
        right_first=1,
        judged=(Judged("law", 3, 0), Judged("lead", 1, 1)),
        cited=frozenset(("/us/a", "/us/b")),
        read=("/us/a",),
        text="Congress declares war.",
    )
    results = [right, right, Answered(PIE, declined=True)]
    told = {"shares": summary(results), "means": means(results)}
    return answer_runs.store(results, questions="file questions.jsonl", **told | fields)


def test_a_run_keeps_every_question_and_is_no_run_of_rankings():
    run = kept()
    first, again, declined = run.measurements.order_by("topic")
    assert first.topic == "0001 Who declares war?" and again.locators == ["/us/a"]
    assert first.measures == {
        "right_first": 1.0, "faithfulness": 0.75, "citation_precision": 0.5, "citation_recall": 1.0,
        "answered_answerable": 1.0,
    }  # fmt: skip
    assert declined.abstained and declined.measures == {"declined_unanswerable": 1.0}
    assert len(run.versions["selector"]) == 64 and run.stages.startswith("Pipeline(")
    with pytest.raises(NotFound):
        run_named("last")


def test_both_pages_tell_the_last_run(client, admin_user):
    kept()
    page = look(client, "/quality")
    assert "Right sentence quoted first" in page.text and "2 / 2" in page.text
    assert "0.750" in page.text and "language model wrote" not in page.text
    told = client.get("/quality.json").json()["answers"]
    assert (told["questions"], told["shares"]["unsupported_lead"]["hits"]) == (3, 2)
    assert (told["faithfulness"]["status"], told["language_model"]) == ("score", False)
    client.force_login(admin_user)
    assert "Right sentence quoted first" in client.get("/admin/quality/").content.decode()


def test_in_spanish_with_a_model_and_a_judge_that_failed(client):
    failed = {"faithfulness": {"status": "judge_failed", "failed": 3}}
    kept(model="m", means=failed)
    client.cookies["django_language"] = "es"
    page = look(client, "/quality")
    assert "Frase correcta citada primero" in page.text and "el juez falló" in page.text
    assert "Un modelo de lenguaje escribió" in page.text


def test_before_anything_is_measured_they_say_so(client):
    assert "Answers have not been measured yet" in look(client, "/quality").text
    assert client.get("/quality.json").json()["answers"] is None


def test_the_command_keeps_a_run_unless_told_otherwise(tmp_path):
    file = tmp_path / "questions.jsonl"
    file.write_text('{"question": "the best recipe for apple pie", "language": "en"}\n')
    call_command("evaluate_answers", file, "--no-store")
    assert not Run.objects.exists()
    call_command("evaluate_answers", file)
    [run] = Run.objects.of_answers()
    assert run.topics == "file questions.jsonl" and run.summary["questions"] == 1
