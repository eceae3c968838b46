"""What an address is about, and so whose team decides who may see it.

Every address with arguments is either in `SUBJECTS` or in `OF_NO_TEAM`; a test compares them with all addresses.
"""

import re
from collections.abc import Mapping
from typing import Any

from django.db.models import Model
from django.db.models.functions import Coalesce
from django.http import Http404, HttpRequest
from django.urls import resolve

from extraction.models import (
    Alert,
    AlertChannel,
    Breakage,
    Comment,
    Delivery,
    DeliveryTarget,
    Invitation,
    QualityRule,
    ReaderToken,
    RecordType,
    Role,
    Run,
    RunRelease,
    Site,
    Snapshot,
    Team,
    reach_of,
)

SUBJECTS: Mapping[str, type[Model]] = {
    "sites/<slug:slug>": Site,
    "record-types/<slug:slug>": RecordType,
    "data/<slug:slug>": RecordType,
    "quality-rules/<int:rule_id>": QualityRule,
    "tokens/<int:token_id>": ReaderToken,
    "frames/<int:snapshot_id>": Snapshot,
    "runs/<int:run_id>": Run,
    "breakages/<int:breakage_id>": Breakage,
    "releases/<int:release_id>": RunRelease,
    "comments/<int:comment_id>": Comment,
    "deliveries/<int:target_id>": DeliveryTarget,
    "deliveries/sent/<int:delivery_id>": Delivery,
    "deliveries/<int:delivery_id>": Delivery,
    "delivery-targets/<int:target_id>": DeliveryTarget,
    "settings/alerts/<int:channel_id>": AlertChannel,
    "alert-channels/<int:channel_id>": AlertChannel,
    "settings/alerts/sent/<int:alert_id>": Alert,
    "settings/people/invitations/<int:invitation_id>": Invitation,
    "settings/teams/<slug:slug>": Team,
    "teams/<slug:slug>": Team,
}
"""{the beginning of an address, in the dashboard or below `API`: what it names}. Everything below it belongs to the same team."""

OF_NO_TEAM = (
    "help/",
    "invitations/",
    "forgotten/",
    "account/",
    "assets/",
    "downloads/",
    "settings/people/<int:person_id>/",
)
"""The beginnings of addresses whose arguments name something that belongs to one person or to nobody."""

API = "api/v1/"

_PATHS: Mapping[type[Model], str] = {
    Site: "team",
    RecordType: "team",
    QualityRule: "record_type__team",
    ReaderToken: "record_type__team",
    Snapshot: "page__site__team",
    Run: "site__team",
    Breakage: "cluster__site__team",
    RunRelease: "cluster__site__team",
    DeliveryTarget: "record_type__team",
    Delivery: "target__record_type__team",
    AlertChannel: "team",
    Alert: "channel__team",
    Invitation: "team",
    Team: "pk",
}

_BEGINNING = re.compile(r"(?:[\w-]+/)+?<\w+:(\w+)>")
"""An address up to its first argument."""


def find_role(request: HttpRequest) -> Role | None:
    """Return the person's role in the team of what an address names; the highest role for an address that names nothing.

    Raises Http404 for what is in a team that the person is not in, as for what does not exist.
    """
    match = request.resolver_match or resolve(request.path_info)
    reach = reach_of(request.user)
    begun = _BEGINNING.match(match.route.removeprefix(API))
    kind = SUBJECTS.get(begun[0]) if begun else None
    if begun is None or kind is None or not match.kwargs or reach.highest is None:
        return reach.highest
    held = reach.find_role(_find_team(kind, match.kwargs[begun[1]])) if not reach.everywhere else reach.highest
    if held is None:
        raise Http404
    return held


def _find_team(kind: type[Model], name: Any) -> int | None:
    """Return the team of what has this slug or id; None if there is no such thing, or it belongs to the installation."""
    column = "slug" if isinstance(name, str) else "pk"
    try:
        rows = kind._default_manager.filter(**{column: name}).order_by()
    except OverflowError:
        return None
    if kind is Comment:
        return rows.values_list(Coalesce("cluster__site__team", "breakage__cluster__site__team"), flat=True).first()
    return rows.values_list(_PATHS[kind], flat=True).first()
