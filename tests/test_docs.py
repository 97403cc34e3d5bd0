"""Every link of the documentation leads somewhere, its headings included."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", ROOT / "CHANGELOG.md", *sorted((ROOT / "docs").glob("*.md"))]
LINK = re.compile(r"\]\((?P<path>[^)\s:#/][^)\s:#]*)?(?:#(?P<heading>[^)\s]+))?\)")
HEADING = re.compile(r"^#+ (.+)$", re.MULTILINE)


def anchors(text: str) -> set[str]:
    """Of its headings, as code hosts make them."""
    return {re.sub(r"[^\w\- ]", "", heading.lower()).strip().replace(" ", "-") for heading in HEADING.findall(text)}


def dead_links(page: Path) -> list[str]:
    dead = []
    for link in LINK.finditer(page.read_text("utf-8")):
        file = page.parent / link["path"] if link["path"] else page
        is_there = file.exists() and (
            not link["heading"] or file.suffix != ".md" or link["heading"] in anchors(file.read_text("utf-8"))
        )
        if not is_there:
            dead.append(link[0])
    return dead


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_link_leads_somewhere(page):
    assert dead_links(page) == []


def test_a_dead_link_would_be_found(tmp_path):
    page = tmp_path / "page.md"
    links = "[a](#kept-questions-all) [b](#lost) [c](none.md) [d](page.md#lost) [e](/login)"
    page.write_text(f"# Kept `questions`, all\n{links}")
    assert dead_links(page) == ["](#lost)", "](none.md)", "](page.md#lost)"]
