"""Uses in private domains apart. Counts made before held private searches among the others: they are begun anew."""

import django.contrib.postgres.fields
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("rules", "0010_uses"),
        ("retrieval", "0019_private_searches"),
    ]

    operations = [
        migrations.RunSQL("DELETE FROM rules_ruleuse", migrations.RunSQL.noop),
        migrations.RunSQL("DELETE FROM rules_searchday", migrations.RunSQL.noop),
        migrations.AddField(
            "ruleuse",
            "domains",
            django.contrib.postgres.fields.ArrayField(
                base_field=models.SlugField(),
                blank=True,
                default=list,
                help_text="Those of a rule that acted in private domains alone; else none.",
                size=None,
            ),
        ),
    ]
