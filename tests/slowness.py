"""How busy the machine is, for tests that limit what a person or a client waits."""

import time

LOOPS = 300_000
QUIET_S = 0.03
"""How long the loops take on a quiet machine."""


def measure_slowness() -> float:
    """Return how many times as long as on a quiet machine something takes by the clock now; at least 1."""
    began = time.perf_counter()
    for _ in range(LOOPS):
        pass
    return max(1.0, (time.perf_counter() - began) / QUIET_S)
