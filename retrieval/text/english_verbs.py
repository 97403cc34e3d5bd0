"""English for a Spanish verb in one of its forms and for its pronouns. Pure."""

import re

from retrieval.text.spanish_verbs import Form

# With the past and the participle, where they are not formed with -ed.
_THREE = """
    be was been, beat beat beaten, become became become, bite bit bitten, break broke broken,
    bring brought brought, burn burned burned, buy bought bought, catch caught caught, come came come,
    cut cut cut, draw drew drawn, drive drove driven, fall fell fallen, fight fought fought, find found found,
    flee fled fled, freeze froze frozen, get got got, give gave given, go went gone, have had had,
    hide hid hidden, hit hit hit, hold held held, hurt hurt hurt, keep kept kept, know knew known, lay laid laid,
    leave left left, lend lent lent, let let let, lose lost lost, make made made, pay paid paid,
    plead pleaded pleaded, put put put, read read read, run ran run, say said said, sell sold sold,
    send sent sent, set set set, shoot shot shot, shut shut shut, speak spoke spoken, spend spent spent,
    stand stood stood, steal stole stolen, swear swore sworn, take took taken, tell told told, throw threw thrown,
    wear wore worn, win won won, withdraw withdrew withdrawn, withhold withheld withheld, write wrote written
"""
_IRREGULAR = {verb: (past, done) for verb, past, done in map(str.split, _THREE.split(","))}
# That double their last letter.
_DOUBLED = re.compile(
    "acquit|ban|beg|commit|cut|drag|entrap|expel|get|grab|hit|kidnap|let|permit|plan|put|quit|rob|run|scam|set|shut"
    "|stop|strip|tap|trap|wiretap"
)
# Behind which the object does not stand: "let him in", "kick him out".
_ADVERBS = frozenset({"away", "back", "down", "off", "out", "over", "up"})
OBJECTS = {
    "me": ("me", "my"), "te": ("you", "your"), "nos": ("us", "our"), "le": ("him", "his"), "lo": ("him", "his"),
    "la": ("her", "her"), "les": ("them", "their"), "los": ("them", "their"), "las": ("them", "their"),
}  # fmt: skip


def inflected(english: str, form: Form) -> str:
    """The first word of what begins with a verb in another form: "take away", "took away"."""
    verb, _, rest = english.partition(" ")
    if verb.endswith(("ed", "ing")) and not (verb.endswith("eed") or verb in _IRREGULAR):  # as "forced labor"
        return english
    return f"{_verb(verb, form)} {rest}".strip()


def _verb(verb: str, form: Form) -> str:
    if form is Form.PLAIN:
        return verb
    if form is not Form.DOING and verb in _IRREGULAR:
        return _IRREGULAR[verb][form is Form.DONE]
    stem = verb + verb[-1] if _DOUBLED.fullmatch(verb) else verb
    if form is Form.DOING:
        return (stem[:-1] if stem[-1] == "e" and not stem.endswith("ee") else stem) + "ing"
    if re.search("[^aeiou]y$", stem):
        return stem[:-1] + "ied"
    return stem + ("d" if stem[-1] == "e" else "ed")


def did_not(english: str, form: Form, *, finite: bool) -> str:
    """Of what begins with a verb that is not inflected yet."""
    if not finite or form in (Form.DOING, Form.DONE):
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
