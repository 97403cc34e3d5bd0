"""What stands around an amendment or article: does it make it the US Constitution's, or another text's?

Pure. "Article 2 of the Uniform Commercial Code", "the first amendment to the lease", "Cal. Const. art. I"
and "an amendment 2 years ago" are not citations of the Constitution.
"""

import re
from dataclasses import replace

from retrieval.citations.citation import Source
from retrieval.citations.heads import ROMAN, Head, is_ordinal, is_spanish, words

_REACH = 80  # characters read on either side

_US = r"(?:u\.?\s?s\.?(?:\s?a\.?)?|united states|federal|american)"
_OF_US = (
    r"(?:\s{1,2}of\s{1,2}(?:the\s{1,2}united states(?:\s{1,2}of\s{1,2}america)?|america)"
    r"|\s{1,2}de\s{1,2}(?:los\s{1,2})?(?:estados unidos(?!\s{1,2}mexicanos)(?:\s{1,2}de\s{1,2}america)?"
    r"|ee\.?\s?uu\.?|eeuu|america)|\s{1,2}(?:federal|estadounidense|americana)\b)"
)
_NAMED = (
    rf"(?:{_US}\s{{1,2}})?(?:const\.|\bconst\b|\bconstitution\b|\bconstitucion\b)(?:'s)?{_OF_US}?(?![a-z])"
)
_CONSTITUTION_BEFORE = re.compile(
    rf"(?<![a-z.])(?:the\s{{1,2}})?{_NAMED}[\s,:;]{{1,3}}(?:(?:the|la|el)\s{{1,2}})?\Z"
)
_CONSTITUTION_AFTER = re.compile(
    r"\s{0,2}[,(]?\s{1,2}(?:of|to|in|under|from|de|a|en)\s{1,2}(?:(?:the|la|our|this|nuestra)\s{1,2})?"
    + _NAMED
)

_STATES = words(
    "alabama alaska arizona arkansas california colorado connecticut delaware florida georgia hawaii "
    "idaho illinois indiana iowa kansas kentucky louisiana maine maryland massachusetts michigan "
    "minnesota mississippi missouri montana nebraska nevada hampshire jersey mexico york carolina "
    "dakota ohio oklahoma oregon pennsylvania rico island tennessee texas utah vermont virginia "
    "washington wisconsin wyoming guam calif tex fla mass mich minn penn ariz colo conn wash wis tenn "
    "okla"
)
_COUNTRIES = words(
    "african argentine argentina australia australian brazilian british bolivian canada canadian "
    "chilean chinese colombian cuban cuba dutch espana espanola france french german germany indian "
    "india iraqi irish ireland israeli italian italy japan japanese kenyan korean mexican mexicana "
    "mexicano peruvian philippine polish russian spanish spain swiss turkish ukrainian venezuelan "
    "confederate soviet eu european europea"
)
_OTHER_LAW = words(
    "accord acuerdo act agreement articles bill budget bylaws by-laws charter code codigo complaint "
    "confederation constituent contract contrato convencion convenio convention covenant declaration "
    "decree deed echr estatuto estatutos gdpr iccpr indenture lease ley loan memorandum model nato "
    "ordinance pact policy protocol regulation reglamento resolution rgpd statute statutes tfeu tratado "
    "treaty trips ucc u.c.c ucmj u.c.m.j udhr uniform cplr magazine journal newspaper"
)
_STATE_WORDS = words("state state's states' estatal provincial county city tribal club union")
_ELSEWHERE = {*_STATES, *_COUNTRIES}
_OTHER = {*_ELSEWHERE, *_OTHER_LAW, *_STATE_WORDS}
_ABBREVIATION = re.compile(r"(?!see|cf|the)[a-z]{1,5}\.(?:[a-z]\.)?")  # "Cal.", "N.Y."
_LAST_WORD = re.compile(r"([a-z][a-z.'-]{0,24})[\s,]{0,3}(?:\(?the\s{1,2})?\Z")
_OTHER_CONSTITUTION_BEFORE = re.compile(
    rf"\b(?:constitution|constitucion)(?!{_OF_US})\s{{1,2}}(?:of|de|del)\s{{1,2}}[a-z ]{{2,40}}"
    r"[\s,:]{1,3}\Z"
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
    r"credit|declaration|decree|deed|indenture|invoice|law|lease|licen[cs]e|loan|memorandum|merger|mortgage|"
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
    r"copies|members|senators|sections|articles|amendments|anos|dias|meses|horas|veces|personas|paginas)\b"
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


def of(source: Source, head: Head, tailed: Head, *, own_articles: bool) -> Head | None:
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
    return replace(
        head,
        start=before.start() if before else head.start,
        end=after.end() if after else head.end,
    )


def names_another_constitution(folded: str, start: int, end: int) -> bool:
    """A state's or another country's: "Cal. Const.", "of the Texas Constitution", "Constitution of India"."""
    constitution = bool(re.match(r"(?:the\s{1,2})?const", folded[start:end]))
    word = _last_word(folded, start)
    if constitution and (word in _OTHER or _ABBREVIATION.fullmatch(word)):
        return True
    if _before(_OTHER_CONSTITUTION_BEFORE, folded, start):
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
        or (_ARTICLE_SHORT.fullmatch(head.word) and bare and not _is_formal(source, head))
        or (bare and is_ordinal(head.numbers[0].token))
        or _refused_number(source, head, bare=bare)
    )


_ARTICLE_SHORT = re.compile(r"arts?")


def _follows_acronym(source: Source, start: int) -> bool:
    """ "UCC Article 2", unless everything is written in capitals."""
    before = source.visible[max(0, start - 12) : start]
    return bool(_ACRONYM.search(before)) and not source.original.isupper()


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
    return bool(
        _TO_A_DOCUMENT.match(folded, head.end)
        or _belongs_elsewhere(folded, head.start)
        or _before(_MOTION, folded, head.start)
        or (plain and (_before(_INDEFINITE, folded, head.start) or _BALLOT.match(folded, head.end)))
        or (shortened and bare and not _is_formal(source, head))
        or _refused_number(source, head, bare=bare)
    )


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
