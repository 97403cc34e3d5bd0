"""Trying a query as staff do: the ordinary search, its full account, and what became of one provision in it."""

from dataclasses import dataclass

from retrieval.access.caller import Caller
from retrieval.models import Section
from retrieval.request import SearchRequest
from retrieval.search.log import trace_for
from retrieval.search.places import as_locator
from retrieval.search.service import search


@dataclass(frozen=True, slots=True)
class Whereabouts:
    """What became of a provision. `status`: ranked (`rank` says where), dropped (`candidate` says by what and why),
    above (only provisions below it are ranked; the best of them), unfound (no leg proposed it), or unknown.
    """

    asked: str
    status: str
    locator: str = ""
    rank: int | None = None
    candidate: dict | None = None


@dataclass(frozen=True, slots=True)
class Trial:
    """`account` is the trace of the search that made the answer, None where it is no longer kept."""

    answer: dict
    account: dict | None
    whereabouts: Whereabouts | None = None


def try_out(request: SearchRequest, caller: Caller, *, fresh: bool = False, locator: str = "") -> Trial:
    """Searches as the pages and the API do; `fresh` passes the cache by. Raises what `search` raises."""
    answer = search(request, caller, channel="admin", fresh=fresh)
    account = account_of(answer, caller)
    asked = locator.strip()
    found = whereabouts(asked, account, request, caller) if asked and account else None
    return Trial(answer, account, found)


def account_of(answer: dict, caller: Caller) -> dict | None:
    """The trace of this search, or of the one whose answer was shown again."""
    account = trace_for(answer["trace_id"], caller)
    return account if "candidates" in account else None


def whereabouts(asked: str, account: dict, request: SearchRequest, caller: Caller) -> Whereabouts:
    """Where a provision, named by locator or citation, stands in the account of a search."""
    section = provision(asked, request, caller)
    if section is None:
        return Whereabouts(asked, "unknown")
    here, ranked = section.locator, list(enumerate(account["candidates"], start=1))
    at = [(rank, each) for rank, each in ranked if each["locator"] == here]
    gone = [(None, each) for each in account["dropped"] if each["locator"] == here]
    below = [(rank, each) for rank, each in ranked if (each["locator"] or "").startswith(f"{here}/")]
    for status, found in (("ranked", at), ("dropped", gone), ("above", below)):
        if found:
            return Whereabouts(asked, status, here, *found[0])
    return Whereabouts(asked, "unfound", here)


def provision(asked: str, request: SearchRequest, caller: Caller) -> Section | None:
    """The readable section that has this locator, or holds the deeper place it names."""
    locator = as_locator(f"/{asked.strip('/')}" if "/" in asked else asked, caller)
    readable = Section.objects.readable(caller, request.as_of)
    return readable.filter(locator=locator).first() or readable.filter(anchors__locator=locator).first()
