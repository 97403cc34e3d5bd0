"""Exports a sentence-transformers CrossEncoder to ONNX and holds it to torch's logits. Set-up only: it loads torch.
`python -m retrieval.cross_export OUT_DIR MODEL_DIR`
"""

import argparse
import json
import logging
import shutil
import tempfile
import warnings
from pathlib import Path

import numpy as np

from retrieval.cross_encoders import MANIFEST, MODEL, TOKENIZER, CrossEncoder
from retrieval.embedders import weights_sha256
from retrieval.onnx_export import LEGAL_SENTENCES, OPSET, ExportRefused, alone_in, libraries, swap

FORMAT = 1
FARTHEST = 1e-3  # of a logit from torch's
INPUTS = ("input_ids", "attention_mask", "token_type_ids")


def export(model_dir: Path, out_dir: Path) -> Path:
    """Writes the export, all or nothing; one of these weights by these libraries is kept. Raises ExportRefused."""
    out_dir.parent.mkdir(parents=True, exist_ok=True)
    facts = {"format": FORMAT, "weights": weights_sha256(model_dir), "libraries": libraries()}
    with alone_in(out_dir.parent):
        if not is_current(out_dir, facts):
            work = Path(tempfile.mkdtemp(prefix=f".{out_dir.name}-", dir=out_dir.parent))
            try:
                write(model_dir, work, facts)
                swap(work, out_dir)
            finally:
                shutil.rmtree(work, ignore_errors=True)
    return out_dir


def is_current(out_dir: Path, facts: dict) -> bool:
    if not (out_dir / MANIFEST).is_file():
        return False
    manifest = json.loads((out_dir / MANIFEST).read_text("utf-8"))
    return {name: manifest.get(name) for name in facts} == facts


def write(model_dir: Path, work: Path, facts: dict) -> None:
    from sentence_transformers import CrossEncoder as Original

    original = Original(
        str(model_dir),
        device="cpu",
        local_files_only=True,
        model_kwargs={"attn_implementation": "eager"},
    )
    if original.num_labels != 1:
        raise ExportRefused(f"A cross-encoder gives one logit, this model {original.num_labels}.")
    original.tokenizer.backend_tokenizer.save(str(work / TOKENIZER))
    inputs = [name for name in INPUTS if name in original.tokenizer.model_input_names]
    longest = min(original.max_seq_length or 512, original.tokenizer.model_max_length)
    export_graph(original.model, inputs, work / MODEL, longest)
    manifest = facts | {"model": model_dir.name, "fingerprint": facts["weights"][:16], "max_tokens": longest}
    (work / MANIFEST).write_text(json.dumps(manifest, indent=1) + "\n", "utf-8")
    hold_to(original, work)


def export_graph(model, inputs: list[str], path: Path, longest: int) -> None:
    import torch

    class Logit(torch.nn.Module):
        def __init__(self, inner):
            super().__init__()
            self.inner = inner

        def forward(self, *values):
            return self.inner(**dict(zip(inputs, values, strict=True))).logits

    logging.getLogger("torch.onnx").setLevel(logging.ERROR)  # it warns that torchvision is absent
    axes = {0: torch.export.Dim("batch", max=4096), 1: torch.export.Dim("sequence", max=longest)}
    ids = torch.randint(5, 1000, (2, 16))  # one tensor given twice would be taken for one input
    examples = {
        "input_ids": ids,
        "attention_mask": torch.ones_like(ids),
        "token_type_ids": torch.zeros_like(ids),
    }
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # about names of axes
        torch.onnx.export(
            Logit(model).eval(),
            tuple(examples[name] for name in inputs),
            str(path),
            input_names=inputs,
            output_names=["logits"],
            dynamic_shapes=(tuple(axes for _ in inputs),),
            opset_version=OPSET,
            external_data=False,
            dynamo=True,
            verbose=False,
        )


def hold_to(original, work: Path) -> None:
    """Raises ExportRefused where the export says otherwise than the model."""
    import torch

    question, texts = LEGAL_SENTENCES[18], [*LEGAL_SENTENCES[:12], "", " ".join(LEGAL_SENTENCES)]
    pairs = [(question, text) for text in texts]
    wanted = original.predict(pairs, activation_fn=torch.nn.Identity(), show_progress_bar=False)
    farthest = np.abs(CrossEncoder(work).logits(question, texts) - wanted).max()
    if not farthest <= FARTHEST:
        raise ExportRefused(f"The ONNX export differs from the cross-encoder: {farthest:.4f} of a logit.")


def main() -> None:
    parser = argparse.ArgumentParser(description="Export a cross-encoder to ONNX.")
    parser.add_argument("out_dir", type=Path)
    parser.add_argument("model_dir", type=Path)
    options = parser.parse_args()
    logging.getLogger().setLevel(logging.ERROR)
    print((export(options.model_dir, options.out_dir) / MANIFEST).read_text("utf-8"))


if __name__ == "__main__":
    main()
