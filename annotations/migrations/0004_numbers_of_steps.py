from itertools import groupby

from django.db import migrations


def number(apps, schema_editor):
    """Gives each step the id of its first row. Steps were counted in each template, so that two that became one had the same numbers;
    a step is of one page, so its rows can be told apart by that."""
    Edit = apps.get_model("annotations", "Edit")
    rows = list(Edit.objects.order_by("cluster", "created_by", "step", "snapshot", "id").values_list("cluster", "created_by", "step", "snapshot", "id"))
    for _, group in groupby(rows, key=lambda row: row[:4]):
        ids = [row[-1] for row in group]
        for start in range(0, len(ids), 500):
            Edit.objects.filter(pk__in=ids[start : start + 500]).update(step=ids[0])


class Migration(migrations.Migration):

    dependencies = [
        ("annotations", "0003_rows"),
    ]

    operations = [
        migrations.RunPython(number, migrations.RunPython.noop),
    ]
