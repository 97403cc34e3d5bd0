"""Texts on phrases of staff that name a strategy say that no ranking is another for it."""

from django.db import migrations, models

USE = models.CharField(
    choices=[
        ("searched", "Always searched"),
        ("needless", "Needs no search, where it is all of the question"),
        ("not_served", "A topic that this site does not serve"),
        ("crisis", "A cry for help: hotlines are shown above the results"),
        ("injection", "Speaks to a language model: marked in the trace"),
        ("strategy", "Named as best searched by"),
        ("domain", "Names a body of law: public ones that it does not name are not searched"),
    ],
    max_length=12,
)
ANSWER = models.CharField(
    blank=True,
    help_text="What is told, in this language; empty: the usual words. For a strategy, its name, which traces tell: no "
    "ranking is another for it; for a body of law, its domain, or empty where the phrase names none.",
    max_length=500,
)


class Migration(migrations.Migration):
    dependencies = [("rules", "0025_phrases_that_name_domains")]

    operations = [
        migrations.AlterField(model, name, field)
        for model in ("questionphrase", "historicalquestionphrase")
        for name, field in (("use", USE), ("answer", ANSWER))
    ]
