"""A name may be there for answers alone: it tells which sentence to quote, and searches do not compare it."""

from django.db import migrations, models

SEARCHED = models.BooleanField(
    default=True,
    help_text="Whether searches find the provision by it. Off: it only tells answers which sentence to quote, as for "
    "details of a long provision.",
)


class Migration(migrations.Migration):
    dependencies = [("rules", "0020_triggers_plan_anew")]

    operations = [
        migrations.AddField(model_name="alias", name="searched", field=SEARCHED),
        migrations.AddField(model_name="historicalalias", name="searched", field=SEARCHED),
    ]
