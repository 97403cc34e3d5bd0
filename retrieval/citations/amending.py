"""Questions that ask what changed, repealed or replaced a cited provision or overruled a decision, in English and
Spanish. Pure.
"""

import re
from collections.abc import Collection, Iterator

from retrieval.citations.case_names import CaseNames
from retrieval.citations.citation import Citation, Source
from retrieval.citations.finding import find_citations, whole_citations
from retrieval.citations.reporters import CASE, UNITED_STATES_REPORTS

_LONGEST = 300  # characters; a longer text tells a situation
_VERB = re.compile(
    r"\b(?:amend(?:ed|s)?|chang(?:e[ds]?|es|ing)|repeal(?:ed|s|ing)?|replac(?:e[ds]?|ing)|supersed(?:e[ds]?|ing)|overrul(?:e[ds]?|ing)"
    r"|modif(?:y|ie[ds]|ying)|overturn(?:ed|s)?|overr(?:ode|ides?|idden)|undid|undone|undo|abolish(?:ed|es)?"
    r"|alter(?:ed|s)?|revok(?:e[ds]?|ing)|rescind(?:ed|s)?|ended|cancell?ed|annull?ed|rewrote|rewritten"
    r"|(?:repeal|replacement|modification|changes?)(?=\s(?:of|to|in)\b)"
    r"|derog(?:o|a|aron|ad[oa]s?|acion)|cambi(?:o|a|aron|ad[oa]s?|os)|modific(?:o|a|aron|ad[oa]s?|acion|aciones)"
    r"|reemplaz(?:o|a|aron|ad[oa]s?)|sustitu(?:yo|ye|yeron|id[oa]s?)|substitu(?:yo|ye|yeron|id[oa]s?)"
    r"|anul(?:o|a|aron|ad[oa]s?)|abol(?:io|ieron|id[oa]s?)|revoc(?:o|a|aron|ad[oa]s?)|reform(?:o|aron|ad[oa]s?)"
    r"|enmend(?:o|aron|ad[oa]s?)|alter(?:o|aron|ad[oa]s?)|suprim(?:io|ieron|id[oa]s?)|dej(?:o|aron) sin efecto)\b"
)
_PASSIVE = re.compile(
    r"\b(?:was|were|is|are|been|being|got|gets?|fue|fueron|es|son|sido|esta|estan|ser|se)\b[^?]{0,40}$"
)
_POSSIBLE = re.compile(
    r"\b(?:can|could|may|might|must|should|would|how (?:do|to|does one)|puede|pueden|podria|podrian|debe|deberia)\b"
)
_PERSONAL = re.compile(  # the numeral of "article I" apart
    r"(?<!article )(?<!articulo )(?<!\bart )(?<!\bart\. )\bi\b"
    r"|\b(?:my|me|we|our|he|she|his|her|they|their|yo|mi|mis|nos|nuestr[oa]s?|su|sus)\b"
)
_STILL_LAW = re.compile(r"\b(?:still|good law|bad law|sigue|continua|todavia|aun|vigente|en vigor)\b")
_BREAK = re.compile(r"[,;:.?!]\s")
_AGENT = re.compile(r"\b(?:by|with|through|por|mediante|con)\b")
_AMENDMENT = re.compile(r"\b(?:amendments?|enmiendas?)\b")
_EITHER_WAY = re.compile(r"\W*que\W*")
_WHAT = re.compile(r"\W*(?:what|which|que|cuales)\b")
_AT_END = re.compile(
    r"(?:\s(?:in|of|from|de|en)\s(?:the|la)\s(?:original\s)?(?:constitution|constitucion)(?:\soriginal)?)?\W*"
)
_OBJECT = re.compile(r"\s+al?\b")
_NUMBER = re.compile(r"\W*(?:a\s)?(?:the|la|el|al|n[.oº°]*)?\s*(\w{1,20}(?:\s\w{1,12})?)\W*")


def changed_provisions(
    text: str, changing: Collection[str] = (), names: CaseNames | None = None
) -> tuple[Citation, ...]:
    """The provisions of which a question asks what changed them; else none. "What did the 12th amendment change" asks
    what it did, not what was done to it, and "can Congress change it" what may be. "Qué cambió la enmienda 14" asks
    what it did if it is one of those that are known to be `changing` others. Of decisions, by their `names` too, it may
    also ask whether they are law still.
    """
    source = Source.of(text)
    if not _asks(source):
        return ()
    cited = find_citations(text, names=names)
    return next(filter(None, _readings(source, cited, changing)), ()) or _doubted(source, cited)


def changing_provisions(
    text: str, changing: Collection[str] = (), names: CaseNames | None = None
) -> tuple[Citation, ...]:
    """The provisions of which a question asks what they changed, no more: "what did the 12th amendment change"; else
    none. It leaves out what `changed_provisions` reads.
    """
    source = Source.of(text)
    if not _asks(source) or not _WHAT.match(source.folded):
        return ()
    cited = find_citations(text, names=names)
    for verb in _VERB.finditer(source.folded):
        start, end = source.span(*verb.span())
        if _may_be_subject(source, verb):
            return tuple(c for c in cited if c.start >= end and c.locator in changing)
        if agent := _AGENT.match(source.folded, verb.end() + 1):
            return tuple(c for c in cited if c.start >= source.span(*agent.span())[1])
        if _AT_END.fullmatch(source.folded, verb.end()) and not _is_passive(source, verb):
            return tuple(c for c in cited if c.end <= start)
    return ()


def changed_words(text: str) -> Iterator[str]:
    """What else the question may name as changed, for whoever knows names: "… replaced the fugitive slave clause"."""
    source = Source.of(text)
    if _asks(source):
        for verb in _VERB.finditer(source.folded):
            start, end = source.span(*verb.span())
            passive = _is_passive(source, verb)
            yield source.original[end : _object_end(source, verb, passive=passive)]
            if passive:
                yield source.original[:start]


def _asks(source: Source) -> bool:
    refusals = (_POSSIBLE, _PERSONAL)
    return len(source.original) <= _LONGEST and not any(no.search(source.folded) for no in refusals)


def _doubted(source: Source, cited: Collection[Citation]) -> tuple[Citation, ...]:
    """The decisions of which it is asked whether they are law still."""
    asked = _STILL_LAW.search(source.folded)
    return tuple(c for c in cited if asked and c.locator.startswith((UNITED_STATES_REPORTS, CASE)))


def _readings(
    source: Source, cited: Collection[Citation], changing: Collection[str]
) -> Iterator[tuple[Citation, ...]]:
    """What each verb of change is about: what follows it, or in the passive what stands before it."""
    for verb in _VERB.finditer(source.folded):
        start, end = source.span(*verb.span())
        passive = _is_passive(source, verb)
        stop = _object_end(source, verb, passive=passive)
        after = tuple(c for c in cited if end <= c.start < stop) or _bare(source, verb, stop)
        may_be_subject = _may_be_subject(source, verb)
        yield tuple(c for c in after if not (may_be_subject and c.locator in changing))
        if passive:
            yield tuple(c for c in cited if c.end <= start)


def _may_be_subject(source: Source, verb: re.Match[str]) -> bool:
    """Whether what follows the verb may be what changed: "qué cambió la enmienda 14", not "… a la enmienda 14"."""
    asked = _EITHER_WAY.fullmatch(source.folded, 0, verb.start())
    return bool(asked) and not _OBJECT.match(source.folded, verb.end())


def _is_passive(source: Source, verb: re.Match[str]) -> bool:
    return bool(_PASSIVE.search(source.folded, 0, verb.start()))


def _object_end(source: Source, verb: re.Match[str], *, passive: bool) -> int:
    """Where what a verb is about must have begun: before another clause, and before who did it."""
    agent = _AGENT.search(source.folded, verb.end())
    named = agent if agent and (passive or agent.start() - verb.end() == 1) else None
    ends = (named, _BREAK.search(source.folded, verb.end()))
    return min((source.span(*end.span())[0] for end in ends if end), default=len(source.original))


def _bare(source: Source, verb: re.Match[str], stop: int) -> tuple[Citation, ...]:
    """ "Which amendment repealed the 18th", "qué enmienda derogó la 18": a number alone, where amendments are meant."""
    if not _AMENDMENT.search(source.folded, 0, verb.start()):
        return ()
    number = _NUMBER.fullmatch(source.original[source.span(*verb.span())[1] : stop])
    return (whole_citations(number[0]) or whole_citations(f"amendment {number[1]}")) if number else ()
