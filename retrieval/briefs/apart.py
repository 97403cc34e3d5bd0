"""Whether a brief says that what it quotes is of a dissent or concurrence, and whether that is so. Pure."""

import re
from collections.abc import Sequence

from retrieval.briefs.citing import Cited
from retrieval.briefs.library import Source
from retrieval.briefs.quoting import Quotation, Unit
from retrieval.text.separate_opinions import SEPARATE

_KIND = r"\b(?:[Dd]issent|DISSENT|[Cc]oncurr|[Dd]isiden|[Dd]isintió|[Cc]oncurrente|[Vv]oto particular)"
# Right behind a citation, its pages and its year: "(Black, J., dissenting)".
_IN_BRACKETS = re.compile(rf"[^;()\n]{{0,40}}(?:\([^()]{{0,40}}\d{{4}}\)\s?)?\([^()]{{0,80}}?{_KIND}[^()]*\)")
_TOLD = re.compile(rf"{_KIND}|\bJJ?\.[,)]|\b(?:opinion of|separate opinion)\b")


def is_cited_apart(text: str, cited: Cited) -> bool:
    """Whether the brackets behind a citation say so."""
    return _IN_BRACKETS.match(text, cited.end) is not None


def is_of_another_opinion(
    text: str, quotation: Quotation, cited: Cited, among: Sequence[Unit], source: Source
) -> bool:
    """Whether its words are a Justice's own and the brief does not say so in the sentence or the one before, or the
    brackets say so and they are not.
    """
    if source.opinion not in SEPARATE:
        return bool(source.opinion) and is_cited_apart(text, cited)
    place = next((n for n, unit in enumerate(among) if unit.start <= quotation.start < unit.end), 0)
    near = among[max(0, place - 1) : place + 1]
    said = [text[unit.start : unit.end] for unit in near if "\n\n" not in text[unit.start : quotation.start]]
    return not (is_cited_apart(text, cited) or any(map(_TOLD.search, said)))
