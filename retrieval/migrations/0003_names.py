
from django.db import migrations


class Migration(migrations.Migration):

    dependencies = [
        ('retrieval', '0002_triggers'),
    ]

    operations = [
        migrations.AlterModelOptions(
            name='anchor',
            options={'ordering': ['section', 'start', '-end']},
        ),
        migrations.AlterModelOptions(
            name='apikey',
            options={'verbose_name': 'API key'},
        ),
        migrations.AlterModelOptions(
            name='chunk',
            options={'ordering': ['section', 'position']},
        ),
        migrations.AlterModelOptions(
            name='citation',
            options={'ordering': ['source', 'start']},
        ),
        migrations.AlterModelOptions(
            name='document',
            options={'ordering': ['domain', 'locator']},
        ),
        migrations.AlterModelOptions(
            name='documentgrant',
            options={},
        ),
        migrations.AlterModelOptions(
            name='domain',
            options={'ordering': ['position', 'slug']},
        ),
        migrations.AlterModelOptions(
            name='embeddingmodel',
            options={},
        ),
        migrations.AlterModelOptions(
            name='feedback',
            options={'verbose_name_plural': 'feedback'},
        ),
        migrations.AlterModelOptions(
            name='jobrun',
            options={'ordering': ['-created_at'], 'verbose_name': 'job'},
        ),
        migrations.AlterModelOptions(
            name='searchlog',
            options={'ordering': ['-created_at'], 'verbose_name': 'search', 'verbose_name_plural': 'search log'},
        ),
        migrations.AlterModelOptions(
            name='section',
            options={'ordering': ['document', 'position']},
        ),
        migrations.AlterModelOptions(
            name='trace',
            options={},
        ),
        migrations.AlterModelOptions(
            name='version',
            options={},
        ),
    ]
