"""Whether a search reached a private domain. Earlier ones are taken for such where their words are not kept."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("retrieval", "0018_rules_in_log"),
    ]

    operations = [
        migrations.AddField(
            "searchlog",
            "private",
            models.BooleanField(default=False, help_text="It reached a private domain."),
        ),
        migrations.RunSQL(
            "UPDATE retrieval_searchlog SET private = true WHERE query_text = ''", migrations.RunSQL.noop
        ),
    ]
