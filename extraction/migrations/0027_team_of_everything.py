"""Everything belongs to a team, and names are unique within it."""

import django.db.models.deletion
from django.db import migrations, models
from django.db.models import Q

import extraction.models.team


def _team(related_name: str) -> models.ForeignKey:
    return models.ForeignKey(
        default=extraction.models.team.find_first_team,
        on_delete=django.db.models.deletion.PROTECT,
        related_name=related_name,
        to="extraction.team",
    )


class Migration(migrations.Migration):
    dependencies = [("extraction", "0026_first_team")]

    operations = [
        migrations.AlterField("site", "team", _team("sites")),
        migrations.AlterField("recordtype", "team", _team("record_types")),
        migrations.AlterField("alertchannel", "team", _team("channels")),
        migrations.AlterField(
            "invitation",
            "team",
            models.ForeignKey(
                blank=True,
                default=extraction.models.team.find_first_team,
                null=True,
                on_delete=django.db.models.deletion.CASCADE,
                related_name="invitations",
                to="extraction.team",
            ),
        ),
        migrations.AlterField("site", "name", models.CharField(max_length=120)),
        migrations.AlterField("recordtype", "name", models.CharField(max_length=80)),
        migrations.AlterField("alertchannel", "name", models.CharField(max_length=80)),
        migrations.AlterField("deliverytarget", "name", models.CharField(max_length=80)),
        migrations.AddConstraint("site", models.UniqueConstraint(fields=["team", "name"], name="one_site_per_team_and_name")),
        migrations.AddConstraint("recordtype", models.UniqueConstraint(fields=["team", "name"], name="one_record_type_per_team_and_name")),
        migrations.AddConstraint("alertchannel", models.UniqueConstraint(fields=["team", "name"], name="one_channel_per_team_and_name")),
        migrations.AddConstraint(
            "deliverytarget", models.UniqueConstraint(fields=["record_type", "name"], name="one_target_per_type_and_name")
        ),
        migrations.AddConstraint(
            "invitation",
            models.CheckConstraint(condition=Q(team__isnull=False) | Q(role="admin"), name="an_invitation_into_no_team_is_for_an_admin"),
        ),
        migrations.AddIndex("auditentry", models.Index(fields=["team", "-id"], name="audit_by_team")),
    ]
