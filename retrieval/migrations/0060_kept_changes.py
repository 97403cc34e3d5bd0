"""Which versions are changes of the law is kept with them; filled in for what is there, of which no more is told than
before, so that nothing counts as published. Cases have an index of their own: all are read when one is published.
"""

from django.db import migrations, models

from retrieval.access.row_security import as_system

FILL = """
ALTER TABLE retrieval_section DISABLE TRIGGER USER;
WITH version AS (
    SELECT id,
        CASE WHEN valid_from >= min(valid_to) OVER place THEN 'changed'
             WHEN valid_from > min(coalesce(valid_from, '-infinity')) OVER in_document THEN 'new' ELSE '' END AS began_as,
        valid_to IS NOT NULL AND coalesce(valid_to > max(valid_from) OVER place, true) AS ended
    FROM retrieval_section WHERE live
    WINDOW place AS (PARTITION BY document_id, locator), in_document AS (PARTITION BY document_id)
)
UPDATE retrieval_section section SET began_as = version.began_as, ended = version.ended
FROM version WHERE section.id = version.id AND (version.began_as <> '' OR version.ended);
SET CONSTRAINTS ALL IMMEDIATE;
ALTER TABLE retrieval_section ENABLE TRIGGER USER;
"""


@as_system()
def fill(apps, schema_editor):
    schema_editor.execute(FILL)


class Migration(migrations.Migration):

    dependencies = [
        ('retrieval', '0059_links_are_no_text'),
    ]

    operations = [
        migrations.AddField(
            model_name='section',
            name='began_as',
            field=models.CharField(blank=True, editable=False, help_text='What its first day brought: new or changed. Empty: its document began with it.', max_length=10),
        ),
        migrations.AddField(
            model_name='section',
            name='ended',
            field=models.BooleanField(default=False, editable=False, help_text='It has a last day, and no version of it follows.'),
        ),
        migrations.RunPython(fill, migrations.RunPython.noop),
        migrations.AddIndex(
            model_name='section',
            index=models.Index(condition=models.Q(('began_as__gt', ''), ('is_result', True), ('live', True)), fields=['-valid_from', 'document', 'position', 'id', 'domain'], name='section_began'),
        ),
        migrations.AddIndex(
            model_name='section',
            index=models.Index(condition=models.Q(('ended', True), ('is_result', True), ('live', True)), fields=['-valid_to', 'document', 'position', 'id', 'domain'], name='section_ended'),
        ),
        migrations.AddIndex(
            model_name='section',
            index=models.Index(condition=models.Q(('level', 'case'), ('live', True), ('valid_to__isnull', True)), fields=['domain', 'id'], name='section_cases'),
        ),
    ]
