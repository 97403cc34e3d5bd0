"""The questions that one text asks, each worded so that it can be searched by itself. Pure; English and Spanish.

A text is cut where a new question begins: at a question mark, at a conjunction or comma before a question word or an
inverted verb ("…, and can he"), between the two sides of a comparison, and where a preposition is repeated ("for mail
fraud and for bank fraud"). Doublets of law ("tax and spend") are not cut. What is told before the questions goes with
each, a condition with those that follow it; what a later one only points at ("it") is named behind it in brackets. A
question that goes on from another gets what it points at from there.
"""

import re
from dataclasses import dataclass
from itertools import accumulate

from retrieval.text.language import detect
from retrieval.text.normalization import fold

MOST = 4  # parts; a text that seems to have more is searched as it is
MOST_CHARS = 500  # a longer text is a story, and is searched as it is
MOST_TOLD = 18  # words told before the questions that go with each; more would drown it
MOST_TOPIC = 12  # words of a question that a later one points at
ENOUGH = 3  # words that name what there is
MOST_NAMED = 4  # words that name something and ask nothing


@dataclass(frozen=True, slots=True)
class Grammar:
    """How questions of a language begin, join and refer back: regular expressions over folded text."""

    question_word: str  # begins a question anywhere
    ambiguous: str  # of these, what also begins a relative clause
    verb: str  # begins a question where its subject follows
    after_comma: str  # begins one after a comma and a conjunction
    joined: str
    bare: str  # is a question by itself after a conjunction
    condition: str  # begins what holds for the questions that follow it
    inverted: str  # begins a question behind a condition without a comma
    referring: str  # means something named before
    light: (
        str  # says nothing of what is asked about: a question of such words alone means what was named before
    )
    alike: str  # asks the same of something else
    leading: str  # what a question that goes on from another may begin with
    replies: str  # what answers rather than asks
    exists: str  # asks whether there is something, of what was named before
    supposing: str  # begins a question about a case of what was asked before
    asking: str  # what is no part of what is asked about: "how old", "how many years"
    modal: str  # the first verb of a question whose verbs may be several
    first: str  # the first of them
    infinitive: str  # another
    preposition: str
    article: str
    indefinite: str
    both: str
    differences: tuple[str, ...]  # with two groups
    compared: str
    define: str  # each side of a difference
    request: str  # begins an indirect question
    tells: str = "$^"  # begins what is told rather than asked, where no mark says so
    mark: str = ""  # before a question


SUBJECT = (
    r"(?:i|we|you|he|she|it|they|that|this|these|those|there|the|a|an|my|our|his|her|their|its|some\w+|any\w+|people|"
    r"congress|police|(?:\w+ )?(?!this|is|was|has|does)\w{3,}s)\b"
)
NOT_BEHIND_SUBJECT = r"(?<!\bi )(?<!\b[wh]e )(?<!\b(?:you|she|who) )(?<!\b(?:they|that) )"
INFINITIVE = (
    r"be|get|have|make|take|keep|own|buy|sell|vote|work|travel|leave|apply|sue|file|refuse|ask|search|"
    r"arrest|deport|fire|charge|collect|print|coin|tax|regulate|declare|appoint|remove|pardon|veto|pass|change|"
    r"carry|record|hold|serve|run|bring|enter|stay|marry|adopt|stop|read|open|pay|join|claim|force|appeal"
)
OBJECTS = r"(?:me|te|se|le|les|nos|lo|la|los|las|mi)"
INFINITIVO = rf"(?:no )?(?:{OBJECTS} )?\w{{2,}}(?:ar|er|ir){OBJECTS}?\b"
GRAMMARS = {
    "en": Grammar(
        question_word=r"(?:(?:for|in|by|at|to|under|until|since|on|of|with|from|about|after|before|against) )?"
        r"(?:what|who|whom|whose|which|when|where|why|how)"
        r"(?:['’](?:s|re|d))?\b",
        ambiguous=r"who|whom|whose|which|when|where|why|how",
        verb=r"(?:is|are|was|were|am|do|does|did|can|could|may|might|must|shall|should|will|would|has|have) "
        rf"(?:{SUBJECT})|(?:is|are|was) \w+ing|(?:do|does|did) (?!not )\w+ \w+|"
        rf"(?:can|could|will|would|should|must) (?!not|also|only|never|{INFINITIVE})\w+ \w+",
        after_comma=r"(?:is|are|was|were|do|does|did|can|could|may|might|must|shall|should|will|would|has|have) "
        r"(?!not|be|been|also|never|only|to)\w+ \w+",
        joined=r"and also|or also|and then|and|or|but|also|plus|so",
        bare=r"since when|(?:for |until |in )?how (?:long|much|many)|(?:for|by|at|under|in|on|to) (?:what|which|whom)",
        condition=r"(?:if|once|after|unless|while|under|with|as|during|"
        r"(?:when|where) (?!is|are|was|were|do|does|did|can|could|may|will|would|should|must)) ?",
        inverted=rf"{NOT_BEHIND_SUBJECT}(?:(?:do|does|did|can|could|may|might|must|shall|should|will|would) "
        rf"(?:{SUBJECT})|(?:is|are|was|were|am|has|have) (?:i|we|you|he|she|it|they|there|this|that)\b)",
        referring=r"it|its|that|they|them|their|theirs|he|him|his|she|her|one|there|then|those|these|"
        r"both|instead|too$",
        light=r"for|until|in|by|at|since|of|with|from|about|what|who|whom|which|when|"
        r"where|why|how|long|much|many|often|soon|far|time|money|is|are|was|were|am|be|do|does|did|done|can|could|may|might|"
        r"must|shall|should|will|would|has|have|had|i|we|you|me|us|to|the|a|an|all|any|some|get|gets|take|takes|need|needs|wait|pay|"
        r"happens?|left|allowed|supposed|and|also",
        alike=r"(?:what|how) about |to be(?:come)? ",
        leading=r"(?:(?:ok|okay|and|or|but|then|also)\b,? |(?:well|now|so), )*",
        replies=r"ok|okay|yes|no|(?:many )?thanks?|thank you(?: (?:so|very) much)?|really",
        exists=r"(?:is|are|was|were) there",
        supposing=r"(?:what )?if ",
        asking=r"old|young|late|early|soon|big|large|times|years?|months?|days?|age|if|too|anyone|someone|anybody",
        modal=r"can|could|may|must|shall|should|will|would",
        first=r"(?!an?|the|my|that|who|which)\w{2,}",
        infinitive=rf"(?:{INFINITIVE}|\w+ (?:an?|the|my|me|them|their|his|her|it|us|you|your|our|any|someone))\b",
        preposition=r"for|to|by|under|from|about|on|against|at|with",
        article=r"the|an?|my|his|her|their|our",
        indefinite=r"an?",
        both="both",
        differences=(
            r"(?:(?:so )?what(?:['’]?s| is| are) the|is there an?y?|explain the)"
            r"(?: \w+)? (?:differences?|distinction) between (.+?) (?:and|versus|vs\.?) (.+)",
            r"how (?:is|are) (.+?) different from (.+)",
            r"how do(?:es)? (.+?) differ from (.+)",
            r"how do (.+?) and (.+?) (?:differ|compare)$",
            r"is (.+?) the same (?:thing )?as (.+)",
            r"which (?:is|are|one|has|have|lasts|comes) [^,]+, ([^,]+?) or (.+)",
            r"(?:please )?compare (.+?) (?:and|with|to) (.+)",
        ),
        compared=r"(.+?),? (?:(?:as )?compared (?:with|to)|in comparison (?:with|to)|versus|vs\.?|as opposed to) (.+)",
        define="What is {}",
        request=r"(?:please )?(?:tell me|explain|i (?:want|need) to know|i['’]d like to know) ",
    ),
    "es": Grammar(
        question_word=r"(?:(?:a|de|en|por|para|con|desde|hasta|ante|bajo) )?"
        r"(?:que|quien(?:es)?|cual(?:es)?|cuando|donde|como|cuant[oa]s?)\b",
        ambiguous=r"que|quien(?:es)?|cual(?:es)?|cuando|donde|como",
        verb=rf"(?:tambien )?(?:no )?(?:{OBJECTS} ){{0,2}}(?:pued[eo]n?|podemos|podria[ns]?|tengo|tienen?|tenemos|"
        r"deb[eo]n?|debemos|deberian?|hay|es|son|esta|estan|fue|fueron|ha|han|necesit[ao]n?|sirven?|valen?|cubren?|"
        r"incluyen?|aplican?|existen?|cuentan?|dan?|pagan?|cuestan?|duran?|pierd[eo]n?|recib[eo]n?|afectan?|quitan?|"
        r"protegen?|permiten?|obligan?|exigen?|van?|voy|necesita[ns]?|salen?|quedan?|pasan?|ganan?|cobran?|vencen?|heredan?|cambian?|ayudan?|"
        r"significan?|hacen?|votan?|eligen?|deciden?|tardan?|dejan?|piden?|pido|expiran?|nombran?|importan?|conviene|"
        r"hace falta|se \w+[ae]n?)\b",
        after_comma=r"(?!el|la|los|las|un|una|de|del|sus?|mis?|tus?|otr[oa]s?|no\b)\w+ \w+ \w+",
        joined=r"y ademas|y tambien|o tambien|y si|y|e|o|u|pero|ademas|tambien",
        bare=r"(?:(?:a|de|en|por|para|con|desde|hasta|ante|bajo) )?(?:quien(?:es)?|cual(?:es)?|cuant[oa]s?)|"
        r"(?:desde|hasta) cuando|(?:de|por|para|en|ante|bajo) que",
        condition=r"(?:si|aunque|despues de|al|con|ademas de|segun|bajo|en|para) ",
        inverted="$^",
        referring=r"eso|esto|es[ae]s?|esos|ello|\w*(?:ar|er|ir)l[oae]s?|lo|les?|su|sus|ahi|ella|ellos|ellas|entonces|"
        r"mientras|ambos|sirven?|duran?|cuestan?|valen?",
        light=r"por|con|desde|hasta|que|algun[oa]?s?|quien(?:es)?|cual(?:es)?|"
        r"cuando|donde|como|cuant[oa]s?|tiempo|dinero|es|son|hay|puedo|puede|podemos|debo|debe|debemos|tengo|tiene|"
        r"tenemos|tener|necesito|necesita|hago|hacer|hace|falta|pagar|pago|esperar|espero|pasa|me|te|se|nos|yo|el|la|los|las|"
        r"un|una|y|tambien|para|de|a|en",
        alike=r"(?:que (?:hay|pasa) (?:de|con)|que tal|(?:para|pa) ser) ",
        leading=r"(?:(?:bueno|pues|ok|y|e|o|u|pero|entonces|ademas|tambien)\b,? )*",
        replies=r"ok|si|no|(?:muchas |mil )?gracias|claro|vale",
        exists=r"hay",
        supposing=r"(?:que pasa )?si ",
        asking=r"anos?|meses|dias?|veces|cada|edad|partir|viej[oa]|joven|ser|estar|haber|alguien|duran?|quedan?|si|puesto|cargo",
        modal=r"pued[eo]n?|podemos|deben?|debo|podrian?",
        first=INFINITIVO,
        infinitive=INFINITIVO,
        preposition=r"por|para|a|con|ante|contra|sobre",
        article=r"las|los|la|el|una|un|mi|su",
        indefinite=r"una?",
        both="amb[oa]s|los dos|las dos",
        differences=(
            r"(?:cual(?:es)? (?:es|son) las?|que|hay(?: una| alguna)?|explica la) "
            r"diferencias? (?:hay |existe )?entre (.+?) (?:y|e) (.+)",
            r"en que se (?:diferencian?|distinguen?) (.+?) (?:y|e|de|del) (.+)",
            r"es lo mismo (.+?) que (.+)",
            r"(?:que|cual) [^,]+, (?!como)([^,]+?) o (.+)",
            r"compara[r]? (.+?) (?:y|e|con) (.+)",
        ),
        compared=r"(.+?),? (?:en comparacion con|comparad[oa]s? con|frente a|a diferencia de|versus|vs\.?) (.+)",
        define="Qué es {}",
        request=r"(?:por favor )?(?:dime|digame|expli\w+|quiero saber|necesito saber|quisiera saber) ",
        tells=r"(?:tengo|debo|voy|fue|me|le|les|nos|te) (?!pued|podr)",
        mark="¿",
    ),
}
ORDINALS = (
    r"(?:\d+(?:st|nd|rd|th)|first|second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth|eleventh|twelfth|\w+teenth|"
    r"twentieth|twenty-\w+)"
)
PLACES = r"[ivx]{2,}|amendments?|articles?|sections?|clauses?|enmiendas?|articulos?|secci[oó]n(?:es)?|clausulas?"
AMENDMENTS = re.compile(rf"\b(?:the )?({ORDINALS}) and (?:the )?({ORDINALS}) amendments\b")
CARRIED = re.compile(r"\? \(([^()?]*)\)$")  # what a part points at in another
ENDS = re.compile(r"[?¿]+|(?<=\w\w\w)[.;!]+(?=\s|$)")
JOINED = re.compile(r"\b(?:and|or|y|o)\b")


def parts(question: str, language: str) -> tuple[str, ...]:
    """The questions in it, in order; only itself where it is one question, a list, or a story."""
    text = " ".join(question.split())
    if len(text) > MOST_CHARS or '"' in text:
        return (question,)
    grammar = GRAMMARS.get(language, GRAMMARS["en"])
    told, asked = _told_and_asked(text, grammar)
    found = [clause for one in asked for clause in _clauses(one, grammar)]
    if not 1 < len(found) <= MOST:
        return (question,)
    own = (_condition(clause, grammar) for clause in found)
    conditions = accumulate(own, lambda before, new: new or before)
    return tuple(
        _by_itself(clause, n, found, told, condition, grammar)
        for n, (clause, condition) in enumerate(zip(found, conditions, strict=True))
    )


def searched(question: str, before: str, language: str) -> tuple[str, ...]:
    """The questions in one; where it goes on from another each with what it points at in the last of that. What only
    names something else is asked as that was: "and a senator?".
    """
    found = parts(question, language)
    if not before:
        return found
    grammar, spoken = GRAMMARS.get(language, GRAMMARS["en"]), detect(before, otherwise=language)
    last = parts(before, spoken)[-1]
    about = _topic(re.sub(CARRIED, r" \1", last).strip("¿? "), GRAMMARS.get(spoken, grammar))
    asked = re.sub(CARRIED, "", last).strip("¿? ") if spoken == language else ""
    first, *others = (_going_on(one, asked, about, grammar) for one in found)
    carried = CARRIED.search(first)
    return first, *(CARRIED.sub(lambda _: carried.group(), one) if carried else one for one in others)


def _going_on(question: str, last: str, about: str, grammar: Grammar) -> str:
    """`last`: the question that it goes on from; `about`: what that is about."""
    begins = re.match(grammar.leading, fold(question).lstrip("¿"))
    clause = question.lstrip("¿")[begins.end() if begins else 0 :].strip("¿?¡!., ")
    if not clause or CARRIED.search(question):  # it points at another of the same text
        return question
    folded = fold(clause)
    if asked := _asked_of(last, _named(clause, grammar), grammar):
        return f"{grammar.mark}{asked}?"
    if re.fullmatch(grammar.replies, folded):
        return question
    asks = _opening(clause, grammar) is not None and not re.match(grammar.supposing, folded)
    points = not asks or _points(folded, grammar, is_held=False)
    return f"{grammar.mark}{clause}?" + (f" ({about})" if points and about else "")


def own_words(part: str) -> str:
    """What a part asks, without what it carries over from another in brackets."""
    return re.sub(CARRIED, "?", part)


def _told_and_asked(text: str, grammar: Grammar) -> tuple[str, list[str]]:
    """What is told before the first question, and the questions, without their marks."""
    marked = "?" in text
    told, asked = [], []
    start = 0
    for end in [*ENDS.finditer(text), None]:
        opened = "¿" if text[:start].rstrip().endswith("¿") else ""
        piece = text[start : end.start() if end else len(text)].strip(" ,")
        mark = end.group() if end else ""
        start = end.end() if end else start
        if len(piece.split()) < 2:
            if piece and asked and "?" in mark:
                asked[-1] += f"? {opened}{piece}"  # "Can I appeal? When?"
            continue
        folded = fold(piece)
        begins = re.match(rf"(?:(?:{grammar.joined})\b,? )?(?:{grammar.question_word})", folded)
        unmarked = (";" in mark or not marked) and _opening(piece, grammar) is not None
        if "?" in mark or ("¿" not in mark and (begins or unmarked)):
            asked.append(opened + piece)
        elif not asked:
            told.append(piece)
    return ", ".join(told), asked


def _opening(piece: str, grammar: Grammar) -> int | None:
    """Where its question begins: at its start, or behind a comma or a condition."""
    folded = fold(piece).lstrip("¿")
    if not piece.startswith("¿") and re.match(grammar.tells, folded):
        return None
    conditional = re.match(grammar.condition, folded)
    if re.match(grammar.request, folded):
        return 0
    if not conditional and re.match(rf"(?:{grammar.question_word}|{grammar.verb})", folded):
        return 0
    behind = "[ ,] ?" if conditional and "," not in folded else ", "
    place = _behind_condition(folded, grammar) if conditional else None
    place = place or re.search(rf"{behind}(?={grammar.question_word}|{grammar.verb})", folded)
    if not place and piece.startswith("¿") and re.search(rf" {grammar.verb}", folded):
        return 0  # the subject comes first
    return place.end() if place else None


def _behind_condition(folded: str, grammar: Grammar) -> re.Match[str] | None:
    """Where a question begins behind a condition: after its comma, or where verb and subject change places."""
    if "," in folded:
        return re.search(rf", (?:then )?(?={grammar.question_word}|{grammar.verb})", folded)
    return re.search(rf" (?={grammar.question_word}|{grammar.inverted})", folded)


def _condition(piece: str, grammar: Grammar) -> str:
    """The condition that a question begins with: "If I am a citizen"."""
    folded = fold(piece).lstrip("¿")
    asks = re.match(grammar.question_word, folded) and not re.match("when|where", folded)
    if asks or not re.match(grammar.condition, folded):
        return ""
    place = _behind_condition(folded, grammar)
    return piece.lstrip("¿")[: place.start()].strip(" ,") if place else ""


def _clauses(piece: str, grammar: Grammar) -> list[str]:
    """The questions of one sentence."""
    if sides := _compared(piece, grammar):
        return sides
    cuts = _cuts(piece, grammar)
    clauses = [piece[a:b].strip(" ,;") for a, b in cuts]
    return [part for clause in clauses for part in _repeated(clause, grammar)]


def _cuts(piece: str, grammar: Grammar) -> list[tuple[int, int]]:
    """(start, end) of its clauses; each behind the first begins as a question does."""
    folded = fold(piece)
    bounds, start = [], 0
    begins = rf"{grammar.question_word}|{grammar.verb}"
    conditional = rf"{grammar.condition}(?:[^,?]+?)[, ]+(?:{begins})"
    joined = rf"(?:{grammar.joined})\b,?"
    new = re.compile(
        rf"(?:[,;] (?P<joined>{joined} )?| (?P<directly>{joined} ))"
        rf"(?=(?:tambien |also )?(?:{begins}|{conditional}|{grammar.alike}|whether ))"
        rf"|, (?P<late>{joined} )(?={grammar.after_comma})"
    )
    for place in new.finditer(folded):
        if _is_cut(piece, folded, start, place, grammar):
            bounds.append((start, place.start()))
            start = place.end()
    return [*bounds, (start, len(piece))]


def _is_cut(piece: str, folded: str, start: int, place: re.Match[str], grammar: Grammar) -> bool:
    left, right = folded[start : place.start()].lstrip("¿"), folded[place.end() :]
    if not place["joined"] and re.match(grammar.condition, left) and not _is_asked(left, grammar):
        return False  # the comma behind a condition
    opening = _opening(piece[start : place.start()], grammar)
    if opening is None or (place["late"] and "," in left[opening:]):
        return False
    enough = 2 if re.match(f"{grammar.alike}|{grammar.bare}|{grammar.verb}", right) else 3
    fewest = 2 if start or grammar.mark else 3  # Spanish says no subject: "puedo votar"
    if len(left[opening:].split()) < fewest or len(right.split()) < enough:
        return False
    word = re.match(rf"(?:\w+ )?({grammar.ambiguous})\b", right)
    if word and grammar is GRAMMARS["es"]:
        written = piece[place.end() :][slice(*word.span(1))]
        joined = place["joined"] or place["directly"]
        if fold(written) == written.lower() and (re.search("[áéíóú]", piece) or not joined):
            return False  # a relative, which has no accent
    return not word or not re.search(rf"\b{word[1]}\b", left[opening + 1 :])  # "persons who … and who …"


def _is_asked(left: str, grammar: Grammar) -> bool:
    """Whether what begins with a condition, or with a word that may, holds a question too."""
    return bool(_behind_condition(left, grammar) or re.match(grammar.question_word, left))


def _compared(piece: str, grammar: Grammar) -> list[str]:
    """Both sides of a comparison, as two questions."""
    folded = fold(piece)
    for pattern in grammar.differences:
        if place := re.match(f"¿?(?:{pattern})", folded):
            return [grammar.define.format(piece[slice(*place.span(side))].strip(" ,")) for side in (1, 2)]
    if place := re.match(grammar.compared, folded):
        left, right = (piece[slice(*place.span(side))].strip(" ,") for side in (1, 2))
        return [left, _instead(left, right, grammar)]
    return []


def _instead(left: str, right: str, grammar: Grammar) -> str:
    """The left question, asked of the right one's thing: it takes the place of the last named."""
    last = [place.start() for place in re.finditer(rf"(?<= )(?:{grammar.article}) ", fold(left))]
    return f"{left[: last[-1]]}{right}" if last else f"{right} ({left})"


def _named(clause: str, grammar: Grammar) -> str:
    """What is named by words that ask nothing themselves, as "and a senator" or "what about my house"; else nothing."""
    folded = fold(clause)
    alike = re.match(grammar.alike, folded)
    named = re.sub(r"^(?:for|para|con) ", "", clause[alike.end() if alike else 0 :])
    asks = rf"(?:{INFINITIVE}|{grammar.preposition}|in|of|{grammar.replies}|{grammar.referring})\b|{INFINITIVO}"
    is_name = alike or (_opening(clause, grammar) is None and not re.match(asks, folded))
    return named if is_name and len(named.split()) <= MOST_NAMED and _of_content(named, grammar) else ""


def _asked_of(question: str, other: str, grammar: Grammar) -> str:
    """The question, asked of something else in the place of the same kind of thing; nothing where it is not plain
    which that is: the one between its first and last verb, the only one with the article of the other, or its end
    behind "who can be".
    """
    folded = fold(question)
    article = re.match(rf"(?:{grammar.article})\b", fold(other))
    verb = rf"(?:(?:be )?(?:{INFINITIVE}|\w+ed))"
    if not other or re.search(rf"\b(?:{PLACES})\b", folded):
        return ""
    found = re.search(rf"\b(?:{grammar.modal}|do|does|did) (?P<named>(?:\S+ ){{0,3}}?\S+) {verb}$", folded)
    found = found or re.search(r"\b(?:be|become|ser) (?P<named>(?:\S+ )?\S+)$", folded)
    if not found and article:
        alike = [*re.finditer(rf"\b(?P<named>{article.group()} \S+)$|\b{article.group()} ", folded)]
        found = alike[0] if len(alike) == 1 and alike[0]["named"] else None
    return f"{question[: found.start('named')]}{other}{question[found.end('named') :]}" if found else ""


def _repeated(clause: str, grammar: Grammar) -> list[str]:
    """The clause once for each thing that a repeated preposition or verb asks it of."""
    folded = fold(clause)
    both = re.match(rf"(.+?),? (?:or|o) (.+?),? (?:or|o) (?:{grammar.both})$", folded)
    if both:
        left, right = clause[: both.end(1)], clause[slice(*both.span(2))]
        return [left, _instead(left, right, grammar)]
    if named := AMENDMENTS.search(folded):
        before, behind = clause[: named.start()], clause[named.end() :]
        return [f"{before}the {clause[slice(*named.span(n))]} Amendment{behind}" for n in (1, 2)]
    twice = re.match(
        rf"(?P<stem>.{{8,}}?) (?P<one>(?P<preposition>{grammar.preposition}|if|si) (?:[\w'’-]+ ){{1,7}}?)"
        r"(?P<and>and also|or also|y tambien|o tambien|and|or|y|o|e) "
        r"(?P<two>(?P=preposition) \S+ .+|(?P=preposition) \S{4,})$",
        folded,
    )
    asks = re.match(rf"(?:.*, )?(?:{grammar.question_word}|{grammar.verb})", folded.lstrip("¿"))
    if twice and twice["preposition"] in ("if", "si") and twice["and"] not in ("or", "o"):
        return [clause]  # one question under two conditions
    if (
        twice
        and asks
        and (" " in twice["and"] or twice["one"].count(" ") > 2)
        and not re.search(JOINED, twice["one"])
    ):
        return [
            f"{clause[: twice.end('stem')]} {clause[slice(*twice.span(n))].strip()}" for n in ("one", "two")
        ]
    verbs = re.match(
        rf"(?P<stem>¿?(?:.+, )?(?:\S+ ){{0,2}}(?:{grammar.modal}) "
        r"(?:(?:the|an?|my|los|las|el|la) \w+ |(?!the|an?|my)\w+ )?|"
        rf"¿?(?:\S+ ){{1,4}}(?:{grammar.modal}) )(?P<one>{grammar.first} .*?\w{{3}}.*?),? (?:or|and|o|y) "
        rf"(?P<two>{grammar.infinitive} .+)$",
        folded,
    )
    if verbs and verbs["one"].count(" "):
        stem = clause[: verbs.end("stem")]
        return [f"{stem}{clause[slice(*verbs.span(n))]}" for n in ("one", "two")]
    return [clause]


def _by_itself(clause: str, n: int, clauses: list[str], told: str, condition: str, grammar: Grammar) -> str:
    """The clause with what it needs of the others; the condition of the one before is its own, too."""
    folded = fold(clause)
    clause = clause.lstrip("¿")
    holds = "" if not n or _condition(clause, grammar) else condition
    known = ", ".join(filter(None, (told, holds)))
    before = f"{known}: " if len(known.split()) <= MOST_TOLD and known else ""
    first = clauses[0].lstrip("¿").removeprefix(holds).lstrip(" ,")
    points = n and _points(folded, grammar, is_held=bool(holds))
    alike = clause.split()[:2] == first.split()[:2]  # the first question again, of something else
    places = not re.match(grammar.alike, folded)
    behind = f" ({_topic(first, grammar, places=places)})" if points and not alike and first not in clause else ""
    return f"{before}{grammar.mark}{clause}?{behind}"


def _points(folded: str, grammar: Grammar, *, is_held: bool) -> bool:
    """Whether a folded question says too little by itself, or only points at what it asks about. With a condition a
    short one says enough, and so does what there is of something that is named.
    """
    said = _of_content(folded, grammar)
    rest = re.sub(rf"\b(?:{grammar.exists})\b", "", folded)
    if not said or re.match(grammar.alike, folded) or re.search(rf"\b(?:{grammar.referring})\b", rest):
        return True
    if rest != folded:
        return len(said) < ENOUGH
    return len(said) < 2 and len(folded.split()) < 6 and not is_held


def _of_content(question: str, grammar: Grammar, kept: str = "$^") -> list[str]:
    """Its words that say what is asked about, and those kept; no place of the law."""
    asking = (grammar.light, grammar.asking, grammar.modal, grammar.referring, ORDINALS, PLACES)
    asks = rf"(?!(?:{kept})$)(?:{'|'.join(asking)})"
    words = re.findall(r"[\w$'’-]+", question)
    return [word for word in words if not re.fullmatch(asks, re.sub(r"['’]\w*$", "", fold(word)))]


def _topic(question: str, grammar: Grammar, *, places: bool = True) -> str:
    """What a question is about, for one that points at it: its words without those that ask, and without the verb
    behind "who". All of it where too little is left, or where it asks of a place of the law; not for a question about
    something else, which that place does not hold (`places` false).
    """
    folded = fold(question)
    whole = " ".join(question.split()[: 2 * MOST_TOPIC])
    if places and re.search(rf"\b(?:{PLACES})\b", folded):
        return whole
    said = _of_content(question, grammar, kept="money|dinero")
    if len(said) > 1 and re.match(r"(?:who|quien(?:es)?) (?!is\b|are\b|was\b|were\b|es\b|son\b|fue)", folded):
        said = said[1:]
    return " ".join([*dict.fromkeys(said)][:MOST_TOPIC]) or whole
