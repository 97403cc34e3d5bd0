"""The words of private chunks are kept as PostgreSQL searches them: made of the text at each search, they took a second
for a few thousand chunks. Public ones have none, as they are searched by an index of their own.

No index is made of them: under row-level security PostgreSQL lets no index be searched by `@@`, which it does not trust
to keep what it sees to itself.

The change log also tells of which public sections notes have come or gone, so that their index follows what has changed.
"""

import django.contrib.postgres.search
from django.db import migrations, models

from retrieval.access.row_security import as_system

# After the trigger `privacy`, whose name comes before, and which fills in the document.
TRIGGERS = """
CREATE FUNCTION retrieval_search_config(language text) RETURNS regconfig LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT CASE language WHEN 'es' THEN 'spanish'::regconfig ELSE 'english'::regconfig END
$$;

CREATE FUNCTION retrieval_private_words() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    SELECT to_tsvector(retrieval_search_config(language), NEW.context || ' ' || NEW.text)
    INTO STRICT NEW.words FROM retrieval_document WHERE id = NEW.document_id;
    RETURN NEW;
END $$;
CREATE TRIGGER words BEFORE INSERT OR UPDATE OF context, text, words ON retrieval_chunk
    FOR EACH ROW WHEN (NEW.private) EXECUTE FUNCTION retrieval_private_words();

CREATE FUNCTION retrieval_words_follow() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE retrieval_chunk SET words = NULL  -- the trigger above makes them anew
    WHERE section_id IN (SELECT id FROM retrieval_section WHERE document_id = NEW.id);
    RETURN NULL;
END $$;
CREATE TRIGGER words_follow AFTER UPDATE OF language ON retrieval_document
    FOR EACH ROW WHEN (NEW.private AND NEW.language <> OLD.language) EXECUTE FUNCTION retrieval_words_follow();

ALTER TABLE retrieval_chunk ALTER words SET STORAGE MAIN;  -- a search reads all of them: they stay in their rows
ALTER TABLE retrieval_chunk ALTER words SET STATISTICS 0;  -- or ANALYZE keeps the most usual of all owners' words
ALTER TABLE retrieval_chunk ALTER text SET STATISTICS 0, ALTER context SET STATISTICS 0;
ALTER TABLE retrieval_section ALTER text SET STATISTICS 0, ALTER heading SET STATISTICS 0, ALTER notes SET STATISTICS 0;
"""
UNDO = """
DROP FUNCTION retrieval_words_follow, retrieval_private_words, retrieval_search_config CASCADE;
ALTER TABLE retrieval_chunk ALTER text SET STATISTICS -1, ALTER context SET STATISTICS -1;
ALTER TABLE retrieval_section ALTER text SET STATISTICS -1, ALTER heading SET STATISTICS -1, ALTER notes SET STATISTICS -1;
"""

NOTES = """
CREATE FUNCTION retrieval_log_notes() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    sections bigint[];
BEGIN
    IF TG_OP = 'INSERT' THEN
        sections := ARRAY(SELECT id FROM after_rows WHERE live AND NOT private AND notes <> '{}');
    ELSIF TG_OP = 'DELETE' THEN
        sections := ARRAY(SELECT id FROM before_rows WHERE live AND NOT private AND notes <> '{}');
    ELSE
        sections := ARRAY(
            SELECT now.id FROM after_rows now JOIN before_rows was ON was.id = now.id
            WHERE NOT now.private AND (was.live, was.notes) IS DISTINCT FROM (now.live, now.notes)
              AND (was.notes <> '{}' OR now.notes <> '{}')
        );
    END IF;
    IF sections <> '{}' THEN
        PERFORM pg_advisory_xact_lock(hashtextextended('index change log', 0));  -- as migration 0002 does
        INSERT INTO retrieval_indexchange (section_id) SELECT unnest(sections);
    END IF;
    RETURN NULL;
END $$;
CREATE TRIGGER log_notes_inserted AFTER INSERT ON retrieval_section
    REFERENCING NEW TABLE AS after_rows FOR EACH STATEMENT EXECUTE FUNCTION retrieval_log_notes();
CREATE TRIGGER log_notes_updated AFTER UPDATE ON retrieval_section
    REFERENCING OLD TABLE AS before_rows NEW TABLE AS after_rows
    FOR EACH STATEMENT EXECUTE FUNCTION retrieval_log_notes();
CREATE TRIGGER log_notes_deleted AFTER DELETE ON retrieval_section
    REFERENCING OLD TABLE AS before_rows FOR EACH STATEMENT EXECUTE FUNCTION retrieval_log_notes();
"""
UNDO_NOTES = """
DROP FUNCTION retrieval_log_notes CASCADE;
DELETE FROM retrieval_indexchange WHERE chunk_id IS NULL;
"""


@as_system()
def fill(apps, schema_editor) -> None:
    with schema_editor.connection.cursor() as cursor:
        cursor.execute("UPDATE retrieval_chunk SET words = NULL WHERE private")
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")


class Migration(migrations.Migration):
    dependencies = [("retrieval", "0057_job_refusal")]

    operations = [
        migrations.AddField(
            "chunk",
            "words",
            django.contrib.postgres.search.SearchVectorField(
                editable=False,
                help_text="Of private texts alone, as PostgreSQL searches them: the database fills it in.",
                null=True,
            ),
        ),
        migrations.RunSQL(TRIGGERS, UNDO),
        migrations.RunPython(fill, migrations.RunPython.noop),
        migrations.AlterField("indexchange", "chunk_id", models.BigIntegerField(null=True)),
        migrations.AddField("indexchange", "section_id", models.BigIntegerField(null=True)),
        migrations.RunSQL(NOTES, UNDO_NOTES),
    ]
