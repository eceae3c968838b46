"""Dimming in a real Chromium: it is off by default, switched by key or button, applies to each opened page and leaves marks alone."""

import pytest

from extraction.models import Label
from tests.annotations.bench import Bench
from tests.services import factory

pytestmark = [pytest.mark.e2e, pytest.mark.django_db(transaction=True)]


def test_a_key_dims_what_all_pages_have_and_the_next_page_is_dimmed_too(bench: Bench) -> None:
    site = factory.site()
    group = factory.cluster(site, kind=factory.record_type())
    body = '<div id="menu"><a href="/a">Home</a></div><div id="story"><h1>{0}</h1><p>{0} {1}</p></div><div id="foot">All rights</div>'
    words = ("kettle boils", "lamp lights", "chair carries", "shelf holds")
    pages = [
        factory.snapshot(
            site, f"https://shop.example/{n}", f"<html><body>{body.format(each, each[::-1])}</body></html>".encode(), cluster=group
        )
        for n, each in enumerate(words)
    ]
    factory.samples(group, pages)
    bench.open(group)

    def dim() -> list[str]:
        return list(bench.frame.evaluate("[...document.querySelectorAll('[data-v-dim]')].map((each) => each.innerText)"))

    assert dim() == []
    bench.page.keyboard.press("d")
    bench.until(lambda: dim() == ["Home", "All rights"])
    assert bench.frame.evaluate("getComputedStyle(document.querySelector('[data-v-dim]')).opacity") == "0.3"
    bench.page.keyboard.press("]")
    bench.until(lambda: "lamp" in bench.page.frames[1].locator("h1").inner_text() and dim() == ["Home", "All rights"])
    bench.click("h1")
    assert Label.objects.get().value == "lamp lights"
    assert bench.page.inner_text("#dimming") == "2 parts dimmed"
    bench.page.click("#dimmed")
    bench.until(lambda: dim() == [])
    assert bench.page.inner_text("#dimming") == ""
    assert bench.page.get_attribute("#dimmed", "aria-pressed") == "false" and bench.errors == []


def test_a_page_with_nothing_to_dim_says_so(bench: Bench) -> None:
    site = factory.site()
    group = factory.cluster(site, kind=factory.record_type())
    pages = [
        factory.snapshot(site, f"https://shop.example/{n}", f"<p>{each}".encode(), cluster=group)
        for n, each in enumerate(("kettle boils", "lamp lights"))
    ]
    factory.samples(group, pages)
    bench.open(group)
    bench.page.keyboard.press("d")
    bench.until(lambda: bench.page.inner_text("#dimming") == "nothing to dim here")
    bench.page.keyboard.press("d")
    assert bench.page.inner_text("#dimming") == ""
