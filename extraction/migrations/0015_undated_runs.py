from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("extraction", "0014_keep_counts"),
    ]

    operations = [
        migrations.AddField(
            model_name="snapshot",
            name="undated_run",
            field=models.BigIntegerField(blank=True, null=True),
        ),
    ]
