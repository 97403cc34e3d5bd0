"""Actions on the words that are searched for: another question, and words besides it."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from retrieval.citations.finding import find_citations
from retrieval.ranking import Ranking
from retrieval.request import MAX_QUERY
from rules.engine.actions.account import changed_by, telling, with_rules
from rules.engine.actions.effects import decisive
from rules.engine.clauses import CompiledRule
from rules.engine.matching import replaced


@dataclass(frozen=True)
class RewriteQuery:
    """Searches for the question as rules put it, each in turn. Its citations are read anew."""

    @with_rules("rewrite")
    def __call__(self, ranking: Ranking, rules: Sequence[CompiledRule]) -> Ranking:
        query = ranking.query
        text = put_by(rules, query.text)
        ranking = changed_by(ranking, decisive(rules, lambda those: put_by(those, query.text)))
        if text == query.text:
            return ranking
        query = replace(query, text=text, rewritten=text, citations=find_citations(text), unresolved="")
        return telling(replace(ranking, query=query), rewritten=text)


def put_by(rules: Iterable[CompiledRule], text: str) -> str:
    """The question as the rules put it, each in turn; what would be longer than a question may be is not put so."""
    for rule in rules:
        for action in rule.does("rewrite"):
            put = replaced(text, action.phrase, action.text) if action.phrase else action.text
            text = put if len(put) <= MAX_QUERY else text
    return text


@dataclass(frozen=True)
class AddSynonyms:
    """Adds words to look for beside the question's. What a search without them would have found is not known: their
    rules are said to change the page, as are those that restrict and exclude.
    """

    @with_rules("synonym")
    def __call__(self, ranking: Ranking, rules: Sequence[CompiledRule]) -> Ranking:
        words = tuple(action.text for rule in rules for action in rule.does("synonym"))
        return changed_by(replace(ranking, query=replace(ranking.query, synonyms=words)), rules)
