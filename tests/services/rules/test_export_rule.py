"""Rules as files, from the command line and the dashboard."""

from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.urls import reverse

from extraction.algorithms.rules.exports import FORMS
from extraction.models import Rule
from tests.views import world as worlds

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("form", FORMS)
def test_the_command_writes_the_live_rule(form: str, tmp_path: Path) -> None:
    world = worlds.make()
    call_command("export_rule", world.site.name, str(world.cluster.number), "--as", form, "--output", str(tmp_path / "rule"))
    text = (tmp_path / "rule").read_text()
    assert worlds.XPATHS["title"] in text


def test_the_command_says_what_is_missing() -> None:
    world = worlds.make()
    with pytest.raises(CommandError, match="no version 99"):
        call_command("export_rule", world.site.name, str(world.cluster.number), "--rule", "99")
    Rule.objects.update(state=Rule.State.RETIRED)
    with pytest.raises(CommandError, match="no live rule"):
        call_command("export_rule", world.site.name, str(world.cluster.number))


@pytest.mark.parametrize(("form", "suffix"), [("xslt", ".xsl"), ("scrapy", "_spider.py"), ("web-poet", "_page.py")])
def test_the_dashboard_gives_a_file_to_download(admin_client: Any, form: str, suffix: str) -> None:
    world = worlds.make()
    address = reverse("rule_export", args=[world.site.slug, world.cluster.number, world.rule.version, form])
    assert address in admin_client.get(world.rule.get_absolute_url()).content.decode()
    answer = admin_client.get(address)
    assert answer.status_code == 200
    assert answer["Content-Disposition"].startswith("attachment; ") and answer["Content-Disposition"].endswith(f'{suffix}"')


def test_an_unknown_form_is_not_found_and_a_broken_rule_says_why(admin_client: Any) -> None:
    world = worlds.make()
    arguments = [world.site.slug, world.cluster.number, world.rule.version]
    assert admin_client.get(reverse("rule_export", args=[*arguments, "java"])).status_code == 404
    Rule.objects.filter(pk=world.rule.pk).update(definition={"format": 99})
    answer = admin_client.get(reverse("rule_export", args=[*arguments, "scrapy"]))
    assert answer.status_code == 302
