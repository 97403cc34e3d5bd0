"""What django-q runs by name; each calls logic elsewhere and takes ids only."""

from evaluation.judging import implicit_feedback
from evaluation.rule_impact import hidden_text, previews


def learn_from_readers() -> dict[str, int]:
    """Every night: readers' thumbs as judgments, questions the ranking was unsure of as topics to judge, and what
    language models said of either as judgments of their own kind.
    """
    return {
        "clicks": implicit_feedback.clicks_to_judgments(),
        "topics": implicit_feedback.searches_to_topics(),
        "verdicts": implicit_feedback.verdicts_to_judgments(),
    }


def find_hidden_text() -> int:
    """Every night: which rules hide text that was judged relevant; gives the number of the job."""
    return hidden_text.find_hidden().pk


def prune() -> int:
    """Every night: old previews of rules."""
    return previews.prune()
