"""Citations in text and in queries, English and Spanish: read, normalised and given their locators.

Cases are those of the United States Reports, by our own grammar, and of the reporters that eyecite knows. eyecite takes
a quarter of a second to import, so it is loaded when something has a reporter's shape. Callers cap texts at 64,000
characters. Pure.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import chain, pairwise, product, takewhile

from retrieval.citations import act_sections, constitution, court_rules, statutes
from retrieval.citations.case_names import CaseNames
from retrieval.citations.citation import Citation, Found, Source, cite, longest
from retrieval.citations.heads import words
from retrieval.citations.reporters import CASE, UNITED_STATES_REPORTS, slug_of, volume_of
from retrieval.citations.spoken import with_figures

LONGEST_QUERY = 200  # characters; a longer query is never only a citation
_MOST_FRAMING = 12  # neutral words at one end of a query that may be left out; each pair of ends is one reading
_LEADING = frozenset(
    words(
        "the text full of what what's whats does do is are say says show me please find search for look "
        "up read open go to see give tell about explain quote display pull cite us u.s u.s.a u.s.c.a usca "
        "u.s.c.s uscs federal s const constitution el la los las texto completo de del que dice es cual "
        "muestrame mostrar muestra ver busca buscar dime lee leer explica explicame establece cita quiere "
        "dicen cuales son establecen disponen significan decir dispone significa sobre abre por favor case of caso "
        "sentencia decision que q"
    )
)
_TRAILING = frozenset(
    words(
        "say says state states mean means read reads provide provides text full please do about is the of "
        "us  u.s united estados unidos los me to et seq constitution exactly actually dice establece dispone significa "
        "dicen establecen disponen significan texto completo por favor de la constitucion case decision ruling que "
        "decidio fallo"
    )
)
_ASKING = frozenset(  # besides, around a name
    words(
        "list which name called when was were has have been did make makes made up form forms belong in amendments 3 "
        "three cuales son lista enumera nombra cuando fue fueron se ha han sido a al forman componen enmiendas tres"
    )
)
_LEADING_CASE = _LEADING | frozenset(
    words("did decidio resolvio sostuvo establecio")
)  # around a decision, besides
_TRAILING_CASE = _TRAILING | frozenset(
    words("decide decided hold held establish resolvio sostuvo establecio")
)
_JOINING = frozenset(words("and the y e la el las los"))  # between the citations of a list
_BARE = re.compile(
    r"""[\s"'¿(]{0,4}(?:(?:the|la|el)\s{1,2})?([a-z0-9ªº](?:[a-z0-9 .-]{0,30}[a-z0-9ªº])?)[\s"'?!.)]{0,4}"""
)
_WORD = re.compile(r"[\w§¶][\w§¶.'&/-]*")
_CODES = ("/us/usc/", "/us/cfr/")
_CASES = (UNITED_STATES_REPORTS, CASE, "/us/in-dec/")
_CASE_NAME = re.compile(
    r"[^0-9]{2,80}\s(?:v|vs)\.?\s[^0-9]{2,80},?\s*|(?:matter of|in re)\s[^0-9]{2,80},?\s*"
)
_EDITION = re.compile(r"^\s{0,2}\([a-z. ]{0,20}[0-9]{4}\)")  # of the Code: "(2018)", "(West 2020)"
_CASE_END = re.compile(
    r"(?:(?:,\s?(?:at\s)?|\s{1,2}at\s)[0-9]{1,4}(?:-[0-9]{1,4})?)?\s{0,2}(?:\([^()]{0,40}[0-9]{4}\))?[\s.?]*"
)


def find_citations(text: str, *, asked: bool = False, names: CaseNames | None = None) -> tuple[Citation, ...]:
    """Citations in running text, in order and not overlapping; of two that overlap the longer.

    Lists and ranges give one citation each: "Fifth and Fourteenth Amendments" two, "First through Fourth
    Amendments" four, of which those between the ends have an empty text at the second end. Of a range of
    sections of a code only the ends are given, but in a question that is `asked` all; there a number alone may be a
    section, too: "section 1983". Cases are also found by those `names`, where none is cited by its reporter.
    """
    source = Source.of(text)
    kept = _cited(source, asked=asked, names=names)
    if not kept and asked and (figures := with_figures(source)):
        source, kept = figures, _cited(figures, asked=True)
    cited = (citation for match in kept for citation in source.citations(match))
    return tuple(c for c in cited if asked or c.text or not c.locator.startswith(_CODES))


def _cited(source: Source, *, asked: bool, names: CaseNames | None = None) -> list[Found]:
    law = (statutes.find(source), court_rules.find(source, loose=False), constitution.find(source))
    found = [*chain(*law), *cases(source, names=names, turned=asked)]
    if asked:
        cited = {item.locator for match in found for item in match.items}
        known = chain(act_sections.known_by_number(source), court_rules.known_by_number(source))
        found += [match for match in known if match.items[0].locator not in cited]
    return longest(found, len(source.folded))


def only_citation(text: str) -> Citation | None:
    """The one citation a whole query consists of; else None."""
    cited = whole_citations(text)
    return cited[0] if len(cited) == 1 else None


def whole_citations(
    text: str, *, names: CaseNames | None = None, short_names: bool = True
) -> tuple[Citation, ...]:
    """The citations a whole query consists of, neutral words ("what does ... say?") apart; else none. By a short name
    alone, "Lochner", a case is cited where `short_names` are read.

    Reads forms too loose for running text: "fifth", "art 1 s 8 c 3", "2nd ammendment", "14A", "5th and 14th".
    """
    if len(text) > LONGEST_QUERY:
        return ()
    for source in _readings(text):
        called = names.all_of(source) if names and short_names else ()
        if match := next(chain(_bare(source), _whole(source, names, short_names), called), None):
            return tuple(source.citations(match))
    return ()


def _readings(text: str) -> Iterator[Source]:
    """As it is written, then with its numbers in figures."""
    yield (written := Source.of(text))
    yield from filter(None, (with_figures(written),))


def unframed(text: str) -> Iterator[str]:
    """A whole query, folded, with ever fewer of the neutral words at its ends: what it may name. None of a long one."""
    if len(text) > LONGEST_QUERY:
        return
    folded = Source.of(text).folded
    said = list(_WORD.finditer(folded))
    first = len(list(takewhile(lambda word: word[0].rstrip(".") in _LEADING | _ASKING, said)))
    last = len(list(takewhile(lambda word: word[0].rstrip(".") in _TRAILING | _ASKING, reversed(said))))
    for start, end in product(range(min(first, _MOST_FRAMING) + 1), range(min(last, _MOST_FRAMING) + 1)):
        if start + end < len(said):
            yield folded[said[start].start() : said[-1 - end].end()]


def absent_provision(text: str) -> str | None:
    """What a whole query asks for, where it is an amendment or article that the Constitution does not have, a section
    that an act does not, or of a title or volume that no code, manual or reporter has.
    """
    if len(text) > LONGEST_QUERY:
        return None
    for source in _readings(text):
        absent = constitution.absent(source.folded)
        cited = chain(statutes.find_beyond(source), _us_reports(source, loose=True, beyond=True))
        beyond = ((f.start, f.end, cite(f.items[0].locator)) for f in cited)
        of_acts = act_sections.find_beyond(source)
        for start, end, name in (*([absent] if absent else ()), *beyond, *of_acts):
            if _are_all(source.folded[:start], _LEADING) and _are_all(source.folded[end:], _TRAILING):
                return name
    return None


def unprinted(text: str) -> Iterator[Citation]:
    """Citations in running text of volumes of the U.S. Reports that are not printed."""
    source = Source.of(text)
    for found in _us_reports(source, loose=False, beyond=True):
        yield from source.citations(found)


def _bare(source: Source) -> Iterator[Found]:
    bare = _BARE.fullmatch(source.folded)
    found = constitution.find_bare(source, *bare.span(1)) if bare else None
    if found := found or constitution.find_bare_list(source):
        yield found


def _whole(source: Source, names: CaseNames | None, short_names: bool) -> Iterator[Found]:
    """The longest match, if nothing but neutral words stands around it; as one list several of law that are joined:
    "la primera enmienda y la segunda enmienda".
    """
    cited = chain(
        statutes.find(source, loose=True),
        court_rules.find(source, loose=True),
        cases(source, loose=True, names=names, short_names=short_names),
        constitution.find_loose(source),
        act_sections.known_by_number(source, loose=True),
        court_rules.known_by_number(source),
    )
    found = longest(cited, len(source.folded))
    if len(found) == 1 and _is_framed(source.folded, found[0]):
        yield found[0]
    elif len(found) > 1 and _are_joined(source.folded, found):
        items = (replace(item, start=start, end=end) for match in found for start, end, item in match.spans())
        yield Found(found[0].start, found[-1].end, tuple(items))


def _are_joined(folded: str, found: Sequence[Found]) -> bool:
    if any(item.locator.startswith(_CASES) for match in found for item in match.items):
        return False
    between = (folded[one.end : other.start] for one, other in pairwise(found))
    return is_framed(folded, found[0].start, found[-1].end) and all(_are_all(text, _JOINING) for text in between)


def _is_framed(folded: str, match: Found) -> bool:
    before, after = folded[: match.start], _EDITION.sub("", folded[match.end :])
    if match.items[0].locator.startswith(_CASES):
        named = _CASE_NAME.fullmatch(before.lstrip()) or not before.strip()
        if named and _CASE_END.fullmatch(after):
            return True
        return _are_all(before, _LEADING_CASE) and _are_all(after, _TRAILING_CASE)
    return _are_all(before, _LEADING) and _are_all(after, _TRAILING)


def is_framed(folded: str, start: int, end: int) -> bool:
    """Whether nothing but neutral words stands around a part of a folded query."""
    return _are_all(folded[:start], _LEADING) and _are_all(folded[end:], _TRAILING)


def _are_all(text: str, neutral: frozenset[str]) -> bool:
    return all(word[0].rstrip(".") in neutral for word in _WORD.finditer(text))


_PARTY = r"[^\W\d][^\d?!;:()]{1,50}?"
_ONLY_NAME = re.compile(
    rf"(?:(?:the|el)\s(?:case|caso)\s(?:of\s|de\s)?)?(?P<one>{_PARTY})\s(?P<against>v|vs|versus|contra)\.?\s(?P<other>{_PARTY})\W*",
    re.IGNORECASE,
)
LAST_VOLUME = 650  # of the U.S. Reports that a citation may name, with room for years to come
_US_REPORTS = re.compile(
    r"(?<![a-z0-9.,$-])(?P<volume>[0-9]{1,3})\s{0,2}(?P<name>u\.\s?s\.|u s|us)(?:\s?\([0-9]{1,2} [a-z]{3,8}\.?\))?"
    r",?\s{0,2}(?:at\s{1,2})?(?P<page>[0-9]{1,4})(?![0-9a-z%$]|,[0-9]{3}|\.[0-9])"
)
_NOMINATIVE = re.compile(  # "How." and "Black" are words, too
    r"(?<![a-z0-9.,$(-])(?P<volume>[0-9]{1,2})\s{1,2}(?P<name>cranch|black|dall|wheat|pet|how|wall)(?P<stop>\.)?"
    r"(?:,?\s{1,2}at)?\s{1,2}(?P<page>[0-9]{1,4})(?![0-9a-z%$]|,[0-9]{3}|\.[0-9]|[\s-]years?\b)"
)
_WITHOUT_STOP = ("cranch", "black")
_NO_WORDS = ("cranch", "dall", "wheat")  # that are read in small letters and without a full stop, in a question
_COUNTED = re.compile(
    r"\s{1,2}(?:dollars?|million|billion|thousand|percent|people|soldiers|troops|states|citizens|cents)\b"
)
_REPORTER_WORD = r"[A-Z][A-Za-z']{0,11}\.?|&|[23]d|[4-9]th"
_READ_ELSEWHERE = (  # in the United States Reports, above, or among the statutes
    r"(?:U\.?\s?S\.?(?:\s?C(?:ode\b|\.)?)?|Stat\.|Fed\.?\s?Reg\.|[CF]\.?\s?(?:F\.?\s?)?R\.?"
    r"|I\.?\s?&\s?N\.?(?:\s?Dec\.?)?)"
)
_REPORTER_SHAPE = re.compile(
    rf"(?<![A-Za-z0-9.,$-])[0-9]{{1,4}}\s{{1,2}}(?!{_READ_ELSEWHERE}\s{{1,2}}[0-9])"
    rf"(?:(?>{_REPORTER_WORD})\s{{0,2}}){{1,6}}(?:(?:(?<=\s)|,\s)at)?\s[0-9]{{1,5}}(?![0-9A-Za-z])"
)
_LOOKS_ABBREVIATED = re.compile(r"\.|[0-9]d\b|[0-9]th\b|\s[A-Z] ?(?:Supp|Ct|Ed|App)\b")


def cases(
    source: Source,
    *,
    loose: bool = False,
    names: CaseNames | None = None,
    short_names: bool = True,
    turned: bool = False,
) -> Iterator[Found]:
    by_reporter = [*_us_reports(source, loose=loose), *_nominative(source, loose=loose), *_other_reporters(source)]
    yield from by_reporter
    if names and not by_reporter:
        yield from names.find(source, turned=turned)
        yield from names.asked_about(source) if short_names else ()
        yield from names.by_party(source) if short_names and not loose else ()


def named_case(text: str) -> str:
    """The name of a case that is all of a query, "Roe v. Wade", neutral words apart; else nothing. Between small
    letters only "v" makes one: what "versus" and "contra" stand between may be compared, or done to somebody.
    """
    source = Source.of(text)
    named = _ONLY_NAME.fullmatch(source.visible.strip()) if len(text) <= LONGEST_QUERY else None
    if not named:
        return ""
    one, other = named["one"].strip(), named["other"].strip(" .?")
    is_name = named["against"].lower() == "v" or all(map(_has_capital, (one, other)))
    return f"{one} v. {other}" if is_name else ""


def _has_capital(party: str) -> bool:
    return any(word[0].isupper() and word.lower() not in _LEADING for word in party.split())


def _us_reports(source: Source, *, loose: bool, beyond: bool = False) -> Iterator[Found]:
    """Decisions by volume and page; or those `beyond` the last volume."""
    for match in _US_REPORTS.finditer(source.folded):
        volume, page = int(match["volume"]), int(match["page"])
        capital = source.written(match, "name").isupper()
        if not (volume and (volume > LAST_VOLUME) == beyond and page and (capital or loose)):
            continue
        if not _COUNTED.match(source.folded, match.end()):
            yield Found.one(*match.span(), f"/us/scotus/{volume}/{page}")


def _nominative(source: Source, *, loose: bool) -> Iterator[Found]:
    """Decisions of the first ninety volumes by who reported them: "1 Cranch 137"."""
    for match in _NOMINATIVE.finditer(source.folded):
        name, volume = match["name"], volume_of(match["name"], int(match["volume"]))
        is_written = (match["stop"] or name in _WITHOUT_STOP) and source.written(match, "name")[0].isupper()
        is_counted = _COUNTED.match(source.folded, match.end())
        if volume and not is_counted and (is_written or (loose and name in _NO_WORDS)):
            yield Found.one(*match.span(), f"{UNITED_STATES_REPORTS}{volume}/{int(match['page'])}")


def _other_reporters(source: Source) -> Iterator[Found]:
    for match in _REPORTER_SHAPE.finditer(source.visible):
        known = _by_eyecite(match[0]) if _LOOKS_ABBREVIATED.search(match[0]) else None
        if known:
            yield Found.one(*match.span(), *known)


@lru_cache(maxsize=1024)
def _by_eyecite(text: str) -> tuple[str, str] | None:
    """Locator and normalised citation, where eyecite knows the reporter."""
    from eyecite import get_citations
    from eyecite.models import CaseCitation

    for citation in get_citations(text):
        if isinstance(citation, CaseCitation) and citation.span() == (0, len(text)):
            groups, slug = citation.groups, slug_of(citation.corrected_reporter())
            return f"{CASE}{slug}/{groups['volume']}/{groups['page']}", citation.corrected_citation()
    return None
