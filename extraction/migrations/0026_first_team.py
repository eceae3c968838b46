"""One team with everybody in it, each in the role that they have, and everything that is there belongs to it.

An admin was an admin of the installation, and stays one.
"""

from typing import Any

from django.db import migrations

ROLES = {"viewer": 1, "editor": 2, "operator": 3, "admin": 4}


def make_first_team(apps: Any, schema_editor: Any) -> None:
    def rows(name: str, app: str = "extraction") -> Any:
        return apps.get_model(app, name).objects.using(schema_editor.connection.alias)

    team = rows("Team").create(name="Main team", slug="main-team")
    found: dict[int, int] = {}
    for user, group in rows("User", "auth").filter(groups__name__in=ROLES).values_list("pk", "groups__name"):
        found[user] = max(found.get(user, 0), ROLES[group])
    rows("User", "auth").filter(pk__in=[user for user, role in found.items() if role == ROLES["admin"]]).update(is_superuser=True)
    rows("Membership").bulk_create(rows("Membership").model(user_id=user, team=team, role=role) for user, role in found.items())
    for name in ("Site", "RecordType", "AlertChannel"):
        rows(name).update(team=team)
    rows("Invitation").exclude(role="admin").update(team=team)
    rows("AuditEntry").exclude(site=None).update(team=team)
    rows("Group", "auth").filter(name__in=ROLES).delete()


def make_groups(apps: Any, schema_editor: Any) -> None:
    """Give everybody the group of their highest role again."""
    alias = schema_editor.connection.alias
    groups = {role: apps.get_model("auth", "Group").objects.using(alias).get_or_create(name=name)[0] for name, role in ROLES.items()}
    for user in apps.get_model("auth", "User").objects.using(alias).prefetch_related("memberships"):
        roles = [each.role for each in user.memberships.all()]
        if roles or user.is_superuser:
            user.groups.add(groups[ROLES["admin"] if user.is_superuser else max(roles)])


class Migration(migrations.Migration):
    dependencies = [("extraction", "0025_teams")]

    operations = [migrations.RunPython(make_first_team, make_groups)]
