"""A cross-encoder of random weights."""

from pathlib import Path

from retrieval.engines.embedders import default_model_dir


def tiny(folder: Path, *, labels: int = 1) -> Path:
    """A CrossEncoder of random weights with the shipped embedder's tokenizer, as its makers would save it."""
    import torch
    from transformers import BertConfig, BertForSequenceClassification, PreTrainedTokenizerFast

    torch.manual_seed(1)
    sizes = {"hidden_size": 16, "num_hidden_layers": 1, "num_attention_heads": 2, "intermediate_size": 32}
    config = BertConfig(num_labels=labels, max_position_embeddings=64, initializer_range=0.5, **sizes)
    BertForSequenceClassification(config).save_pretrained(folder)
    names = {f"{name.lower()}_token": f"[{name}]" for name in ("PAD", "CLS", "SEP", "UNK", "MASK")}
    PreTrainedTokenizerFast(
        tokenizer_file=str(default_model_dir() / "tokenizer.json"),
        model_max_length=64,
        model_input_names=["input_ids", "token_type_ids", "attention_mask"],
        **names,
    ).save_pretrained(folder)
    return folder
