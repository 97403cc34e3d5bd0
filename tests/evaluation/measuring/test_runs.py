"""Topics are run as searches are, without log or cache."""

import json
from collections import Counter

import pytest
from django.core.management import CommandError, call_command
from django.db.models import F

from evaluation.judging.assignment import newest_run
from evaluation.learning import registry
from evaluation.learning.training import Trained
from evaluation.measuring.public_quality import figures
from evaluation.measuring.quality import series
from evaluation.measuring.runs import LLM_STAGE, Runner, cost_of, llm_use, report, run_topics, store
from evaluation.models import Judgment, Run
from evaluation.models import Topic as TopicRow
from evaluation.topics.topic import Topic, read_topics
from evaluation.topics.writing import trec_run
from retrieval import pipeline
from retrieval.indexes import terms
from retrieval.models import Domain, SearchLog
from retrieval.stages.reranker.artifact import pack
from tests.builders import a_document, a_domain, a_section, embedded, nothing_judged
from tests.conftest import ROOT
from tests.rerankers import some_reranker

TOPICS = ROOT / "evaluation/topics/data/us_constitution.jsonl"
BROAD = ROOT / "evaluation/measuring/broad_questions.jsonl"


EVERY = [6, pytest.param(1, marks=pytest.mark.full)]


@pytest.mark.django_db
def test_evaluating_leaves_no_log_and_measures_every_topic(capsys):
    call_command("evaluate", str(TOPICS), split="tune", limit=20, json=True)
    result = json.loads(capsys.readouterr().out)
    assert result["topics"] + result["unanswerable"] == 20
    assert 0 < result["measures"]["nDCG@10"]["mean"] <= 1
    assert result["stages"].startswith("Pipeline(Normalize(), Screen(), Schedule(), ResolveCitations(), ")
    assert not SearchLog.objects.exists()


@pytest.mark.django_db
def test_english_is_detected_and_spanish_stated():
    runner = Runner("lexical")
    asked = Topic("t", "¿quién puede declarar la guerra a otro país?", language="en")
    assert runner.topic(asked).query.language == "es"
    assert runner.topic(Topic("t", "habeas corpus", language="es")).query.language == "es"


@pytest.mark.django_db
def test_all_topics_of_a_run_see_the_versions_that_were_in_force_when_it_began():
    runner = Runner("lexical")
    topics = [Topic(str(n), "freedom of the press") for n in range(2)]
    rankings = []
    for _topic, ranking, ms in runner.topics(topics):
        assert ms > 0
        Domain.objects.filter(slug="us_constitution").update(corpus_version=F("corpus_version") + 1)
        rankings.append(ranking)
    assert rankings[0].query.versions == rankings[1].query.versions


@pytest.mark.django_db
@pytest.mark.parametrize("every", EVERY)
def test_the_default_pipeline_beats_plain_fusion_on_the_tune_split(every):
    topics = [topic for topic in read_topics(TOPICS, split="tune") if topic.answerable][::every]
    ndcg = {
        name: report(run_topics(topics, name), name).measures["nDCG@10"].mean
        for name in ("default", "fusion")
    }
    assert ndcg["default"] > ndcg["fusion"]


@pytest.mark.django_db
@pytest.mark.parametrize("every", EVERY)
def test_at_least_half_of_what_the_corpus_cannot_answer_is_declined_and_few_others(every):
    topics = sorted(read_topics(TOPICS, split="test"), key=lambda topic: (topic.kind, topic.id))
    results = run_topics(topics[::every], "default")
    told = report(results, "default")
    other_law = [r for r in results if r.topic.kind == "other_law"]
    assert told.unanswerable >= 60 // every and len(other_law) >= 30 // every
    assert told.declined_unanswerable >= told.unanswerable / 2
    assert told.declined_answerable <= 0.05 * told.topics


@pytest.mark.django_db
@pytest.mark.measuring_data
@pytest.mark.parametrize("every", [8, pytest.param(4, marks=pytest.mark.full)])
def test_the_supreme_courts_questions_find_their_provisions(measuring_data, every):
    topics = read_topics(measuring_data / "topics/scotus_before_2003.jsonl")[::every]
    told = report(run_topics(topics, "default"), "default")
    assert told.measures["nDCG@10"].mean >= 0.72
    assert told.measures["R@10"].mean >= 0.80
    assert told.declined_answerable <= 0.03 * told.topics


@pytest.mark.django_db
def test_commands_refuse_what_they_cannot_read(tmp_path):
    with pytest.raises(CommandError, match="Name either"):
        call_command("evaluate")
    with pytest.raises(CommandError, match="No such file"):
        call_command("evaluate", str(tmp_path / "absent.jsonl"))


class LLMVerifier:
    """Says that it made calls, as the verifying stage does."""

    def __call__(self, ranking):
        return ranking.noting("two asked", llm_candidates=2, llm_calls=2, llm_cost=0.003)


@pytest.fixture
def verified(monkeypatch):
    stages = pipeline.get("fusion").stages
    monkeypatch.setattr(pipeline, "get", lambda name: pipeline.Pipeline(*stages, LLMVerifier()))


@pytest.mark.django_db
def test_calls_of_a_language_model_are_counted_and_priced(verified):
    assert LLMVerifier.__name__ == LLM_STAGE
    topic = Topic("t", "freedom of the press", relevant={"/us/const/amendment/I": 3})
    (result,) = run_topics([topic], "fusion")
    assert (result.llm_calls, result.pool, result.cost) == (2, 20, 0.003)
    assert llm_use([result]) == {"calls": 2, "queries": 1, "share": 0.1}
    assert cost_of([result])["per_1000"] == pytest.approx(3)


@pytest.mark.django_db
def test_a_run_is_kept_with_its_versions_and_every_topic(capsys):
    call_command("evaluate", str(TOPICS), split="tune", limit=12, json=True, name="first")
    told = json.loads(capsys.readouterr().out)
    run = Run.objects.get(pk=told["run"])
    assert (run.name, run.pipeline, run.topics) == (
        "first",
        "default",
        "file us_constitution.jsonl/tune, the first 12",
    )
    assert {"corpus:us_constitution", "embedder", "ranker"} <= run.versions.keys()
    assert run.measurements.count() == 12
    assert run.summary["measures"]["nDCG@10"]["mean"] == told["measures"]["nDCG@10"]["mean"]
    answerable = run.measurements.exclude(measures={})
    assert answerable.count() == told["topics"]
    assert {"nDCG@10", "condensed nDCG@10", "judged@10"} <= answerable.first().measures.keys()


@pytest.mark.django_db
def test_a_report_tells_which_questions_the_reranker_learned_from(capsys):
    first, *_ = read_topics(TOPICS, split="tune")
    domain = Domain.objects.get(slug=first.domain)
    TopicRow.objects.create(name="near", query=f"{first.query}!", domain=domain)
    manifest = {"family": "a test", "topics": ["near"]}
    registry.deploy(registry.save(Trained(pack(some_reranker(), seed=0), manifest)))
    for name, told in (("learned", True), ("pool", False)):
        call_command("evaluate", str(TOPICS), split="tune", limit=3, pipeline=name, no_store=True)
        assert ("learned from 1 of these questions" in capsys.readouterr().out) is told


@pytest.fixture
def lease(reindex) -> str:
    """The place of another public body of law."""
    document = a_document(a_domain(slug="leases"), title="Lease")
    section = a_section(document, "Landlord repairs the roof, the pipes and the heating of the apartment.")
    embedded(section)
    terms.count_again()
    reindex()
    return section.locator


@pytest.mark.django_db
def test_the_same_topics_are_put_to_all_bodies_of_law_together(a_file, lease, capsys):
    roof = {"query": "who repairs the roof of the apartment", "domain": "leases", "relevant": {lease: 3}}
    path = a_file({}, roof, {"query": "who repairs the roof", "id": "wrong"})
    call_command("evaluate", path, pipeline="learned", everywhere=True, json=True)
    told = json.loads(capsys.readouterr().out)
    without = told["everywhere"]
    assert told["groups"]["us_constitution"]["right_body"] == 1
    assert without["groups"]["us_constitution"]["right_body"] == 0.5 and without["groups"]["leases"]["right_body"] == 1
    assert without["difference"]["us_constitution"]["nDCG@10"]["mean"] <= 0 == (
        without["difference"]["leases"]["nDCG@10"]["mean"]
    )
    runs = [Run.objects.get(pk=one["run"]) for one in (told, without)]
    assert [run.topics for run in runs] == ["file topics.jsonl", "file topics.jsonl, no domain named"]
    call_command("evaluate", path, "--everywhere", pipeline="learned", no_store=True)
    assert "right body first     1.000 -> 0.500" in capsys.readouterr().out
    with pytest.raises(CommandError, match="goes with no --trec-run"):
        call_command("evaluate", path, everywhere=True, trec_run=path)


@pytest.mark.django_db
def test_topics_of_the_database_measure_like_their_file(capsys):
    kept = {topic.id: topic for topic in read_topics(TOPICS, split="tune")}
    call_command(
        "evaluate", topics_from_db="us_constitution", split="tune", json=True, no_store=True, limit=10
    )
    told = json.loads(capsys.readouterr().out)
    first = [kept[name] for name in sorted(kept)[:10]]
    measured = report(run_topics(first, "default"), "default")
    assert told["run"] is None and not Run.objects.exists()
    assert told["measures"]["nDCG@10"]["mean"] == measured.measures["nDCG@10"].mean


@pytest.mark.django_db
def test_no_topics_are_refused():
    with pytest.raises(CommandError, match="no topics in us_code/test"):
        call_command("evaluate", topics_from_db="us_code", split="test")


@pytest.mark.django_db
def test_another_systems_run_is_measured_on_our_topics(tmp_path, capsys):
    topics = [topic for topic in read_topics(TOPICS, split="tune")[:20] if topic.answerable]
    best = {topic.id: sorted(topic.relevant, key=lambda at: -topic.relevant[at]) for topic in topics[1:]}
    (tmp_path / "theirs.txt").write_text(trec_run(best, tag="theirs"))
    call_command("evaluate", str(TOPICS), split="tune", limit=20, trec_run=tmp_path / "theirs.txt", json=True)
    told = json.loads(capsys.readouterr().out)
    assert told["measures"]["nDCG@10"]["mean"] == pytest.approx(1 - 1 / len(topics))
    assert (told["declined_answerable"], told["judged_at_10"]["mean"]) == (1, 1)
    run = Run.objects.get(pk=told["run"])
    assert (run.pipeline, run.versions, told["ms"], told["cost"]) == ("TREC run theirs", {}, {}, {})


@pytest.fixture
def a_file(tmp_path):
    """Writes topics into a file; every topic asks something that is judged, where it does not say otherwise."""

    def written(*rows: dict, name: str = "topics.jsonl"):
        judged = {"query": "freedom of the press", "relevant": {"/us/const/amendment/I": 3}, "split": "test"}
        lines = [json.dumps({"id": f"t{n}"} | judged | row) for n, row in enumerate(rows)]
        (tmp_path / name).write_text("\n".join(lines))
        return str(tmp_path / name)

    return written


@pytest.mark.django_db
def test_what_is_measured_of_files_never_stands_for_this_site(a_file, tmp_path, capsys):
    nothing_judged()
    path = a_file({}, name="us_constitution.jsonl")
    call_command("evaluate", path, split="test")
    (tmp_path / "default.trec").write_text("t0 Q0 /us/const/preamble 1 1 theirs\n")
    topic = TopicRow.objects.create(
        name="t0", query="free press", domain=Domain.objects.get(slug="us_constitution"), split="test"
    )
    Judgment.objects.create(topic=topic, locator="/us/const/amendment/I", grade=3, judge="ann")
    asked = {"topics_from_db": "us_constitution", "split": "test"}
    call_command("evaluate", **asked, trec_run=tmp_path / "default.trec")
    assert "time and cost unknown" in capsys.readouterr().out
    assert figures()["correctness"] == [] and newest_run() is None
    assert not any(one.pipeline == "default" and one.topics == "us_constitution/test" for one in series())
    call_command("evaluate", **asked)
    assert figures()["correctness"][0]["questions"] == 1 and newest_run().topics == "us_constitution/test"


@pytest.mark.django_db
def test_a_run_finds_its_topics_where_their_ids_have_blanks(a_file, tmp_path, capsys):
    path, ranked = a_file({"id": "the press"}), tmp_path / "run.trec"
    ranked.write_text(trec_run({"the press": ["/us/const/amendment/I"]}, tag="ours"))
    call_command("evaluate", path, trec_run=ranked, no_store=True, json=True)
    assert json.loads(capsys.readouterr().out)["measures"]["nDCG@10"]["mean"] == 1
    ranked.write_text(trec_run({"another": ["/us/const/amendment/I"]}, tag="ours"))
    with pytest.raises(CommandError, match="nothing for any of these topics"):
        call_command("evaluate", path, trec_run=ranked)


@pytest.mark.django_db
def test_what_nobody_judged_is_left_out_and_told(a_file, capsys):
    path = a_file({}, {"relevant": {}}, {"relevant": {}, "answerable": "false"})
    call_command("evaluate", path, json=True)
    told = json.loads(capsys.readouterr().out)
    assert (told["topics"], told["unanswerable"], told["unjudged"]) == (1, 1, 1)
    call_command("evaluate", path, no_store=True)
    assert "as nobody judged them: 1 topics" in capsys.readouterr().out
    with pytest.raises(CommandError, match="Nobody judged any"):
        call_command("evaluate", a_file({"relevant": {}}))


@pytest.mark.django_db
@pytest.mark.parametrize(
    "rows, options, message",
    [
        ([{"id": "a"}, {"id": "a"}], [], "line 2: an earlier line is topic a"),
        ([{"id": "a" * 101}], [], "longer than 100"),
        ([{"relevant": {"/us/const/amendment/1": 3}}], [], "no provision /us/const/amendment/1"),
        ([{"relevant": {"/us/usc/t8/s1158": 3}}], [], "is not in us_constitution"),
        ([{"domain": "us_constituton"}], [], "no domain us_constituton"),
        ([{}], ["--name", "n" * 201], "more than 200 characters"),
        ([{}, {}], ["--limit", "-1"], "no count"),
    ],
)
def test_what_cannot_be_measured_is_refused_before_it_is(a_file, monkeypatch, rows, options, message):
    monkeypatch.setattr(Runner, "topics", None)
    with pytest.raises(CommandError, match=message):
        call_command("evaluate", a_file(*rows), *options)


@pytest.mark.django_db
def test_topics_of_law_that_is_not_loaded_are_told_and_count_as_not_found(a_file, capsys):
    path = a_file({"id": "here"}, {"id": "there", "relevant": {"/us/const/amendment/XCIX": 3}})
    call_command("evaluate", path, "--json")
    told = capsys.readouterr()
    assert "1 of 2 topics name what is not here; topic there: there is no provision" in told.err
    assert json.loads(told.out)["topics"] == 2


def kept(topics, found):
    from evaluation.measuring.results import TopicResult

    results = [
        TopicResult(topic, ("/a",) if topic.id in found else ("/b",), False, 1.0, None, ())
        for topic in topics
    ]
    return store(results, report(results, "fusion"), topics="three", in_force={"rules": len(found)})


def test_the_broad_questions_are_whole():
    topics = read_topics(BROAD)
    assert len({topic.id for topic in topics}) == len({topic.query for topic in topics}) == 120
    assert Counter(topic.split for topic in topics) == {"tune": 60, "test": 60}
    assert all(len(topic.relevant) >= 5 for topic in topics)
