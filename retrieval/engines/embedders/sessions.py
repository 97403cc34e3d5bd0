"""ONNX Runtime sessions, safe in forked processes, and which precision this CPU is fast at."""

from __future__ import annotations

import ctypes
import functools
import os
import weakref
from collections.abc import Mapping
from pathlib import Path
from typing import Literal

# Before the import, or ONNX Runtime reports to its makers, from a thread for which a forked child waits for
# ever when it ends.
os.environ["ORT_DISABLE_TELEMETRY"] = "1"
import onnxruntime  # noqa: E402

Session = onnxruntime.InferenceSession

# Kernels whose int8 product is fast, best first. Each rounds in its own way, so a measured quality holds for
# the kernel it was measured on.
INT8_KERNELS = ("avx512_vnni", "avx_vnni", "avx512bw", "avx2")
# Against fp32, on the export's own sentences. At a mean of .993 dense ranking of Cranfield stays within its
# noise of .007: nDCG@10 .400 in fp32; .401 with int8 queries, .398 documents, .402 both, .399 queries and
# half of the documents. Far below, the export is at fault.
INT8_MIN_COSINE = 0.97
INT8_MEAN_COSINE = 0.985
Precision = Literal["fp32", "int8"]
PrecisionChoice = Literal["auto", "fp32", "int8"]
_sessions: weakref.WeakSet[Session] = weakref.WeakSet()


def _keep_inherited_sessions() -> None:
    """In a forked child: destroying a parent's session waits for ever on threads that do not exist here."""
    for session in _sessions:
        ctypes.pythonapi.Py_IncRef(ctypes.py_object(session))


os.register_at_fork(after_in_child=_keep_inherited_sessions)


@functools.cache
def int8_kernel(cpuinfo: Path = Path("/proc/cpuinfo")) -> str:
    """The best of INT8_KERNELS this CPU has; empty when none is known."""
    if not cpuinfo.is_file():
        return ""
    flags = next((line.split() for line in cpuinfo.read_text().splitlines() if line.startswith("flags")), [])
    return next((kernel for kernel in INT8_KERNELS if kernel in flags), "")


def precision_for(choice: PrecisionChoice, int8: Mapping, kernel: str) -> Precision:
    """`auto`: int8 where this CPU is fast at it and the export, on such a CPU, measured it as good enough."""
    if choice != "auto":
        return choice
    good = int8["cosine_min"] >= INT8_MIN_COSINE and int8["cosine_mean"] >= INT8_MEAN_COSINE
    return "int8" if kernel and kernel == int8["kernel"] and good else "fp32"


def open_session(model: Path, threads: int) -> Session:
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.log_severity_level = 3  # warnings are about hardware that is not there
    session = Session(str(model), options, providers=["CPUExecutionProvider"])
    _sessions.add(session)
    return session
