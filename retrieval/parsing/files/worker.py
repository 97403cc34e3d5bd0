"""The process that reads one file: its bytes come on stdin, the document or the reason against it goes to stdout.

It has no database, no settings and no secrets, and bounds itself before it reads a byte. A file that breaks it
breaks nothing else. Run by `retrieval.parsing.sources` as `python -m retrieval.parsing.files.worker FILENAME
IDENTIFIER NAME`.
"""

import json
import resource
import sys

from retrieval.errors import SourceRefused, gettext_noop
from retrieval.parsing.files import formats
from retrieval.parsing.files.limits import MAX_BYTES, MAX_MEMORY, MAX_OUTPUT, MAX_SECONDS
from retrieval.parsing.files.structure import outline

TOO_HUNGRY = gettext_noop("The file needs more memory to be read than is allowed.")
LIMITS = {
    resource.RLIMIT_AS: MAX_MEMORY,
    resource.RLIMIT_CPU: MAX_SECONDS,
    resource.RLIMIT_FSIZE: MAX_OUTPUT,
    resource.RLIMIT_NOFILE: 64,
    resource.RLIMIT_CORE: 0,
}


def main(filename: str, identifier: str, name: str) -> None:
    bound()
    sys.stdout.write(answer(sys.stdin.buffer.read(MAX_BYTES + 1), filename, identifier, name))


def bound() -> None:
    for limit, most in LIMITS.items():
        resource.setrlimit(limit, (most, most))


def answer(content: bytes, filename: str, identifier: str, name: str) -> str:
    try:
        return outline(formats.read(content, filename), identifier=identifier, name=name).to_json()
    except SourceRefused as refused:
        return json.dumps({"refused": refused.refusal})
    except (MemoryError, RecursionError):
        return json.dumps({"refused": SourceRefused(TOO_HUNGRY).refusal})


if __name__ == "__main__":
    main(*sys.argv[1:])
