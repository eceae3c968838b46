"""Reports of errors to Sentry, or to a server that speaks its protocol."""

from collections.abc import Mapping
from typing import Any

import sentry_sdk

from extraction.services.core.log_context import read_work
from vertex.log import hide_tokens


def start(address: str, environment: str) -> None:
    """Report what the log calls an error from now on.

    Bodies of requests, headers with secrets, people and the values of variables are not sent: they may hold pages, passwords and keys.

    address: a DSN.
    """
    sentry_sdk.init(
        address,
        environment=environment,
        send_default_pii=False,
        include_local_variables=False,
        max_request_body_size="never",
        traces_sample_rate=0,
        before_send=prepare,
    )


def prepare(event: Any, _hint: Mapping[str, Any]) -> Any:
    """Add the run to a report, and take tokens out of the address of its request."""
    event.setdefault("tags", {}).update({name: str(value) for name, value in read_work().items()})
    request = event.get("request", {})
    for name in ("url", "query_string"):
        if isinstance(request.get(name), str):
            request[name] = hide_tokens(request[name] if name == "url" else f"?{request[name]}").removeprefix("?")
    return event
