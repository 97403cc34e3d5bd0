"""Runs a pipeline over topics as searches are run, without cache or log."""

import time
from collections.abc import Callable, Iterable, Iterator

from evaluation.topics.topic import Topic
from retrieval import pipeline
from retrieval.access.caller import ANONYMOUS, Caller
from retrieval.corpus import statements
from retrieval.ranking import DomainScope, Query, Ranking, RuleOptions
from retrieval.request import SearchRequest
from retrieval.search import service

SPANISH = "es"


def stated_language(language: str) -> str | None:
    """Spanish is stated with the question; English is detected, as in a search that names no language."""
    return SPANISH if language == SPANISH else None


class Runner:
    """A pipeline asked by one caller. The versions in force are read once a set of domains, so that every topic is run
    under the same.
    """

    def __init__(self, name: str = pipeline.USUAL, *, caller: Caller = ANONYMOUS):
        self.name, self.caller = name, caller
        self._known: dict[tuple[str, ...], tuple[tuple[DomainScope, ...], dict[str, int]]] = {}

    def in_force(self, domains: tuple[str, ...]) -> tuple[tuple[DomainScope, ...], dict[str, int]]:
        """The domains as the caller sees them, and their versions. Raises NotFound."""
        if domains not in self._known:
            scopes = service.visible_domains(self.caller, domains)
            self._known[domains] = scopes, statements.current_versions(scopes)
        return self._known[domains]

    def query(self, text: str, domains: tuple[str, ...], language: str | None = None) -> Query:
        """The question as it was asked, for those who run a part of a pipeline. Raises NotFound."""
        request = SearchRequest(text, domains, language=language, pipeline=self.name)
        return service.query_of(request, self.caller, *self.in_force(domains))

    def ranking(
        self,
        text: str,
        domains: tuple[str, ...],
        language: str | None = None,
        rules: RuleOptions | None = None,
    ) -> Ranking:
        request = SearchRequest(
            text, domains, language=language, pipeline=self.name, rules=rules or RuleOptions()
        )
        return service.run(request, self.caller, *self.in_force(domains))

    def topic(self, topic: Topic, rules: RuleOptions | None = None) -> Ranking:
        return self.ranking(topic.query, (topic.domain,), stated_language(topic.language), rules)

    def topics(
        self, topics: Iterable[Topic], *, show: Callable = iter
    ) -> Iterator[tuple[Topic, Ranking, float]]:
        """Each topic with its ranking and the milliseconds it took; `show` may wrap them in a progress bar."""
        topics = list(topics)
        for domain in {topic.domain for topic in topics}:
            self.in_force((domain,))
        for topic in show(topics):
            started = time.perf_counter()
            ranking = self.topic(topic)
            yield topic, ranking, (time.perf_counter() - started) * 1000
