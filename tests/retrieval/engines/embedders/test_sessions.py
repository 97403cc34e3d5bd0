"""Which precision a CPU is given, and sessions in forked processes."""

import os
import subprocess
import sys

import pytest

from retrieval.engines.embedders.sessions import int8_kernel, precision_for
from tests.conftest import ROOT

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
from retrieval.engines.embedders.loading import load
embedder = load({"kind": "onnx", "export_dir": sys.argv[1], "threads": 1})
embedder.embed_query("habeas corpus"), embedder.embed_documents(["ex post facto"])
print(sorted({"torch", "sentence_transformers", "transformers", "openai"} & set(sys.modules)))
"""
FORKS = """
import os, sys
from pathlib import Path
import numpy as np
from retrieval.engines.embedders.onnx import OnnxEmbedder
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
