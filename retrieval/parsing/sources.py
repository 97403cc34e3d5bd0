"""What formats a domain can be fed from. Each reader gives the same tree of provisions; an uploaded file is read in a
process of its own, which is killed when it takes too long or too much.
"""

import json
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryFile

from retrieval.errors import SourceRefused, gettext_noop
from retrieval.models import Domain
from retrieval.parsing.files.formats import READERS
from retrieval.parsing.files.limits import MAX_OUTPUT, MAX_SECONDS
from retrieval.parsing.files.structure import slug
from retrieval.parsing.tree import SourceDocument
from retrieval.parsing.uslm.reader import LeafPolicy, read


def read_source(path: Path, domain: Domain) -> SourceDocument:
    """The document at a path. Raises SourceRefused for a missing, broken or foreign one."""
    if not path.exists():
        raise SourceRefused(f"There is no file {path.name} in {path.parent.resolve()}.")
    if path.suffix.lower() == ".xml":
        lowest = domain.result_level == Domain.ResultLevel.LOWEST
        return read(path, leaf=LeafPolicy.LOWEST if lowest else LeafPolicy.SECTION)
    if path.suffix.lower() not in READERS or not domain.takes_uploads:
        raise SourceRefused(f"{path.name} is in no format that {domain.name} is read from.")
    place = f"{domain.locator_prefix}/{slug(path.stem)[:60].strip('-.') or 'document'}"
    return extract(path.read_bytes(), filename=path.name, identifier=place, name=path.stem)


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
    return SourceDocument.of_file(said)


def answer_of(content: bytes, arguments: list[str], seconds: float) -> bytes:
    """What the worker wrote to its end; nothing where it was killed or broke.

    The answer waits in a file without a name, readable by nobody else.
    """
    command = [sys.executable, "-m", "retrieval.parsing.files.worker", *arguments]
    with TemporaryFile() as answer:
        streams = {"stdout": answer, "stderr": subprocess.DEVNULL, "start_new_session": True}
        try:
            worker = subprocess.run(
                command, input=content, timeout=seconds, check=False, cwd=HOME, env=ENVIRONMENT, **streams
            )
        except subprocess.TimeoutExpired as late:
            raise SourceRefused(
                gettext_noop("The file takes longer to read than %(seconds)s seconds."),
                seconds=f"{seconds:g}",
            ) from late
        answer.seek(0)
        return answer.read(MAX_OUTPUT) if worker.returncode == 0 else b""
