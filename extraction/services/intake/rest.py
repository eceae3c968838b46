"""The addresses of a site that its fetch found and left out, because it took a sample or reached its page limit."""

from extraction.models import Run, Site


def count_left_out(site: Site) -> int:
    """Return how many addresses the site's newest finished fetch found and did not fetch; 0 if it fetched all, or was a refresh."""
    run = Run.objects.filter(site=site, kind=Run.Kind.CRAWL, state=Run.State.DONE).order_by("-pk").first()
    return 0 if run is None or run.read_parameters().refreshes else run.read_summary().left or 0
