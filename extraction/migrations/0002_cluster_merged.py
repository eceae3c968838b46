from typing import Any

from django.db import migrations, models


def mark_merged(apps: Any, schema_editor: Any) -> None:
    """Until now only clusters that a person merged had several masks."""
    clusters = apps.get_model("extraction", "Cluster")
    for cluster in clusters.objects.iterator():
        if len(cluster.masks) > 1:
            clusters.objects.filter(pk=cluster.pk).update(merged=True)


class Migration(migrations.Migration):
    dependencies = [("extraction", "0001_initial")]

    operations = [
        migrations.AddField(model_name="cluster", name="merged", field=models.BooleanField(default=False)),
        migrations.RunPython(mark_merged, migrations.RunPython.noop),
    ]
