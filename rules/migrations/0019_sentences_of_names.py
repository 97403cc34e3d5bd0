"""A name may tell which sentence of its provision answers; the names of a provision are read by its locator."""

from django.db import migrations, models

SENTENCE = models.CharField(
    blank=True,
    help_text="How the sentence of the provision begins that answers whoever asks this: its first words. Answers rather "
    "quote it than another of that provision. Empty: they choose among all.",
    max_length=200,
)


class Migration(migrations.Migration):
    dependencies = [("rules", "0018_private_decisions")]

    operations = [
        migrations.AddField(model_name="alias", name="sentence", field=SENTENCE),
        migrations.AddField(model_name="historicalalias", name="sentence", field=SENTENCE),
        migrations.AddIndex("alias", models.Index(fields=["domain", "locator"], name="alias_by_locator")),
    ]
