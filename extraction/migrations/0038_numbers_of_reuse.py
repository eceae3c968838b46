"""Earlier releases stored some figures of runs that reuse rules as true and false, and could not read them again."""

from django.db import migrations


def write_numbers(apps, schema_editor):
    """Store 1 and 0 in place of true and false."""
    runs = apps.get_model("extraction", "Run").objects.filter(kind="reuse").exclude(summary={})
    for run in runs.only("summary").iterator():
        if any(isinstance(figure, bool) for figure in run.summary.values()):
            run.summary = {name: int(figure) if isinstance(figure, bool) else figure for name, figure in run.summary.items()}
            run.save(update_fields=["summary"])


class Migration(migrations.Migration):
    dependencies = [("extraction", "0037_plural_names")]

    operations = [migrations.RunPython(write_numbers, migrations.RunPython.noop)]
