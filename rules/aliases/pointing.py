"""Which sentences of their provisions curated names point to; found by answers through `settings.ARF_NAMES`."""

from collections.abc import Collection

import numpy as np

from retrieval.answers.meaning import Name
from rules.models import Alias, AliasVector


def names_of(domain: str, locators: Collection[str], embedding_model: int) -> list[Name]:
    """Of these provisions of a domain (its slug); without names that point to no sentence or have no vector yet."""
    pointing = Alias.objects.in_use().filter(domain__slug=domain, locator__in=locators).exclude(sentence="")
    stored = AliasVector.objects.filter(model=embedding_model, alias__in=pointing)
    return [
        Name(locator, sentence, np.frombuffer(vector, np.float16).astype(np.float32))
        for locator, sentence, vector in stored.values_list("alias__locator", "alias__sentence", "vector")
    ]
