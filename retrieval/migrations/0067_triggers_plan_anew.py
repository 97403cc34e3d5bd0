"""Triggers that lay the rows of a statement beside what they were plan that each time. PostgreSQL keeps the first plan of
a session for a function's own statements, and of one row the first plan is to look through all rows for each: 3,000
provisions that became law in a session that had published one before took 11 s, three times as many ten times as long.
"""

from django.db import migrations

FUNCTION = """
CREATE OR REPLACE FUNCTION {name}() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN{before}
    {begin}{statement}{end};
    RETURN NULL;
END $$;
"""
ANEW = {"begin": "EXECUTE $plan$", "end": "$plan$"}
KEPT = {"begin": "", "end": ""}

COUNTED = """
    UPDATE retrieval_domain SET corpus_version = retrieval_next_number(visibility) WHERE id IN (
        {domains}
    )"""
CITATIONS = """SELECT document.domain_id FROM after_rows now JOIN before_rows was ON was.id = now.id
        JOIN retrieval_document document ON document.id = now.document_id
        WHERE (was.source_id, was.target_locator, was.text, was.called, was.start, was."end")
              IS DISTINCT FROM (now.source_id, now.target_locator, now.text, now.called, now.start, now."end")"""
PUBLISHED = """SELECT now.domain_id FROM after_rows now JOIN before_rows was ON was.id = now.id
        WHERE (was.live OR now.live) AND was IS DISTINCT FROM now"""
TOLD = """SELECT now.domain_id FROM after_rows now JOIN before_rows was ON was.id = now.id
        WHERE (was.title, was.language, was.publication, was.source_url, was.locator, was.court, was.year)
              IS DISTINCT FROM (now.title, now.language, now.publication, now.source_url, now.locator, now.court, now.year)"""
REPUBLISHED = """
    INSERT INTO retrieval_indexchange (chunk_id)
    SELECT chunk.id FROM retrieval_chunk chunk
    JOIN after_rows now ON now.id = chunk.section_id
    JOIN before_rows was ON was.id = now.id
    WHERE (was.live, was.valid_from, was.valid_to, was.private)
          IS DISTINCT FROM (now.live, now.valid_from, now.valid_to, now.private) AND NOT (was.private AND now.private)
    ORDER BY chunk.id"""
ONE_WRITER = """
    PERFORM pg_advisory_xact_lock(hashtextextended('index change log', 0));  -- as migration 0002 does"""
VECTORS = """
    UPDATE retrieval_chunkvector stored
    SET live = now.live, valid_from = now.valid_from, valid_to = now.valid_to
    FROM after_rows now JOIN before_rows was ON was.id = now.id
    WHERE stored.section_id = now.id
      AND (was.live, was.valid_from, was.valid_to) IS DISTINCT FROM (now.live, now.valid_from, now.valid_to)
      AND (stored.live, stored.valid_from, stored.valid_to)
          IS DISTINCT FROM (now.live, now.valid_from, now.valid_to)"""
STATEMENTS = (
    ("retrieval_count_citations", "", COUNTED.format(domains=CITATIONS)),
    ("retrieval_count_published", "", COUNTED.format(domains=PUBLISHED)),
    ("retrieval_count_told", "", COUNTED.format(domains=TOLD)),
    ("retrieval_log_republished", ONE_WRITER, REPUBLISHED),
    ("retrieval_vectors_follow", "", VECTORS),
)

NOTES = """
CREATE OR REPLACE FUNCTION retrieval_log_notes() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    sections bigint[];
BEGIN
    IF TG_OP = 'INSERT' THEN
        sections := ARRAY(SELECT id FROM after_rows WHERE live AND NOT private AND (notes <> '{}' OR level = 'case'));
    ELSIF TG_OP = 'DELETE' THEN
        sections := ARRAY(SELECT id FROM before_rows WHERE live AND NOT private AND (notes <> '{}' OR level = 'case'));
    ELSE
        CHANGED
    END IF;
    IF sections <> '{}' THEN
        PERFORM pg_advisory_xact_lock(hashtextextended('index change log', 0));  -- as migration 0002 does
        INSERT INTO retrieval_indexchange (section_id) SELECT unnest(sections);
    END IF;
    RETURN NULL;
END $$;
"""
CHANGED = """ARRAY(
            SELECT now.id FROM after_rows now JOIN before_rows was ON was.id = now.id
            WHERE NOT now.private AND ((was.live, was.notes) IS DISTINCT FROM (now.live, now.notes)
              AND (was.notes <> '{}' OR now.notes <> '{}')
              OR now.level = 'case' AND (was.live, was.valid_to, was.locator, was.heading, was.plain_name)
              IS DISTINCT FROM (now.live, now.valid_to, now.locator, now.heading, now.plain_name))
        )"""
CHANGED_ANEW = f"EXECUTE $plan$SELECT {CHANGED}$plan$ INTO sections;"
CHANGED_KEPT = f"sections := {CHANGED};"


def functions(how: dict[str, str], changed: str) -> str:
    made = [FUNCTION.format(name=name, before=before, statement=statement, **how) for name, before, statement in STATEMENTS]
    return "".join([*made, NOTES.replace("CHANGED", changed)])


class Migration(migrations.Migration):
    dependencies = [("retrieval", "0066_natural_order")]
    operations = [migrations.RunSQL(functions(ANEW, CHANGED_ANEW), functions(KEPT, CHANGED_KEPT))]
