"""English for a Spanish verb in one of its forms and for its pronouns. Pure."""

import re

from retrieval.text.spanish_verbs import Form

# With the past and the participle, where they are not formed with -ed.
_THREE = """
    be was been, bear bore borne, beat beat beaten, become became become, begin began begun, bet bet bet, bind
    bound bound, bite bit bitten, bleed bled bled, break broke broken, breed bred bred, bring brought brought,
    build built built, burn burned burned, buy bought bought, catch caught caught, choose chose chosen, come came
    come, cost cost cost, cut cut cut, deal dealt dealt, do did done, draw drew drawn, drink drank drunk, drive
    drove driven, eat ate eaten, fall fell fallen, feed fed fed, feel felt felt, fight fought fought, find found
    found, flee fled fled, fly flew flown, forbid forbade forbidden, forget forgot forgotten, forgive forgave
    forgiven, freeze froze frozen, get got got, give gave given, go went gone, grow grew grown, hang hanged hanged,
    have had had, hear heard heard, hide hid hidden, hit hit hit, hold held held, hurt hurt hurt, keep kept kept,
    know knew known, lay laid laid, lead led led, leave left left, lend lent lent, let let let, lie lied lied, lose
    lost lost, make made made, mean meant meant, meet met met, mislead misled misled, overhear overheard overheard,
    override overrode overridden, overthrow overthrew overthrown, pay paid paid, put put put, quit quit quit, read
    read read, rebuild rebuilt rebuilt, rewrite rewrote rewritten, ride rode ridden, ring rang rung, rise rose
    risen, run ran run, say said said, see saw seen, seek sought sought, sell sold sold, send sent sent, set set
    set, shake shook shaken, shoot shot shot, show showed shown, shut shut shut, sing sang sung, sit sat sat, sleep
    slept slept, speak spoke spoken, spend spent spent, spit spat spat, split split split, spread spread spread,
    stand stood stood, steal stole stolen, stick stuck stuck, strike struck struck, swear swore sworn, take took
    taken, teach taught taught, tear tore torn, tell told told, think thought thought, throw threw thrown, undergo
    underwent undergone, understand understood understood, undertake undertook undertaken, uphold upheld upheld,
    wake woke woken, wear wore worn, weep wept wept, win won won, withdraw withdrew withdrawn, withhold withheld
    withheld, write wrote written
"""
_IRREGULAR = {verb: (past, done) for verb, past, done in map(str.split, _THREE.split(","))}
# That double their last letter: of one syllable, or stressed on the last.
_DOUBLED = re.compile(
    "(?:qu|[^aeiou])*[aeiou][bdglmnprt]|acquit|admit|begin|commit|compel|control|entrap|expel|forbid|forget|kidnap"
    "|occur|omit|permit|prefer|rebut|refer|submit|transfer|wiretap"
)
# Behind which the object does not stand: "let him in", "kick him out".
_ADVERBS = frozenset({"away", "back", "down", "off", "out", "over", "up"})
OBJECTS = {
    "me": ("me", "my"), "te": ("you", "your"), "nos": ("us", "our"), "le": ("him", "his"), "lo": ("him", "his"),
    "la": ("her", "her"), "les": ("them", "their"), "los": ("them", "their"), "las": ("them", "their"),
}  # fmt: skip


def inflected(english: str, form: Form) -> str:
    """The first word of what begins with a verb in another form, and one joined to it: "took away", "entered and
    searched". As it is where no verb begins it: "forced labor", "peaceably assemble".
    """
    verb, _, rest = english.partition(" ")
    if re.fullmatch(r"\w{3,}(?:e|ab|al)ly", verb):
        return english
    if verb.endswith(("ed", "ing")) and not (verb.endswith("eed") or verb in _IRREGULAR):
        return english
    if rest.startswith("and "):
        rest = "and " + inflected(rest.removeprefix("and "), form)
    return f"{_verb(verb, form)} {rest}".strip()


def _verb(verb: str, form: Form) -> str:
    if form is Form.PLAIN:
        return verb
    if form is not Form.DOING and verb in _IRREGULAR:
        return _IRREGULAR[verb][form is Form.DONE]
    stem = verb + verb[-1] if _DOUBLED.fullmatch(verb) else verb
    if form is Form.DOING:
        return _before_ing(stem) + "ing"
    if re.search("[^aeiou]y$", stem):
        return stem[:-1] + "ied"
    return stem + ("d" if stem[-1] == "e" else "ed")


def _before_ing(stem: str) -> str:
    if stem in ("die", "lie", "tie"):
        return stem[:-2] + "y"
    return stem[:-1] if stem.endswith("e") and not stem.endswith("ee") and stem != "be" else stem


def did_not(english: str, form: Form, *, finite: bool) -> str:
    """Of what begins with a verb that is not inflected yet."""
    if not finite or form in (Form.DOING, Form.DONE) or english.startswith("be "):
        return "not " + inflected(english, form)
    return ("did not " if form is Form.PAST else "do not ") + english


def with_object(english: str, pronoun: str) -> str:
    """The English of a verb with the pronoun's person as its object, where it has room for one."""
    person, _ = OBJECTS[pronoun]
    words = english.split()
    if len(words) == 1 or words[0] in ("let", "make") or (len(words) == 2 and words[1] in _ADVERBS):
        return " ".join([words[0], person, *words[1:]])
    return english


def of_person(english: str, pronoun: str) -> str:
    """What is said of me, said of another: "take my house", "take his house"."""
    person, whose = OBJECTS[pronoun]
    oneself = {"me": "myself", "us": "ourselves", "them": "themselves"}.get(person, f"{person}self")
    english = re.sub(r"\bmyself\b", oneself, english)
    return re.sub(r"\bmy\b", whose, re.sub(r"\bme\b", person, english))
