"""The dashboard serves the documentation, and each screen leads to a section that exists."""

import base64
import hashlib
import re
from pathlib import Path
from typing import Any

import pytest
from django.urls import reverse

from extraction.views.help_pages import TOPICS, Topic, find_topic
from tests.test_docs import anchors
from tests.views.core.test_access import LOOK, PARTS, SHOWN

ROOT = Path(__file__).parents[3]
SCRIPT = "var here = 1"


@pytest.fixture
def built(settings: Any, tmp_path: Path) -> Path:
    """A documentation of one page, a file, and a file beside it."""
    folder = tmp_path / "help"
    (folder / "start").mkdir(parents=True)
    (folder / "index.html").write_text(f"<html><body>Beginning<script>{SCRIPT}</script><script src='a.js'></script></body></html>")
    (folder / "start" / "index.html").write_text("<html><body>Start</body></html>")
    (folder / "a.js").write_text("1;")
    (tmp_path / "secret.txt").write_text("secret")
    settings.VERTEX_HELP_DIR = folder
    return folder


@pytest.fixture
def unbuilt(settings: Any, tmp_path: Path) -> None:
    """No documentation has been built."""
    settings.VERTEX_HELP_DIR = tmp_path


@pytest.mark.django_db
def test_pages_and_files_are_served(signed_in: Any, built: Path) -> None:
    client = signed_in("viewer")
    assert b"Beginning" in client.get("/help/").content
    assert b"Start" in client.get("/help/start/").content
    file = client.get("/help/a.js")
    assert (b"".join(file.streaming_content), file.headers["Content-Type"].split(";")[0]) == (b"1;", "text/javascript")


@pytest.mark.django_db
def test_a_folder_without_a_slash_leads_to_its_page(signed_in: Any, built: Path) -> None:
    assert signed_in("viewer").get("/help/start").headers["Location"] == "/help/start/"


@pytest.mark.django_db
@pytest.mark.parametrize("place", ["nowhere/", "../secret.txt", "%2e%2e/secret.txt", "start/../../secret.txt", "start/nothing.js"])
def test_what_is_not_in_the_documentation_is_not_found(signed_in: Any, built: Path, place: str) -> None:
    assert signed_in("viewer").get(f"/help/{place}").status_code == 404


@pytest.mark.django_db
def test_the_policy_permits_the_scripts_of_the_page_and_no_others(signed_in: Any, built: Path) -> None:
    digest = base64.b64encode(hashlib.sha256(SCRIPT.encode()).digest()).decode()
    policy = signed_in("viewer").get("/help/").headers["Content-Security-Policy"]
    assert f"script-src 'self' 'sha256-{digest}';" in policy
    assert "unsafe" not in policy
    assert "script-src 'self';" in signed_in("viewer").get("/help/start/").headers["Content-Security-Policy"]


@pytest.mark.django_db
def test_a_page_that_was_built_again_is_sent_again(signed_in: Any, built: Path) -> None:
    client = signed_in("viewer")
    client.get("/help/start/")
    page = built / "start" / "index.html"
    page.write_text("<html><body>Renewed</body></html>")
    assert b"Renewed" in client.get("/help/start/").content


@pytest.mark.django_db
def test_without_a_built_documentation_its_text_is_shown(signed_in: Any, unbuilt: None) -> None:
    client = signed_in("viewer")
    text = client.get("/help/glossary/").content.decode()
    assert "make docs" in text and "docs/glossary.md" in text and "# Glossary" in text
    assert "# Vertex" in client.get("/help/").content.decode()
    assert client.get("/help/nowhere/").status_code == 404
    assert client.get("/help/../README/").status_code == 404


@pytest.mark.parametrize("topic", sorted(set(TOPICS.values()), key=str), ids=lambda topic: f"{topic.document}#{topic.anchor}")
def test_the_section_for_a_screen_exists(topic: Topic) -> None:
    document = ROOT / "docs" / f"{topic.document}.md"
    assert document.exists()
    assert not topic.anchor or topic.anchor in anchors(document)
    assert topic.url.startswith("/help/")


@pytest.mark.django_db
def test_every_screen_has_a_section() -> None:
    parts = {*PARTS, "cluster_suggest_table", "cluster_suggest_proposed", "cluster_suggest_lists", "cluster_suggest_opinions"}
    parts |= {"cluster_wrapper_look", "records_export_figures", "record_type_export_figures", "joined_export_figures", "join_fields"}
    parts |= {"run_progress", "site_now", "site_lab_now", "site_lab_shares", "site_lab_paths", "breakage_effect", "breakage_looks_progress"}
    parts |= {"record_type_quality_try", "rule_export", "site_bundle", "site_warc", "joined_export"}
    assert set(SHOWN) - parts - set(TOPICS) == set(), "add the screen to extraction/views/help_pages.py"
    assert set(TOPICS) - set(LOOK) == {"workbench", "workbench_record_type", "workbench_offered", "login", "rule_preview", "rule_edit"}


@pytest.mark.parametrize("name", ["home", "site", "cluster", "records", "breakages", "deliveries", "workbench"])
def test_a_screen_leads_to_its_section(signed_in: Any, kept_world: Any, name: str) -> None:
    text = signed_in("admin").get(reverse(name, args=kept_world.address(name))).content.decode()
    topic = find_topic(name)
    dialog = re.search(r'<dialog[^>]* id="keys".*?</dialog>', text, re.DOTALL)
    assert dialog and f'href="{topic.url}"' in dialog[0] and topic.title in dialog[0]
