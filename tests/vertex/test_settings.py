"""What the environment variables change, in a process of its own because settings are read once."""

import json
import os
import subprocess
import sys

NAMES = ("SECURE_SSL_REDIRECT", "SECURE_HSTS_SECONDS", "SESSION_COOKIE_SECURE", "CSRF_COOKIE_SECURE", "SECURE_PROXY_SSL_HEADER")


def read_settings(**variables: str) -> dict[str, object]:
    code = f"import json, vertex.settings as s; print(json.dumps({{name: getattr(s, name) for name in {NAMES}}}))"
    environment = {**os.environ, **variables}
    found: dict[str, object] = json.loads(
        subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, check=True).stdout
    )
    return found


def test_https_redirects_and_tells_browsers_to_stay_with_it() -> None:
    assert list(read_settings(VERTEX_HTTPS="1").values()) == [True, 31_536_000, True, True, ["HTTP_X_FORWARDED_PROTO", "https"]]
    assert read_settings(VERTEX_HTTPS="1", VERTEX_HSTS_S="0")["SECURE_HSTS_SECONDS"] == 0


def test_without_https_nothing_redirects() -> None:
    assert list(read_settings(VERTEX_HTTPS="0").values()) == [False, 0, False, False, None]
