"""The change log also tells which decided cases have come, gone or been named otherwise, so that a node that keeps their
names reads these alone.
"""

from django.db import migrations

LOG = """
CREATE OR REPLACE FUNCTION retrieval_log_notes() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    sections bigint[];
BEGIN
    IF TG_OP = 'INSERT' THEN
        sections := ARRAY(SELECT id FROM after_rows WHERE live AND NOT private AND {told});
    ELSIF TG_OP = 'DELETE' THEN
        sections := ARRAY(SELECT id FROM before_rows WHERE live AND NOT private AND {told});
    ELSE
        sections := ARRAY(
            SELECT now.id FROM after_rows now JOIN before_rows was ON was.id = now.id
            WHERE NOT now.private AND {changed}
        );
    END IF;
    IF sections <> '{{}}' THEN
        PERFORM pg_advisory_xact_lock(hashtextextended('index change log', 0));  -- as migration 0002 does
        INSERT INTO retrieval_indexchange (section_id) SELECT unnest(sections);
    END IF;
    RETURN NULL;
END $$;
"""
NOTES = "notes <> '{}'"
NOTES_CHANGED = """(was.live, was.notes) IS DISTINCT FROM (now.live, now.notes)
              AND (was.notes <> '{}' OR now.notes <> '{}')"""
CASES_CHANGED = """now.level = 'case' AND (was.live, was.valid_to, was.locator, was.heading, was.plain_name)
              IS DISTINCT FROM (now.live, now.valid_to, now.locator, now.heading, now.plain_name)"""


class Migration(migrations.Migration):
    dependencies = [("retrieval", "0061_citations_by_target")]

    operations = [
        migrations.RunSQL(
            LOG.format(told=f"({NOTES} OR level = 'case')", changed=f"({NOTES_CHANGED} OR {CASES_CHANGED})"),
            LOG.format(told=NOTES, changed=NOTES_CHANGED),
        )
    ]
