"""Aliases are compared by their words too. Their vectors are made anew, with the words beside them."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("rules", "0004_rules")]
    operations = [
        migrations.RunSQL("DELETE FROM rules_aliasvector", migrations.RunSQL.noop),
        migrations.AddField(
            model_name="aliasvector",
            name="stems",
            field=models.TextField(
                default="", help_text="Its words in English, stemmed, as the lexical leg of names reads them."
            ),
            preserve_default=False,
        ),
    ]
