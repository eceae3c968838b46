"""What is currently being done with a site's pages."""

from django.http import HttpRequest

from extraction.models import Run, Site
from extraction.views.core import crawl_view, run_progress
from extraction.views.policy import may_control


def build_activity_context(request: HttpRequest, site: Site) -> dict[str, object]:
    """Return the context of `_site_now.html`: the run that is working on the site's pages, if any."""
    going = run_progress.find_going(site)
    if going is None:
        return {"site": site, "going": None}
    crawling = going.kind == Run.Kind.CRAWL
    return {
        "site": site,
        "going": run_progress.describe_progress(going),
        "outcomes": crawl_view.list_outcomes(going) if crawling else [],
        "may_control": may_control(request, going),
    }
