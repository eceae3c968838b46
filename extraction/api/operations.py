"""Operations of the API: how a function becomes one, and what it gets.

An operation names the view of the dashboard that does the same. It needs the role of that view, so that there is one place that decides.
"""

from collections.abc import Callable
from typing import Any, TypeVar

from django.http import HttpRequest
from django.shortcuts import get_object_or_404
from ninja import Router
from ninja.security import HttpBearer

from extraction.api.problems import ProblemError
from extraction.models import (
    ApiScope,
    Cluster,
    Role,
    Run,
    Site,
    Team,
)
from extraction.services.core.access import (
    SCOPES,
    TokenAccess,
    list_teams,
    refuse_team_admin,
)
from extraction.views.policy import (
    get_required_role,
    is_for_everywhere,
)
from extraction.views.subjects import find_role

F = TypeVar("F", bound=Callable[..., Any])


class ApiRequest(HttpRequest):
    """A request with a valid token."""

    access: TokenAccess


class NeededAccess(HttpBearer):
    """Lets a request pass if its person has the role in the team of what it names, and its token the scope.

    It runs before the body is read. everywhere: only for administrators of the installation.
    """

    def __init__(self, role: Role, scope: ApiScope, *, everywhere: bool) -> None:
        super().__init__()
        self.role, self.scope, self.everywhere = role, scope, everywhere

    def __call__(self, request: HttpRequest) -> TokenAccess:
        access: TokenAccess = request.access  # type: ignore[attr-defined]
        access.refuse_unless(self.role, self.scope, held=find_role(request))
        if self.everywhere:
            refuse_team_admin(access.user)
        return access

    def authenticate(self, request: HttpRequest, token: str) -> None:
        """Not used: `ApiMiddleware` has found the token."""


class Operations:
    """The operations of a room.

    like: the dashboard's view that does the same, whose role is needed.
    records: the operation gives values of records, so it needs the scope `records` and not `read`.
    """

    def __init__(self, tag: str) -> None:
        self.router = Router(tags=[tag])

    def get(
        self, path: str, *, like: Callable[..., Any], response: Any = None, records: bool = False, file: bool = False
    ) -> Callable[[F], F]:
        """Register an operation that reads. file: it sends a file and not JSON."""
        return self._add("GET", path, like, {200: bytes if file else response}, records=records, file=file)

    def post(self, path: str, *, like: Callable[..., Any], response: Any, status: int = 200) -> Callable[[F], F]:
        """Register an operation that does or creates something."""
        return self._add("POST", path, like, {status: response})

    def change(self, method: str, path: str, *, like: Callable[..., Any], response: Any = None) -> Callable[[F], F]:
        """Register an operation that changes or deletes something (PUT, PATCH, DELETE). Without a response, its status is 204."""
        return self._add(method, path, like, {200: response} if response is not None else {204: None})

    def _add(
        self, method: str, path: str, like: Callable[..., Any], response: Any, *, records: bool = False, file: bool = False
    ) -> Callable[[F], F]:
        role = get_required_role(like)
        scope = SCOPES.get(role, ApiScope.RECORDS if records else ApiScope.READ)

        def register(function: F) -> F:
            # Names of things stand between backticks, for OpenAPI as for our documentation.
            summary, _, rest = " ".join((function.__doc__ or "").split()).partition(". ")
            function.needed = NeededAccess(role, scope, everywhere=is_for_everywhere(like))  # type: ignore[attr-defined]
            self.router.add_api_operation(
                path,
                [method],
                function,
                auth=function.needed,  # type: ignore[attr-defined]
                response=response,
                summary=summary.rstrip("."),
                description=rest,
                operation_id=function.__name__,
                url_name=f"api_{function.__name__}",
                openapi_extra={"x-role": role.group, "x-scope": scope.value, "x-file": file},
            )
            return function

        return register


def choose_team(request: ApiRequest, slug: str, least: Role) -> Team:
    """Return the team that a request names for something new; the oldest one of the person if it names none. Raises ProblemError."""
    found = list_teams(request.access.user, least=least)
    chosen = found.filter(slug=slug).first() if slug else found.order_by("pk").first()
    if chosen is None:
        raise ProblemError(422, f"There is no team {slug} in which this person has the role {least.group}.")
    return chosen


def find_site(request: ApiRequest, slug: str) -> Site:
    """Return a site that the token may be used for. Raises Http404 for others, so that a token does not show which exist."""
    return get_object_or_404(request.access.list_sites(), slug=slug)


def find_cluster(request: ApiRequest, slug: str, number: int) -> Cluster:
    """Return a template of such a site. Raises Http404."""
    site = find_site(request, slug)
    return get_object_or_404(Cluster.objects.select_related("site", "record_type"), site=site, number=number)


def find_run(request: ApiRequest, run_id: int) -> Run:
    """Return a run of such a site. Raises Http404."""
    rows = Run.objects.select_related("site", "cluster", "created_by").filter(site__in=request.access.list_sites())
    return get_object_or_404(rows, pk=run_id)
