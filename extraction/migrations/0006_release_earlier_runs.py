"""The newest finished run of each template counts as released, so that its records stay delivered until the next run is judged."""

from django.db import migrations


def release_newest_runs(apps, schema_editor):
    Rule = apps.get_model("extraction", "Rule")
    Run = apps.get_model("extraction", "Run")
    RunRelease = apps.get_model("extraction", "RunRelease")
    templates = dict(Rule.objects.values_list("pk", "cluster"))
    newest = {}
    runs = Run.objects.filter(state="done", kind__in=("extract", "crawl")).order_by("finished_at", "pk")
    for pk, kind, parameters, finished_at in runs.values_list("pk", "kind", "parameters", "finished_at").iterator():
        if kind == "extract" or parameters.get("mode") == "extract":
            newest |= {templates[rule]: (pk, finished_at) for rule in parameters.get("rules") or () if rule in templates}
    note = "Vertex had no quality rules when this run ended."
    RunRelease.objects.bulk_create(
        RunRelease(run_id=run, cluster_id=cluster, state="released", judged_at=at, decided_at=at, note=note)
        for cluster, (run, at) in sorted(newest.items(), key=lambda each: each[1])
    )


class Migration(migrations.Migration):
    dependencies = [("extraction", "0005_quality_rules")]

    operations = [migrations.RunPython(release_newest_runs, migrations.RunPython.noop, elidable=True)]
