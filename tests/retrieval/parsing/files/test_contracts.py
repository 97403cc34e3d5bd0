"""Real contracts whose quotes experts labelled with their pages (CUAD): what of them our text holds, and where. The
whole suite reads the shortest; all 24 are read by the tests marked `full`.
"""

import json
import re
from collections import Counter
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import call_command

from evaluation.measuring.corpora import normalised
from retrieval.models import Domain
from retrieval.parsing.files import pdf, structure
from retrieval.parsing.tree import page_at

pytestmark = pytest.mark.measuring_data
AT_LEAST = {12: {"quotes": 190, "long": 140}, 24: {"quotes": 500, "long": 400}}  # so many contracts hold
LONG = 25  # letters of a quote that can hardly stand on two pages


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


@pytest.fixture(scope="module", params=[12, pytest.param(24, marks=pytest.mark.full)])
def findings(request, measuring_data):
    """For every labelled quote whether it is found and, if it is long, whether its first place is on a labelled page.

    Labels join passages by <omitted>: each is a quote.
    """
    folder, read, counts = measuring_data / "contracts", {}, Counter(contracts=request.param)
    names = shortest(folder, request.param)
    for label in map(json.loads, (folder / "page_labels.jsonl").open()):
        if label["pdf"] not in names:
            continue
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
    assert findings["quotes"] > AT_LEAST[findings["contracts"]]["quotes"]
    assert findings["found"] / findings["quotes"] >= 0.97


def test_long_quotes_stand_on_a_labelled_page(findings):
    assert findings["long"] > AT_LEAST[findings["contracts"]]["long"]
    assert findings["on page"] / findings["long"] >= 0.98


# -- Rules learned from half of the contracts


@pytest.fixture(scope="module", params=[4, pytest.param(24, marks=pytest.mark.full)])
def halves(request, measuring_data, tmp_path_factory, django_db_setup, django_db_blocker):
    """What the command tells of rules learned from one half of the contracts and measured on the other, both ways."""
    folder = shortest_of(measuring_data / "contracts", tmp_path_factory.mktemp("labelled"), request.param)
    told = StringIO()
    with django_db_blocker.unblock():
        call_command("measure_category_rules", folder, json=True, stdout=told)
        assert not Domain.objects.filter(slug__startswith="labelled").exists()
    return json.loads(told.getvalue()) | {"contracts": request.param}


def shortest(contracts: Path, count: int) -> list[str]:
    """The names of so many labelled contracts."""
    labels = (contracts / "page_labels.jsonl").read_text().splitlines()
    labelled = {json.loads(label)["pdf"] for label in labels}
    return sorted(labelled, key=lambda name: (contracts / name).stat().st_size)[:count]


def shortest_of(contracts: Path, folder: Path, count: int) -> Path:
    """A folder of so many contracts and their labels."""
    labels = (contracts / "page_labels.jsonl").read_text().splitlines()
    names = shortest(contracts, count)
    for name in names:
        (folder / name).symlink_to(contracts / name)
    kept = [label for label in labels if json.loads(label)["pdf"] in names]
    (folder / "page_labels.jsonl").write_text("\n".join(kept))
    return folder


@pytest.mark.django_db
def test_rules_from_half_of_the_contracts_lift_recall_on_the_other_half(halves):
    for gain in (halves["both"], *(half["gain"] for half in halves["halves"])):
        assert gain["mean"] >= 0
        assert halves["contracts"] < 24 or (gain["mean"] >= 0.05 and gain["low"] > 0)


@pytest.mark.django_db
def test_such_rules_move_no_question_that_they_do_not_concern(halves):
    topics = [topic for half in halves["halves"] for topic in half["topics"]]
    assert len(topics) > 5 * halves["contracts"] and any(not topic["concerned"] for topic in topics)
    assert not any(topic["moved"] for topic in topics if not topic["concerned"])
