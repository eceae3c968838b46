from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('extraction', '0020_sessions_and_invitations'),
    ]

    operations = [
        migrations.CreateModel(
            name='LeftBytes',
            fields=[
                ('sha256', models.CharField(max_length=64, primary_key=True, serialize=False)),
            ],
            options={
                'verbose_name_plural': 'left bytes',
            },
        ),
    ]
