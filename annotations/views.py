"""The workbench, and what it asks for as JSON.

The module is longer than others because it has one short view for each of the workbench's addresses.
"""

from collections.abc import Callable
from functools import update_wrapper
from typing import Any

from django.contrib import messages
from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.translation import gettext
from django.views.decorators.http import require_GET, require_POST

from annotations import drafts, edits, page_looks, page_suggestions, recommendations, services
from extraction.algorithms.dom.nodes import Location
from extraction.algorithms.errors import PageError
from extraction.algorithms.json_texts import parse_json
from extraction.display import tree
from extraction.models import Attribute, Cluster, RecordType, Role, Run, Snapshot
from extraction.services.core.coverage import MAX_LISTED
from extraction.services.core.runs import JobError
from extraction.services.intake import load_assets
from extraction.services.labels.labelling import LabelError
from extraction.services.learning import learn_rule
from extraction.services.learning.workspaces import open_workspace
from extraction.services.rules import doubts, rules
from extraction.services.rules.rules import StateError
from extraction.services.suggestions import page_data as stored_data
from extraction.services.templates import boilerplate, clusters
from extraction.views.http import SignedInHttpRequest
from extraction.views.policy import requires

MAX_NUMBER = 2**31 - 1
"""The largest number that every database stores."""

MAX_DIGITS = len(str(MAX_NUMBER))

MAX_SHOWN = 200
"""How many characters of a wrong value a message repeats."""


class BadRequest(Exception):  # noqa: N818
    """The request is wrong; the message says how."""


Endpoint = Callable[..., dict[str, Any]]


def endpoint(view: Endpoint) -> Callable[..., HttpResponse]:
    """Make a view that answers with JSON values for a cluster, for editors only. Errors in the request become a 400 with the reason."""

    def answered(request: HttpRequest, slug: str, number: int, **more: Any) -> HttpResponse:
        try:
            return JsonResponse(view(request, _find_cluster(slug, number), **more))
        except (BadRequest, JobError, LabelError, PageError, StateError) as error:
            return JsonResponse({"error": str(error)}, status=400)
        except RecursionError:  # the depth at which reading, checking or printing a value gives up differs
            return JsonResponse({"error": "the request is nested too deeply"}, status=400)

    return requires(Role.EDITOR)(update_wrapper(answered, view))


@require_GET
@requires(Role.EDITOR)
def show_workbench(request: HttpRequest, slug: str, number: int) -> HttpResponse:
    """Show the page where values are marked or, if there is no record type yet, where a record type is chosen."""
    cluster = _find_cluster(slug, number)
    context = {"cluster": cluster, "site": cluster.site, "section": "sites"}
    if cluster.record_type is None:
        return render(
            request, "annotations/record_type.html", {**context, "record_types": RecordType.objects.filter(team=cluster.site.team_id)}
        )
    return render(request, "annotations/workbench.html", {**context, "attributes": services.list_attributes(cluster)})


@require_GET
@requires(Role.EDITOR)
def offer_record_type(request: HttpRequest, slug: str, number: int) -> HttpResponse:
    """Offer the data that the template's pages contain about themselves as a start for a record type; empty if there is none."""
    cluster = _find_cluster(slug, number)
    return render(request, "annotations/_offered.html", {"cluster": cluster, "offer": stored_data.propose_record_type(cluster)})


@require_POST
@requires(Role.EDITOR)
def choose_record_type(request: HttpRequest, slug: str, number: int) -> HttpResponse:
    """Set the record type of this template's pages and goes on to the workbench."""
    cluster = _find_cluster(slug, number)
    chosen = get_object_or_404(RecordType, slug=request.POST.get("record_type", ""), team=cluster.site.team_id)
    try:
        clusters.set_record_type(cluster, chosen)
    except JobError as error:
        messages.error(request, f"{error}.")
    return redirect("workbench", slug, number)


@require_GET
@endpoint
def describe_state(request: SignedInHttpRequest, cluster: Cluster) -> dict[str, Any]:
    """Return the samples, attributes and labels. ?also=1,2 names pages of the template to show in addition to the samples."""
    found = services.describe_state(cluster, edits.find_possible_steps(cluster, request.user))
    known = {sample["id"] for sample in found["samples"]}
    found["samples"] += recommendations.describe_pages(cluster, [pk for pk in _read_ids(request, "also") if pk not in known])
    return found


@require_GET
@endpoint
def load_pages(_request: HttpRequest, cluster: Cluster) -> dict[str, Any]:
    """Read some more pages to learn from. The workbench asks again until it is complete."""
    filling = open_workspace(cluster).fill()
    return {"loaded": filling.loaded, "wanted": filling.wanted, "complete": filling.complete}


@require_POST
@endpoint
def change_labels(request: SignedInHttpRequest, cluster: Cluster) -> dict[str, Any]:
    """Change the labels of attributes on a page. The body is {page, changes: [{attribute, locations: [...], or null for "not here"}]}."""
    body = _read_body(request)
    snapshot = _find_snapshot(cluster, body.get("page"))
    changes = [_read_change(cluster, row) for row in _read_list(body, "changes")]
    if not changes:
        raise BadRequest("changes: the list is empty")
    nodes = services.read_page_tree(cluster, snapshot).nodes
    step = edits.apply_changes(cluster, snapshot, changes, request.user, nodes=nodes)
    return services.describe_change(cluster, step, edits.find_possible_steps(cluster, request.user))


@require_POST
@endpoint
def undo_step(request: SignedInHttpRequest, cluster: Cluster) -> dict[str, Any]:
    """Undo the person's last step."""
    return _answer_step(cluster, edits.undo_step(cluster, request.user), request.user)


@require_POST
@endpoint
def redo_step(request: SignedInHttpRequest, cluster: Cluster) -> dict[str, Any]:
    """Repeat the last step that the person undid."""
    return _answer_step(cluster, edits.redo_step(cluster, request.user), request.user)


@require_GET
@endpoint
def describe_draft(request: HttpRequest, cluster: Cluster) -> dict[str, Any]:
    """Return what is learned about ?attribute= so far; with ?page=, also the places that are like those marked there.

    ?also=1,2: pages whose values are wanted in addition to those of the samples.
    """
    page = _read_number(request, "page") if request.GET.get("page") else None
    shown = dict.fromkeys([*services.list_sample_ids(cluster), *_read_ids(request, "also")])
    return drafts.describe_draft(cluster, _find_attribute(cluster, request.GET.get("attribute")), shown, page)


@require_GET
@endpoint
def recommend_pages(request: HttpRequest, cluster: Cluster) -> dict[str, Any]:
    """Return which page to annotate next, and why. The workbench asks again until the answer is complete.

    ?begun=1,2: pages worked on, in the order in which they are shown.
    """
    return recommendations.describe_recommendations(cluster, services.list_sample_ids(cluster), _read_ids(request, "begun"))


@require_GET
@endpoint
def suggest_values(request: HttpRequest, cluster: Cluster) -> dict[str, Any]:
    """Return what the data in ?page= (JSON-LD, microdata, RDFa, Open Graph) says about the attributes, if the page's text has it."""
    return page_suggestions.describe_suggestions(cluster, _find_snapshot(cluster, request.GET.get("page")))


@require_GET
@endpoint
def measure_agreement(request: HttpRequest, cluster: Cluster) -> dict[str, Any]:
    """Return how well the values of ?attribute='s draft rule agree with the pages' own data."""
    return page_suggestions.describe_agreement(cluster, _find_attribute(cluster, request.GET.get("attribute")))


@require_GET
@endpoint
def measure_coverage(request: HttpRequest, cluster: Cluster) -> dict[str, Any]:
    """Return the hit rate of ?attribute= after counting some more pages."""
    attribute = _find_attribute(cluster, request.GET.get("attribute"))
    return {"attribute": attribute.pk, "coverage": drafts.describe_coverage(cluster, attribute)}


@require_GET
@endpoint
def list_titles(request: HttpRequest, cluster: Cluster) -> dict[str, Any]:
    """Return the titles and addresses of the pages ?pages=1,2,3."""
    return {"pages": services.list_titles(cluster, _read_ids(request, "pages"))}


@require_GET
@endpoint
def describe_place(request: HttpRequest, cluster: Cluster) -> dict[str, Any]:
    """Return the value and path of a place on ?page=, and what else can be marked at its element."""
    found = _read_page_tree(request, cluster)
    try:
        location = _read_location(parse_json(request.GET.get("location", "")))
    except ValueError as error:
        raise BadRequest(f"location: this is not JSON: {error}") from error
    shown = tree.describe_place(found, location)
    if shown is None:
        raise BadRequest("the page has no such place")
    return shown


@require_GET
@endpoint
def browse_tree(request: HttpRequest, cluster: Cluster) -> dict[str, Any]:
    """Return the children of ?node= on ?page=, or those of the root without a node, or the hits of ?search=."""
    found = _read_page_tree(request, cluster)
    if "search" in request.GET:
        return tree.search_tree(found, request.GET["search"][:200])
    node = _read_number(request, "node") if request.GET.get("node") else None
    if node is not None and node >= len(found.nodes):
        raise BadRequest(f"node: the page has {len(found.nodes)} elements, so there is no element {node}")
    return tree.list_children(found, node, after=_read_number(request, "after"))


@require_GET
@endpoint
def list_dimmed(request: HttpRequest, cluster: Cluster) -> dict[str, Any]:
    """Return the elements of ?page= that are template or redundant."""
    return {"nodes": boilerplate.find_dimmed(cluster, _find_snapshot(cluster, request.GET.get("page")))}


@require_GET
@endpoint
def count_missing_looks(request: HttpRequest, cluster: Cluster) -> dict[str, Any]:
    """Return how many styles and pictures of ?page= are missing, and whether they can be loaded."""
    return page_looks.count_missing_files(_find_snapshot(cluster, request.GET.get("page")))


@require_POST
@endpoint
def load_looks(request: SignedInHttpRequest, cluster: Cluster) -> dict[str, Any]:
    """Start loading styles and pictures of the samples. `progress` is the address that tells the progress."""
    run = load_assets.start_loading(cluster.site, cluster=cluster, user=request.user)
    return {"progress": reverse("workbench_looks_progress", args=[cluster.site.slug, cluster.number, run.pk])}


@require_GET
@endpoint
def describe_looks_loading(_request: HttpRequest, cluster: Cluster, run_id: int) -> dict[str, Any]:
    """Return the progress of loading styles and pictures."""
    return page_looks.describe_loading(get_object_or_404(Run, pk=run_id, cluster=cluster))


@require_POST
@endpoint
def start_learning(request: SignedInHttpRequest, cluster: Cluster) -> dict[str, Any]:
    """Start learning the rule. `progress` is the address that tells the progress."""
    run = learn_rule.start_learning(cluster, request.user)
    return {"progress": reverse("workbench_learning", args=[cluster.site.slug, cluster.number, run.pk])}


@require_GET
@endpoint
def describe_learning(_request: HttpRequest, cluster: Cluster, run_id: int) -> dict[str, Any]:
    """Return the progress of a learning run."""
    return services.describe_learning(get_object_or_404(Run, pk=run_id, cluster=cluster))


@require_POST
@endpoint
def publish_draft(request: SignedInHttpRequest, cluster: Cluster) -> dict[str, Any]:
    """Publish the newest draft and return {"rule": address}. The body is {lacking: [names of attributes that may lack rules], doubts: […]}.

    If the draft lacks rules for other attributes, or if values are in doubt that the body does not name, publish nothing and return
    {"lacking": [names], "doubts": [sentences]}.
    """
    draft = services.find_newest_draft(cluster)
    if draft is None:
        raise BadRequest(gettext("There is no draft to publish. Learn a rule first."))
    body = _read_body(request)
    names, reasons = services.list_lacking_attributes(draft), doubts.describe_doubts(draft)
    if not (_lists_all(body, "lacking", names) and _lists_all(body, "doubts", reasons)):
        return {"lacking": names, "doubts": reasons}
    rules.publish_rule(draft, request.user)
    return {"rule": draft.get_absolute_url()}


def _lists_all(body: dict[str, Any], name: str, wanted: list[str]) -> bool:
    """Return whether a list of the request has all of these texts."""
    known = body.get(name)
    return all(each in (known if isinstance(known, list) else []) for each in wanted)


def _answer_step(cluster: Cluster, step: edits.EditStep | None, user: User) -> dict[str, Any]:
    """Describe what an undone or redone step changed; `nothing` if there was no step."""
    steps = edits.find_possible_steps(cluster, user)
    return services.describe_change(cluster, step, steps) if step else {"nothing": True, "steps": steps}


def _find_cluster(slug: str, number: int) -> Cluster:
    return get_object_or_404(Cluster.objects.select_related("site", "record_type"), site__slug=slug, number=number)


def _read_page_tree(request: HttpRequest, cluster: Cluster) -> tree.PageTree:
    return services.read_page_tree(cluster, _find_snapshot(cluster, request.GET.get("page")))


def _find_snapshot(cluster: Cluster, value: Any) -> Snapshot:
    number = _parse_number(value)
    found = Snapshot.objects.filter(cluster=cluster, pk=number).first() if number is not None else None
    if found is None:
        raise BadRequest(f"page: {cluster.label} has no page {_show(value)}")
    return found


def _find_attribute(cluster: Cluster, value: Any) -> Attribute:
    found, number = None, _parse_number(value)
    if number is not None and cluster.record_type_id:
        found = Attribute.objects.of_cluster(cluster).filter(pk=number).first()
    if found is None:
        raise BadRequest(f"attribute: the record type has no attribute {_show(value)}")
    return found


def _read_change(cluster: Cluster, row: Any) -> edits.Change:
    if not isinstance(row, dict) or "locations" not in row:
        raise BadRequest(f"changes: each change needs an attribute and locations, got {_show(row)}")
    locations = row["locations"]
    number = row.get("row", 0)
    if type(number) is not int or not 0 <= number <= MAX_NUMBER:
        raise BadRequest(f"row: a whole number from 0 to {MAX_NUMBER:,} is needed, got {_show(number)}")
    return edits.Change(_find_attribute(cluster, row.get("attribute")), None if locations is None else _read_locations(locations), number)


def _read_locations(rows: Any) -> tuple[Location, ...]:
    if not isinstance(rows, list):
        raise BadRequest(f"locations: a list is needed, got {_show(rows)}")
    return tuple(_read_location(row) for row in rows)


def _read_location(row: Any) -> Location:
    try:
        return Location.from_json(row)
    except ValueError as error:
        raise BadRequest(str(error)) from error


def _read_body(request: HttpRequest) -> dict[str, Any]:
    try:
        body = parse_json(request.body)
    except ValueError as error:  # not JSON, not UTF-8, or a number of thousands of digits
        raise BadRequest(f"the request is not JSON: {error}") from error
    if not isinstance(body, dict):
        raise BadRequest("the request is not a JSON object")
    return body


def _read_list(body: dict[str, Any], name: str) -> list[Any]:
    found = body.get(name)
    if not isinstance(found, list):
        raise BadRequest(f"{name}: a list is needed, got {_show(found)}")
    return found


def _read_ids(request: HttpRequest, name: str) -> list[int]:
    """Return the numbers of a parameter. Raises BadRequest for anything that cannot be one."""
    parts = [part for part in request.GET.get(name, "").split(",")[:MAX_LISTED] if part]
    numbers = [number for part in parts if (number := _parse_number(part)) is not None]
    if len(numbers) < len(parts):
        raise BadRequest(f"{name}: numbers separated by commas are needed")
    return numbers


def _read_number(request: HttpRequest, name: str) -> int:
    text = request.GET.get(name) or "0"
    number = _parse_number(text)
    if number is None:
        raise BadRequest(f"{name}: a number up to {MAX_NUMBER:,} is needed, got {_show(text)}")
    return number


def _parse_number(value: Any) -> int | None:
    """Return a whole number from 0 to MAX_NUMBER that is given as a number or in decimal digits; None for anything else."""
    text = str(value) if type(value) is int or (isinstance(value, str) and len(value) <= MAX_DIGITS) else ""
    number = int(text) if text.isdecimal() else -1
    return number if 0 <= number <= MAX_NUMBER else None


def _show(value: Any) -> str:
    """Return a value for a message."""
    shown = repr(value)
    return shown if len(shown) <= MAX_SHOWN else f"{shown[:MAX_SHOWN]}…"
