"""To be written."""

from typing import Any

from extraction.models import Run
from extraction.services.runs import Progress


def run(run: Run, progress: Progress) -> dict[str, Any]:
    raise NotImplementedError
