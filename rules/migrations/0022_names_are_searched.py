"""Names that were for answers alone are compared by searches like all others."""

from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [("rules", "0021_names_for_answers")]

    operations = [
        migrations.RemoveField(model_name="alias", name="searched"),
        migrations.RemoveField(model_name="historicalalias", name="searched"),
    ]
