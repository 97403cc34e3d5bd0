"""How often public sections cite each section, and what they call it: kept beside its words, for the lexical index and
the learned reranker. What private sections cite is counted nowhere.
"""

from collections.abc import Sequence

from django.db import connection

MOST = 20_000  # citations counted of one section: to rank, more would tell hardly more
LONGEST = 4_000  # characters of names; a section that is called more is found by any of these

# Of the sections given, and of those that they cite, what differs from what is stored: no other section is read.
COUNT = """
WITH place AS (
    SELECT unnest(%(changed)s::bigint[]) AS id
    UNION SELECT target_id FROM retrieval_citation WHERE source_id = ANY(%(changed)s) AND target_id IS NOT NULL
), now AS (
    SELECT place.id, count(DISTINCT edge.source_id) AS cited_by,
        left(coalesce(string_agg(DISTINCT nullif(edge.called, ''), '; '), ''), %(longest)s) AS called
    FROM place LEFT JOIN LATERAL (
        SELECT made.source_id, made.called FROM retrieval_citation made
        JOIN retrieval_section source ON source.id = made.source_id
        WHERE made.target_id = place.id AND made.source_id <> place.id
            AND NOT made.private AND source.live AND source.valid_to IS NULL
        ORDER BY made.source_id, made.id LIMIT %(most)s
    ) edge ON true
    GROUP BY place.id
), counted AS (
    UPDATE retrieval_sectionterms words SET cited_by = now.cited_by, called = now.called
    FROM now WHERE words.section_id = now.id AND NOT words.private
        AND (words.cited_by, words.called) IS DISTINCT FROM (now.cited_by, now.called)
    RETURNING words.section_id
)
INSERT INTO retrieval_indexchange (chunk_id, created_at)
SELECT chunk.id, now() FROM retrieval_chunk chunk JOIN counted ON counted.section_id = chunk.section_id
ORDER BY chunk.id
"""


def count_again(*, changed: Sequence[int]) -> None:
    """Counts what these sections (ids), whose text or validity changed, cite and are cited as. The chunks of every
    section that is cited otherwise than before go into the index anew. The cost grows with the citations of these
    sections and of those that they cite, none of which is taken on trust, up to MOST of each.
    """
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(hashtextextended('index change log', 0))")
        cursor.execute(COUNT, {"changed": list(changed), "longest": LONGEST, "most": MOST})
