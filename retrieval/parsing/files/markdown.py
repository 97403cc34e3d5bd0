"""Reads Markdown (CommonMark with tables) by way of HTML; raw HTML in it is text."""

import re

from markdown_it import MarkdownIt

from retrieval.parsing.files import html
from retrieval.parsing.files.blocks import Blocks
from retrieval.parsing.files.plain import decoded

FRONT_MATTER = re.compile(r"\A---\n.{0,10000}?\n---\n", re.S)


def read(content: bytes) -> Blocks:
    text = FRONT_MATTER.sub("", decoded(content))
    return html.blocks_of(MarkdownIt("commonmark", {"html": False}).enable("table").render(text))
