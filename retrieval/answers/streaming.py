"""The sentences that a language model writes of an answer, handed out one by one as each is proven."""

import time
from collections.abc import Generator
from dataclasses import replace

from django.utils import translation

from retrieval.access import row_security
from retrieval.answers.generation import KIND, Told, writing
from retrieval.answers.service import Quoted, asked_of_model, law_of, with_entries
from retrieval.answers.standing import marks_of_cited

SENTENCE, WITHDRAWN = "sentence", "withdrawn"
Event = tuple[str, dict]


def in_plain_words_as_proven(quoted: Quoted) -> Generator[Event, None, Quoted]:
    """The third step of `service.answer`: `sentence` hands out an entry, `withdrawn` names the part of which all that
    was handed out is taken back, since another draft takes its place or none does. Whoever begins it must see it to its
    end: only then is known what it did cost, and kept what was written. While an event is sent no transaction is open,
    however slowly it is read.
    """
    started, steps = time.perf_counter(), written_as_proven(quoted)
    while True:
        with row_security.as_caller(quoted.caller), translation.override(quoted.request.spoken):
            try:
                event = next(steps)
            except StopIteration as ended:
                told = ended.value
                break
        yield event
    return replace(told, took=quoted.took + time.perf_counter() - started)


def written_as_proven(quoted: Quoted) -> Generator[Event, None, Quoted]:
    """Each step of it is taken as the caller, and in the language of the question."""
    asked = asked_of_model(quoted.request, quoted.parts, quoted.caller, quoted.request.spoken)
    writes = Handed(quoted)
    wrote = (yield from writes.as_proven(writing(*asked))) if asked else None
    told = replace(quoted, parts=with_entries(quoted.parts, wrote), wrote=wrote)
    yield from writes.rest(told)
    return told


class Handed:
    """What was handed out of each part that a model is asked about."""

    def __init__(self, quoted: Quoted):
        several = len(quoted.parts) > 1
        answered = [(n, part) for n, part in enumerate(quoted.parts, start=1) if part.can_be_told]
        self.numbers = [n if several else None for n, _ in answered]
        self.law = [law_of(part) for _, part in answered]
        self.entries: list[list[dict]] = [[] for _ in answered]

    def as_proven(
        self, writing: Generator[Told, None, dict | None]
    ) -> Generator[Event, None, dict | None]:
        while True:
            try:
                n, entry = next(writing)
            except StopIteration as ended:
                return ended.value
            yield self.withdraw(n) if entry is None else self.hand_out(n, entry)

    def hand_out(self, n: int, entry: dict) -> Event:
        self.entries[n].append(entry | marks_of_cited(entry, self.law[n]) | {"part": self.numbers[n]})
        return SENTENCE, self.entries[n][-1]

    def withdraw(self, n: int) -> Event:
        self.entries[n] = []
        return WITHDRAWN, {"kind": KIND, "part": self.numbers[n]}

    def rest(self, told: Quoted) -> Generator[Event, None, None]:
        """What of the answer as it is now was not handed out."""
        for n, number in enumerate(self.numbers):
            wrote = [item for item in told.items if item["kind"] == KIND and item["part"] == number]
            if self.entries[n] != wrote[: len(self.entries[n])]:
                yield self.withdraw(n)
            yield from ((SENTENCE, item) for item in wrote[len(self.entries[n]) :])
