"""Sentences that only a model understands, and its answers."""

from django.utils import timezone

from retrieval.access.caller import ANONYMOUS, Caller
from rules.authoring import drafting

PAGE = "/admin/rules/rule/in-words/"
VAGUE = "If folks wonder about boarding troops at home, lead with Amendment III"  # not in the grammar's words
TODAY = timezone.localdate()
KEYWORDS = {"kind": "keywords", "values": ["boarding troops"], "stemmed": True}


def target(value: str = "U.S. Const. amend. III", kind: str = "section", **fields) -> dict:
    return {"kind": kind, "value": value, "pages": "", "key": "", "comparison": "is", **fields}


def action(kind: str = "pin", **fields) -> dict:
    return {"kind": kind, "position": 1, "factor": 2, "text": "", "phrase": "", **fields}


def answer(**changed) -> dict:
    said = {"understood": True, "instructs": False, "criteria": [KEYWORDS], "targets": [target()]}
    said |= {"actions": [action()], "domains": [], "first_day": "", "last_day": "", "priority": 100}
    return said | changed


def read(sentence: str = VAGUE, caller: Caller = ANONYMOUS) -> drafting.Reading:
    return drafting.read(sentence, caller, today=TODAY)
