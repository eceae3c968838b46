"""A record type's names may be anything, also what mappings and templates have a meaning for."""

import re
from pathlib import Path

import pytest
from django.conf import settings
from django.template import Context, Template

NAMES = ("items", "keys", "values", "get", "count", "forloop", "None", "0", "pop")
LOOKED_UP = re.compile(r"\bin [\w.]+\.(?:items|keys)\b(?!\|)\s*%}")


def test_no_template_asks_a_mapping_for_its_items_by_name() -> None:
    found = [path.name for path in Path(settings.BASE_DIR, "templates").rglob("*.html") if LOOKED_UP.search(path.read_text())]
    assert found == []


@pytest.mark.parametrize("name", NAMES)
def test_the_pairs_of_a_mapping_do_not_depend_on_its_keys(name: str) -> None:
    shown = Template("{% load vertex %}{% for key, value in each|pairs %}{{ key }}={{ value }};{% endfor %}")
    assert shown.render(Context({"each": {name: 1, "title": 2}})) == f"{name}=1;title=2;"
