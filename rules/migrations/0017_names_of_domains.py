"""The name of a rule is unique among those of its domains: unique among all, it told of rules that one may not see."""

from django.db import migrations, models

NAME = {"help_text": "What it is for, in a few words.", "max_length": 120}


class Migration(migrations.Migration):
    dependencies = [("rules", "0016_private_numbers")]

    operations = [
        migrations.AlterField("historicalrule", "name", models.CharField(**NAME)),
        migrations.AlterField("rule", "name", models.CharField(**NAME)),
        migrations.AddConstraint(
            "rule", models.UniqueConstraint(fields=("name", "domains"), name="one_rule_a_name_and_domains")
        ),
    ]
