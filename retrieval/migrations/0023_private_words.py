"""Nothing is kept of what was asked or said in private domains, not even whether two asked the same."""

from django.db import migrations, models

FORGET = """
UPDATE retrieval_searchlog SET query_hash = NULL WHERE private;
UPDATE retrieval_feedback SET comment = '' FROM retrieval_searchlog log WHERE log.id = log_id AND log.private;
"""


class Migration(migrations.Migration):
    dependencies = [("retrieval", "0022_refresh_plan")]

    operations = [
        migrations.AlterField(
            "searchlog",
            "query_hash",
            models.CharField(max_length=64, null=True, help_text="Keyed hash: tells repeats without the text."),
        ),
        migrations.RunSQL(FORGET, migrations.RunSQL.noop),
    ]
