"""The curated names of provisions, with the sentences that they point to; found by answers through
`settings.ARF_NAMES`.
"""

from collections.abc import Collection, Sequence
from itertools import groupby
from operator import itemgetter

import numpy as np

from retrieval.answers.meaning import Names
from retrieval.corpus.statements import rows_of_bytes

NAMES = """
SELECT alias.locator, alias.sentence, made.vector
FROM rules_alias alias JOIN retrieval_domain domain ON domain.id = alias.domain_id
JOIN rules_aliasvector made ON made.alias_id = alias.id AND made.model_id = %s
WHERE domain.slug = %s AND alias.locator = ANY(%s) AND alias.enabled AND alias.place IS NULL
ORDER BY alias.locator
"""


def names_of(domain: str, locators: Collection[str], embedding_model: int) -> dict[str, Names]:
    """Of these provisions of a domain (its slug), those in use that have a vector."""
    found = rows_of_bytes(NAMES, [embedding_model, domain, list(locators)])
    return {locator: together(list(rows)) for locator, rows in groupby(found, key=itemgetter(0))}


def together(rows: Sequence[tuple[str, str, bytes]]) -> Names:
    _, sentences, vectors = zip(*rows, strict=True)
    matrix = np.frombuffer(b"".join(vectors), np.float16).reshape(len(rows), -1)
    return Names(sentences, matrix.astype(np.float32))
