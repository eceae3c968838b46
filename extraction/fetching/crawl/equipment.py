"""The objects that the crawling child creates for its spider."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from extraction.fetching.crawl.messages import CrawlPlan
from extraction.fetching.crawl.resolver import CheckedResolver
from extraction.fetching.crawl.spool import Events, Spool
from extraction.fetching.url_safety import Guard

if TYPE_CHECKING:
    from extraction.fetching.crawl.render import Renderer


@dataclass(frozen=True, slots=True)
class Equipment:
    """The objects that a spider works with. renderer: None if the plan never renders pages."""

    plan: CrawlPlan
    guard: Guard
    resolver: CheckedResolver
    events: Events
    spool: Spool
    renderer: "Renderer | None"
