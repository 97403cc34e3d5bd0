"""What django-q runs by name; each calls logic elsewhere and takes ids only."""

from evaluation import readers


def learn_from_readers() -> dict[str, int]:
    """Every night: readers' thumbs as judgments, questions the ranking was unsure of as topics to judge, and what
    language models said of either as judgments of their own kind.
    """
    return {
        "clicks": readers.clicks_to_judgments(),
        "topics": readers.searches_to_topics(),
        "verdicts": readers.verdicts_to_judgments(),
    }
