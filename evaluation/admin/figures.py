"""Estimates and tables as the admin's pages write them."""

from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import gettext_lazy

# What `errors_of` gives.
ERRORS = (gettext_lazy("calibration error: first results"), gettext_lazy("those of first pages"))


def interval(estimate: dict, form: str = ".3f") -> str:
    return f"{estimate['mean']:{form}} [{estimate['low']:{form}}, {estimate['high']:{form}}]"


def bullets(texts) -> SafeString:
    return format_html("<ul>{}</ul>", format_html_join("", "<li>{}</li>", ((text,) for text in texts)))


def table(head: list, rows: list[list], name: str) -> SafeString:
    """`name` is what a reader hears of it; it scrolls by itself where it is too wide."""
    cells = format_html_join("", '<th scope="col">{}</th>', ((each,) for each in head))
    lines = format_html_join(
        "",
        '<tr><th scope="row">{}</th>{}</tr>',
        (
            (row[0], format_html_join("", '<td class="number">{}</td>', ((v,) for v in row[1:])))
            for row in rows
        ),
    )
    return format_html(
        '<div class="arf-account"><div class="scroll" tabindex="0" role="region" aria-label="{}">'
        "<table><thead><tr>{}</tr></thead><tbody>{}</tbody></table></div></div>",
        name,
        cells,
        lines,
    )


def errors_of(calibration: dict | None) -> list[str]:
    """Each beside what perfect probabilities would have by chance; of too few questions nothing is told."""
    if not calibration:
        return ["–"] * len(ERRORS)
    return [f"{told['error']:.3f} ({told['by_chance']:.3f})" for told in (calibration["first"], calibration["page"])]
