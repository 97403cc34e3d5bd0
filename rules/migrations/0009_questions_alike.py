"""From which similarity a judged question is suggested."""

import django.core.validators
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("rules", "0008_answer_scale"),
    ]

    operations = [
        migrations.AlterField(
            model_name="domainthreshold",
            name="query_search",
            field=models.FloatField(
                default=0.8,
                help_text="Least similarity of a judged question that is suggested beside an answer.",
                validators=[
                    django.core.validators.MinValueValidator(0.0),
                    django.core.validators.MaxValueValidator(1.0),
                ],
            ),
        ),
    ]
