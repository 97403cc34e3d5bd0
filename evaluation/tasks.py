"""What django-q runs by name; each calls logic elsewhere and takes ids only."""

from evaluation import hiding, readers, rule_preview


def learn_from_readers() -> dict[str, int]:
    """Every night: readers' thumbs as judgments, questions the ranking was unsure of as topics to judge, and what
    language models said of either as judgments of their own kind.
    """
    return {
        "clicks": readers.clicks_to_judgments(),
        "topics": readers.searches_to_topics(),
        "verdicts": readers.verdicts_to_judgments(),
    }


def find_hidden_text() -> int:
    """Every night: which rules hide text that was judged relevant; gives the number of the job."""
    return hiding.find_hidden().pk


def prune() -> int:
    """Every night: old previews of rules."""
    return rule_preview.prune()
