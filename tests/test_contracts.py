"""24 real contracts whose quotes experts labelled with their pages (CUAD): what of them our text holds, and where."""

import json
import re
import unicodedata
from collections import Counter

import pytest

from retrieval.files import pdf, structure
from retrieval.tree import page_at

TYPOGRAPHY = str.maketrans("“”‘’–—‐\xad", "\"\"''----")
LONG = 25  # letters of a quote that can hardly stand on two pages


def normalised(text):
    """Letters as typed, single blanks, no blank after a hyphen: the labels broke lines there."""
    typed = unicodedata.normalize("NFKC", text.translate(TYPOGRAPHY)).casefold()
    return re.sub(r"- (?=[a-z])", "-", " ".join(typed.split()))


def whole(document):
    """(text, page starts) of everything a reader of the document sees, in order; a heading is where its text begins."""
    text, pages = "", []
    for node in document.root.walk():
        if node.heading and node.heading not in node.text[:200]:
            pages += [(len(text), page) for below in node.walk() for _, page in below.pages[:1]][:1]
            text += f"{normalised(f'{node.number} {node.heading}')} "
        starts = [start for start, _ in node.pages] + [len(node.text)]
        for (start, page), end in zip(node.pages, starts[1:], strict=True):
            pages.append((len(text), page))
            text += f"{normalised(node.text[start:end])} "
    return text, pages


@pytest.fixture(scope="module")
def findings(measuring_data):
    """For every labelled quote whether it is found and, if it is long, whether its first place is on a labelled page.

    Labels join passages by <omitted>: each is a quote.
    """
    folder, read, counts = measuring_data / "contracts", {}, Counter()
    for label in map(json.loads, (folder / "page_labels.jsonl").open()):
        if label["pdf"] not in read:
            blocks = pdf.read((folder / label["pdf"]).read_bytes())
            read[label["pdf"]] = whole(structure.outline(blocks, identifier="/contracts/x", name="x"))
        text, pages = read[label["pdf"]]
        for quote in (
            q for quotes in label["quotes"] for q in quotes.split("<omitted>") if re.search(r"\w", q)
        ):
            place = text.find(normalised(quote))
            is_long = len(re.findall(r"[^\W\d_]", quote)) >= LONG
            counts["quotes"] += 1
            counts["found"] += place >= 0
            counts["long"] += place >= 0 and is_long
            counts["on page"] += place >= 0 and is_long and page_at(pages, place) in label["pages"]
    return counts


def test_labelled_quotes_are_in_the_text(findings):
    assert findings["quotes"] > 500
    assert findings["found"] / findings["quotes"] >= 0.97


def test_long_quotes_stand_on_a_labelled_page(findings):
    assert findings["long"] > 400
    assert findings["on page"] / findings["long"] >= 0.98
