"""What the two exports to ONNX share: the folder written whole or not at all, and the graph.

The ONNX backend of sentence-transformers is not used: it needs optimum-onnx, which holds transformers below 4.58.
"""

import fcntl
import json
import logging
import os
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib.metadata import version
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from retrieval.errors import ArfError

OPSET = 20
LIBRARIES = ("torch", "transformers", "sentence-transformers", "onnx", "onnxscript", "onnxruntime")
LEGAL_SENTENCES = Path(__file__).with_name("check_sentences.txt").read_text("utf-8").splitlines()


class ExportRefused(ArfError):
    """The model cannot be exported, or its export is not faithful; an older export stays as it was."""

    status = 422
    code = "export_refused"


def write_once(out_dir: Path, *, is_current: Callable[[], bool], write: Callable[[Path], None]) -> Path:
    """Fills `out_dir` by `write`, all or nothing, unless it is current. One export at a time; whoever waited finds it
    made.
    """
    out_dir.parent.mkdir(parents=True, exist_ok=True)
    with alone_in(out_dir.parent):
        if not is_current():
            with TemporaryDirectory(prefix=f".{out_dir.name}-", dir=out_dir.parent) as work:
                made = Path(work, "new")
                made.mkdir(mode=0o755)
                write(made)
                if out_dir.exists():
                    out_dir.rename(Path(work, "old"))
                made.rename(out_dir)
    return out_dir


@contextmanager
def alone_in(folder: Path) -> Iterator[None]:
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


def libraries() -> dict[str, str]:
    return {name: version(name) for name in LIBRARIES}


def save_json(path: Path, values: Mapping) -> None:
    path.write_text(json.dumps(values, indent=1) + "\n", "utf-8")


def read_json(path: Path) -> dict:
    """Empty where there is no such file."""
    return json.loads(path.read_text("utf-8")) if path.is_file() else {}


def export_graph(
    model: Any, inputs: Sequence[str], read: Callable, path: Path, *, output: str, longest: int
) -> None:
    """Writes the graph of a transformer that takes `inputs`; `read` makes the output of its answer and the mask."""
    import torch

    class Graph(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.model = model

        def forward(self, *values):  # noqa: ANN002, ANN202 - tensors
            named = dict(zip(inputs, values, strict=True))
            return read(self.model(**named), named["attention_mask"])

    logging.getLogger("torch.onnx").setLevel(logging.ERROR)  # it warns that torchvision is absent
    axes = {0: torch.export.Dim("batch", max=4096), 1: torch.export.Dim("sequence", max=longest)}
    ids = torch.randint(5, 1000, (2, 16))  # one tensor given twice would be taken for one input
    examples = {"attention_mask": torch.ones_like(ids), "token_type_ids": torch.zeros_like(ids)}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # about names of axes
        torch.onnx.export(
            Graph().eval(),
            tuple(examples.get(name, ids) for name in inputs),
            str(path),
            input_names=list(inputs),
            output_names=[output],
            dynamic_shapes=(tuple(axes for _ in inputs),),
            opset_version=OPSET,
            external_data=False,
            dynamo=True,
            verbose=False,
        )
