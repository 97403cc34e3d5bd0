from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("retrieval", "0016_section_terms")]
    operations = [
        migrations.AddField(
            model_name="upload", name="refusal", field=models.JSONField(default=dict, editable=False)
        ),
    ]
