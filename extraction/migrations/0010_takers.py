"""Deliveries get the schedules that refreshes have, and say which records they bring."""

import django.core.validators
from django.conf import settings
from django.db import migrations, models


def choose_modes(apps, schema_editor):
    """A target that was delivered to after each run and on schedule is delivered to after each run: that brings all that is released."""
    targets = apps.get_model("extraction", "DeliveryTarget").objects
    targets.filter(after_run=True).update(mode="runs", next_due_at=None)
    targets.filter(after_run=False, every_hours__isnull=False).update(mode="interval")
    targets.filter(after_run=False, every_hours=None).update(mode="hand", next_due_at=None)
    targets.filter(every_hours=None).update(every_hours=24)


def choose_hours(apps, schema_editor):
    """The way back. Times of day and cron expressions become once a day, and what was delivered to begin with was delivered by hand."""
    targets = apps.get_model("extraction", "DeliveryTarget").objects
    targets.filter(mode="runs").update(after_run=True, every_hours=None)
    targets.filter(mode="hand").update(after_run=False, every_hours=None)
    targets.filter(mode="interval").update(after_run=False)
    targets.filter(mode__in=["times", "cron"]).update(after_run=False, every_hours=24)
    apps.get_model("extraction", "Delivery").objects.filter(cause="start").update(cause="hand")


def name_selections(apps, schema_editor):
    for target in apps.get_model("extraction", "DeliveryTarget").objects.all():
        changes = target.content.pop("changes_only", False) and target.kind not in ("webhook", "sql")
        target.content["selection"] = "changes" if changes else "all"
        target.save(update_fields=["content"])


def name_changes(apps, schema_editor):
    """The way back. Only new records and only gone ones become all changes."""
    for target in apps.get_model("extraction", "DeliveryTarget").objects.all():
        if target.content.pop("selection", "all") != "all":
            target.content["changes_only"] = True
        target.save(update_fields=["content"])


class Migration(migrations.Migration):

    dependencies = [
        ('extraction', '0009_run_kinds'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.RemoveConstraint(
            model_name='delivery',
            name='a_delivery_has_a_known_cause',
        ),
        migrations.RemoveConstraint(
            model_name='deliverytarget',
            name='a_schedule_has_a_next_time',
        ),
        migrations.AddField(
            model_name='deliverytarget',
            name='cron',
            field=models.CharField(blank=True, max_length=100),
        ),
        migrations.AddField(
            model_name='deliverytarget',
            name='mode',
            field=models.CharField(choices=[('runs', 'After each run'), ('interval', 'Every so many hours'), ('times', 'At times of day'), ('cron', 'By a cron expression'), ('hand', 'Only by hand')], default='runs', max_length=10),
        ),
        migrations.AddField(
            model_name='deliverytarget',
            name='times',
            field=models.JSONField(blank=True, default=list),
        ),
        migrations.AddField(
            model_name='deliverytarget',
            name='zone',
            field=models.CharField(default='UTC', max_length=60),
        ),
        migrations.RunPython(choose_modes, choose_hours),
        migrations.RunPython(name_selections, name_changes),
        migrations.RemoveField(
            model_name='deliverytarget',
            name='after_run',
        ),
        migrations.AlterField(
            model_name='delivery',
            name='cause',
            field=models.CharField(choices=[('run', 'after a run'), ('schedule', 'on schedule'), ('hand', 'by hand'), ('start', 'to begin with')], max_length=10),
        ),
        migrations.AlterField(
            model_name='deliverytarget',
            name='every_hours',
            field=models.PositiveIntegerField(default=24, validators=[django.core.validators.MinValueValidator(1), django.core.validators.MaxValueValidator(8760)]),
        ),
        migrations.AlterField(
            model_name='deliverytarget',
            name='next_due_at',
            field=models.DateTimeField(blank=True, db_index=True, null=True),
        ),
        migrations.AddConstraint(
            model_name='delivery',
            constraint=models.CheckConstraint(condition=models.Q(('cause__in', ['run', 'schedule', 'hand', 'start'])), name='a_delivery_has_a_known_cause'),
        ),
        migrations.AddConstraint(
            model_name='deliverytarget',
            constraint=models.CheckConstraint(condition=models.Q(('mode__in', ['runs', 'interval', 'times', 'cron', 'hand'])), name='a_target_has_a_known_mode'),
        ),
        migrations.AddConstraint(
            model_name='deliverytarget',
            constraint=models.CheckConstraint(condition=models.Q(('every_hours__gte', 1), ('every_hours__lte', 8760)), name='a_target_has_an_interval'),
        ),
        migrations.AddConstraint(
            model_name='deliverytarget',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('mode__in', ('runs', 'hand')), ('next_due_at', None)), models.Q(('mode__in', ('interval', 'times', 'cron')), ('next_due_at__isnull', False)), _connector='OR'), name='a_schedule_has_a_next_time'),
        ),
        migrations.AlterField(
            model_name="joinedrecord",
            name="reason",
            field=models.CharField(
                blank=True,
                choices=[
                    ("no_link", "The row has no link that can be read"),
                    ("no_key", "A value to join by is missing"),
                    ("unknown", "No page at this address is stored"),
                    ("no_match", "No page has these values"),
                    ("failed", "The page gave no record"),
                    ("elsewhere", "The page is in another template, or in none"),
                    ("ambiguous", "Several pages fit"),
                ],
                max_length=10,
            ),
        ),
    ]
