"""Searches under rules: what is asked, what rules say, and what an answer tells of them."""

from retrieval.access.caller import ANONYMOUS, Caller
from retrieval.ranking import RuleOptions
from retrieval.request import SearchRequest
from retrieval.search.log import trace_for
from retrieval.search.service import search
from rules.engine import inline

FIRST, THIRD, FIFTH = (f"/us/const/amendment/{n}" for n in ("I", "III", "V"))
ALWAYS = [{"kind": "always"}]
QUESTION = "Can the police search my phone without a warrant?"


def section(*locators: str) -> list[dict]:
    return [{"kind": "section", "value": locator} for locator in locators]


def restricting(*places: str, **fields) -> dict:
    return {"targets": section(*places), "actions": [{"kind": "restrict"}]} | fields


def given(*rules: dict | int, **how) -> RuleOptions:
    """Rules that a caller gives."""
    return RuleOptions(given=inline.given(rules, ANONYMOUS), **how)


def ask(text: str, caller: Caller = ANONYMOUS, **fields) -> dict:
    fields.setdefault("domains", ("us_constitution",))
    return search(SearchRequest(text=text, **fields), caller)


def locators(answer: dict) -> list[str]:
    return [result["locator"] for result in answer["results"]]


def fired(answer: dict) -> list[str]:
    return [rule["name"] for rule in answer["rules"]["fired"]]


def legs_of(text: str) -> dict[str, dict]:
    """The ranks of every candidate weighed, whether it was kept or not."""
    account = trace_for(ask(text)["trace_id"], ANONYMOUS)
    return {c["locator"]: c["ranks"] for c in (*account["candidates"], *account["dropped"])}
