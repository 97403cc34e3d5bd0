"""The language model: asked, paid for, read."""
