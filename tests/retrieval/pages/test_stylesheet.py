"""The stylesheet: small, and every ink can be read on its paper."""

import re
from pathlib import Path

import pytest
from django.conf import settings

CSS = Path(settings.BASE_DIR, "templates/static/retrieval/retrieval.css")


def luminance(colour):
    channels = [int(colour[n : n + 2], 16) / 255 for n in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one, other):
    """WCAG 2.2, contrast ratio."""
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


def palettes():
    blocks = re.findall(r":root \{(.*?)\}", CSS.read_text(), re.S)[:2]
    light, dark = (dict(re.findall(r"--([\w-]+): (#\w{6});", block)) for block in blocks)
    return {"light": light, "dark": light | dark}


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize(
    ("ink", "papers", "least"),
    [
        ("ink", ("paper", "leaf", "shade", "warning"), 7),
        ("muted", ("paper", "shade", "leaf"), 4.5),
        ("accent", ("paper", "shade", "warning"), 4.5),
        ("accent-ink", ("accent",), 4.5),
        ("mark-ink", ("mark", "mark-strong"), 4.5),
        ("field", ("leaf", "paper", "shade"), 3),
    ],
)
def test_every_ink_can_be_read_on_its_paper(theme, ink, papers, least):
    colours = palettes()[theme]
    for paper in papers:
        assert contrast(colours[ink], colours[paper]) >= least, (ink, paper)


def test_what_a_box_suggests_is_muted():
    assert re.search(r"::placeholder \{ color: var\(--muted\); opacity: 1; \}", CSS.read_text())


def test_the_stylesheet_stays_small():
    assert CSS.stat().st_size < 25_000
