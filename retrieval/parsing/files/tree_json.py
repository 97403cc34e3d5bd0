"""A document as JSON, on its way from the worker to whoever asked. Pure."""

import json
from dataclasses import asdict

from retrieval.parsing.tree import Node, SourceDocument


def dumped(document: SourceDocument) -> str:
    return json.dumps(asdict(document), ensure_ascii=False)


def loaded(document: dict) -> SourceDocument:
    scanned = tuple(document.pop("scanned_pages"))
    return SourceDocument(root=node(document.pop("root")), scanned_pages=scanned, **document)


def node(fields: dict) -> Node:
    """Files have no anchors, references, dates or notes of their own."""
    pages = tuple((start, page) for start, page in fields.pop("pages"))
    children = tuple(node(child) for child in fields.pop("children"))
    return Node(**(fields | {"anchors": (), "refs": (), "notes": (), "pages": pages, "children": children}))
