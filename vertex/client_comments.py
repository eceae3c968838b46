"""The client's part for comments on templates and breakages, and who works on them."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime

from vertex.client_connection import Connection, join_path
from vertex.client_rows import Breakage, Template, read_row


@dataclass(frozen=True, slots=True, kw_only=True)
class Comment:
    """A comment. breakage: the id of the breakage that it is about; None if it is about the template itself.

    told, unknown: of a new comment, who gets a notice of it, and names after an @ that nobody has.
    """

    id: int
    text: str
    by: str
    at: datetime
    breakage: int | None
    told: Sequence[str] = ()
    unknown: Sequence[str] = ()


class CommentCalls(Connection):
    """Comments, and who works on what."""

    def list_comments(self, site: str, template: int) -> Iterator[Comment]:
        """Yield the comments on a template and on its breakages, oldest first."""
        return self.list_all(join_path("sites", site, "templates", template, "comments"), Comment)

    def comment(self, site: str, template: int, text: str) -> Comment:
        """Comment on a template. @name tells that person."""
        return read_row(Comment, self.request("POST", join_path("sites", site, "templates", template, "comments"), body={"text": text}))

    def list_breakage_comments(self, breakage_id: int) -> Iterator[Comment]:
        """Yield the comments on a breakage, oldest first."""
        return self.list_all(join_path("breakages", breakage_id, "comments"), Comment)

    def comment_breakage(self, breakage_id: int, text: str) -> Comment:
        """Comment on a breakage. @name tells that person."""
        return read_row(Comment, self.request("POST", join_path("breakages", breakage_id, "comments"), body={"text": text}))

    def assign(self, site: str, template: int, person: str) -> Template:
        """Assign a template to a person; to nobody if the name is empty."""
        return read_row(Template, self.request("PATCH", join_path("sites", site, "templates", template), body={"assignee": person}))

    def assign_breakage(self, breakage_id: int, person: str) -> Breakage:
        """Assign a breakage to a person; to nobody if the name is empty."""
        return read_row(Breakage, self.request("PATCH", join_path("breakages", breakage_id), body={"assignee": person}))
