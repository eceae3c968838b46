"""Comments on a template or a breakage, people mentioned in them, and who has a piece of work."""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Count, Q, QuerySet
from django.utils import timezone
from django.utils.translation import gettext

from extraction.models import AuditKind, Breakage, Cluster, Comment, Notice, Role, Site, reach_of
from extraction.services.core import audit
from extraction.services.core.people import list_people
from extraction.services.core.percent import write_number

MENTION = re.compile(r"(?<![\w.@+-])@([\w.@+-]+)")
"""A name as Django allows it, after a space or a mark that cannot be part of an address."""

MAX_MENTIONS = 50
"""How many people one comment may tell. More names are only text."""


class CommentError(Exception):
    """The comment or the assignment is refused. The message says why."""


@dataclass(frozen=True, slots=True)
class Added:
    """A comment that was stored. told: who gets a notice. unknown: names after an @ that nobody has, so nobody was told."""

    comment: Comment
    told: tuple[str, ...]
    unknown: tuple[str, ...]


def add_comment(subject: Cluster | Breakage, text: str, user: User) -> Added:
    """Store a comment, and a notice for each person whom it mentions by @name. Raises CommentError."""
    text = text.replace("\0", "").replace("\r\n", "\n").strip()
    if not text:
        raise CommentError(gettext("Write something first."))
    if len(text) > Comment.MAX_LENGTH:
        raise CommentError(
            gettext("A comment has at most %(max_length)s characters; this one has %(text)s.")
            % {"max_length": write_number(Comment.MAX_LENGTH), "text": write_number(len(text))}
        )
    people, unknown = find_mentioned(text, find_site(subject).team_id)
    about = {"cluster": subject} if isinstance(subject, Cluster) else {"breakage": subject}
    with transaction.atomic():
        row = Comment.objects.create(**about, text=text, at=timezone.now(), by=user, by_name=user.get_username())
        told = [each for each in people if each.pk != user.pk]
        Notice.objects.bulk_create(Notice(user=each, comment=row) for each in told)
        audit.record(AuditKind.COMMENT_ADDED, subject, site=find_site(subject))
    return Added(row, tuple(each.get_username() for each in told), unknown)


def delete_comment(comment: Comment) -> None:
    """Delete a comment with its notices."""
    with transaction.atomic():
        audit.record(AuditKind.COMMENT_DELETED, comment.subject, site=find_site(comment.subject), text=f"of {comment.by_name}")
        comment.delete()


def may_delete(comment: Comment, user: User) -> bool:
    """Return whether a person may delete a comment: it is their own, or they are an administrator."""
    return comment.by_id == user.pk or reach_of(user).find_role(find_site(comment.subject).team_id) == Role.ADMIN


def find_mentioned(text: str, team: int | None) -> tuple[list[User], tuple[str, ...]]:
    """Return (people of a team whom a text mentions, names that nobody there has).

    A full stop or a hyphen behind a name may belong to the sentence, so the longest name that somebody has counts.
    """
    found: dict[int, User] = {}
    unknown = []
    for written in list(dict.fromkeys(MENTION.findall(text)))[:MAX_MENTIONS]:
        forms = [written[:end] for end in range(len(written), 0, -1) if end == len(written) or not written[end:].strip(".@+-")]
        known = {each.get_username(): each for each in list_people(team).filter(username__in=forms)}
        name = next((each for each in forms if each in known), None)
        if name is None:
            unknown.append(forms[-1])
        else:
            found[known[name].pk] = known[name]
    return list(found.values()), tuple(unknown)


def assign(subject: Cluster | Breakage, person: User | None) -> None:
    """Say who has a piece of work; None for nobody. Raises CommentError for somebody who could not do it."""
    held = reach_of(person).find_role(find_site(subject).team_id) if person else None
    if person is not None and (not person.is_active or (held or 0) < Role.EDITOR):
        raise CommentError(gettext("%(username)s is no editor, so this cannot be assigned to them.") % {"username": person.get_username()})
    before = subject.assignee
    if before == person:
        return
    with transaction.atomic():
        type(subject)._default_manager.filter(pk=subject.pk).update(assignee=person)
        subject.assignee = person
        text = audit.describe_differences({"assigned to": before}, {"assigned to": person})
        audit.record(AuditKind.ASSIGNED, subject, site=find_site(subject), text=text)


def list_assignable(subject: Cluster | Breakage) -> list[User]:
    """Return those to whom a piece of work can be assigned, by name."""
    return list(list_people(find_site(subject).team_id, Role.EDITOR))


def list_comments(subject: Cluster | Breakage) -> QuerySet[Comment]:
    """Return the comments on a template, with those on its breakages, or on a breakage; oldest first."""
    breakages = Breakage.objects.filter(cluster=subject.pk).order_by().values("pk")  # two indexes serve this better than a join
    about = Q(cluster=subject) | Q(breakage__in=breakages) if isinstance(subject, Cluster) else Q(breakage=subject)
    return Comment.objects.filter(about).select_related("by", "cluster__site", "breakage__cluster__site").order_by("pk")


def count_by_cluster(clusters: Iterable[int]) -> Counter[int]:
    """Return {template: number of its comments}, those on its breakages included, in two queries."""
    ids, found = list(clusters), Counter[int]()
    for name in ("cluster", "breakage__cluster"):
        rows = Comment.objects.filter(**{f"{name}__in": ids}).order_by().values_list(name).annotate(n=Count("pk"))
        found.update({pk: n for pk, n in rows if pk is not None})
    return found


def count_by_breakage(breakages: Sequence[int]) -> dict[int, int]:
    """Return {breakage: number of its comments}."""
    rows = Comment.objects.filter(breakage__in=breakages).order_by().values_list("breakage").annotate(n=Count("pk"))
    return {pk: n for pk, n in rows if pk is not None}


def list_notices(user: User) -> QuerySet[Notice]:
    """Return the notices that a person has not read, newest first."""
    rows = Notice.objects.filter(user=user, read_at=None)
    if not (reach := reach_of(user)).everywhere:
        mine = reach.list_teams()
        rows = rows.filter(Q(comment__cluster__site__team__in=mine) | Q(comment__breakage__cluster__site__team__in=mine))
    return rows.select_related("comment__cluster__site", "comment__breakage__cluster__site").order_by("-pk")


def mark_read(user: User, *, subject: Cluster | Breakage | None = None) -> int:
    """Mark a person's notices as read: those about one thing, or all. Return how many there were."""
    mine = Notice.objects.filter(user=user, read_at=None)
    if subject is not None:
        mine = mine.filter(comment__in=list_comments(subject).order_by().values("pk"))
    return mine.update(read_at=timezone.now())


def find_site(subject: Cluster | Breakage) -> Site:
    """Return the site of what is commented."""
    return subject.site if isinstance(subject, Cluster) else subject.cluster.site
