"""Exports models to ONNX and holds them to torch: the embedder in fp32 and int8, a CrossEncoder, what ships.
Set-up only: it loads torch, which no web worker may.
`python -m retrieval.engines.onnx_export [--cross-encoder] OUT_DIR [MODEL_DIR]`

The ONNX backend of sentence-transformers is not used: it needs optimum-onnx, which holds transformers below 4.58.
"""

import argparse
import fcntl
import hashlib
import json
import logging
import os
import shutil
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from importlib.metadata import version
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from retrieval.engines import cross_encoders, embedders
from retrieval.engines.embedders import MANIFEST, MODEL_FILES, TOKENIZER, OnnxEmbedder, Precision, int8_kernel
from retrieval.errors import ArfError

FORMAT = 3  # raise it when the graph or the manifest changes, and every export is made anew
OPSET = 20
LIBRARIES = ("torch", "transformers", "sentence-transformers", "onnx", "onnxscript", "onnxruntime")
PAIR_INPUTS = ("input_ids", "attention_mask", "token_type_ids")
FP32_MIN_COSINE = 0.9999  # below, ONNX and torch vectors could not stand in one index
FARTHEST = 1e-3  # of a cross-encoder's logit from torch's, in fp32
MEAN_DIFFERENCE = 0.5  # of fitted logits in int8 from torch's; a provision's sentences differ by 2
LEGAL_SENTENCES = Path(__file__).with_name("check_sentences.txt").read_text("utf-8").splitlines()
# The empty text and one past every window, beside sentences of all lengths.
CHECK_TEXTS = [*LEGAL_SENTENCES, "", " ".join(LEGAL_SENTENCES)]


class ExportRefused(ArfError):
    """The model cannot be exported, or its export is not faithful; an older export stays as it was."""

    status = 422
    code = "export_refused"


def export(model_dir: Path, out_dir: Path) -> Path:
    """Writes the embedder's model.onnx, model.int8.onnx, tokenizer.json and manifest.json, all or none. May run twice:
    an export of these weights by these libraries on this kind of CPU is kept (0.3 s). Otherwise about 20 s.

    Raises ExportRefused, EmbeddingUnavailable (the model cannot be read).
    """
    facts = facts_of(model_dir)
    files = (TOKENIZER, *MODEL_FILES.values())
    return write_once(out_dir, facts, files, lambda work: _write(model_dir, work, facts))


def export_cross_encoder(model_dir: Path, out_dir: Path) -> Path:
    """The same of a CrossEncoder, in fp32 and int8."""
    facts = {"format": FORMAT, "weights": embedders.weights_sha256(model_dir), "libraries": libraries()}
    files = (TOKENIZER, *MODEL_FILES.values())
    return write_once(out_dir, facts, files, lambda work: _write_cross_encoder(model_dir, work, facts))


def write_once(out_dir: Path, facts: dict, files: Iterable[str], write: Callable[[Path], None]) -> Path:
    """Fills `out_dir` by `write`, all or nothing, unless it is current. One export at a time; whoever waited finds it
    made.
    """
    out_dir.parent.mkdir(parents=True, exist_ok=True)
    lock = os.open(out_dir.parent, os.O_RDONLY)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not is_current(out_dir, facts, files):
            with TemporaryDirectory(prefix=f".{out_dir.name}-", dir=out_dir.parent) as work:
                made = Path(work, "new")
                made.mkdir(mode=0o755)
                write(made)
                if out_dir.exists():
                    out_dir.rename(Path(work, "old"))
                made.rename(out_dir)
    finally:
        os.close(lock)
    return out_dir


def sealed(out_dir: Path, *files: str) -> dict:
    """What each file was written as, for the manifest."""
    return {"sha256": {name: embedders.sha256_of(out_dir / name) for name in files}}


def is_current(out_dir: Path, facts: Mapping, files: Iterable[str]) -> bool:
    """Whether its files are as they were written, and its manifest holds these facts and, where int8 was measured, this
    CPU's kernel.
    """
    try:
        manifest = embedders.read_json(out_dir / MANIFEST)
        embedders.check_whole(out_dir, manifest, *files)
    except embedders.EmbeddingUnavailable:
        return False
    return (
        all((out_dir / name).is_file() for name in files)
        and facts.items() <= manifest.items()
        and manifest.get("int8", {}).get("kernel", int8_kernel()) == int8_kernel()
    )


def libraries() -> dict[str, str]:
    return {name: version(name) for name in LIBRARIES}


def save_json(path: Path, values: Mapping) -> None:
    path.write_text(json.dumps(values, indent=1) + "\n", "utf-8")


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


# -- The embedder


def facts_of(model_dir: Path) -> dict:
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
        "libraries": libraries(),
    }


def _write(model_dir: Path, work: Path, facts: dict) -> None:
    """The manifest comes last, and its presence is what makes an export one."""
    model = embedders.opened(model_dir, model_kwargs={"attn_implementation": "eager"})
    _refuse_other_modules(model)
    shutil.copyfile(model_dir / TOKENIZER, work / TOKENIZER)
    _export_fp32(model, facts["pooling"], work / MODEL_FILES["fp32"])
    _quantize(work / MODEL_FILES["fp32"], work / MODEL_FILES["int8"])
    save_json(work / MANIFEST, facts | {"fp32": {}, "int8": {"kernel": ""}})
    measured = _measure(work, model.encode(CHECK_TEXTS, batch_size=8))
    save_json(work / MANIFEST, facts | measured | sealed(work, TOKENIZER, *MODEL_FILES.values()))


def _refuse_other_modules(model: Any) -> None:
    kinds = [type(module).__name__ for module in model]
    if kinds not in (["Transformer", "Pooling"], ["Transformer", "Pooling", "Normalize"]):
        raise ExportRefused(f"Only transformer, pooling and normalisation can be exported, not {kinds}.")


def _export_fp32(model: Any, pooling: str, path: Path) -> None:
    def pooled(answer: Any, mask: Any) -> Any:
        hidden = answer.last_hidden_state
        if pooling == "cls":
            return hidden[:, 0]
        mask = mask.unsqueeze(-1).to(hidden.dtype)
        return (hidden * mask).sum(1) / mask.sum(1)

    inputs = ("input_ids", "attention_mask")
    longest = model.max_seq_length
    export_graph(model[0].auto_model, inputs, pooled, path, output="sentence_embedding", longest=longest)


def _quantize(fp32: Any, int8: Path, *, for_any: bool = False) -> None:
    """Weights to int8 for each output channel, activations to uint8 as they come: what VNNI multiplies. CPUs without
    it add pairs of products in 16 bits, where products of 8-bit weights overflow: they get weights of 7 bits, and so
    does what is `for_any` CPU. `fp32`: a path or a model.
    """
    from onnxruntime.quantization import QuantType, quantize_dynamic

    overflows = for_any or "vnni" not in int8_kernel()
    quantize_dynamic(fp32, int8, per_channel=True, weight_type=QuantType.QInt8, reduce_range=overflows)


def _measure(work: Path, reference: np.ndarray) -> dict:
    """Cosines of both exports with torch's vectors of CHECK_TEXTS. Raises ExportRefused if fp32 differs."""
    fp32, int8 = (_cosines(work, precision, reference) for precision in ("fp32", "int8"))
    if fp32.min() < FP32_MIN_COSINE:
        raise ExportRefused(f"The ONNX export differs from the model: cosine {fp32.min():.6f}.")
    measured = {"cosine_min": float(int8.min()), "cosine_mean": float(int8.mean()), "kernel": int8_kernel()}
    return {"fp32": {"cosine_min": float(fp32.min())}, "int8": measured}


def _cosines(work: Path, precision: Precision, reference: np.ndarray) -> np.ndarray:
    exported = OnnxEmbedder(work, query_precision=precision, document_precision=precision)
    return (exported.embed_documents(CHECK_TEXTS) * embedders.unit(reference)).sum(axis=1)


# -- A cross-encoder


def _write_cross_encoder(model_dir: Path, work: Path, facts: dict) -> None:
    import onnx
    from sentence_transformers import CrossEncoder

    original = CrossEncoder(
        str(model_dir), device="cpu", local_files_only=True, model_kwargs={"attn_implementation": "eager"}
    )
    if original.num_labels != 1:
        raise ExportRefused(f"A cross-encoder gives one logit, this model {original.num_labels}.")
    original.tokenizer.backend_tokenizer.save(str(work / TOKENIZER))
    inputs = [name for name in PAIR_INPUTS if name in original.tokenizer.model_input_names]
    longest = min(original.max_seq_length or 512, original.tokenizer.model_max_length)
    path = work / MODEL_FILES["fp32"]
    export_graph(
        original.model, inputs, lambda answer, mask: answer.logits, path, output="logits", longest=longest
    )
    graph = onnx.load(path)
    del graph.graph.value_info[:]  # old shapes of weights which the quantizer transposes in place
    _quantize(graph, work / MODEL_FILES["int8"])
    named = {"model": model_dir.name, "fingerprint": facts["weights"][:16], "max_tokens": longest}
    save_json(work / MANIFEST, facts | named)
    measured = {"int8": {"farthest": _held_to(original, work), "kernel": int8_kernel()}}
    save_json(work / MANIFEST, facts | named | measured | sealed(work, TOKENIZER, *MODEL_FILES.values()))


def _held_to(original: Any, work: Path) -> float:
    """How far int8's probability lies from torch's at most. Raises ExportRefused where fp32 differs from the model."""
    import torch

    question, texts = LEGAL_SENTENCES[18], [*LEGAL_SENTENCES[:12], "", " ".join(LEGAL_SENTENCES)]
    pairs = [(question, text) for text in texts]
    wanted = original.predict(pairs, activation_fn=torch.nn.Identity(), show_progress_bar=False)
    fp32, int8 = (
        cross_encoders.CrossEncoder(work, precision=each).logits(question, texts) for each in MODEL_FILES
    )
    farthest = np.abs(fp32 - wanted).max()
    if not farthest <= FARTHEST:
        raise ExportRefused(f"The ONNX export differs from the cross-encoder: {farthest:.4f} of a logit.")
    return float(np.abs(cross_encoders.probabilities(int8) - cross_encoders.probabilities(wanted)).max())


# -- What ships: the sentence ranker, the entailment model


def export_fitted(fitted: Any, out_dir: Path, *, model: str) -> Path:
    """What `evaluation.fine_tuning` fitted, in int8 alone, all or nothing: one export for every CPU, as it ships.
    Raises ExportRefused.
    """
    import torch

    class Reader(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.model, self.head = fitted.model, fitted.head

        def forward(self, **values):  # noqa: ANN003, ANN202 - tensors
            return self.head(self.model(**values).last_hidden_state[:, 0])

    reader = Reader().eval()
    longest, weights = fitted.recipe.max_tokens, weights_of(reader)
    facts = {"format": FORMAT, "weights": weights, "libraries": libraries(), "max_tokens": longest, "model": model}
    files = (TOKENIZER, MODEL_FILES["int8"])
    return write_once(out_dir, facts, files, lambda work: _write_fitted(reader, fitted.tokenizer, work, facts))


def weights_of(model: Any) -> str:
    """The SHA-256 of a model's weights, in order of their names."""
    digest = hashlib.sha256()
    for _, each in sorted(model.state_dict().items()):
        digest.update(each.numpy().tobytes())
    return digest.hexdigest()


def _write_fitted(reader: Any, tokenizer: Any, work: Path, facts: dict) -> None:
    import onnx

    path, longest = work / MODEL_FILES["fp32"], facts["max_tokens"]
    export_graph(reader, PAIR_INPUTS, lambda logits, mask: logits, path, output="logits", longest=longest)
    graph = onnx.load(path)
    path.unlink()
    del graph.graph.value_info[:]  # old shapes of weights which the quantizer transposes in place
    _quantize(graph, work / MODEL_FILES["int8"], for_any=True)
    tokenizer.backend_tokenizer.save(str(work / TOKENIZER))
    named = facts | {"fingerprint": facts["weights"][:16]}
    save_json(work / MANIFEST, named)
    measured = {"int8": {"mean_difference": _difference(reader, tokenizer, work)}}
    save_json(work / MANIFEST, named | measured | sealed(work, TOKENIZER, MODEL_FILES["int8"]))


def _difference(reader: Any, tokenizer: Any, work: Path) -> float:
    """How far int8's logits lie from torch's, on average, but for what changes no order: what is the same for all
    outputs of a pair, or of one output for all pairs. Raises ExportRefused where that is too far.
    """
    first, exported = LEGAL_SENTENCES[18], cross_encoders.CrossEncoder(work, precision="int8")
    wanted = [reader(**tokenizer(first, text, return_tensors="pt"))[0].tolist() for text in LEGAL_SENTENCES[:12]]
    apart = np.array([exported.read(first, text) for text in LEGAL_SENTENCES[:12]]) - np.array(wanted)
    apart -= apart.mean(axis=1 if apart.shape[1] > 1 else 0, keepdims=True)
    difference = float(np.abs(apart).mean())
    if not difference <= MEAN_DIFFERENCE:
        raise ExportRefused(f"The export differs from what was fitted: {difference:.3f} of a logit.")
    return round(difference, 4)


def main() -> None:
    parser = argparse.ArgumentParser(description="Export the embedding model, or a cross-encoder, to ONNX.")
    parser.add_argument("out_dir", type=Path)
    parser.add_argument("model_dir", type=Path, nargs="?", help="default: the packaged all-MiniLM-L6-v2")
    parser.add_argument("--cross-encoder", action="store_true", help="the model is a CrossEncoder")
    options = parser.parse_args()
    logging.getLogger().setLevel(logging.ERROR)
    write = export_cross_encoder if options.cross_encoder else export
    out_dir = write(options.model_dir or embedders.default_model_dir(), options.out_dir)
    print((out_dir / MANIFEST).read_text("utf-8"))


if __name__ == "__main__":
    main()
