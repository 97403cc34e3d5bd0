"""Reads an uploaded file in a process of its own, which is killed when it takes too long or too much."""

import json
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryFile

from retrieval.errors import SourceRefused, gettext_noop
from retrieval.parsing.files import tree_json
from retrieval.parsing.files.limits import MAX_OUTPUT, MAX_SECONDS
from retrieval.parsing.tree import SourceDocument

HOME = Path(__file__).parents[2]
ENVIRONMENT = {"LANG": "C.UTF-8", "PYTHONDONTWRITEBYTECODE": "1"}  # nothing of ours: no address, no key


def extract(
    content: bytes, *, filename: str, identifier: str, name: str, seconds: float = MAX_SECONDS
) -> SourceDocument:
    """The document in a file, its locators under `identifier`; `name` is its title where it says none.

    Raises SourceRefused with the reason: a broken, locked, empty or hostile file.
    """
    said = json.loads(answer_of(content, [filename, identifier, name], seconds) or "{}")
    if "refused" in said:
        raise SourceRefused(said["refused"]["template"], **said["refused"]["values"])
    if not said:
        raise SourceRefused(
            gettext_noop("The file could not be read: its reader broke, or needed more than is allowed.")
        )
    return tree_json.loaded(said)


def answer_of(content: bytes, arguments: list[str], seconds: float) -> bytes:
    """What the worker wrote to its end; nothing where it was killed or broke.

    The answer waits in a file without a name, readable by nobody else.
    """
    command = [sys.executable, "-m", "retrieval.parsing.files.worker", *arguments]
    with TemporaryFile() as answer:
        worker = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=answer,
            stderr=subprocess.DEVNULL,
            cwd=HOME,
            env=ENVIRONMENT,
            start_new_session=True,
        )
        try:
            worker.communicate(content, timeout=seconds)
        except subprocess.TimeoutExpired as late:
            raise SourceRefused(
                gettext_noop("The file takes longer to read than %(seconds)s seconds."),
                seconds=f"{seconds:g}",
            ) from late
        finally:
            worker.kill()
            worker.wait()
        answer.seek(0)
        return answer.read(MAX_OUTPUT) if worker.returncode == 0 else b""
