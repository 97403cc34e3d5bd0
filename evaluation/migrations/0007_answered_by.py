import django.contrib.postgres.fields
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('evaluation', '0006_no_answers'),
    ]

    operations = [
        migrations.AddField(
            model_name='topic',
            name='answered_by',
            field=django.contrib.postgres.fields.ArrayField(base_field=models.CharField(max_length=80), blank=True, default=list, help_text='Other domains, by their slugs, that answer it; once one is loaded it is asked no more.', size=None),
        ),
    ]
