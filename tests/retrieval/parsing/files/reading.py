"""Reads small files of every format."""

import pytest

from retrieval.errors import SourceRefused
from retrieval.parsing.files import formats, structure

BODY = "the parties agree that every word of this long line stays apart from the next one"


def read(content, filename):
    return structure.outline(formats.read(content, filename), identifier="/d/x", name="Fallback")


def texts(content, filename):
    return [block.text for block in formats.read(content, filename).blocks]


def sections(document):
    return {
        node.locator.removeprefix("/d/x/"): node for node in document.root.walk() if node.level != "document"
    }


def refusal(content, filename):
    with pytest.raises(SourceRefused) as refused:
        formats.read(content, filename)
    return refused.value.message
