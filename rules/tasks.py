"""What django-q runs by name."""

from rules.aliases import embedding
from rules.authoring import workflow
from rules.linting import linter, usage


def embed_aliases() -> int:
    """Every minute: vectors for aliases that were added or worded anew."""
    return embedding.embed_all()


def retire_expired_rules() -> int:
    """Every minute: rules whose last day is over. Searches leave them out from midnight on by themselves."""
    return workflow.retire_expired()


def count_uses() -> int:
    """Every ten minutes: how often each rule fired and changed a page, by the day."""
    return usage.count()


def check_rules() -> int:
    """Every night: what is wrong with the rules in force, for the list in the admin."""
    return linter.check_all()
