"""What cites a provision is read in the order of its sources, as far as it is listed or counted: see
`retrieval.corpus.graph.citing`. The index of both takes the place of that of the target alone.
"""

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("retrieval", "0060_kept_changes")]

    operations = [
        migrations.AddIndex(
            "citation", models.Index(fields=["target", "source", "id"], name="citation_target")
        ),
        migrations.AlterField(
            "citation",
            "target",
            models.ForeignKey(
                blank=True,
                db_index=False,
                null=True,
                on_delete=django.db.models.deletion.SET_NULL,
                related_name="citations_received",
                to="retrieval.section",
            ),
        ),
    ]
