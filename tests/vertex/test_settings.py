"""What the environment variables change, in a process of its own because settings are read once."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from django.core.exceptions import ImproperlyConfigured

from vertex.environment import refuse_development_values

ROOT = Path(__file__).resolve().parents[2]
GOOD_KEY = "k7-Zq2w9XbT4vR8mL1sD6yF3hJ5nC0pA"
NAMES = ("SECURE_SSL_REDIRECT", "SECURE_HSTS_SECONDS", "SESSION_COOKIE_SECURE", "CSRF_COOKIE_SECURE", "SECURE_PROXY_SSL_HEADER")


def read_settings(**variables: str) -> dict[str, object]:
    code = f"import json, vertex.settings as s; print(json.dumps({{name: getattr(s, name) for name in {NAMES}}}))"
    environment = {**os.environ, "VERTEX_SECRET_KEY": GOOD_KEY, **variables}
    found: dict[str, object] = json.loads(
        subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, check=True).stdout
    )
    return found


def test_https_redirects_and_tells_browsers_to_stay_with_it() -> None:
    assert list(read_settings(VERTEX_HTTPS="1").values()) == [True, 31_536_000, True, True, ["HTTP_X_FORWARDED_PROTO", "https"]]
    assert read_settings(VERTEX_HTTPS="1", VERTEX_HSTS_S="0")["SECURE_HSTS_SECONDS"] == 0


def test_without_https_nothing_redirects() -> None:
    assert list(read_settings(VERTEX_HTTPS="0").values()) == [False, 0, False, False, None]


def check_deploy(tmp_path: Path, **variables: str) -> "subprocess.CompletedProcess[str]":
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("VERTEX_", "DJANGO_"))}
    environment |= {"VERTEX_VAR_DIR": str(tmp_path), "VERTEX_HTTPS": "1", "DJANGO_SETTINGS_MODULE": "vertex.settings", **variables}
    command = [sys.executable, "manage.py", "check", "--deploy", "--fail-level", "INFO"]
    return subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)


def test_the_check_of_a_deployment_finds_nothing_with_https(tmp_path: Path) -> None:
    checked = check_deploy(tmp_path)
    assert checked.returncode == 0, checked.stderr
    assert "no issues" in checked.stdout


@pytest.mark.parametrize(
    ("variables", "named"),
    [
        ({"VERTEX_SECRET_KEY": "only-for-tests"}, "VERTEX_SECRET_KEY"),
        ({"VERTEX_SECRET_KEY": "a" * 60}, "VERTEX_SECRET_KEY"),
        ({"VERTEX_DEBUG": "1"}, "VERTEX_DEBUG"),
        ({"VERTEX_ALLOWED_HOSTS": "*"}, "VERTEX_ALLOWED_HOSTS"),
    ],
)
def test_values_for_a_laptop_are_refused_with_https(variables: dict[str, str], named: str) -> None:
    key, debug = variables.get("VERTEX_SECRET_KEY", GOOD_KEY), "VERTEX_DEBUG" in variables
    hosts = [variables.get("VERTEX_ALLOWED_HOSTS", "vertex.example.org")]
    with pytest.raises(ImproperlyConfigured, match=named):
        refuse_development_values(debug=debug, secret_key=key, allowed_hosts=hosts)
    refuse_development_values(debug=False, secret_key=GOOD_KEY, allowed_hosts=["vertex.example.org"])


def test_vertex_does_not_start_with_a_secret_that_is_too_short(tmp_path: Path) -> None:
    refused = check_deploy(tmp_path, VERTEX_SECRET_KEY="changeme")
    assert refused.returncode and "VERTEX_SECRET_KEY: with VERTEX_HTTPS, give at least 32 random characters" in refused.stderr
