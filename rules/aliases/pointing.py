"""The curated names of provisions, with the sentences that they point to; found by answers through
`settings.ARF_NAMES`.
"""

from collections.abc import Collection

import numpy as np

from retrieval.answers.meaning import Name
from retrieval.corpus.statements import rows_of_bytes

NAMES = """
SELECT alias.locator, alias.sentence, made.vector
FROM rules_alias alias JOIN retrieval_domain domain ON domain.id = alias.domain_id
JOIN rules_aliasvector made ON made.alias_id = alias.id AND made.model_id = %s
WHERE domain.slug = %s AND alias.locator = ANY(%s) AND alias.enabled AND alias.place IS NULL
"""


def names_of(domain: str, locators: Collection[str], embedding_model: int) -> list[Name]:
    """Of these provisions of a domain (its slug), those in use that have a vector."""
    found = rows_of_bytes(NAMES, [embedding_model, domain, list(locators)])
    return [
        Name(locator, sentence, np.frombuffer(vector, np.float16).astype(np.float32))
        for locator, sentence, vector in found
    ]
