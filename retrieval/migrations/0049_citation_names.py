from django.db import migrations, models
from django.db.models.functions import Lower


class Migration(migrations.Migration):

    dependencies = [
        ('retrieval', '0048_courts'),
    ]

    operations = [
        migrations.AddField(
            model_name='citation',
            name='name',
            field=models.GeneratedField(db_persist=True, expression=Lower('called'), output_field=models.CharField(max_length=200)),
        ),
        migrations.AddIndex(
            model_name='citation',
            index=models.Index(condition=models.Q(('called', ''), _negated=True), fields=['name'], name='citation_name'),
        ),
    ]
