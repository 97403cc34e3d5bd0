"""Damages files as a failing disk does: in place, for a file that is cut short ends whoever has it mapped."""

import os
from pathlib import Path


def spoil(file: Path, start: float = 0.3, length: int = 8) -> None:
    """Other bytes from there on, which is a share of the file; it keeps its size."""
    with file.open("r+b") as opened:
        opened.seek(int(file.stat().st_size * start))
        opened.write(os.urandom(min(length, file.stat().st_size - opened.tell())))
