"""How many requests a token may make in a minute.

The counts are in the cache `api_limits`, which all web processes share. Two requests at the same moment may be counted as one: the
limit protects the server and is no quota.
"""

import time
from dataclasses import dataclass

from django.conf import settings
from django.core.cache import caches

WINDOW_S = 60


@dataclass(frozen=True, slots=True)
class Allowance:
    """What is left of a token's requests in this minute. reset_s: seconds until it is full again."""

    limit: int
    left: int
    reset_s: int
    exceeded: bool

    def as_headers(self) -> dict[str, str]:
        """Return the headers of an answer that tell the program."""
        found = {
            "RateLimit-Policy": f'"minute";q={self.limit};w={WINDOW_S}',
            "RateLimit": f'"minute";r={self.left};t={self.reset_s}',
        }
        return found | ({"Retry-After": str(self.reset_s)} if self.exceeded else {})


def count_request(token_id: int) -> Allowance:
    """Count one request of a token."""
    now = time.time()
    window = int(now // WINDOW_S)
    cache, key, limit = caches["api_limits"], f"{token_id}:{window}", settings.VERTEX_API_REQUESTS_PER_MINUTE
    made = int(cache.get(key, 0)) + 1
    if made <= limit:
        cache.set(key, made, timeout=2 * WINDOW_S)
    return Allowance(limit, max(0, limit - made), max(1, int((window + 1) * WINDOW_S - now)), made > limit)
