from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("retrieval", "0021_search_query_hash")]

    operations = [
        migrations.AlterField(
            "domain",
            "refresh_plan",
            models.CharField(
                max_length=10,
                choices=[("never", "By hand"), ("weekly", "Weekly"), ("monthly", "Monthly")],
                default="never",
                help_text="When its source is ingested again; “by hand” waits for “Ingest again”.",
            ),
        ),
    ]
