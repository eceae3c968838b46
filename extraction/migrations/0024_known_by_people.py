from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("extraction", "0023_sign_in"),
    ]

    operations = [
        migrations.AddField(
            model_name="check",
            name="accepted_at",
            field=models.DateTimeField(blank=True, null=True),
        ),
        migrations.AddField(
            model_name="check",
            name="drifting",
            field=models.BooleanField(default=False),
        ),
        migrations.AddField(
            model_name="monitor",
            name="silence_known_at",
            field=models.DateTimeField(blank=True, null=True),
        ),
    ]
