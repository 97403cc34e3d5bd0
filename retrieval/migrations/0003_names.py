
from django.db import migrations


class Migration(migrations.Migration):

    dependencies = [
        ('retrieval', '0002_triggers'),
    ]

    operations = [
        migrations.AlterModelOptions(
            name='anchor',
            options={'ordering': ['section', 'start', '-end'], 'verbose_name': 'anchor', 'verbose_name_plural': 'anchors'},
        ),
        migrations.AlterModelOptions(
            name='apikey',
            options={'verbose_name': 'API key', 'verbose_name_plural': 'API keys'},
        ),
        migrations.AlterModelOptions(
            name='chunk',
            options={'ordering': ['section', 'position'], 'verbose_name': 'chunk', 'verbose_name_plural': 'chunks'},
        ),
        migrations.AlterModelOptions(
            name='citation',
            options={'ordering': ['source', 'start'], 'verbose_name': 'citation', 'verbose_name_plural': 'citations'},
        ),
        migrations.AlterModelOptions(
            name='document',
            options={'ordering': ['domain', 'locator'], 'verbose_name': 'document', 'verbose_name_plural': 'documents'},
        ),
        migrations.AlterModelOptions(
            name='documentgrant',
            options={'verbose_name': 'document grant', 'verbose_name_plural': 'document grants'},
        ),
        migrations.AlterModelOptions(
            name='domain',
            options={'ordering': ['position', 'slug'], 'verbose_name': 'domain', 'verbose_name_plural': 'domains'},
        ),
        migrations.AlterModelOptions(
            name='embeddingmodel',
            options={'verbose_name': 'embedding model', 'verbose_name_plural': 'embedding models'},
        ),
        migrations.AlterModelOptions(
            name='feedback',
            options={'verbose_name': 'feedback', 'verbose_name_plural': 'feedback'},
        ),
        migrations.AlterModelOptions(
            name='jobrun',
            options={'ordering': ['-created_at'], 'verbose_name': 'job', 'verbose_name_plural': 'jobs'},
        ),
        migrations.AlterModelOptions(
            name='searchlog',
            options={'ordering': ['-created_at'], 'verbose_name': 'search', 'verbose_name_plural': 'search log'},
        ),
        migrations.AlterModelOptions(
            name='section',
            options={'ordering': ['document', 'position'], 'verbose_name': 'section', 'verbose_name_plural': 'sections'},
        ),
        migrations.AlterModelOptions(
            name='trace',
            options={'verbose_name': 'trace', 'verbose_name_plural': 'traces'},
        ),
        migrations.AlterModelOptions(
            name='version',
            options={'verbose_name': 'version', 'verbose_name_plural': 'versions'},
        ),
    ]
