"""An embedder of random weights, for trainings of which it matters whether they go on, not what they learn."""

import json
import shutil
from pathlib import Path

from retrieval.engines.embedders import default_model_dir

SIZES = {"hidden_size": 16, "num_hidden_layers": 2, "num_attention_heads": 2, "intermediate_size": 32}


def tiny_embedder(folder: Path) -> Path:
    """A sentence-transformers model with the shipped embedder's tokenizer, of two layers."""
    import torch
    from transformers import BertConfig, BertModel

    shutil.copytree(default_model_dir(), folder, ignore=shutil.ignore_patterns("*.safetensors"))
    pooling = folder / "1_Pooling/config.json"
    pooling.write_text(json.dumps(json.loads(pooling.read_text()) | {"word_embedding_dimension": SIZES["hidden_size"]}))
    torch.manual_seed(1)
    config = BertConfig.from_pretrained(folder)
    BertModel(BertConfig(**config.to_dict() | SIZES | {"initializer_range": 0.5})).save_pretrained(folder)
    return folder
