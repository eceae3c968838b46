"""What compose.yaml, the Dockerfile and the units of systemd name exists in the product. None of them is started here."""

import re
import shlex
from configparser import RawConfigParser
from pathlib import Path
from typing import Any

import pytest
import yaml
from django.core.management import get_commands
from django.urls import resolve

from vertex.command_line.__main__ import main

ROOT = Path(__file__).parents[1]
UNITS = sorted((ROOT / "deploy" / "systemd").glob("*.service"))
OUR_IMAGE = "vertex:local"
DOCUMENTED = set(re.findall(r"`(VERTEX_\w+)`", (ROOT / "docs" / "configuration.md").read_text()))
COMPOSE_ONLY = {"VERTEX_HOST"}
"""What only compose.yaml and the Caddyfile read."""


def read_compose() -> dict[str, Any]:
    found: dict[str, Any] = yaml.safe_load((ROOT / "compose.yaml").read_text())
    return found


def read_unit(path: Path) -> dict[str, dict[str, list[str]]]:
    """{section: {key: values}} of a unit. Keys may occur more than once, which configparser does not know."""
    found: dict[str, dict[str, list[str]]] = {}
    section = ""
    for line in path.read_text().splitlines():
        if line.startswith("["):
            section = line.strip("[]")
        elif "=" in line and not line.startswith("#"):
            key, _, value = line.partition("=")
            found.setdefault(section, {}).setdefault(key, []).append(value)
    return found


def list_documented() -> set[str]:
    """The documented variables, those that the table shortens to `…_REGION` included."""
    short = re.findall(r"`…(_\w+)`", (ROOT / "docs" / "configuration.md").read_text())
    return DOCUMENTED | {f"VERTEX_STORAGE{end}" for end in short}


def check_command(command: str) -> None:
    """Fail unless a command starts something that the product has."""
    words = [Path(word).name if number == 0 else word for number, word in enumerate(shlex.split(command))]
    if words[0] == "vertex":
        assert words[1] in main.commands, command
        assert words[1] != "manage" or words[2] in get_commands(), command
    else:
        assert words[:3] in (["python", "-m", "gunicorn"], ["python", "-m", "celery"]), command


def strip_values(command: str) -> list[str]:
    """The options of a command and the values that do not depend on the installation."""
    return re.findall(r"--[a-z-]+|vertex\.web_worker\.\w+|vertex\.wsgi|beat", command)


def procfile_command(name: str) -> str:
    return next(line for line in (ROOT / "Procfile").read_text().splitlines() if line.startswith(f"{name}:"))


OURS = {name: service for name, service in read_compose()["services"].items() if service["image"] == OUR_IMAGE}


def test_web_worker_and_beat_run_and_all_services_that_are_waited_for_exist() -> None:
    services = read_compose()["services"]
    assert {"migrate", "web", "worker", "beat"} == set(OURS)
    for service in services.values():
        assert set(service.get("depends_on", ())) <= set(services)
    for name, service in services.items():
        waits = service.get("depends_on", {})
        for other in waits if isinstance(waits, dict) else ():
            assert waits[other]["condition"] != "service_healthy" or "healthcheck" in services[other], f"{name} waits for {other}"


def test_only_the_proxy_is_reached_from_outside_and_it_reaches_the_dashboard() -> None:
    services = read_compose()["services"]
    assert [name for name, service in services.items() if "ports" in service] == ["proxy"]
    found = re.search(r"reverse_proxy (\w+):(\d+)", (ROOT / "deploy" / "Caddyfile").read_text())
    assert found and found[1] in services and f"0.0.0.0:{found[2]}" in services[found[1]]["command"]


@pytest.mark.parametrize("name", sorted(OURS))
def test_a_service_has_a_command_of_the_product_and_only_known_variables(name: str) -> None:
    service = OURS[name]
    check_command(service["command"])
    assert set(service["environment"]) <= list_documented()
    assert service["cap_drop"] == ["ALL"]


def test_the_variables_that_people_set_are_known() -> None:
    named = set(re.findall(r"\$\{(\w+)", (ROOT / "compose.yaml").read_text()))
    assert {name for name in named if name.startswith("VERTEX_")} <= list_documented() | COMPOSE_ONLY
    assert named <= list_documented() | COMPOSE_ONLY | {"POSTGRES_PASSWORD"}


@pytest.mark.parametrize("name", ["web", "beat"])
def test_the_commands_have_the_options_of_the_procfile(name: str) -> None:
    expected = strip_values(procfile_command(name).partition(":")[2])
    assert strip_values(OURS[name]["command"]) == expected
    unit = read_unit(ROOT / "deploy" / "systemd" / f"vertex-{name}.service")["Service"]["ExecStart"][0]
    assert [each for each in strip_values(unit) if each in expected] == [each for each in expected if each != "--loglevel"]
    if name == "web":
        last = (ROOT / "Dockerfile").read_text().rsplit("CMD ", 1)[1]
        assert strip_values(last) == expected


def test_the_address_that_is_asked_for_health_exists() -> None:
    address = re.search(r"http://127\.0\.0\.1:8000(/\w+)", str(OURS["web"]["healthcheck"]["test"]))
    assert address and resolve(address[1]).url_name == "readyz"
    compile(OURS["web"]["healthcheck"]["test"][-1], "healthcheck", "exec")


def test_every_folder_and_volume_that_is_mounted_is_there() -> None:
    compose = read_compose()
    for service in compose["services"].values():
        for volume in service.get("volumes", ()):
            source = volume.split(":")[0]
            assert (ROOT / source).exists() if source.startswith(".") else source in compose["volumes"]


def test_images_name_their_version() -> None:
    images = [service["image"] for service in read_compose()["services"].values()]
    images += re.findall(r"^FROM (\S+)", (ROOT / "Dockerfile").read_text(), re.MULTILINE)
    assert all(re.search(r":[\w.-]+$", image) and not image.endswith(":latest") for image in images)


def test_the_image_is_built_of_files_that_are_there_and_not_ignored() -> None:
    allowed = {line[1:] for line in (ROOT / ".dockerignore").read_text().splitlines() if line.startswith("!")}
    copied = {
        word for line in re.findall(r"^COPY (?!--from)(.+)$", (ROOT / "Dockerfile").read_text(), re.MULTILINE) for word in line.split()[:-1]
    }
    assert copied == allowed
    assert all((ROOT / name).exists() for name in copied)


def test_the_image_does_not_run_as_root_and_sets_only_known_variables() -> None:
    text = (ROOT / "Dockerfile").read_text()
    last = text[text.rindex("\nFROM ") :]
    assert re.findall(r"^USER (\w+)", last, re.MULTILINE) == ["vertex"]
    assert set(re.findall(r"(VERTEX_\w+)=", last)) <= list_documented()
    assert "--require-hashes -r requirements.lock" in text


@pytest.mark.parametrize("path", UNITS, ids=lambda path: path.stem)
def test_a_unit_starts_a_command_of_the_product_with_known_variables(path: Path) -> None:
    service = read_unit(path)["Service"]
    for command in [*service["ExecStart"], *service.get("ExecStartPre", [])]:
        check_command(command)
        assert set(re.findall(r"\$\{(\w+)", command)) <= list_documented()
    for line in service["Environment"]:
        assert {each.partition("=")[0] for each in line.split()} <= list_documented()
    assert service["User"] == ["vertex"] and service["NoNewPrivileges"] == ["yes"]
    RawConfigParser(strict=False).read_string(path.read_text())


def test_the_target_names_the_units_and_the_example_only_known_variables() -> None:
    folder = ROOT / "deploy" / "systemd"
    wanted = read_unit(folder / "vertex.target")["Unit"]["Wants"][0].split()
    assert all((folder / name).exists() for name in wanted if name.startswith("vertex"))
    named = re.findall(r"^(\w+)=", (folder / "environment.example").read_text(), re.MULTILINE)
    assert named and set(named) <= list_documented()
