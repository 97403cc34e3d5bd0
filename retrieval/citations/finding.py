"""Citations in text and in queries, English and Spanish: read, normalised and given their locators.

Pure; eyecite is imported when the first citation of a reporter is met. Callers cap texts at 64,000 characters.
"""

import re
from collections.abc import Iterator
from itertools import chain

from retrieval.citations import absent, cases, constitution, statutes
from retrieval.citations.citation import Citation, Found, Source, longest
from retrieval.citations.numerals import words

_LONGEST_QUERY = 200  # characters; a longer query is never only a citation
_LEADING = frozenset(
    words(
        "the text full of what what's whats does do is are say says show me please find search for look "
        "up read open go to see give tell about explain quote display pull cite us u.s u.s.a u.s.c.a usca "
        "u.s.c.s uscs federal s const constitution el la los las texto completo de del que dice es cual "
        "muestrame mostrar muestra ver busca buscar dime lee leer explica explicame establece cita quiere "
        "decir dispone significa sobre abre por favor"
    )
)
_TRAILING = frozenset(
    words(
        "say says state states mean means read reads provide provides text full please do about is the of "
        "us  u.s me to et seq constitution exactly actually dice establece dispone significa texto "
        "completo por favor de la  constitucion"
    )
)
_BARE = re.compile(
    r"""[\s"'¿(]{0,4}(?:(?:the|la|el)\s{1,2})?([a-z0-9ªº](?:[a-z0-9 .-]{0,30}[a-z0-9ªº])?)[\s"'?!.)]{0,4}"""
)
_WORD = re.compile(r"[\w§¶][\w§¶.'&/-]*")
_CASES = ("/us/scotus/", "/us/case/", "/us/in-dec/")
_CASE_NAME = re.compile(
    r"[^0-9]{2,80}\s(?:v|vs)\.?\s[^0-9]{2,80},?\s*|(?:matter of|in re)\s[^0-9]{2,80},?\s*"
)
_CASE_END = re.compile(
    r"(?:,\s?(?:at\s)?[0-9]{1,4}(?:-[0-9]{1,4})?)?\s{0,2}(?:\([^()]{0,40}[0-9]{4}\))?[\s.?]*"
)


def find_citations(text: str) -> tuple[Citation, ...]:
    """Citations in running text, in order and not overlapping; of two that overlap the longer.

    Lists and ranges give one citation each: "Fifth and Fourteenth Amendments" two, "First through Fourth
    Amendments" four, of which those between the ends have an empty text at the second end. Of a range of
    sections of a code only the ends are given.
    """
    source = Source.of(text)
    found = chain(statutes.find(source), cases.find(source), constitution.find(source))
    kept = longest(found, len(source.folded))
    return tuple(citation for match in kept for citation in source.citations(match))


def only_citation(text: str) -> Citation | None:
    """The one citation a whole query consists of; else None."""
    cited = whole_citations(text)
    return cited[0] if len(cited) == 1 else None


def whole_citations(text: str) -> tuple[Citation, ...]:
    """The citations a whole query consists of, neutral words ("what does ... say?") apart; else none.

    Reads forms too loose for running text: "fifth", "art 1 s 8 c 3", "2nd ammendment", "14A", "5th and 14th".
    """
    if len(text) > _LONGEST_QUERY:
        return ()
    source = Source.of(text)
    match = next(chain(_bare(source), _whole(source)), None)
    return tuple(source.citations(match)) if match else ()


def absent_provision(text: str) -> str | None:
    """What a whole query asks for, where it is an amendment or article that the Constitution does not have."""
    if len(text) > _LONGEST_QUERY:
        return None
    folded = Source.of(text).folded
    found = absent.find(folded)
    if found is None:
        return None
    start, end, name = found
    return name if _are_all(folded[:start], _LEADING) and _are_all(folded[end:], _TRAILING) else None


def _bare(source: Source) -> Iterator[Found]:
    bare = _BARE.fullmatch(source.folded)
    found = constitution.find_bare(source, *bare.span(1)) if bare else None
    if found := found or constitution.find_bare_list(source):
        yield found


def _whole(source: Source) -> Iterator[Found]:
    """The longest match, if nothing but neutral words stands around it."""
    found = longest(
        chain(
            statutes.find(source, loose=True),
            cases.find(source, loose=True),
            constitution.find_loose(source),
        ),
        len(source.folded),
    )
    if len(found) == 1 and _is_framed(source.folded, found[0]):
        yield found[0]


def _is_framed(folded: str, match: Found) -> bool:
    before, after = folded[: match.start], folded[match.end :]
    if match.items[0].locator.startswith(_CASES):
        named = _CASE_NAME.fullmatch(before.lstrip()) or not before.strip()
        if named and _CASE_END.fullmatch(after):
            return True
    return _are_all(before, _LEADING) and _are_all(after, _TRAILING)


def _are_all(text: str, neutral: frozenset[str]) -> bool:
    return all(word[0].rstrip(".") in neutral for word in _WORD.finditer(text))
