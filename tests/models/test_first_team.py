"""The migration that gives an earlier installation its first team."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from django.db import connection
from django.db.migrations.executor import MigrationExecutor

pytestmark = pytest.mark.slow
"""It migrates twelve versions to and fro; `make test-migrations` runs it."""

BEFORE, AFTER = [("extraction", "0024_known_by_people")], [("extraction", "0027_team_of_everything")]


@pytest.fixture
def migrate(transactional_db: None) -> Iterator[Callable[[list[tuple[str, str]]], Any]]:
    """Bring the tables to a state, and return the models of that state. At the end the tables are up to date again."""
    from extraction.models.kept import installing

    def go(wanted: list[tuple[str, str]]) -> Any:
        executor = MigrationExecutor(connection)
        executor.migrate(wanted)
        return executor.loader.project_state(wanted).apps

    installing.remove_triggers(connection)
    yield go
    if connection.vendor == "sqlite":
        return  # the whole file is restored
    executor = MigrationExecutor(connection)
    executor.migrate(executor.loader.graph.leaf_nodes())
    installing.create_triggers(connection)


def test_everybody_is_in_the_first_team_with_their_role_and_admins_administer_the_installation(migrate: Any) -> None:
    old = migrate(BEFORE)
    groups = {name: old.get_model("auth", "Group").objects.get_or_create(name=name)[0] for name in ("viewer", "editor", "admin")}
    for name, held in (("vi", ["viewer"]), ("ed", ["viewer", "editor"]), ("ada", ["admin"]), ("nobody", [])):
        old.get_model("auth", "User").objects.create(username=name).groups.set([groups[each] for each in held])
    site = old.get_model("extraction", "Site").objects.create(name="Books", slug="books")
    old.get_model("extraction", "RecordType").objects.create(name="Book", slug="book")
    old.get_model("extraction", "AlertChannel").objects.create(name="Data team", url="json://example.org/")
    entry = {"at": site.created_at, "source": "api", "kind": "site.created", "what": "Books"}
    old.get_model("extraction", "AuditEntry").objects.create(site=site, **entry)
    old.get_model("extraction", "AuditEntry").objects.create(**entry)

    new = migrate(AFTER)
    team = new.get_model("extraction", "Team").objects.get()
    members = {each.user.username: each.role for each in team.memberships.select_related("user")}
    assert members == {"vi": 1, "ed": 2, "ada": 4}
    assert [each.username for each in new.get_model("auth", "User").objects.filter(is_superuser=True)] == ["ada"]
    for name in ("Site", "RecordType", "AlertChannel"):
        assert new.get_model("extraction", name).objects.get().team == team
    assert [each.team for each in new.get_model("extraction", "AuditEntry").objects.order_by("pk")] == [team, None]
    assert not new.get_model("auth", "Group").objects.exists()

    back = migrate(BEFORE)
    again = {each.username: [group.name for group in each.groups.all()] for each in back.get_model("auth", "User").objects.all()}
    assert again == {"vi": ["viewer"], "ed": ["editor"], "ada": ["admin"], "nobody": []}
