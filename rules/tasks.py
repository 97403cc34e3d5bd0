"""What django-q runs by name."""

from rules import embedding


def embed_aliases() -> int:
    """Every minute: vectors for aliases that were added or worded anew."""
    return embedding.embed_all()
