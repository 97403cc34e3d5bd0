"""Where a summary of a decision tells what single Justices wrote apart from the Court: what they would have held is not
what was held. Pure.
"""

import re

from retrieval.text.sentences import sentences

SEPARATE = frozenset({"concurrence", "concurrence in part", "dissent"})  # levels of what Justices themselves wrote
_TELLS = re.compile(
    r"""
      \bdissent(?:s|ed|ing|ers?)?\b(?<!of\sdissent)
    | \bconcurr(?:ed|ing)\b
    | \b(?:[Ii]n|wrote|filed|joined|authored|issued)\s(?:in\s)?(?:an?|the|his|her|their)\s(?:\w+\s){0,3}concurrence\b
    | ^(?:Dissenting|Concurring)\b
    | \bJustices?\s(?:[A-Z][\w.'’-]*[\s,]+){1,6}(?:also\s)?(?:joined|would\shave|(?:wrote|filed)\sseparately)\b
    """,
    re.VERBOSE,
)
_OF_JUSTICES = re.compile(
    r"\b(?:[Jj]ustices?|opinions?|judgment|Jr\.)|^(?:Dissenting|Concurring)\b"
    r"|\b[A-Z][\w.'’]+,?\s(?:also\s)?(?:dissent|concurr)"
)
_OF_COURT = re.compile(r"\s*(?:The|A|In)\s(?:(?:Supreme\s)?Court\b|majority\b|unanimous\b|\d-\d\b|an?\s\d-\d\b)")


def separate_opinions(text: str) -> list[tuple[int, int]]:
    """Spans, each from a sentence that tells of such an opinion to the end of its paragraph, or to where the Court is
    spoken of again.
    """
    found: list[tuple[int, int]] = []
    begun = None
    for start, end in sentences(text):
        said = text[start:end]
        if tells_of_separate_opinion(said):
            begun = start if begun is None else begun
        elif begun is not None and _OF_COURT.match(said):
            found.append((begun, start))
            begun = None
        if begun is not None and "\n" in said:
            found.append((begun, end))
            begun = None
    return [*found, (begun, len(text))] if begun is not None else found


def tells_of_separate_opinion(sentence: str) -> bool:
    said = sentence.strip()
    return bool(_TELLS.search(said) and _OF_JUSTICES.search(said))
