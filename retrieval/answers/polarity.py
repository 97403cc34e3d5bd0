"""Yes and no, where the words of a sentence leave no doubt. Pure.

Said only where the question asks whether something is allowed, the sentence has nearly all of its words, one modal, and
no condition or exception of any kind. In every other case the sentence is quoted without a yes or no.
"""

import re

from retrieval.text.analyzer import stems, terms
from retrieval.text.normalization import fold
from retrieval.text.snippets import function_stems

ENOUGH = 0.8  # of the question's words that say what it is about
ALLOWED = re.compile(r"^(?:can|could|may|(?:is|are|am) .{1,60}\ballowed to)\b")
NEGATIVE = re.compile(
    r"\b(?:not|no|never|cannot|illegal|forbidden|refuse|without|only|ever|unless|if|when|and|or)\b|n['’]t\b"
)
FORBIDS = re.compile(r"^(?:no|neither)\b.*\bshall\b|\b(?:shall|may) not\b|\b(?:shall be|is) prohibited\b")
ALLOWS = re.compile(r"\bmay\b(?! not)|\bshall have (?:the )?power to\b|\bis entitled to\b")
MODALS = re.compile(r"\b(?:may|shall|must|is prohibited|is entitled)\b")
LIMITED = re.compile(
    r"\b(?:unless|except|if|until|when|where|while|without|but|provided|subject to|only|however|notwithstanding"
    r"|other than|in cases?|during|as|such|nor|more|less|within)\b|[;:—]"
)


def polarity(question: str, sentence: str) -> str:
    """ "yes", "no", or "" where it is not certain; both in English."""
    asked, said = fold(question).strip(" ?¿."), fold(sentence)
    if not ALLOWED.search(asked) or NEGATIVE.search(asked) or LIMITED.search(said):
        return ""
    if len(MODALS.findall(said)) != 1 or not answers_it(question, sentence):
        return ""
    forbids, allows = bool(FORBIDS.search(said)), bool(ALLOWS.search(said))
    return "" if forbids == allows else "no" if forbids else "yes"


def answers_it(question: str, sentence: str) -> bool:
    wanted = [stem for stem in terms(question, "en") if stem not in function_stems("en")]
    held = set(stems(sentence, "en"))
    return len(wanted) > 1 and sum(stem in held for stem in wanted) >= ENOUGH * len(wanted)
