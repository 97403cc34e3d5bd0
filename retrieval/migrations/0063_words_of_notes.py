"""The words of private sections' notes are kept as PostgreSQL searches them, as those of private chunks are (migration
0058). Filled in without a trigger, so that nothing counts as published.
"""

import django.contrib.postgres.search
from django.db import migrations

from retrieval.access.row_security import as_system

FOLLOW = """
CREATE OR REPLACE FUNCTION retrieval_words_follow() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE retrieval_chunk SET words = NULL  -- a trigger makes them anew
    WHERE section_id IN (SELECT id FROM retrieval_section WHERE document_id = NEW.id);
    {notes}
    RETURN NULL;
END $$;
"""
NOTES_FOLLOW = "UPDATE retrieval_section SET note_words = NULL WHERE document_id = NEW.id AND notes <> '{}';"
# After the trigger `privacy`, whose name comes before.
TRIGGER = """
CREATE FUNCTION retrieval_private_note_words() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    SELECT to_tsvector(retrieval_search_config(language), array_to_string(NEW.notes, E'\\n'))
    INTO STRICT NEW.note_words FROM retrieval_document WHERE id = NEW.document_id;
    RETURN NEW;
END $$;
CREATE TRIGGER words BEFORE INSERT OR UPDATE OF notes, note_words ON retrieval_section
    FOR EACH ROW WHEN (NEW.private AND NEW.notes <> '{}') EXECUTE FUNCTION retrieval_private_note_words();
ALTER TABLE retrieval_section ALTER note_words SET STATISTICS 0;  -- as of the notes themselves
"""
UNDO = "DROP FUNCTION retrieval_private_note_words CASCADE;"
FILL = """
ALTER TABLE retrieval_section DISABLE TRIGGER USER;
UPDATE retrieval_section section
SET note_words = to_tsvector(retrieval_search_config(document.language), array_to_string(notes, E'\\n'))
FROM retrieval_document document
WHERE document.id = section.document_id AND section.private AND section.notes <> '{}';
SET CONSTRAINTS ALL IMMEDIATE;
ALTER TABLE retrieval_section ENABLE TRIGGER USER;
"""


@as_system()
def fill(apps, schema_editor):
    schema_editor.execute(FILL)


class Migration(migrations.Migration):
    dependencies = [("retrieval", "0062_changed_cases")]

    operations = [
        migrations.AddField(
            "section",
            "note_words",
            django.contrib.postgres.search.SearchVectorField(editable=False, null=True),
        ),
        migrations.RunSQL(TRIGGER, UNDO),
        migrations.RunSQL(FOLLOW.format(notes=NOTES_FOLLOW), FOLLOW.format(notes="")),
        migrations.RunPython(fill, migrations.RunPython.noop),
    ]
