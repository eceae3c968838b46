"""Teams: the tables, and the columns that say to which team something belongs. They are filled by the next migration."""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models
from django.db.models import Q

ROLES = [(1, "viewer"), (2, "editor"), (3, "operator"), (4, "admin")]


def _team(related_name: str) -> models.ForeignKey:
    return models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name=related_name, to="extraction.team")


class Migration(migrations.Migration):
    dependencies = [("extraction", "0024_known_by_people"), migrations.swappable_dependency(settings.AUTH_USER_MODEL)]

    operations = [
        migrations.CreateModel(
            name="Team",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("name", models.CharField(max_length=80, unique=True)),
                ("slug", models.SlugField(max_length=90, unique=True)),
                ("created_at", models.DateTimeField(auto_now_add=True)),
            ],
            options={"ordering": ["name"]},
        ),
        migrations.CreateModel(
            name="Membership",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("role", models.PositiveSmallIntegerField(choices=ROLES)),
                (
                    "user",
                    models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name="memberships", to=settings.AUTH_USER_MODEL),
                ),
                (
                    "team",
                    models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name="memberships", to="extraction.team"),
                ),
            ],
            options={
                "ordering": ["team__name", "user__username"],
                "constraints": [
                    models.UniqueConstraint(fields=("user", "team"), name="one_role_per_person_and_team"),
                    models.CheckConstraint(condition=Q(role__in=[1, 2, 3, 4]), name="a_membership_has_a_known_role"),
                ],
            },
        ),
        migrations.AddField("site", "team", _team("sites")),
        migrations.AddField("recordtype", "team", _team("record_types")),
        migrations.AddField("alertchannel", "team", _team("channels")),
        migrations.AddField("invitation", "team", _team("invitations")),
        migrations.AddField(
            "auditentry",
            "team",
            models.ForeignKey(
                blank=True,
                db_index=False,
                null=True,
                on_delete=django.db.models.deletion.SET_NULL,
                related_name="+",
                to="extraction.team",
            ),
        ),
    ]
