"""The job of a crawl. One that refreshes first chooses its pages; then all crawls are the same."""

from dataclasses import replace

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext

from extraction.fetching.crawl.messages import Address
from extraction.models import Refresh, Run
from extraction.models.run_values import RunSummary
from extraction.services.core.runs import JobError, Progress
from extraction.services.intake import crawl_frontier, crawl_site
from extraction.services.refresh import plan_refresh
from extraction.services.sites import sources


def run_crawl(run: Run, progress: Progress) -> RunSummary:
    """Fetch pages (`crawl_site.run_crawl`). Raises JobError."""
    if run.read_parameters().refreshes and not run.addresses.exists():
        progress(0, message="Choosing the pages that are due")
        _queue_due(run)
    return crawl_site.run_crawl(run, progress)


def _queue_due(run: Run) -> None:
    """Queue the pages that are due, and note the limits of the run. One transaction, so that a killed worker leaves all or nothing."""
    refresh = Refresh.objects.select_related("site", "cluster", "schedule").filter(pk=run.read_parameters().refresh or 0).first()
    if refresh is None:
        raise JobError(gettext("The refresh of this run no longer exists. Start a new one."))
    plan = plan_refresh.plan_refresh(refresh, sources.get_source(run.site), now=timezone.now())
    with transaction.atomic():
        crawl_frontier.seed_addresses(run, plan.due, via=crawl_frontier.SEEDED)
        crawl_frontier.add_addresses(run, (Address(url=url) for url in plan.owed))
        parameters = replace(run.read_parameters(), limit=plan.limit, requests=plan.requests, include=plan.include)
        run.parameters = parameters.as_json()
        run.save(update_fields=["parameters"])
        Refresh.objects.filter(pk=refresh.pk).update(known=plan.known, due=len(plan.due), left_out=plan.left_out)
