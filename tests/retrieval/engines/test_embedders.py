"""Texts to unit vectors: the export against torch, sessions in forked processes, an endpoint on loopback."""

import json
import os
import subprocess
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import numpy as np
import pytest

from retrieval.engines.embedders import (
    ADAPTER,
    ENDPOINT_BATCH,
    EmbeddingUnavailable,
    EndpointEmbedder,
    OnnxEmbedder,
    default_model_dir,
    fingerprint_of,
    int8_kernel,
    load,
    opened,
    precision_for,
    unit,
)
from tests.conftest import ROOT
from tests.retrieval.engines.samples import LONG, TEXTS


@pytest.mark.parametrize("row", [[0.0, 0.0], [float("nan"), 1.0], [float("inf"), 1.0]])
def test_a_vector_without_direction_is_an_error(row):
    with pytest.raises(EmbeddingUnavailable, match="without direction"):
        unit(np.array([[1.0, 0.0], row]))


# -- Which embedder a spec names


def test_load_takes_the_export(export_dir):
    embedder = load({"kind": "onnx", "export_dir": str(export_dir), "query_precision": "fp32"})
    assert isinstance(embedder, OnnxEmbedder)
    assert embedder.name == "all-MiniLM-L6-v2 fitted to law (onnx fp32)"


@pytest.mark.parametrize(
    "spec",
    [{}, {"kind": "onnx"}, {"kind": "magic"}, {"kind": "openai"}, {"kind": "torch", "model_dir": "/nonexistent/model"}],
)
def test_a_spec_that_cannot_be_loaded_is_refused(spec):
    with pytest.raises(EmbeddingUnavailable):
        load(spec)


def test_without_an_export_nothing_serves_in_its_place(tmp_path):
    with pytest.raises(EmbeddingUnavailable, match="has no export: `manage.py prepare` makes one"):
        load({"kind": "onnx", "export_dir": str(tmp_path), "model_dir": ""})


def test_the_packaged_model_is_served_with_the_adapter_that_ships():
    from safetensors.torch import load_file
    from sentence_transformers import SentenceTransformer

    by_hand, plain = (SentenceTransformer(str(default_model_dir()), device="cpu") for _ in range(2))
    text = "No person shall be held to answer without indictment."
    served = opened(default_model_dir()).encode(text)
    updates = load_file(ADAPTER / "adapter_model.safetensors")
    config = json.loads((ADAPTER / "adapter_config.json").read_text("utf-8"))
    for name, weights in by_hand[0].auto_model.named_parameters():
        key = f"base_model.model.{name.removesuffix('.weight')}"
        if f"{key}.lora_A.weight" in updates:
            down, up = (updates[f"{key}.lora_{each}.weight"].float() for each in "AB")
            weights.data += config["lora_alpha"] / config["r"] * up @ down
    assert by_hand.encode(text) == pytest.approx(served, abs=1e-5)
    assert plain.encode(text) @ served < 0.99


# -- The fingerprint and the tokenizer of a model on disk


def test_onnx_and_torch_share_a_fingerprint(fp32, torch_embedder):
    assert fp32.fingerprint == torch_embedder.fingerprint
    assert (fp32.dims, fp32.max_tokens) == (torch_embedder.dims, torch_embedder.max_tokens)


def test_the_fingerprint_tells_weights_pooling_and_length_apart():
    variants = [("a", "mean", 256), ("b", "mean", 256), ("a", "cls", 256), ("a", "mean", 128)]
    assert len({fingerprint_of(*variant) for variant in variants}) == 4


def test_tokens_are_counted_with_the_special_ones(fp32, torch_embedder):
    assert fp32.count_tokens("") == 2
    assert fp32.count_tokens("habeas corpus") == torch_embedder.count_tokens("habeas corpus") > 3


# -- Which precision a CPU is given, and sessions in forked processes


GOOD = {"cosine_min": 0.98, "cosine_mean": 0.993, "kernel": "avx512_vnni"}


def test_auto_takes_int8_where_it_is_fast_and_was_measured_as_good():
    assert precision_for("auto", GOOD, "avx512_vnni") == "int8"


@pytest.mark.parametrize("int8", [GOOD | {"cosine_min": 0.9}, GOOD | {"cosine_mean": 0.95}])
def test_auto_takes_fp32_when_the_quality_is_not_good(int8):
    assert precision_for("auto", int8, "avx512_vnni") == "fp32"


@pytest.mark.parametrize("kernel", ["", "avx2"])
def test_auto_takes_fp32_on_a_cpu_on_which_nothing_was_measured(kernel):
    assert precision_for("auto", GOOD, kernel) == "fp32"
    assert precision_for("auto", GOOD | {"kernel": ""}, "") == "fp32"


def test_a_stated_precision_is_obeyed():
    assert precision_for("int8", GOOD, "") == "int8"
    assert precision_for("fp32", GOOD, "avx512_vnni") == "fp32"


def test_the_best_kernel_is_read_from_the_cpus_flags(tmp_path):
    cpuinfo = tmp_path / "cpuinfo"
    cpuinfo.write_text("processor : 0\nflags\t\t: fpu avx2 avx512bw avx512_vnni\n")
    assert int8_kernel(cpuinfo) == "avx512_vnni"
    assert int8_kernel(tmp_path / "absent") == ""


WORKER = """
import sys
from pathlib import Path
from retrieval.engines.embedders import load
embedder = load({"kind": "onnx", "export_dir": sys.argv[1], "threads": 1})
embedder.embed_query("habeas corpus"), embedder.embed_documents(["ex post facto"])
print(sorted({"torch", "sentence_transformers", "transformers", "openai"} & set(sys.modules)))
"""
FORKS = """
import os, sys
from pathlib import Path
import numpy as np
from retrieval.engines.embedders import OnnxEmbedder
embedder = OnnxEmbedder(Path(sys.argv[1]), threads=2)
before = embedder.embed_query("habeas corpus")
if child := os.fork():
    sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
sys.exit(0 if np.allclose(before, embedder.embed_query("habeas corpus"), atol=1e-6) else 3)
"""


def run_python(script, *args, **environment):
    return subprocess.run(
        [sys.executable, "-c", script, *args],
        capture_output=True,
        text=True,
        timeout=30,
        cwd=ROOT,
        env=os.environ | environment,
    )


def test_a_web_worker_embeds_without_torch(export_dir):
    done = run_python(WORKER, str(export_dir))
    assert (done.stdout, done.stderr) == ("[]\n", "")


def test_onnx_runtime_keeps_no_telemetry(export_dir, tmp_path):
    without = {"ORT_DISABLE_TELEMETRY": "0", "HOME": str(tmp_path), "XDG_CACHE_HOME": str(tmp_path)}
    assert run_python(WORKER, str(export_dir), **without).returncode == 0
    assert list(tmp_path.iterdir()) == []


def test_a_forked_child_embeds_rightly_and_ends(export_dir):
    """It would wait for ever, at its end, on threads of its parent: its session's and the telemetry's."""
    assert run_python(FORKS, str(export_dir)).returncode == 0


def test_each_process_opens_its_own_session(fp32, monkeypatch):
    mine = fp32._session("fp32")
    assert fp32._session("fp32") is mine
    monkeypatch.setattr(os, "getpid", lambda: -1)
    assert fp32._session("fp32") is not mine


# -- The export against torch: the same vectors, and what they mean


def test_onnx_equals_torch(fp32, torch_embedder):
    texts = [*TEXTS, "", LONG]
    ours, theirs = fp32.embed_documents(texts), torch_embedder.embed_documents(texts)
    assert ours.shape == (len(texts), 384) and ours.dtype == np.float32
    assert (ours * theirs).sum(axis=1).min() >= 0.9999


def test_int8_is_close(fp32, int8):
    cosines = (fp32.embed_documents(TEXTS) * int8.embed_documents(TEXTS)).sum(axis=1)
    assert cosines.min() > 0.97


@pytest.mark.parametrize("precision", ["fp32", "int8"])
def test_a_text_has_one_vector_whatever_stands_beside_it(request, precision):
    embedder = request.getfixturevalue(precision)
    together = embedder.embed_documents([LONG, *TEXTS])
    apart = np.stack([embedder.embed_query(text) for text in [LONG, *TEXTS]])
    assert np.abs(together - apart).max() < 1e-5
    assert np.abs(embedder.embed_documents([*TEXTS[::-1], LONG])[::-1] - together).max() < 1e-5


def test_vectors_have_unit_length(int8):
    lengths = np.linalg.norm(int8.embed_documents([*TEXTS, "", " ", "\x00", "§" * 5000]), axis=1)
    assert np.abs(lengths - 1).max() < 1e-5


def test_no_texts_give_no_vectors(fp32, torch_embedder):
    assert fp32.embed_documents([]).shape == torch_embedder.embed_documents([]).shape == (0, 384)


def test_long_texts_are_cut_on_the_right(fp32):
    assert fp32.count_tokens(LONG) > fp32.max_tokens
    assert np.allclose(fp32.embed_query(LONG), fp32.embed_query(LONG + " and more"), atol=1e-6)
    assert not np.allclose(fp32.embed_query(LONG), fp32.embed_query("More and " + LONG), atol=1e-3)


def test_related_texts_are_nearer_than_others(int8):
    near, far = int8.embed_documents(
        ["No Warrants shall issue, but upon probable cause", "The Senate chuses"]
    )
    query = int8.embed_query("can police search without a warrant")
    assert query @ near > query @ far


def test_a_damaged_export_is_unavailable_rather_than_wrong(export_dir, tmp_path):
    for name in ("manifest.json", "tokenizer.json"):
        (tmp_path / name).write_bytes((export_dir / name).read_bytes())
    (tmp_path / "model.onnx").write_bytes(b"not a model")
    with pytest.raises(EmbeddingUnavailable, match="damaged|failed"):
        OnnxEmbedder(tmp_path, query_precision="fp32", document_precision="fp32").embed_query("habeas corpus")


# -- An OpenAI-compatible endpoint, on loopback


class Endpoint(BaseHTTPRequestHandler):
    """Answers as its server's `answer(texts)` says: a body, a status, or an event to wait for."""

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.asked.append(body["input"])
        answer = self.server.answer(body["input"])
        if isinstance(answer, threading.Event):
            answer.wait(10)
            return
        status, content = (answer, {}) if isinstance(answer, int) else (200, answer)
        payload = json.dumps(content).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(payload)))
        self.end_headers()
        self.wfile.write(payload)

    def log_message(self, *args):
        pass


def as_answer(rows):
    """In reverse order: an answer is put in order by its indices."""
    items = [{"object": "embedding", "index": i, "embedding": row} for i, row in enumerate(rows)]
    return {
        "object": "list",
        "model": "m",
        "data": items[::-1],
        "usage": {"prompt_tokens": 1, "total_tokens": 1},
    }


def by_length(texts):
    return as_answer([[float(len(text)), 1.0, 0.0] for text in texts])


@pytest.fixture
def server():
    with ThreadingHTTPServer(("127.0.0.1", 0), Endpoint) as server:
        server.asked, server.answer = [], by_length
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield server
        server.shutdown()
        thread.join()


def client_of(server, **options):
    url = f"http://127.0.0.1:{server.server_port}/v1"
    return EndpointEmbedder("m", base_url=url, **{"timeout": 5.0, "retries": 0} | options)


def test_an_endpoint_embeds_in_order_and_at_unit_length(server):
    vectors = client_of(server).embed_documents(["a", "abc"])
    assert np.allclose(vectors, unit(np.array([[1, 1, 0], [3, 1, 0]])))
    assert client_of(server).dims == 3


def test_an_endpoint_is_asked_in_batches(server):
    texts = ["a" * (i + 1) for i in range(ENDPOINT_BATCH + 2)]
    vectors = client_of(server).embed_documents(texts)
    assert np.allclose(vectors[:, 0] / vectors[:, 1], [len(text) for text in texts], rtol=1e-4)
    assert sorted(len(asked) for asked in server.asked) == [1, 2, ENDPOINT_BATCH]


def test_texts_for_an_endpoint_are_cut_and_never_empty(server):
    client_of(server, max_tokens=10).embed_documents(["x" * 1000, ""])
    assert ["x" * 30, " "] in server.asked
    assert client_of(server).count_tokens("x" * 31) == 11


@pytest.mark.parametrize(
    "answer",
    [
        lambda texts: 500,
        lambda texts: 401,
        lambda texts: {"unexpected": True},
        lambda texts: as_answer([]),
        lambda texts: as_answer([[1.0, 2.0]] * 3),
        lambda texts: as_answer([[1.0] * (i + 1) for i in range(len(texts))]),
        lambda texts: as_answer([[0.0, 0.0]] * len(texts)),
        lambda texts: as_answer([["a", "b"]] * len(texts)),
    ],
    ids=["500", "401", "not the format", "none", "too many", "uneven", "zero", "no numbers"],
)
def test_a_failing_endpoint_is_unavailable(server, answer):
    server.answer = answer
    with pytest.raises(EmbeddingUnavailable):
        client_of(server).embed_documents(["a", "b"])


def test_a_failing_request_is_tried_again(server):
    answers = iter([500, by_length(["a"])])
    server.answer = lambda texts: next(answers)
    assert len(client_of(server, retries=1)._request(["a"])) == 1


def test_a_slow_endpoint_is_given_up(server):
    server.answer = lambda texts: release
    release = threading.Event()
    try:
        with pytest.raises(EmbeddingUnavailable, match="did not answer"):
            client_of(server, timeout=0.1).embed_query("a")
    finally:
        release.set()


def test_an_endpoint_that_is_not_there_is_unavailable_and_tells_no_secret():
    embedder = EndpointEmbedder("m", base_url="http://127.0.0.1:9/v1", api_key="secret", retries=0)
    with pytest.raises(EmbeddingUnavailable) as refused:
        embedder.embed_query("a")
    assert "secret" not in str(refused.value)
    assert len(embedder.fingerprint) == 16
