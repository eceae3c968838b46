"""What the API says about comments, for templates and breakages."""

from datetime import datetime
from typing import Any

from django.contrib.auth.models import User
from django.db.models import QuerySet
from ninja import Schema

from extraction.api.bodies import RequestBody
from extraction.api.problems import ProblemError
from extraction.models import Breakage, Cluster, Comment
from extraction.services.core import comments as service
from extraction.services.core.access import list_members


class CommentOut(Schema):
    """A comment. breakage: the id of the breakage that it is about; null if it is about the template itself."""

    id: int
    text: str
    by: str
    at: datetime
    breakage: int | None


class AddedComment(CommentOut):
    """A new comment. told: who gets a notice of it. unknown: names after an @ that nobody has."""

    told: list[str]
    unknown: list[str]


class CommentIn(RequestBody):
    """A comment in plain text. @name tells that person."""

    text: str


def describe_comment(comment: Comment) -> dict[str, Any]:
    """Return what the API says about a comment."""
    return {"id": comment.pk, "text": comment.text, "by": comment.by_name, "at": comment.at, "breakage": comment.breakage_id}


def select_comments(subject: Cluster | Breakage) -> QuerySet[Comment]:
    """Return the comments of a template or a breakage."""
    return service.list_comments(subject)


def add_comment(subject: Cluster | Breakage, body: CommentIn, user: User) -> dict[str, Any]:
    """Add a comment and return what the API says about it."""
    try:
        added = service.add_comment(subject, body.text, user)
    except service.CommentError as error:
        raise ProblemError(422, str(error)) from error
    return describe_comment(added.comment) | {"told": list(added.told), "unknown": list(added.unknown)}


def assign(subject: Cluster | Breakage, name: str) -> None:
    """Assign a template or breakage to the person of this name; to nobody if it is empty."""
    person = list_members(service.find_site(subject).team_id).filter(username=name).first()
    if name and person is None:
        raise ProblemError(422, f"There is no person {name[:80]}.")
    try:
        service.assign(subject, person)
    except service.CommentError as error:
        raise ProblemError(422, str(error)) from error
