"""Yes and no, where the words of a sentence leave no doubt. Pure.

Said only where the question asks whether something is allowed in the very words of the sentence: the same subject, verb
and objects in the same order, so that nothing is left out of the law and nothing added to it. A sentence that says who
may not take a right away answers whether that one may, and not whether somebody has the right. In every other case the
sentence is quoted without a yes or no.
"""

import re
from collections.abc import Iterator
from itertools import islice, product

from retrieval.text.analyzer import stems
from retrieval.text.normalization import fold

MOST_READINGS = 64  # of a sentence with "or"
ASKS = re.compile(r"(?:can|could|may) (?P<whole>.+)|(?:is|are) (?P<who>.{1,60}?) allowed to (?P<does>.+)")
SAYS = re.compile(
    r"(?P<none>no |neither )?(?P<who>.+?),? (?P<modal>may|shall have (?:the )?power to|(?:is|are) entitled to|shall) "
    r"(?P<not>not )?(?P<does>.+)"
)
MODAL = re.compile(r"\b(?:may|might|can|cannot|could|shall|should|must|will|would|entitled)\b")
REFUSES = re.compile(
    r"\b(?:not|no|none|nothing|never|cannot|neither|nor|without|unless|except|only|if|when|but)\b|n['’]t\b"
)
REFERS = re.compile(r"\b(?:such|said|he|she|it|they|his|her|its|their|him|them|thereof|therein|which|who|that)\b")
ARTICLES = re.compile(r"\ban?\b|\bthe (?=congress\b)")  # "the bank" is not any bank
ANY = re.compile(r"\bany\b")
CHOICE = re.compile(r"\w+(?:, \w+)*,? or \w+")


def polarity(question: str, sentence: str) -> str:
    """ "yes", "no", or "" where it is not certain; both in English."""
    asks = ASKS.fullmatch(plain(question).strip(" ?¿."))
    says = SAYS.fullmatch(plain(sentence).strip(" .")) if asks else None
    if not says or len(MODAL.findall(says[0])) != 1:
        return ""
    wanted, said = asks["whole"] or f"{asks['who']} {asks['does']}", f"{says['who']} {says['does']}"
    if any(doubt.search(text) for doubt in (REFUSES, REFERS) for text in (wanted, said)):
        return ""
    forbids = bool(says["none"] or says["not"])
    if (says["none"] and says["not"]) or (says["modal"] == "shall" and not forbids):
        return ""
    if forbids:  # "no State may tax a bank" speaks of any bank; "may vote in a precinct" does not of any precinct
        wanted = ANY.sub("", wanted)
    if words(wanted) not in [words(ANY.sub("", one)) for one in readings(said)]:
        return ""
    return "no" if forbids else "yes"


def plain(text: str) -> str:
    return " ".join(fold(text).split())


def words(text: str) -> list[str]:
    return stems(ARTICLES.sub(" ", text), "en")


def readings(said: str) -> Iterator[str]:
    """The sentence itself, then with one of the words between which it has "or": no tax or duty, so no tax, no duty."""
    yield said
    pieces = CHOICE.split(said)
    choices = [re.split(r", or |, | or ", run) for run in CHOICE.findall(said)]
    for chosen in islice(product(*choices), MOST_READINGS):
        yield "".join(part for pair in zip(pieces, (*chosen, ""), strict=True) for part in pair)
