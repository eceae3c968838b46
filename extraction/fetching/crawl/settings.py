"""Scrapy's settings for a crawl plan."""

from typing import Any

from extraction.fetching.crawl.messages import CrawlPlan

PRODUCT = "Vertex"
"""The name of this crawler in robots.txt files."""

VERSION = "0.1"

MAX_THROTTLE_S = 60.0

_HERE = "extraction.fetching.crawl"


def user_agent(plan: CrawlPlan) -> str:
    """Return the user agent: the product, its version and the contact."""
    contact = " ".join(plan.contact.split())
    return f"{PRODUCT}/{VERSION} (+{contact})" if contact else f"{PRODUCT}/{VERSION}"


def settings(plan: CrawlPlan) -> dict[str, Any]:
    """Return the settings of a crawl.

    They switch off defaults of Scrapy that do not suit a crawl of other people's sites: the telnet console, the spider middlewares
    (the frontier handles depth, scope and duplicates) and the jitter, which can halve delays.
    """
    return {
        "USER_AGENT": user_agent(plan),
        "ROBOTSTXT_OBEY": plan.obey_robots,
        "ROBOTSTXT_USER_AGENT": PRODUCT,
        "DOWNLOAD_DELAY": plan.delay_s,
        "DOWNLOAD_DELAY_JITTER": 0.0,
        "CONCURRENT_REQUESTS_PER_DOMAIN": plan.concurrency,
        "CONCURRENT_REQUESTS": plan.concurrency + 2,  # few requests wait, so that the frontier chooses the next one late
        "AUTOTHROTTLE_ENABLED": plan.autothrottle,
        "AUTOTHROTTLE_START_DELAY": plan.delay_s,
        "AUTOTHROTTLE_MAX_DELAY": max(MAX_THROTTLE_S, plan.delay_s),
        "AUTOTHROTTLE_TARGET_CONCURRENCY": float(plan.concurrency),
        "DOWNLOAD_TIMEOUT": plan.timeout_s,
        "DOWNLOAD_MAXSIZE": plan.max_bytes,
        "DOWNLOAD_WARNSIZE": 0,
        "DOWNLOAD_VERIFY_CERTIFICATES": plan.verify_certificates,
        "RETRY_TIMES": plan.retries,
        "RETRY_GIVE_UP_LOG_LEVEL": "DEBUG",
        "REDIRECT_MAX_TIMES": plan.max_redirects,
        "METAREFRESH_ENABLED": False,  # `pages` reads it from the parsed tree
        "COOKIES_ENABLED": True,
        "CONCURRENT_ITEMS": 1,  # callbacks yield no items, but Scrapy starts this many tasks for each answer
        "WARN_ON_GENERATOR_RETURN_VALUE": False,
        "SCHEDULER": f"{_HERE}.scheduler.FrontierScheduler",
        "DOWNLOADER_MIDDLEWARES": {
            f"{_HERE}.middlewares.ScopeMiddleware": 40,
            f"{_HERE}.middlewares.PrivateMiddleware": 690,  # before Scrapy's cookies (700)
            f"{_HERE}.middlewares.SafetyMiddleware": 745,
            "scrapy.downloadermiddlewares.offsite.OffsiteMiddleware": None,
            "scrapy.downloadermiddlewares.httpauth.HttpAuthMiddleware": None,
            "scrapy.downloadermiddlewares.httpcache.HttpCacheMiddleware": None,
        },
        "SPIDER_MIDDLEWARES_BASE": {},
        "EXTENSIONS": {f"{_HERE}.crawl_delay.CrawlDelay": 500},
        "EXTENSIONS_BASE": {f"{_HERE}.crawl_delay.Throttle": 0},
        "TELNETCONSOLE_ENABLED": False,
        "STATS_DUMP": False,
        "LOG_ENABLED": False,
        "URLLENGTH_LIMIT": 0,
    }
