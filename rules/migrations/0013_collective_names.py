"""Names of several provisions together."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("rules", "0012_clicks"),
    ]

    operations = [
        migrations.AddField(
            model_name="alias",
            name="place",
            field=models.PositiveSmallIntegerField(
                blank=True,
                help_text="Where the name means several provisions together: its place among them, from 1. A question that is only this name is answered by all of them in order. Empty: a name of this provision by itself.",
                null=True,
            ),
        ),
        migrations.AddField(
            model_name="historicalalias",
            name="place",
            field=models.PositiveSmallIntegerField(
                blank=True,
                help_text="Where the name means several provisions together: its place among them, from 1. A question that is only this name is answered by all of them in order. Empty: a name of this provision by itself.",
                null=True,
            ),
        ),
    ]
