"""The leg of acts that a question names: their sections, by the question's words."""

from collections.abc import Collection
from dataclasses import dataclass
from functools import reduce
from operator import or_

from django.db.models import Min, Q

from retrieval.citations.acts import Act, NamedAct, named_acts
from retrieval.corpus.named_acts import named_by_others
from retrieval.models import Section
from retrieval.models.corpus import SectionQuerySet
from retrieval.ranking import Query, Ranking, Reason
from retrieval.stages.fusion import fold, ranking_of
from retrieval.stages.legs import hits_of


@dataclass(frozen=True)
class ActRetriever:
    """The sections of the acts that the question names, as the lexical index orders them for its words."""

    k: int = 50
    weight: float = 2.0

    def __call__(self, ranking: Ranking) -> Ranking:
        query = ranking.query
        acts = dict.fromkeys(found.act for found in acts_named(query))
        sections = sections_of(query, acts)
        if not sections:
            return ranking.noting("no act that is here is named", skipped=True)
        hits = hits_of(query, self.k, among=[{"section": sections}])
        names = ", ".join(act.name for act in acts)
        reason = Reason("in_named_act", {"act": names})
        found = fold("act", ((hit.section, hit.chunk, hit.score) for hit in hits), k=self.k)
        return ranking_of(ranking, [one.but(reasons=(reason,)) for one in found]).noting(names)


def acts_named(query: Query) -> list[NamedAct]:
    """Those of our table, and those that public law here names."""
    return query.once(("acts", query.original, *query.domain_ids), lambda: _acts_named(query))


def _acts_named(query: Query) -> list[NamedAct]:
    known = list(named_acts(query.original))
    return [*known, *named_by_others(query.original, lambda: readable_public(query), known)]


def readable_public(query: Query) -> SectionQuerySet:
    """The public sections of the domains that are searched."""
    return Section.objects.readable(query.caller, query.as_of).filter(domain__in=query.domain_ids, private=False)


def sections_of(query: Query, acts: Collection[Act]) -> list[int]:
    """The readable public result sections of the acts, in no order."""
    if not acts:
        return []
    readable = readable_public(query)
    places = {place for act in acts for place in (act.first, act.last, act.within)}
    rows = readable.filter(locator__in=places).values_list("locator", "document", "position", "depth")
    known = {locator: at for locator, *at in rows}
    within = [span for act in acts if (span := span_of(act, known, readable))]
    return list(readable.results().filter(reduce(or_, within)).values_list("pk", flat=True)) if within else []


def span_of(act: Act, known: dict[str, list[int]], readable: SectionQuerySet) -> Q | None:
    """The act's place in the order of its document: from its first to its last section, where these are known and
    differ, else the division that holds it.
    """
    first, last, division = (known.get(place) for place in (act.first, act.last, act.within))
    if first and last and first != last and first[0] == last[0]:
        return Q(document=first[0], position__range=(first[1], last[1]))
    if division is None:
        return None
    document, start, depth = division
    after = readable.filter(document=document, position__gt=start, depth__lte=depth)
    end = after.aggregate(end=Min("position"))["end"]
    return Q(document=document, position__gt=start) & (Q() if end is None else Q(position__lt=end))
