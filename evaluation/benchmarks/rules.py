"""How long a question takes to find which of many published rules it fires, by the index and one by one: in
milliseconds of processor time. The rules are made up from a seed of phrases that stand in shipped questions, half of
them stemmed. Never a unit test.
"""

import random
import time
from collections.abc import Callable, Sequence
from datetime import date

from evaluation.benchmarks.search import percentiles
from evaluation.topics.topic import Topic
from retrieval.targets import Selection
from rules.engine.clauses import Action, Clauses, CompiledRule, Criterion
from rules.engine.firing import Asked, RuleIndex, fired

KEYWORDS = 3  # of each rule
LENGTHS = (2, 3)  # words of a phrase


def benchmark_rules(topics: Sequence[Topic], *, sizes: Sequence[int], count: int, seed: int) -> list[dict]:
    """One row a number of rules: ms to index them once, and of `count` questions through the index and without."""
    chance = random.Random(seed)
    questions = [question(topic) for topic in chance.choices(topics, k=count)]
    return [row([made_rule(n + 1, topics, chance) for n in range(size)], questions) for size in sizes]


def row(rules: Sequence[CompiledRule], questions: Sequence[Asked]) -> dict:
    today = date.today()
    started = time.process_time()
    index = RuleIndex(rules)
    indexed_ms = (time.process_time() - started) * 1000
    return {
        "rules": len(rules),
        "questions": len(questions),
        "fired": sum(len(fired(index.near(asked), asked, today)) for asked in questions) / len(questions),
        "indexing_ms": round(indexed_ms, 1),
        "index_ms": timed(lambda asked: fired(index.near(asked), asked, today), questions),
        "one_by_one_ms": timed(lambda asked: fired(rules, asked, today), questions[:50]),
    }


def timed(find: Callable[[Asked], object], questions: Sequence[Asked]) -> dict[str, float]:
    times = []
    for asked in questions:
        started = time.process_time()
        find(asked)
        times.append((time.process_time() - started) * 1000)
    return percentiles(times)


def question(topic: Topic) -> Asked:
    return Asked(((topic.language, topic.query),), topic.language, frozenset(), frozenset(), ())


def made_rule(number: int, topics: Sequence[Topic], chance: random.Random) -> CompiledRule:
    phrases = tuple(made_phrase(chance.choice(topics).query.split(), chance) for _ in range(KEYWORDS))
    criterion = Criterion("keywords", phrases, stemmed=chance.random() < 0.5)
    clauses = Clauses((criterion,), Selection(()), (Action("note", text="A note."),))
    return CompiledRule(number, f"rule {number}", 1, 100, (), clauses)


def made_phrase(words: Sequence[str], chance: random.Random) -> str:
    length = chance.choice(LENGTHS)
    start = chance.randrange(max(len(words) - length, 0) + 1)
    return " ".join(words[start : start + length])
