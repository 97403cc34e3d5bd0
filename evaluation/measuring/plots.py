"""Plots as inline SVG: a line over time, bars and differences with intervals, reliability, risk and coverage. Pure.

Colours come from the page (`currentColor`); every value is also in the alternative, so nobody needs to see the plot.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape

WIDTH, HEIGHT = 640, 260
LEFT, RIGHT, TOP, BOTTOM = 56, 16, 16, 36  # room for the labels of the axes
MOST_TICKS = 6
LETTERS = 13  # height of a line of words
ENDS = 150  # room for the names of lines
ROW, NAMES = 24, 190  # height of a row of differences, and the room for its name
REACH = 0.2  # nDCG@10 that half of the axis of differences stands for


@dataclass(frozen=True, slots=True)
class Bar:
    """A mean with its interval; a difference that is `marked` is drawn in red."""

    label: str
    mean: float
    low: float
    high: float
    marked: bool = False


@dataclass(frozen=True, slots=True)
class Frame:
    """Where values lie on the picture."""

    left: float
    right: float
    bottom: float = 0.0
    top: float = 1.0
    margin: float = LEFT
    right_margin: float = RIGHT

    def x(self, value: float) -> float:
        return self.margin + (value - self.left) / ((self.right - self.left) or 1.0) * (
            WIDTH - self.margin - self.right_margin
        )

    def y(self, value: float) -> float:
        share = (value - self.bottom) / ((self.top - self.bottom) or 1.0)
        return HEIGHT - BOTTOM - share * (HEIGHT - TOP - BOTTOM)


UNIT = Frame(0.0, 1.0)


def line(title: str, labels: Sequence[str], values: Sequence[float]) -> str:
    """Values in order of time, one label each, on an axis that fits them."""
    return drawn(title, labels, {"": values}, span(values))


def lines(title: str, labels: Sequence[str], series: Mapping[str, Sequence[float]]) -> str:
    """Several lines from zero, each with its name at its end."""
    most = max([1e-9, *(value for values in series.values() for value in values)])
    return drawn(title, labels, series, (0.0, most), right=ENDS)


def drawn(
    title: str,
    labels: Sequence[str],
    series: Mapping[str, Sequence[float]],
    axis: tuple[float, float],
    right: float = RIGHT,
) -> str:
    last = max(len(labels) - 1, 0)
    frame = Frame(0, max(last, 1), *axis, right_margin=right)
    parts, told = [], []
    for name, values in series.items():
        points = [(frame.x(n), frame.y(value)) for n, value in enumerate(values)]
        parts += [path(points), *(dot(*point) for point in points)]
        values_told = "; ".join(f"{label}: {value:.3f}" for label, value in zip(labels, values, strict=True))
        told.append(f"{name}, {values_told}" if name else values_told)
    ends = {name: frame.y(values[-1]) for name, values in series.items() if name and values}
    names = [text(WIDTH - right + 8, y + 4, name, "start") for name, y in apart(ends).items()]
    shown = every(list(enumerate(labels)), MOST_TICKS)
    ticks = "".join(text(frame.x(n), HEIGHT - 12, label, "end" if 0 < n == last else "middle") for n, label in shown)
    return svg(title, ". ".join(told), y_axis(frame), *parts, *names, ticks)


def apart(heights: Mapping[str, float]) -> dict[str, float]:
    """Moved up where a name would be written over the one below it."""
    moved, floor = {}, float("inf")
    for name, y in sorted(heights.items(), key=lambda item: -item[1]):
        moved[name] = floor = min(y, floor - LETTERS)
    return moved


def bars(title: str, rows: Sequence[Bar]) -> str:
    """A bar a row with its interval as a whisker, from zero."""
    frame = Frame(0, max(len(rows), 1), 0.0, max([1e-9, *(row.high for row in rows)]))
    told = "; ".join(f"{r.label}: {r.mean:.3f} [{r.low:.3f}, {r.high:.3f}]" for r in rows)
    return svg(title, told, y_axis(frame), *(one_bar(frame, n, row) for n, row in enumerate(rows)))


def one_bar(frame: Frame, number: int, row: Bar) -> str:
    left, right, middle = frame.x(number + 0.2), frame.x(number + 0.8), frame.x(number + 0.5)
    top, floor = frame.y(row.mean), frame.y(0)
    box = f'<rect x="{left:.1f}" y="{top:.1f}" width="{right - left:.1f}" height="{floor - top:.1f}" opacity="0.35"/>'
    whisker = path([(middle, frame.y(row.low)), (middle, frame.y(row.high))])
    return box + whisker + text(middle, HEIGHT - 12, row.label)


def differences(title: str, rows: Sequence[Bar], *, margin: float) -> str:
    """A dot a row with its interval, a row under another; the dashed line is the margin below zero."""
    told = "; ".join(f"{r.label}: {r.mean:+.3f} [{r.low:+.3f}, {r.high:+.3f}]" for r in rows)
    height = ROW * (len(rows) + 2)
    frame = Frame(-REACH, REACH, margin=NAMES)
    lines = [path([(frame.x(at), 0), (frame.x(at), height - ROW)], dashed=at != 0) for at in (0.0, -margin)]
    ticks = [text(frame.x(at), height - 6, f"{at:+.1f}") for at in (-0.2, -0.1, 0.0, 0.1, 0.2)]
    dots = [one_difference(frame, n, row) for n, row in enumerate(rows)]
    return svg(title, told, *lines, *dots, *ticks, height=height)


def one_difference(frame: Frame, number: int, row: Bar) -> str:
    """An interval that leaves the picture ends at its edge."""
    y = ROW * number + ROW / 2
    low, mean, high = (frame.x(min(REACH, max(-REACH, value))) for value in (row.low, row.mean, row.high))
    colour = ' color="#b91c1c" fill="currentColor"' if row.marked else ""
    drawn = text(NAMES - 12, y + 4, row.label, "end") + path([(low, y), (high, y)]) + dot(mean, y)
    return f"<g{colour}>{drawn}</g>"


def reliability(title: str, bins: Sequence[tuple[float, float, int]]) -> str:
    """(mean probability, share relevant, how many) of each bin, beside the diagonal of a perfect calibration."""
    told = "; ".join(f"said {said:.2f}, was {was:.2f} ({count})" for said, was, count in bins)
    points = [(UNIT.x(said), UNIT.y(was)) for said, was, _ in bins]
    diagonal = path([(UNIT.x(0), UNIT.y(0)), (UNIT.x(1), UNIT.y(1))], dashed=True)
    return svg(title, told, y_axis(UNIT), x_axis(UNIT), diagonal, path(points), *(dot(*p) for p in points))


def risk_coverage(title: str, points: Sequence[tuple[float, float]]) -> str:
    """(coverage, risk): of the answered share, how much was wrong."""
    frame = Frame(0.0, 1.0, 0.0, max([0.05, *(risk for _, risk in points)]))
    told = "; ".join(f"answering {c:.0%}: {risk:.1%} wrong" for c, risk in every(points, 11))
    curve = path([(frame.x(coverage), frame.y(risk)) for coverage, risk in points])
    return svg(title, told, y_axis(frame), x_axis(frame), curve)


def span(values: Sequence[float]) -> tuple[float, float]:
    """The least and the greatest with a margin; of no values, 0 to 1."""
    if not values:
        return 0.0, 1.0
    margin = (max(values) - min(values)) * 0.1 or 0.05
    return min(values) - margin, max(values) + margin


def every(items: Sequence, most: int) -> list:
    """At most so many of the items, evenly, with the last."""
    if len(items) <= most:
        return list(items)
    return [items[round(n * (len(items) - 1) / (most - 1))] for n in range(most)]


def ticks(low: float, high: float) -> list[float]:
    return [low + (high - low) * n / 4 for n in range(5)]


def y_axis(frame: Frame) -> str:
    lines = (
        path([(LEFT, frame.y(v)), (WIDTH - frame.right_margin, frame.y(v))], faint=True)
        for v in ticks(frame.bottom, frame.top)
    )
    digits = 2 if frame.top - frame.bottom >= 0.1 else 3
    labels = (
        text(LEFT - 8, frame.y(v) + 4, f"{v:.{digits}f}", "end") for v in ticks(frame.bottom, frame.top)
    )
    return "".join((*lines, *labels))


def x_axis(frame: Frame) -> str:
    return "".join(text(frame.x(v), HEIGHT - 12, f"{v:.2f}") for v in ticks(frame.left, frame.right))


def path(points: Sequence[tuple[float, float]], *, dashed: bool = False, faint: bool = False) -> str:
    if len(points) < 2:
        return ""
    drawn = "M" + "L".join(f"{x:.1f} {y:.1f}" for x, y in points)
    style = ' stroke-dasharray="4 4"' if dashed else ' opacity="0.15"' if faint else ' stroke-width="2"'
    return f'<path d="{drawn}" fill="none" stroke="currentColor"{style}/>'


def dot(x: float, y: float) -> str:
    return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3.5"/>'


def text(x: float, y: float, words: str, anchor: str = "middle") -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" font-size="11">{escape(words)}</text>'


def svg(title: str, told: str, *parts: str, height: float = HEIGHT) -> str:
    head = f"<title>{escape(title)}</title><desc>{escape(told)}</desc>"
    attributes = f'role="img" viewBox="0 0 {WIDTH} {height}" class="arf-plot" fill="currentColor"'
    label = escape(f"{title}. {told}", quote=True)
    body = "".join(parts)
    return f'<svg xmlns="http://www.w3.org/2000/svg" {attributes} aria-label="{label}">{head}{body}</svg>'
