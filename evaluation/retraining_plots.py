"""How a challenger differs from the champion by slice, with intervals, as inline SVG. Pure."""

from collections.abc import Mapping, Sequence
from html import escape

WIDTH = 720
NAMES = 190  # px left of the axis
ROW = 24
REACH = 0.2  # nDCG@10 that half of the axis stands for; longer intervals end at its edge


def differences(rows: Sequence[Mapping], *, margin: float, title: str) -> str:
    """A line a slice: its difference as a dot, its 95 % interval as a bar; the dashed line is the margin.

    `rows`: name, topics, difference (mean, low, high), vetoes; as the decision has them.
    """
    height = ROW * (len(rows) + 1) + 10
    body = [
        vertical(0.0, height - ROW, "opacity='0.6'"),
        vertical(-margin, height - ROW, "stroke-dasharray='4 3' opacity='0.6'"),
        *(line_of(row, n) for n, row in enumerate(rows)),
        *(tick(value, height) for value in (-0.2, -0.1, 0.0, 0.1, 0.2)),
    ]
    return svg(WIDTH, height, title, body)


def line_of(row: Mapping, number: int) -> str:
    difference, y = row["difference"], ROW * number + ROW // 2
    colour = "#b91c1c" if row["vetoes"] else "currentColor"
    label = f"{row['name']} ({row['topics']})"
    told = f"{difference['mean']:+.3f} [{difference['low']:+.3f}, {difference['high']:+.3f}]"
    return (
        f"<g fill='{colour}' stroke='{colour}'><title>{escape(label)}: {told}</title>"
        f"<text x='{NAMES - 12}' y='{y + 4}' text-anchor='end' stroke='none'>{escape(label)}</text>"
        f"<line x1='{across(difference['low']):.1f}' x2='{across(difference['high']):.1f}' y1='{y}' y2='{y}'"
        f" stroke-width='2'/><circle cx='{across(difference['mean']):.1f}' cy='{y}' r='4'/></g>"
    )


def across(value: float) -> float:
    share = (min(REACH, max(-REACH, value)) + REACH) / (2 * REACH)
    return NAMES + share * (WIDTH - NAMES - 20)


def vertical(value: float, height: int, style: str) -> str:
    x = across(value)
    return f"<line x1='{x:.1f}' x2='{x:.1f}' y1='0' y2='{height}' stroke='currentColor' {style}/>"


def tick(value: float, height: int) -> str:
    return (
        f"<text x='{across(value):.1f}' y='{height - 6}' text-anchor='middle' fill='currentColor'>"
        f"{value:+.1f}</text>"
    )


def svg(width: int, height: int, title: str, body: Sequence[str]) -> str:
    return (
        f"<svg viewBox='0 0 {width} {height}' width='{width}' height='{height}' role='img' font-size='12'"
        f" style='max-width:100%;height:auto' aria-label='{escape(title, quote=True)}'>{''.join(body)}</svg>"
    )
