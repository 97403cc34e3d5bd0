"""Sentences that answer the question of a decision otherwise than it did. Pure.

Our summaries tell what a decision was asked, and many reply to it: "May a state execute …? No." A sentence on the
same matter denies it or does not. Words that deny or forbid are counted, as two of them undo each other: "struck down
a ban".
"""

import re

from retrieval.proof.alignment import tokens
from retrieval.proof.types import Claim
from retrieval.text.normalization import fold

ENOUGH = 0.5  # of the words of a sentence, which the question has, and
FEWEST = 2  # of them: fewer do not tell that both are of one matter
LONGEST = 45  # words of a sentence: longer ones say several things

_QUESTION = re.compile(r"^Question\. (.+?\?)", re.MULTILINE)
_REPLY = re.compile(r"(?:yes|(?P<no>(?:(?:generally|usually|ordinarily),? )?not?))\.")
_ASIDE = re.compile(
    r"\b(?:(?<!held )(?<!holds )that|who|whom|whose|which|if|when|where|because|even|after|before|(?<!resolvio )"
    r"(?<!sostuvo )(?<!decidio )(?<!establecio )que|quien(?:es)?|cuando|donde|porque)\b.*"
)
_WITHOUT = re.compile(r"\b(?:without|warrantless|absent|sin)\b")
_DENIES = re.compile(
    r"\b(?:not|no|nor|neither|never|none|nobody|cannot|without|warrantless|absent|forb(?:id\w*|ade)|prohibit\w*|bans?"
    r"|banned|banning|bars?|barred|barring|punish\w*|criminali\w+|make it a crime|convict\w*|den(?:y|ies|ied|ying|ial)"
    r"|depriv\w*|(?:struck|strikes?) down|invalid\w*|unconstitutional\w*|unlawful\w*|illegal\w*|violat\w*"
    r"|infring\w*|offends?"
    r"|abridg\w*|exceed\w*|refus\w*|declin\w*|reject\w*|with(?:hold\w*|held)|exclu\w*|inadmissib\w*|suppress\w*|immun\w*"
    r"|exempt\w*|limit\w*|restrict\w*|regulat\w*|condition\w*|caps?|fails?|lacks?|free from"
    r"|(?:laws?|statutes?|ordinances?) against|ningun\w*|nunca|jamas|sin|tampoco|prohib\w*|castig\w*|conden\w*"
    r"|nieg\w*|neg(?:ar|o|aba)|anul\w*"
    r"|inconstitucional\w*|ilegal\w*|viola\w*|rechaz\w*|inadmisib\w*|inmun\w*|restring\w*|restric\w*|regul\w*|impid\w*|impedir)\b"
)
_ALLOWS = re.compile(
    r"\b(?:may|might|can|could|must|shall|need|lets?|allow\w*|permit\w*|authori[sz]\w*|upholds?|upheld|protects?|guarantees?"
    r"|requires?|required|puede\w*|podr\w+|debe\w*|autoriz\w*|confirm\w*|proteg\w*|exig\w*|garantiz\w*)\b"
)
_DOUBT = re.compile(
    r"\b(?:only|unless|except|whether|but|though|although|while|yet|so|however|dissent\w*|argu\w*|conten\w*|claim\w*|would"
    r"|overrul\w*|revers\w*|vacat\w*|remand\w*|alleg\w*|solo|salvo|excepto|pero|aunque|disid\w*|alega\w*|argument\w*"
    r"|revoc\w*)\b|[;:?]"
)
_OF_ANY = re.compile(  # of what any decision speaks
    r"\b(?:amendments?|clauses?|constitution\w*|courts?|h(?:eld|olds)|states?|government|persons?|people"
    r"|enmiendas?|corte|sostuvo|resolvio|decidio|establecio|estados?|gobierno|personas?)\b"
)


def answered_otherwise(said: str, summary: str, holding: str, language: str) -> Claim | None:
    """The sentence as a claim that the reply contradicts; None where it does not surely do so, or there is no reply."""
    question, reply = _QUESTION.search(summary), _REPLY.match(fold(holding))
    claim = " ".join(fold(said).split())
    if not question or not reply or not is_plain(claim):
        return None
    asked = _ASIDE.sub("", fold(question[1]))
    if bool(_WITHOUT.search(asked)) != bool(_WITHOUT.search(claim)):
        return None
    mine, theirs = matter(claim, language), matter(asked, "en")
    if len(mine & theirs) < max(FEWEST, ENOUGH * len(mine)):
        return None
    if (denials(claim) - denials(asked) - bool(reply["no"])) % 2 == 0:
        return None
    return Claim(said, 0, len(said), "contradicted", 1.0, problems=("negation",))


def is_plain(claim: str) -> bool:
    """Whether it says one thing, with no condition, and denies nothing aside."""
    aside = _ASIDE.search(claim)
    speaks = _ALLOWS.search(claim) or denials(claim)
    hedged = _DOUBT.search(claim) or aside and denials(aside[0])
    return bool(speaks and not hedged and len(claim.split()) <= LONGEST)


def denials(folded: str) -> int:
    return len(_DENIES.findall(folded))


def matter(folded: str, language: str) -> set[str]:
    """What it is about: its words without those that allow or deny."""
    for said in (_DENIES, _ALLOWS, _OF_ANY):
        folded = said.sub(" ", folded)
    return {token.term for token in tokens(folded, language)} - {""}
