"""The numbers that, with a commit, determine a ranking: of the corpora and of everything curators change."""

from collections.abc import Sequence

from retrieval.corpus.statements import rows
from retrieval.ranking import DomainScope

VERSIONS = "SELECT name, number FROM retrieval_version"


def current(domains: Sequence[DomainScope]) -> dict[str, int]:
    """Every version in force for these domains: {"corpus:us_constitution": 3, "aliases": 12, …}. Grants are none of
    a public answer's.
    """
    curated = dict(rows(VERSIONS))
    if not any(domain.private for domain in domains):
        curated.pop("grants", None)
    return curated | {f"corpus:{domain.slug}": domain.corpus_version for domain in domains}
