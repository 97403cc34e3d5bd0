"""Acts that no table of ours has, by the names that sections which cite them give them: "the Natural Gas Act (15 U.S.C.
717 et seq.)". The names stand at the citations, so they are those of what is published and cost nothing more to keep.
"""

import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence

from django.db.models import Count

from retrieval.citations.acts import Act, NamedAct
from retrieval.citations.citation import Source
from retrieval.models import Citation
from retrieval.models.corpus import SectionQuerySet

_END = re.compile(r"\b(?:act|law|code|compact|amendments)\b(?P<year> of \d{4})?")
_WORD = re.compile(r"(?<![a-z0-9])[a-z]")
_FEWEST, _MOST_ENDS = 8, 4  # letters of a name; names looked for in one question
_REACH = 120  # characters of a name
_OFTEN = 3  # a place that a name is given a third as often as the one that has it most is no slip


def named_by_others(
    text: str, sections: Callable[[], SectionQuerySet], known: Sequence[NamedAct]
) -> list[NamedAct]:
    """The acts that a question names by what public law calls them, but for those `known` by our table. `sections`
    gives what may be read, where any such name is looked for.
    """
    source = Source.of(text)
    spans = [span for span in _spans(source.folded) if not any(_overlap(span, act) for act in known)]
    if not spans:
        return []
    readable = sections()
    named = Citation.objects.filter(
        name__in={name for _, _, name in spans}, private=False, source__live=True, source__valid_to=None
    ).exclude(called="")
    targets: defaultdict[str, dict[int, int]] = defaultdict(dict)
    here = named.filter(target__in=readable).values_list("name", "target")
    for name, target, count in here.annotate(times=Count("source")).order_by():
        targets[name][target] = count
    found: dict[int, NamedAct] = {}
    for start, end, name in sorted(spans, key=lambda span: span[0] - span[1]):
        if name in targets and not any(_overlap((start, end, name), act) for act in found.values()):
            found[start] = NamedAct(_act(source.visible[start:end], targets[name], readable), start, end)
    return [found[start] for start in sorted(found)]


def _spans(folded: str) -> Iterator[tuple[int, int, str]]:
    """What may be the name of an act: the words up to "act", of any number, with the year and without."""
    for end in list(_END.finditer(folded))[:_MOST_ENDS]:
        for first in _WORD.finditer(folded, max(0, end.start() - _REACH), end.start()):
            for stop in {end.end(), end.start("year") if end["year"] else end.end()}:
                if stop - first.start() >= _FEWEST:
                    yield first.start(), stop, folded[first.start() : stop]


def _overlap(span: tuple[int, int, str], act: NamedAct) -> bool:
    return span[0] < act.end and act.start < span[1]


def _act(name: str, counts: dict[int, int], readable: SectionQuerySet) -> Act:
    """Its place is the first of the places that are often cited by its name, and what holds the act: the division that
    is named, or that its first section opens or several are in.
    """
    often = [pk for pk, count in counts.items() if count * _OFTEN >= max(counts.values())]
    place = readable.filter(pk__in=often).order_by("document", "position", "pk")[0]
    in_document = readable.results().filter(document=place.document_id).order_by("position", "pk")
    if not place.is_leaf:
        first, within = in_document.filter(position__gt=place.position).first() or place, place.locator
    else:
        before = in_document.filter(parent_locator=place.parent_locator, position__lt=place.position)
        first, within = place, place.parent_locator if len(often) > 1 or not before.exists() else ""
    return Act(name, first.locator, first.locator, within, law="", title="", sections={})
