"""Exports a sentence-transformers model to ONNX, in fp32 and int8, and measures both against torch.
Set-up only: it loads torch, which no web worker may. `python -m retrieval.onnx_export OUT_DIR [MODEL_DIR]`
"""

from __future__ import annotations

import argparse
import fcntl
import json
import logging
import os
import shutil
import tempfile
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from importlib.metadata import version
from pathlib import Path

import numpy as np

from retrieval import embedders
from retrieval.errors import ArfError

FORMAT = 1  # raise it when the graph or the manifest changes, and every export is made anew
OPSET = 20
FP32_MIN_COSINE = 0.9999  # below, ONNX and torch vectors could not stand in one index
LIBRARIES = ("torch", "transformers", "sentence-transformers", "onnx", "onnxscript", "onnxruntime")


class ExportRefused(ArfError):
    """The model cannot be exported, or its export is not faithful; an older export stays as it was."""

    status = 422
    code = "export_refused"


def export(model_dir: Path, out_dir: Path) -> Path:
    """Writes model.onnx, model.int8.onnx, tokenizer.json and manifest.json, all or none. May run twice: an
    export of these weights by these libraries on this kind of CPU is kept (a few ms). Otherwise about 20 s.

    Raises ExportRefused, EmbeddingUnavailable (the model cannot be read).
    """
    out_dir.parent.mkdir(parents=True, exist_ok=True)
    with alone_in(out_dir.parent):
        if not is_current(model_dir, out_dir):
            _replace(model_dir, out_dir)
    return out_dir


@contextmanager
def alone_in(folder: Path) -> Iterator[None]:
    """One export at a time; whoever waited finds it made."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


def _replace(model_dir: Path, out_dir: Path) -> None:
    work = Path(tempfile.mkdtemp(prefix=f".{out_dir.name}-", dir=out_dir.parent))
    try:
        _write(model_dir, work)
        swap(work, out_dir)
    finally:
        shutil.rmtree(work, ignore_errors=True)


def is_current(model_dir: Path, out_dir: Path) -> bool:
    names = (embedders.MANIFEST, "tokenizer.json", *embedders.MODEL_FILES.values())
    if not all((out_dir / name).is_file() for name in names):
        return False
    manifest = json.loads((out_dir / embedders.MANIFEST).read_text("utf-8"))
    return (
        manifest["format"] == FORMAT
        and manifest["libraries"] == libraries()
        and manifest["int8"]["kernel"] == embedders.int8_kernel()
        and _same_weights(model_dir, manifest)
    )


def _same_weights(model_dir: Path, manifest: Mapping) -> bool:
    """Size and time decide, so that nothing is read; weights copied anew are told by their hash."""
    unchanged = manifest["weights_stamp"] == _stamp(model_dir)
    return unchanged or manifest["weights_sha256"] == embedders.weights_sha256(model_dir)


def _stamp(model_dir: Path) -> list[list]:
    return [[f.name, f.stat().st_size, f.stat().st_mtime_ns] for f in embedders.weight_files(model_dir)]


def libraries() -> dict[str, str]:
    return {name: version(name) for name in LIBRARIES}


def _write(model_dir: Path, work: Path) -> None:
    """The manifest comes last, and its presence is what makes an export one."""
    from sentence_transformers import SentenceTransformer

    facts = _facts(model_dir)
    model = SentenceTransformer(
        str(model_dir), device="cpu", local_files_only=True, model_kwargs={"attn_implementation": "eager"}
    )
    _refuse_other_modules(model)
    shutil.copyfile(model_dir / "tokenizer.json", work / "tokenizer.json")
    _export_fp32(model, facts["pooling"], work / embedders.MODEL_FILES["fp32"])
    _quantize(work / embedders.MODEL_FILES["fp32"], work / embedders.MODEL_FILES["int8"])
    _save_manifest(work, facts | {"fp32": {}, "int8": {"kernel": ""}})
    _save_manifest(work, facts | _measure(work, model.encode(CHECK_TEXTS, batch_size=8)))


def _facts(model_dir: Path) -> dict:
    weights, pooling = embedders.weights_sha256(model_dir), embedders.pooling_mode(model_dir)
    max_tokens = embedders.max_sequence_length(model_dir)
    return {
        "format": FORMAT,
        "model": embedders.model_name(model_dir),
        "fingerprint": embedders.fingerprint_of(weights, pooling, max_tokens),
        "dims": embedders.TorchEmbedder(model_dir).dims,
        "max_seq_length": max_tokens,
        "pooling": pooling,
        "weights_sha256": weights,
        "weights_stamp": _stamp(model_dir),
        "libraries": libraries(),
    }


def _save_manifest(work: Path, manifest: Mapping) -> None:
    (work / embedders.MANIFEST).write_text(json.dumps(manifest, indent=1) + "\n", "utf-8")


def _refuse_other_modules(model) -> None:
    kinds = [type(module).__name__ for module in model]
    if kinds not in (["Transformer", "Pooling"], ["Transformer", "Pooling", "Normalize"]):
        raise ExportRefused(f"Only transformer, pooling and normalisation can be exported, not {kinds}.")


def _export_fp32(model, pooling: str, path: Path) -> None:
    import torch

    class Sentence(torch.nn.Module):
        def __init__(self, transformer):
            super().__init__()
            self.transformer = transformer

        def forward(self, input_ids, attention_mask):
            hidden = self.transformer(input_ids=input_ids, attention_mask=attention_mask).last_hidden_state
            if pooling == "cls":
                return hidden[:, 0]
            mask = attention_mask.unsqueeze(-1).to(hidden.dtype)
            return (hidden * mask).sum(1) / mask.sum(1)

    logging.getLogger("torch.onnx").setLevel(logging.ERROR)  # it warns that torchvision is absent
    axes = {0: torch.export.Dim("batch", max=4096), 1: torch.export.Dim("sequence", max=model.max_seq_length)}
    ids = torch.randint(5, 1000, (2, 16))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # about names of axes
        torch.onnx.export(
            Sentence(model[0].auto_model).eval(),
            (ids, torch.ones_like(ids)),
            str(path),
            input_names=["input_ids", "attention_mask"],
            output_names=["sentence_embedding"],
            dynamic_shapes=(axes, axes),
            opset_version=OPSET,
            external_data=False,
            dynamo=True,
            verbose=False,
        )


def _quantize(fp32: Path, int8: Path) -> None:
    """Weights to int8 for each output channel, activations to uint8 as they come: what VNNI multiplies."""
    from onnxruntime.quantization import QuantType, quantize_dynamic

    quantize_dynamic(fp32, int8, per_channel=True, weight_type=QuantType.QInt8)


def _measure(work: Path, reference: np.ndarray) -> dict:
    """Cosines of both exports with torch's vectors of CHECK_TEXTS. Raises ExportRefused if fp32 differs."""
    fp32, int8 = (_cosines(work, precision, reference) for precision in ("fp32", "int8"))
    if fp32.min() < FP32_MIN_COSINE:
        raise ExportRefused(f"The ONNX export differs from the model: cosine {fp32.min():.6f}.")
    return {
        "fp32": {"cosine_min": float(fp32.min())},
        "int8": {
            "cosine_min": float(int8.min()),
            "cosine_mean": float(int8.mean()),
            "kernel": embedders.int8_kernel(),
        },
    }


def _cosines(work: Path, precision: embedders.Precision, reference: np.ndarray) -> np.ndarray:
    exported = embedders.OnnxEmbedder(work, query_precision=precision, document_precision=precision)
    return (exported.embed_documents(CHECK_TEXTS) * embedders.unit(reference)).sum(axis=1)


def swap(work: Path, out_dir: Path) -> None:
    """`work` takes the place of `out_dir`, which is removed."""
    work.chmod(0o755)
    if not out_dir.exists():
        work.rename(out_dir)
        return
    old = work.with_name(work.name + "-old")
    out_dir.rename(old)
    work.rename(out_dir)
    shutil.rmtree(old)


LEGAL_SENTENCES = [
    "We the People of the United States, in Order to form a more perfect Union, establish Justice.",
    "All legislative Powers herein granted shall be vested in a Congress of the United States.",
    "The Congress shall have Power To regulate Commerce with foreign Nations, and among the several States.",
    "The Privilege of the Writ of Habeas Corpus shall not be suspended.",
    "No Bill of Attainder or ex post facto Law shall be passed.",
    "The executive Power shall be vested in a President of the United States of America.",
    "Full Faith and Credit shall be given in each State to the public Acts of every other State.",
    "This Constitution shall be the supreme Law of the Land.",
    "Congress shall make no law respecting an establishment of religion, or abridging the freedom of speech.",
    "The right of the people to keep and bear Arms, shall not be infringed.",
    "No Soldier shall, in time of peace be quartered in any house, without the consent of the Owner.",
    "No Warrants shall issue, but upon probable cause, supported by Oath or affirmation.",
    "Nor shall any person be subject for the same offence to be twice put in jeopardy of life or limb.",
    "The accused shall enjoy the right to a speedy and public trial, by an impartial jury.",
    "Excessive bail shall not be required, nor cruel and unusual punishments inflicted.",
    "Neither slavery nor involuntary servitude shall exist within the United States.",
    "No State shall deny to any person within its jurisdiction the equal protection of the laws.",
    "The right of citizens to vote shall not be denied or abridged on account of sex.",
    "Can the police search my phone without a warrant?",
    "who becomes president if the president dies",
    "How old do you have to be to run for the Senate?",
    "do i have to testify against myself",
    "What happens to my green card if I stay outside the country for a year?",
    "Am I allowed to record a traffic stop?",
    "¿Puede la policía registrar mi casa sin una orden judicial?",
    "El derecho a guardar silencio no puede usarse en contra del acusado.",
    "8 U.S.C. § 1101(a)(15)(F)(i)",
    "U.S. Const. amend. XIV, § 1, cl. 3",
    "An alien convicted of an aggravated felony is deportable under 8 U.S.C. § 1227(a)(2)(A)(iii).",
    "Asylum may be granted to a refugee within the meaning of section 1101(a)(42)(A) of this title.",
    "A petition for an H-1B worker shall be filed with a labor condition application; see 8 CFR 214.2(h)(4).",
    "The officer considers all relevant factors and weighs them in the exercise of discretion.",
    "Notwithstanding any other provision of law, no court shall have jurisdiction to review such judgment.",
    "The plaintiff bears the burden of proving each element by a preponderance of the evidence.",
    "Certiorari was granted to resolve a conflict among the Courts of Appeals.",
    "The term “person” includes corporations and associations, unless the context requires otherwise.",
    "Each agency shall currently publish in the Federal Register its rules of procedure.",
    "This Agreement shall be governed by the laws of the State of New York.",
    "Either party may terminate upon thirty (30) days' prior written notice of a material breach.",
    "Repealed. Pub. L. 104-208, div. C, title III, Sept. 30, 1996, 110 Stat. 3009-619.",
]
# The empty text and one past every window, beside sentences of all lengths.
CHECK_TEXTS = [*LEGAL_SENTENCES, "", " ".join(LEGAL_SENTENCES)]


def main() -> None:
    parser = argparse.ArgumentParser(description="Export the embedding model to ONNX.")
    parser.add_argument("out_dir", type=Path)
    parser.add_argument("model_dir", type=Path, nargs="?", help="default: the packaged all-MiniLM-L6-v2")
    options = parser.parse_args()
    logging.getLogger().setLevel(logging.ERROR)
    out_dir = export(options.model_dir or embedders.default_model_dir(), options.out_dir)
    manifest = json.loads((out_dir / embedders.MANIFEST).read_text("utf-8"))
    print(json.dumps({key: manifest[key] for key in ("model", "fingerprint", "fp32", "int8")}, indent=1))


if __name__ == "__main__":
    main()
