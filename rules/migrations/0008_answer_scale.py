"""On which scale each answer minimum was chosen: those that are there already, on none that is known."""

import django.core.validators
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("rules", "0007_hidden_text"),
    ]

    operations = [
        migrations.AddField(
            model_name="domainthreshold",
            name="answer_scale",
            field=models.PositiveSmallIntegerField(default=0, editable=False),
        ),
        migrations.AlterField(
            model_name="domainthreshold",
            name="answer_scale",
            field=models.PositiveSmallIntegerField(
                default=1,
                editable=False,
                help_text="The scale on which the answer minimum was chosen; 0: one of before they were counted.",
            ),
        ),
        migrations.AlterField(
            model_name="domainthreshold",
            name="answer_minimum",
            field=models.FloatField(
                help_text="Below this the search abstains; 0 never does. A place on the reranker’s scale, no probability: of the answerable questions that a reranker learned from, three in a hundred lie below 0.5.",
                validators=[
                    django.core.validators.MinValueValidator(0.0),
                    django.core.validators.MaxValueValidator(1.0),
                ],
            ),
        ),
    ]
