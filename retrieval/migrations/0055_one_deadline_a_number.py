"""Apart from the step that numbers them: PostgreSQL makes no index over rows with pending events."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("retrieval", "0054_counts_of_others")]

    operations = [
        migrations.AddConstraint(
            "deadline", models.UniqueConstraint(fields=("matter", "number"), name="one_deadline_a_number")
        )
    ]
