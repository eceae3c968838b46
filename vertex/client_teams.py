"""The client's part for teams."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from vertex.client_connection import Connection, join_path
from vertex.client_rows import read_row


@dataclass(frozen=True, slots=True, kw_only=True)
class Team:
    """A team. role: yours in it."""

    slug: str
    name: str
    role: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Member:
    """Somebody in a team."""

    name: str
    role: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Moved:
    """What came to a team: slugs."""

    sites: Sequence[str]
    record_types: Sequence[str]


class TeamCalls(Connection):
    """What can be asked about teams."""

    def list_teams(self) -> Iterator[Team]:
        """Yield the teams that you are in."""
        return self.list_all("/teams", Team)

    def create_team(self, name: str) -> Team:
        """Create a team."""
        return read_row(Team, self.request("POST", "/teams", body={"name": name}))

    def rename_team(self, team: str, name: str) -> Team:
        """Change a team's name."""
        return read_row(Team, self.request("PATCH", join_path("teams", team), body={"name": name}))

    def delete_team(self, team: str) -> None:
        """Delete a team that has nothing left."""
        self.request("DELETE", join_path("teams", team))

    def list_members(self, team: str) -> Iterator[Member]:
        """Yield the members of a team."""
        return self.list_all(join_path("teams", team, "members"), Member)

    def change_member(self, team: str, name: str, role: str) -> Member:
        """Add somebody to a team, or change their role: viewer, editor, operator or admin."""
        return read_row(Member, self.request("PUT", join_path("teams", team, "members", name), body={"role": role}))

    def remove_member(self, team: str, name: str) -> None:
        """Take somebody out of a team."""
        self.request("DELETE", join_path("teams", team, "members", name))

    def move_site(self, site: str, team: str, *, together: bool = False) -> Moved:
        """Move a site with its record types to a team. together: also the sites that share record types with it."""
        return read_row(Moved, self.request("POST", join_path("teams", team, "sites"), body={"site": site, "together": together}))
