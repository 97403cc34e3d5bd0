from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('retrieval', '0070_titles_as_cited'),
    ]

    operations = [
        migrations.AddField(
            model_name='rankermodel',
            name='bodies',
            field=models.JSONField(editable=False, help_text='What tells, beside this model, which of the loaded bodies of law answers; empty for what ships.', null=True),
        ),
    ]
