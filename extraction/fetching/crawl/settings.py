"""The plan in Scrapy's words."""

from typing import Any

from extraction.fetching.crawl.messages import CrawlPlan

PRODUCT = "Vertex"
"""The name that robots.txt files know us by."""

VERSION = "0.1"

MAX_THROTTLE_S = 60.0

_HERE = "extraction.fetching.crawl"


def user_agent(plan: CrawlPlan) -> str:
    """Who asks, and whom to write to about it."""
    contact = " ".join(plan.contact.split())
    return f"{PRODUCT}/{VERSION} (+{contact})" if contact else f"{PRODUCT}/{VERSION}"


def settings(plan: CrawlPlan) -> dict[str, Any]:
    """Settings of a crawl. What Scrapy does by itself and a crawl of a stranger's site does not want is switched off: the telnet console
    and the remote control, spider middlewares (depth, referrer and filters are the frontier's), the jitter that halves delays."""
    return {
        "USER_AGENT": user_agent(plan),
        "ROBOTSTXT_OBEY": plan.obey_robots,
        "ROBOTSTXT_USER_AGENT": PRODUCT,
        "DOWNLOAD_DELAY": plan.delay_s,
        "DOWNLOAD_DELAY_JITTER": 0.0,
        "CONCURRENT_REQUESTS_PER_DOMAIN": plan.concurrency,
        "CONCURRENT_REQUESTS": plan.concurrency + 2,  # no more wait for their turn: the frontier decides late what comes next
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
        "METAREFRESH_ENABLED": False,  # `pages` reads it from the tree that is there anyway
        "COOKIES_ENABLED": True,
        "CONCURRENT_ITEMS": 1,  # callbacks yield nothing; Scrapy starts so many tasks for each answer all the same
        "WARN_ON_GENERATOR_RETURN_VALUE": False,
        "SCHEDULER": f"{_HERE}.scheduler.FrontierScheduler",
        "DOWNLOADER_MIDDLEWARES": {
            f"{_HERE}.middlewares.ScopeMiddleware": 40,
            f"{_HERE}.middlewares.SafetyMiddleware": 745,
            "scrapy.downloadermiddlewares.offsite.OffsiteMiddleware": None,
            "scrapy.downloadermiddlewares.httpauth.HttpAuthMiddleware": None,
            "scrapy.downloadermiddlewares.httpcache.HttpCacheMiddleware": None,
        },
        "SPIDER_MIDDLEWARES_BASE": {},
        "EXTENSIONS": {f"{_HERE}.crawl_delay.CrawlDelay": 500},
        "EXTENSIONS_BASE": {"scrapy.extensions.throttle.AutoThrottle": 0},
        "TELNETCONSOLE_ENABLED": False,
        "STATS_DUMP": False,
        "LOG_ENABLED": False,
        "URLLENGTH_LIMIT": 0,
    }
