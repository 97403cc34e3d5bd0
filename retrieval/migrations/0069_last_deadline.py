from django.db import migrations, models

from retrieval.access.row_security import as_system

COUNT = """
UPDATE retrieval_matter matter SET last_deadline = counted.last
FROM (SELECT matter_id, max(number) AS last FROM retrieval_deadline GROUP BY matter_id) counted
WHERE counted.matter_id = matter.id
"""


@as_system()
def fill(apps, schema_editor) -> None:
    schema_editor.execute(COUNT)


class Migration(migrations.Migration):
    dependencies = [("retrieval", "0068_searched_of_kept_questions")]

    operations = [
        migrations.AddField(
            "matter",
            "last_deadline",
            models.PositiveIntegerField(
                default=0, editable=False, help_text="The last number that a deadline was given: none comes again."
            ),
        ),
        migrations.RunPython(fill, migrations.RunPython.noop),
    ]
