"""Numbers that anybody sees grow no more with others' private documents, matters or names."""

from django.db import migrations, models

from retrieval.access.row_security import as_system


def change_log(inserted: str, deleted: str, republished: str) -> str:
    """The functions of migration 0002, which log what matters to the lexical index, under further conditions."""
    return f"""
CREATE OR REPLACE FUNCTION retrieval_log_inserted() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    -- One writer at a time to the end of its transaction: ids become visible in their order, none is skipped.
    PERFORM pg_advisory_xact_lock(hashtextextended('index change log', 0));
    INSERT INTO retrieval_indexchange (chunk_id) SELECT id FROM after_rows WHERE {inserted} ORDER BY id;
    RETURN NULL;
END $$;

CREATE OR REPLACE FUNCTION retrieval_log_deleted() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM pg_advisory_xact_lock(hashtextextended('index change log', 0));
    INSERT INTO retrieval_indexchange (chunk_id) SELECT id FROM before_rows WHERE {deleted} ORDER BY id;
    RETURN NULL;
END $$;

CREATE OR REPLACE FUNCTION retrieval_log_republished() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM pg_advisory_xact_lock(hashtextextended('index change log', 0));
    INSERT INTO retrieval_indexchange (chunk_id)
    SELECT chunk.id FROM retrieval_chunk chunk
    JOIN after_rows now ON now.id = chunk.section_id
    JOIN before_rows was ON was.id = now.id
    WHERE (was.live, was.valid_from, was.valid_to, was.private)
          IS DISTINCT FROM (now.live, now.valid_from, now.valid_to, now.private) AND {republished}
    ORDER BY chunk.id;
    RETURN NULL;
END $$;
"""


PUBLIC = change_log("NOT private", "NOT private", "NOT (was.private AND now.private)")
ALL = change_log("true", "true", "true")

# By the order in which they were added, as their primary keys are.
NUMBER = """
UPDATE retrieval_deadline deadline SET number = counted.number
FROM (SELECT id, row_number() OVER (PARTITION BY matter_id ORDER BY id) AS number FROM retrieval_deadline) counted
WHERE counted.id = deadline.id
"""
HAVE_COME = "UPDATE retrieval_mattermember SET has_come = principal NOT LIKE 'nobody:%'"


@as_system()
def fill(apps, schema_editor) -> None:
    schema_editor.execute(NUMBER)
    schema_editor.execute(HAVE_COME, params=None)


class Migration(migrations.Migration):
    dependencies = [("retrieval", "0053_upload_readers")]

    operations = [
        migrations.RunSQL(PUBLIC, ALL),
        migrations.AddField(
            "mattermember",
            "has_come",
            models.BooleanField(
                default=False,
                editable=False,
                help_text="Has opened the matter, so that there is somebody of this name.",
            ),
        ),
        migrations.AddField(
            "deadline",
            "number",
            models.PositiveIntegerField(
                default=0, editable=False, help_text="Within its matter: counts no other’s."
            ),
            preserve_default=False,
        ),
        migrations.RunPython(fill, migrations.RunPython.noop),
        migrations.AlterField("searchlog", "caller", models.TextField(default="public", help_text="Access scope of the caller.")),
        migrations.AlterField("feedback", "caller", models.TextField(default="public")),
    ]
