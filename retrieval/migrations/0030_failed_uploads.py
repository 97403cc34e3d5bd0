"""An upload whose job failed says so and why; until now it seemed to wait."""

from django.db import migrations, models

FAILED = """
SELECT set_config('arf.principals', '*', true);
UPDATE retrieval_upload upload SET status = 'failed', reason = run.error
FROM retrieval_jobrun run WHERE run.id = upload.run_id AND run.status = 'failed' AND upload.status = 'waiting';
SELECT set_config('arf.principals', '', true);
SET CONSTRAINTS ALL IMMEDIATE;
"""


class Migration(migrations.Migration):
    dependencies = [("retrieval", "0029_set_passwords")]
    operations = [
        migrations.AlterField(
            "upload", "reason", models.TextField(blank=True, help_text="Why it was refused, or failed.")
        ),
        migrations.AlterField(
            "upload",
            "status",
            models.CharField(
                choices=[
                    ("waiting", "Waiting or being read"),
                    ("stored", "Stored"),
                    ("unchanged", "Unchanged"),
                    ("refused", "Refused"),
                    ("cancelled", "Cancelled"),
                    ("failed", "Failed"),
                ],
                default="waiting",
                max_length=10,
            ),
        ),
        migrations.RunSQL(FAILED, migrations.RunSQL.noop),
    ]
