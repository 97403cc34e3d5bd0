"""Citations of the US Constitution in English and Spanish: strict in running text, loose where the whole query is one;
and what around an amendment or article makes it the Constitution's, or another text's.

Pure. "Article 2 of the Uniform Commercial Code", "the first amendment to the lease", "Cal. Const. art. I"
and "an amendment 2 years ago" are not citations of the Constitution.
"""

import re
from collections.abc import Iterator
from dataclasses import replace
from itertools import chain, islice, zip_longest

from retrieval.citations.citation import Found, Item, Source, cite
from retrieval.citations.heads import (
    BETWEEN,
    LAST,
    LOOSE_TAIL,
    NUMBER,
    ROMAN,
    TAIL,
    Head,
    Number,
    bare_list,
    heads,
    is_ordinal,
    is_spanish,
    longest_first,
    number_at,
    read,
    with_tail,
    words,
)
from retrieval.parsing.designators import in_roman

_REACH = 80  # characters read on either side

_US = r"(?:u\.?\s?s\.?(?:\s?a\.?)?|united states|federal|american)"
_OF_US = (
    r"(?:\s{1,2}of\s{1,2}(?:the\s{1,2}united states(?:\s{1,2}of\s{1,2}america)?|america)"
    r"|\s{1,2}de\s{1,2}(?:los\s{1,2})?(?:estados unidos(?!\s{1,2}mexicanos)(?:\s{1,2}de\s{1,2}america)?"
    r"|ee\.?\s?uu\.?|eeuu|america)|\s{1,2}(?:federal|estadounidense|americana)\b)"
)
_NAMED = rf"(?:{_US}\s{{1,2}})?(?:const\.|\bconst\b|\bconstitution\b|\bconstitucion\b)(?:'s)?{_OF_US}?(?![a-z])"
_CONSTITUTION_BEFORE = re.compile(rf"(?<![a-z.])(?:the\s{{1,2}})?{_NAMED}[\s,:;]{{1,3}}(?:(?:the|la|el)\s{{1,2}})?\Z")
_CONSTITUTION_AFTER = re.compile(
    r"\s{0,2}[,(]?\s{1,2}(?:of|to|in|under|from|de|a|en)\s{1,2}(?:(?:the|la|our|this|nuestra)\s{1,2})?" + _NAMED
)

_STATES = words(
    "alabama alaska arizona arkansas california colorado connecticut delaware florida georgia hawaii idaho illinois "
    "indiana iowa kansas kentucky louisiana maine maryland massachusetts michigan minnesota mississippi missouri "
    "montana nebraska nevada hampshire jersey mexico york carolina dakota ohio oklahoma oregon pennsylvania rico "
    "island tennessee texas utah vermont virginia washington wisconsin wyoming guam calif tex fla mass mich minn penn "
    "ariz colo conn wash wis tenn okla"
)
_COUNTRIES = words(
    "african argentine argentina australia australian brazilian british bolivian canada canadian chilean chinese "
    "colombian cuban cuba dutch espana espanola france french german germany indian india iraqi irish ireland israeli "
    "italian italy japan japanese kenyan korean mexican mexicana mexicano peruvian philippine polish russian spanish "
    "spain swiss turkish ukrainian venezuelan confederate soviet eu european europea"
)
_OTHER_LAW = words(
    "accord acuerdo act agreement articles bill budget bylaws by-laws charter code codigo complaint confederation "
    "constituent contract contrato convencion convenio convention covenant declaration decree deed echr estatuto "
    "estatutos gdpr iccpr indenture lease ley loan memorandum model nato ordinance pact policy protocol regulation "
    "reglamento resolution rgpd statute statutes tfeu tratado treaty trips ucc u.c.c ucmj u.c.m.j udhr uniform cplr "
    "magazine journal newspaper"
)
_STATE_WORDS = words("state state's states' estatal provincial county city tribal club union")
_ELSEWHERE = {*_STATES, *_COUNTRIES}
_OTHER = {*_ELSEWHERE, *_OTHER_LAW, *_STATE_WORDS}
_ABBREVIATION = re.compile(r"(?!see|cf|the)[a-z]{1,5}\.(?:[a-z]\.)?")  # "Cal.", "N.Y."
_LAST_WORD = re.compile(r"([a-z][a-z.'-]{0,24})[\s,]{0,3}(?:\(?the\s{1,2})?\Z")
_OTHER_CONSTITUTION_BEFORE = re.compile(
    rf"\b(?:constitution|constitucion)(?!{_OF_US})\s{{1,2}}(?:of|de|del)\s{{1,2}}[a-z ]{{2,40}}[\s,:]{{1,3}}\Z"
)
_OTHER_CONSTITUTION_AFTER = re.compile(
    r"\s{0,2},?\s{1,2}(?:of|to|in|under|de|a|en)\s{1,2}(?:[a-z.'-]{1,20}\s{1,2}){1,5}(?:constitution|const\.)"
    r"|\s{0,2},?\s{0,2}\(?(?:" + "|".join(sorted(_ELSEWHERE)) + r")(?:'s)?\s{1,2}const"
)
_FURTHER_OF = re.compile(
    r"\s{1,2}(?:of|de|del)\s{1,2}|\s{1,2}(?:mexicana|espanola|argentina|chilena|colombiana|peruana|politica|estatal)\b"
)

_DOCUMENT = (
    r"(?:act|agreement|articles|budget|bill|by-?laws?|charter|code|complaint|contract|convention|covenant|"
    r"credit|declaration|decree|deed|handbook|indenture|invoice|law|lease|licen[cs]e|loan|memorandum|merger|mortgage|"
    r"mou|motion|note|offer|order|ordinance|permit|petition|plan|policy|proposal|protocol|regulations?|"
    r"registration|resolution|rules?|schedule|settlement|statute|subscription|treaty|trust|ucc|will|"
    r"acuerdo|arrendamiento|codigo|contrato|convenio|demanda|estatutos?|ley|poliza|presupuesto|reglamento|"
    r"testamento|tratado)"
)
_TO_A_DOCUMENT = re.compile(
    rf"\s{{1,2}}(?:of|to|al|a\s{{1,2}}(?:las?|los|este|esta|una?|mi|su)|del?)\s{{1,2}}(?:[a-z0-9.'&-]{{1,20}}\s{{1,2}}){{0,4}}{_DOCUMENT}(?![a-z])"
)
_APPLIES = re.compile(
    r"\b(?:appl[a-z]{1,7}|extend[a-z]{0,3}|extension|incorporat[a-z]{1,4}|violat[a-z]{1,4})\s{1,2}"
    r"(?:of\s{1,2})?(?:the\s{1,2})?\Z"
)
_OF_ANOTHER_TEXT = re.compile(
    r"\s{0,2},?\s{1,2}(?:of|del?)\s{1,2}|\s{1,2}constitucional\b|\s{1,2}(?:in|to|under|from|on|en|al?)\s{1,2}"
    rf"(?:[a-z.'&-]{{1,20}}\s{{1,2}}){{0,3}}(?:{_DOCUMENT}|newspaper|magazine|journal|paper|blog|book|periodico|revista)"
    r"(?![a-z])"
)
_DEEPER_NUMBER = re.compile(r"[-.:/][0-9]|%|\([0-9a-z]{1,3}\)|\s?(?:am|pm)\b|,[0-9]{3}")
_UNIT = re.compile(
    r"\s{1,2}(?:more\s{1,2}|other\s{1,2}|different\s{1,2}|new\s{1,2})?(?:years?|yrs?|days?|months?|weeks?|hours?|"
    r"minutes?|times|people|pages?|percent|per cent|million|billion|hundred|thousand|dollars?|votes?|points?|"
    r"lbs?|pounds?|kg|kilos?|libras?|gallons?|bags?|copies|members|senators|sections|articles|amendments|anos|dias|meses|horas|veces|personas|paginas|"
    r"reasons|ways|tips|things|steps|facts|ideas|razones|consejos|pasos|formas|maneras|cosas)\b"
)
_AFTER_I = re.compile(
    r"\s{1,2}(?:am|was|have|had|has|read|wrote|write|saw|see|found|find|like|liked|love|loved|need|want|wanted|"
    r"think|thought|just|recently|really|mentioned|cited|sent|shared|posted|published|proposed|drafted|offered|"
    r"support|supported|oppose|would|could|should|will|can|can't|don't|didn't|do|did|used|know|knew|got|made|"
    r"made|remember|also|never|once|ever|submitted|introduced|voted|came|looked|believe|heard|quoted|linked)\b"
)
_INDEFINITE = re.compile(r"\b(?:an?|another|una?|otra|each|every|any)\s{1,2}\Z")
_LEGAL_NOUN = re.compile(
    r"\s{1,2}(?:rights?|claims?|violations?|issues?|cases?|challenges?|defen[sc]es?|analysis|protections?|"
    r"questions?|interests?|problems?|freedoms?|jurisprudence|liberty|retaliation|search|seizure|doctrine|"
    r"privilege|due|equal|takings?|argument|right|standards?|scrutiny|activit|lawyer|sanctuary|law|case|perspective)"
)
_MOTION = re.compile(
    r"\b(?:house|senate|floor|proposed|draft|manager's|h\.|s\.|ballot|contract|lease|loan|change|vote on|"
    r"vote yes on|vote no on|yes on|no on)\s{1,2}\Z"
)
_BALLOT = re.compile(
    r".{0,30}\b(?:ballot|referendum)\b|\s{1,2}(?:in|of)\s{1,2}(?:new\s|north\s|south\s|west\s)?(?:"
    + "|".join(_STATES)
    + r")(?![a-z])",
    re.DOTALL,
)
_MONTH = re.compile(
    r"\b(?:jan|feb|mar|apr|may|june?|july?|aug|sept?|oct|nov|dec|january|february|march|april|august|"
    r"september|october|november|december)\.?\s{1,2}\Z"
)
_ARTICLE_HEADING = re.compile(r"\n[ \t]{0,8}articles?\s{1,2}[ivx0-9]{1,5}\s{0,2}(?:[-:.\n]|\Z)")
_ACRONYM = re.compile(r"\b(?!U\.?S\.?A?\.?\s)(?:[A-Z]{2,6}|(?:[A-Z]\.){2,6})\s{1,2}\Z")


def has_own_articles(folded: str) -> bool:
    """The text is itself divided into articles (a compact, a lease), and means these by "Article V"."""
    return bool(_ARTICLE_HEADING.search(folded))


def taken_in(source: Source, head: Head, tailed: Head, *, own_articles: bool) -> Head | None:
    """The head with its surroundings taken in, or None where they make it another text's."""
    ours = widened(source.folded, tailed)
    named = ours.end > tailed.end or _before(_CONSTITUTION_BEFORE, source.folded, tailed.start)
    if names_another_constitution(source.folded, ours.start, ours.end):
        return None
    if named:
        return ours
    if own_articles and head.kind == "article":
        return None
    of_amendment = _refused_ordinal if head.number_first else _refused_numbered
    refused = _refused_article if head.kind == "article" else of_amendment
    return None if refused(source, tailed, bare=tailed is head) else ours


def widened(folded: str, head: Head) -> Head:
    """The head with "U.S. Const." before it and "of the Constitution" after it taken in."""
    before = _before(_CONSTITUTION_BEFORE, folded, head.start)
    after = _CONSTITUTION_AFTER.match(folded, head.end)
    start, end = before.start() if before else head.start, after.end() if after else head.end
    return replace(head, start=start, end=end)


def names_another_constitution(folded: str, start: int, end: int) -> bool:
    """A state's or another country's: "Cal. Const.", "of the Texas Constitution", "Constitution of India"."""
    constitution = bool(re.match(r"(?:the\s{1,2})?const", folded[start:end]))
    word = _last_word(folded, start)
    named = constitution and (word in _OTHER or _ABBREVIATION.fullmatch(word))
    if named or _before(_OTHER_CONSTITUTION_BEFORE, folded, start):
        return True
    if _CONSTITUTION_ENDS.search(folded, max(start, end - 30), end):
        return bool(_FURTHER_OF.match(folded, end))
    return bool(_OTHER_CONSTITUTION_AFTER.match(folded, end))


_CONSTITUTION_ENDS = re.compile(r"(?:const\.?|constitution|constitucion)\Z")


def _before(pattern: re.Pattern[str], folded: str, end: int) -> re.Match[str] | None:
    """A match of a pattern that is anchored at its end."""
    return pattern.search(folded, max(0, end - _REACH), end)


def _last_word(folded: str, end: int) -> str:
    word = _before(_LAST_WORD, folded, end)
    return word[1].removesuffix("'s").rstrip(",") if word else ""


def _belongs_elsewhere(folded: str, start: int) -> bool:
    """ "Colorado Amendment 2", "UCC, article 2"; but "in California, Article III courts" is ours."""
    word = _last_word(folded, start).rstrip(".")
    after_comma = "," in folded[max(0, start - 3) : start]
    return word in _OTHER and not (after_comma and word in _ELSEWHERE)


def _refused_article(source: Source, head: Head, *, bare: bool) -> bool:
    folded = source.folded
    return bool(
        _OF_ANOTHER_TEXT.match(folded, head.end)
        or _belongs_elsewhere(folded, head.start)
        or _follows_acronym(source, head.start)
        or _precedes_acronym(source, head.end)
        or (_ARTICLE_SHORT.fullmatch(head.word) and bare and not _is_formal(source, head))
        or (bare and is_ordinal(head.numbers[0].token))
        or _refused_number(source, head, bare=bare)
    )


_ARTICLE_SHORT = re.compile(r"arts?")


def _follows_acronym(source: Source, start: int) -> bool:
    """ "UCC Article 2", unless everything is written in capitals."""
    before = source.visible[max(0, start - 12) : start]
    return bool(_ACRONYM.search(before)) and not source.original.isupper()


_ACRONYM_AFTER = re.compile(r"\s{1,2}(?!(?:USA?|SCOTUS|POTUS|[IVXLC]+)\b)[A-Z]{2,6}\b")


def _precedes_acronym(source: Source, end: int) -> bool:
    """ "Article 5 GDPR", unless everything is written in capitals."""
    return bool(_ACRONYM_AFTER.match(source.visible, end)) and not source.original.isupper()


def _refused_ordinal(source: Source, head: Head, *, bare: bool) -> bool:
    """ "the first amendment to the lease", "a second amendment was filed", "the May 5th amendment"."""
    folded = source.folded
    if _TO_A_DOCUMENT.match(folded, head.end) and not _before(_APPLIES, folded, head.start):
        return True
    if bare and _before(_INDEFINITE, folded, head.start):
        capital = source.visible[head.end - len(head.word)].isupper()
        return not (capital or _LEGAL_NOUN.match(folded, head.end))
    return bool(_before(_MONTH, folded, head.start)) or head.word in ("am", "ams")


def _refused_numbered(source: Source, head: Head, *, bare: bool) -> bool:
    """ "an amendment 2 years ago", "Colorado Amendment 2", "the amendment I proposed"."""
    folded = source.folded
    plain = head.numbers[0].token.isdigit()
    shortened = head.word.startswith(("amdt", "amend")) and len(head.word) < 7
    listed = shortened and _stands_beside_another(folded, head)
    return bool(
        _TO_A_DOCUMENT.match(folded, head.end)
        or _belongs_elsewhere(folded, head.start)
        or _before(_MOTION, folded, head.start)
        or (plain and (_before(_INDEFINITE, folded, head.start) or _BALLOT.match(folded, head.end)))
        or (shortened and bare and not (listed or _is_formal(source, head)))
        or (not listed and _refused_number(source, head, bare=bare))
    )


_SHORT = r"\b(?:amend|amdt)s?\.\s{0,2}[ivx]{1,6}"
_ANOTHER_BEFORE, _ANOTHER_AFTER = re.compile(rf"{_SHORT}{BETWEEN}\Z"), re.compile(rf"{BETWEEN}{_SHORT}(?![a-z0-9])")


def _stands_beside_another(folded: str, head: Head) -> bool:
    """ "amend. IV and amend. V": no verb before a full stop, which "amend." may be by itself."""
    is_short = folded.startswith(".", head.start + len(head.word))
    return is_short and bool(_before(_ANOTHER_BEFORE, folded, head.start) or _ANOTHER_AFTER.match(folded, head.end))


def _is_formal(source: Source, head: Head) -> bool:
    """ "Amend. XIV", "Art. III": a capital, a full stop, a Roman numeral in capitals."""
    number = head.numbers[0]
    return (
        source.visible[head.start : head.start + 1].isupper()
        and "." in source.folded[head.start : number.start]
        and number.token in ROMAN
        and source.visible[number.start : number.end].isupper()
    )


def _refused_number(source: Source, head: Head, *, bare: bool) -> bool:
    """Numbers that belong to the words after them, and the letters I, V and X that are no numerals."""
    folded, number = source.folded, head.numbers[0]
    if not bare or len(head.numbers) > 1:
        return False
    if _DEEPER_NUMBER.match(folded, head.end) or _UNIT.match(folded, head.end):
        return True
    capital = source.visible[head.start : head.start + 1].isupper()
    if number.token in ("one", "uno", "a"):
        return not capital
    if is_spanish(head.word) or len(number.token) > 1 or number.token not in ROMAN:
        return False
    if not source.visible[number.start : number.end].isupper():
        return number.token != "v" or folded.startswith(".", head.end)
    return number.token == "i" and (not capital or bool(_AFTER_I.match(folded, head.end)))


_WITHOUT_SECTIONS = 6  # Article VI is divided into clauses only, though often cited by section
_PREAMBLE = re.compile(
    r"\b(?:preamble|preambulo)\s{1,2}(?:to|of|de|a)\s{1,2}(?:the\s{1,2}|la\s{1,2})?"
    r"(?:(?:u\.?\s?s\.?|united states|federal|american)\s{1,2})?(?:constitution|constitucion)\b"
    rf"{_OF_US}?"
    r"|\b(?:u\.?\s?s\.?\s)?(?:const\.|constitution|constitucion),?\s{1,2}(?:pmbl\.?|preamble|preambulo)(?![a-z])"
)

_BARE_PREAMBLE = re.compile(r"(?<![a-z])(?:preamble|preambulo|pmbl)(?![a-z])")


def find(source: Source) -> Iterator[Found]:
    """Citations that are safe to read inside a sentence."""
    own = has_own_articles(source.folded)
    for head in heads(source.folded):
        tailed = with_tail(source.folded, head, TAIL)
        surrounded = taken_in(source, head, tailed, own_articles=own)
        if surrounded:
            yield _found(surrounded)
    yield from _preambles(source.folded)


def find_loose(source: Source) -> Iterator[Found]:
    """Citations in the forms people type when they type nothing else."""
    folded = source.folded
    tailed = (with_tail(folded, head, LOOSE_TAIL) for head in heads(folded, loose=True))
    paths = filter(None, (_path(folded, path) for path in _PATH.finditer(folded)))
    for head in chain(tailed, paths, short_heads(folded)):
        yield _found(widened(folded, head))
    yield from _preambles(folded)
    yield from (_preamble(*word.span()) for word in _BARE_PREAMBLE.finditer(folded))


def _path(folded: str, path: re.Match[str]) -> Head | None:
    """ "I.8.3", "I-9-4": article, section and clause by their numbers alone."""
    article, section, clause = (number_at(folded, *path.span(n)) for n in (1, 3, 4))
    if not (article and section and clause):
        return None
    return Head("article", "", (article,), *path.span(), sections=(section,), clauses=(clause,))


_BARE_NUMERAL = re.compile(r"([0-9]{1,2})(?:st|nd|rd|th|a|ª)")  # not "3d", which names a dimension
_ONLY_AMENDMENTS = 12  # a Roman numeral from XII on is no article's, and no word or abbreviation
_PATH = re.compile(r"(?<![a-z0-9])(i{1,3}|iv|vi{0,2})([./-])([0-9]{1,2})\2([0-9]{1,2})(?![a-z0-9])")


def find_bare(source: Source, start: int, end: int) -> Found | None:
    """What a whole query may say without a word like "amendment": "fifth", "14A", "preamble"."""
    core = source.folded[start:end]
    if _BARE_PREAMBLE.fullmatch(core):
        return _preamble(start, end)
    numeral = _BARE_NUMERAL.fullmatch(core)
    word = (is_ordinal(core) and not core[0].isdigit()) or (core in ROMAN and ROMAN[core] >= _ONLY_AMENDMENTS)
    value = read(numeral[1]) if numeral else read(core) if word else None
    return _found(Head("amendment", "", (Number(value, start, end, core),), start, end)) if value else None


def find_bare_list(source: Source) -> Found | None:
    """ "first and fourteenth", "5th & 14th", "13th 14th 15th amendments"."""
    head = bare_list(source.folded)
    return _found(head) if head else None


def _preambles(folded: str) -> Iterator[Found]:
    for match in _PREAMBLE.finditer(folded):
        if not names_another_constitution(folded, match.start(), match.end()):
            yield _preamble(match.start(), match.end())


def _preamble(start: int, end: int) -> Found:
    return Found.one(start, end, "/us/const/preamble")


# What is cited


def _found(head: Head) -> Found:
    return Found(head.start, head.end, tuple(_items(head)))


def _items(head: Head) -> Iterator[Item]:
    """One item for each number of the list, be it of amendments, of sections or of clauses."""
    if head.kind == "article" and head.numbers[0].value == _WITHOUT_SECTIONS and not head.clauses:
        head = replace(head, sections=(), clauses=head.sections)
    for number in head.numbers[:-1]:
        yield _item(head.kind, number, None, None, number)
    last = head.numbers[-1]
    for section in head.sections[:-1]:
        yield _item(head.kind, last, section, None, section)
    section = head.sections[-1] if head.sections else None
    sectioned = section if len(head.sections) > 1 else last
    listed = head.clauses if len(head.clauses) > 1 else (sectioned,)
    for clause, place in zip_longest(head.clauses, listed):
        yield _item(head.kind, last, section, clause, place)


def _item(kind: str, head: Number, section: Number | None, clause: Number | None, place: Number) -> Item:
    below = (f"/section/{section.value}" if section else "") + (f"/clause/{clause.value}" if clause else "")
    return Item(place.start, place.end, f"/us/const/{kind}/{in_roman(head.value)}{below}")


_SECTIONS = {  # the last section of each article and amendment that has sections
    "article": {1: 10, 2: 4, 3: 3, 4: 4},
    "amendment": {13: 2, 14: 5, 15: 2, 18: 3, 20: 6, 21: 3, 22: 2, 23: 2, 24: 2, 25: 4, 26: 2},
}
_ROMAN_NUMERAL = "|".join(longest_first(ROMAN))
_DIGITS = r"(?:[1-9]|1[0-9]|2[0-7])(?![0-9])"
_ARTICLE, _AMENDMENT = r"articulo|article|art", r"amendment|amend|amdt|am|enmienda"
_SIGN = r"(?:§|(?:section|seccion|sect|secc|sec|s)(?![a-z])\.?)\s{0,2}"
_CLAUSE_SIGN = r"(?:¶|(?:clause|clausula|cl|c)(?![a-z])\.?)\s{0,2}"
_SHORT_GAP = r"[\s,.-]{0,3}"
_START, _END = r"(?<![\w.])", r"(?!\w)"

_SHORT_FORMS = (
    re.compile(  # 14th sec 1, XIV § 1, 14A s1, I § 8 cl 3
        rf"{_START}(?P<head>{NUMBER}){_SHORT_GAP}{_SIGN}(?P<section>{_DIGITS}|{NUMBER})"
        rf"(?:{_SHORT_GAP}{_CLAUSE_SIGN}(?P<clause>{_DIGITS}|{NUMBER}))?{_END}"
    ),
    re.compile(  # section 5 of the fourteenth, first section of the 14th
        rf"{_START}(?:{_SIGN}(?P<section>{NUMBER})|(?P<nth>{NUMBER})\s{{1,2}}(?:section|seccion))"
        rf"(?:,|\s{{1,2}}(?:of|de))?\s{{1,2}}(?:the\s{{1,2}}|la\s{{1,2}})?(?P<head>{NUMBER}){_END}"
    ),
    re.compile(  # A1S8C3, ArtI.S8.C3.1 and Amdt14.S1.4.2, of which the last numbers are an essay's
        rf"{_START}(?P<word>{_ARTICLE}|a|{_AMENDMENT})\.?\s?(?P<head>{_DIGITS}|{_ROMAN_NUMERAL}){_SHORT_GAP}(?:s|sec|§)\.?\s?"
        rf"(?P<section>{_DIGITS})(?:{_SHORT_GAP}(?:c|cl|¶)\.?\s?(?P<clause>{_DIGITS}))?(?:\.[0-9]{{1,2}}){{0,3}}{_END}"
    ),
    re.compile(  # Art. I(8)(3), art I sec 8 (3), article I, 8, 3, article 1.8.3
        rf"{_START}(?P<word>{_ARTICLE})\.?\s?(?P<head>{NUMBER})(?:{_SHORT_GAP}{_SIGN}|\s?\(|[,.]\s?)"
        rf"(?P<section>{_DIGITS})(?:\)?\s?\((?P<clause>{_DIGITS})\)|[,.]\s?(?P<last>{_DIGITS})){_END}"
    ),
    re.compile(  # amend. 25(4)
        rf"{_START}(?P<word>{_AMENDMENT})\.?\s?(?P<head>{NUMBER})\s?\((?P<section>{_DIGITS})\)"
    ),
)


def short_heads(folded: str) -> Iterator[Head]:
    for form in _SHORT_FORMS:
        for match in form.finditer(folded):
            if head := _short_head(folded, match):
                yield head


def _short_head(folded: str, match: re.Match[str]) -> Head | None:
    number, section = _number(folded, match, "head"), _number(folded, match, "section", "nth")
    clause = _number(folded, match, "clause", "last")
    kind = _kind(match.groupdict().get("word"), number) if number else None
    if not (kind and section) or section.value > _SECTIONS[kind].get(number.value, 0):
        return None
    if clause and kind == "amendment":
        return None
    return Head(kind, "", (number,), *match.span(), (section,), (clause,) if clause else ())


def _number(folded: str, match: re.Match[str], *names: str) -> Number | None:
    written = match.groupdict()
    return next((number_at(folded, *match.span(name)) for name in names if written.get(name)), None)


def _kind(word: str | None, number: Number) -> str | None:
    """No article has a number as high as that of "A14". Without a word an ordinal is an amendment's, and a plain number
    is neither's: "section 2 of 4" counts pages.
    """
    high = number.value > max(_SECTIONS["article"])
    if word:
        return "amendment" if high or re.fullmatch(_AMENDMENT, word) else "article"
    if is_ordinal(number.token):
        return "amendment"
    return None if number.token not in ROMAN else "amendment" if high else "article"


_ANY_ROMAN = {in_roman(number).lower(): number for number in range(1, 90)}
_BEYOND_LAST = {
    "twenty-eighth": 28, "twenty eighth": 28, "twenty-ninth": 29, "twenty ninth": 29, "thirtieth": 30,
    "vigesimoctava": 28, "vigesima octava": 28, "vigesimonovena": 29, "vigesima novena": 29, "trigesima": 30,
}  # fmt: skip
_ANY_NUMBER = rf"[0-9]{{1,3}}|[ivx]{{1,8}}|xl[ivx]{{0,4}}|l[ivx]{{1,8}}|{'|'.join(_BEYOND_LAST)}|{NUMBER}"
_KINDS = {"am": "amendment", "en": "amendment", "ar": "article"}  # by their first letters, in both languages
_ASKED = re.compile(
    rf"(?<![\w.])(?:(?P<first>{_ANY_NUMBER})(?:\s?(?:st|nd|rd|th|[aoªº]))?\s(?P<one>amendment|enmienda)"
    rf"|(?P<two>amendment|amend\.?|enmienda|article|articulo|art\.?)\s?(?:(?:no\.?|number|numero)\s?)?(?P<last>{_ANY_NUMBER}))"
    r"(?![\w.]*\w)(?:[\s,]{1,3}(?:§|section|sec\.?|seccion)\s{0,2}[0-9ivx]{1,4}(?!\w))?"
)


def absent(folded: str) -> tuple[int, int, str] | None:
    """Where the first one stands in folded text, and what it would be called."""
    start, end, locator = next(all_absent(folded, first=True), (0, 0, ""))
    return (start, end, cite(locator)) if locator else None


def all_absent(folded: str, *, first: bool = False) -> Iterator[tuple[int, int, str]]:
    """Where each stands, and its locator; only the `first` that is named, if that is one."""
    for named in islice(_ASKED.finditer(folded), 1 if first else None):
        kind = _KINDS[(named["one"] or named["two"])[:2]]
        number = _value(named["first"] or named["last"])
        if number is not None and not 1 <= number <= LAST[kind]:
            yield *named.span(), f"/us/const/{kind}/{in_roman(number) if 1 <= number < 90 else number}"


def _value(written: str) -> int | None:
    if written.isdigit():
        return int(written)
    return _BEYOND_LAST.get(written) or _ANY_ROMAN.get(written) or read(written)
