"""Exports a sentence-transformers CrossEncoder to ONNX and holds it to torch's logits. Set-up only: it loads torch.
`python -m retrieval.engines.cross_encoder_export OUT_DIR MODEL_DIR`
"""

import argparse
import logging
from pathlib import Path
from typing import Any

import numpy as np

from retrieval.engines.cross_encoders import MANIFEST, MODEL, TOKENIZER, CrossEncoder
from retrieval.engines.embedders.model_files import weights_sha256
from retrieval.engines.exporting import (
    LEGAL_SENTENCES,
    ExportRefused,
    export_graph,
    libraries,
    read_json,
    save_json,
    write_once,
)

FORMAT = 1
FARTHEST = 1e-3  # of a logit from torch's
INPUTS = ("input_ids", "attention_mask", "token_type_ids")


def export(model_dir: Path, out_dir: Path) -> Path:
    """Writes the export, all or nothing; one of these weights by these libraries is kept. Raises ExportRefused."""
    facts = {"format": FORMAT, "weights": weights_sha256(model_dir), "libraries": libraries()}
    return write_once(
        out_dir,
        is_current=lambda: facts.items() <= read_json(out_dir / MANIFEST).items(),
        write=lambda work: write(model_dir, work, facts),
    )


def write(model_dir: Path, work: Path, facts: dict) -> None:
    from sentence_transformers import CrossEncoder as Original

    original = Original(
        str(model_dir), device="cpu", local_files_only=True, model_kwargs={"attn_implementation": "eager"}
    )
    if original.num_labels != 1:
        raise ExportRefused(f"A cross-encoder gives one logit, this model {original.num_labels}.")
    original.tokenizer.backend_tokenizer.save(str(work / TOKENIZER))
    inputs = [name for name in INPUTS if name in original.tokenizer.model_input_names]
    longest = min(original.max_seq_length or 512, original.tokenizer.model_max_length)
    export_graph(original.model, inputs, logits, work / MODEL, output="logits", longest=longest)
    named = {"model": model_dir.name, "fingerprint": facts["weights"][:16], "max_tokens": longest}
    save_json(work / MANIFEST, facts | named)
    hold_to(original, work)


def logits(answer: Any, _mask: Any) -> Any:
    return answer.logits


def hold_to(original: Any, work: Path) -> None:
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
