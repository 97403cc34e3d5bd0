"""Of which court a decision is, and of which year; as all that searches tell of documents, a change of them makes another
version of the corpus.
"""

from django.db import migrations, models

COUNT = """
CREATE OR REPLACE FUNCTION retrieval_count_told() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE retrieval_domain SET corpus_version = nextval('retrieval_version_number') WHERE id IN (
        SELECT now.domain_id FROM after_rows now JOIN before_rows was ON was.id = now.id
        WHERE (was.title, was.language, was.publication, was.source_url, was.locator{was})
              IS DISTINCT FROM (now.title, now.language, now.publication, now.source_url, now.locator{now})
    );
    RETURN NULL;
END $$;
"""


class Migration(migrations.Migration):
    dependencies = [("retrieval", "0047_summaries")]
    operations = [
        migrations.AddField(
            model_name="document",
            name="court",
            field=models.CharField(
                blank=True, help_text="Of a decision, as cited: 9th Cir. Empty: the court of its domain.", max_length=60
            ),
        ),
        migrations.AddField(
            model_name="document",
            name="year",
            field=models.PositiveSmallIntegerField(blank=True, help_text="In which it was decided.", null=True),
        ),
        migrations.RunSQL(
            COUNT.format(was=", was.court, was.year", now=", now.court, now.year"), COUNT.format(was="", now="")
        ),
    ]
