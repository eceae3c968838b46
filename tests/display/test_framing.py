"""The frame of a page has an opaque origin, loads nothing and has a single script, which is ours."""

import re

from extraction.algorithms.dom.nodes import Location
from extraction.algorithms.dom.parse import parse
from extraction.display import framing
from extraction.display.sanitize import sanitize_page

PAGE = sanitize_page(parse(b"<html><body><p>Text</p></body></html>").root)


def test_the_policy_makes_the_origin_opaque_and_forbids_loading():
    policy = framing.build_policy("abc")
    assert "sandbox allow-scripts;" in policy and "allow-same-origin" not in policy
    assert "default-src 'none'" in policy and "script-src 'nonce-abc'" in policy and "form-action 'none'" in policy
    assert "frame-ancestors 'self'" in policy and "base-uri 'none'" in policy and "img-src data:;" in policy


def test_every_answer_has_a_nonce_of_its_own_that_only_our_script_carries():
    first, second = framing.respond_with_frame(PAGE), framing.respond_with_frame(PAGE)
    nonces = [re.findall(r"nonce-([^']+)'", response.headers["Content-Security-Policy"])[0] for response in (first, second)]
    assert nonces[0] != nonces[1] and len(nonces[0]) >= 20
    assert first.content.decode().count("<script") == 1 and f'nonce="{nonces[0]}"' in first.content.decode()


def test_a_preview_holds_no_script_and_may_run_none():
    response = framing.respond_with_frame(PAGE, script=False)
    assert b"<script" not in response.content
    assert (
        "script-src 'none'" in response.headers["Content-Security-Policy"]
        and "allow-scripts" not in response.headers["Content-Security-Policy"]
    )


def test_marks_need_the_script_and_are_in_its_data():
    body = framing.respond_with_frame(
        PAGE, marks=[framing.Outline(Location(2, "attribute", attribute='a"<'), 3)], script=False
    ).content.decode()
    assert (
        "&quot;hue&quot;: 3" in body
        and 'data-marks="[{&quot;node&quot;: 2' in body
        and '"<' not in body.split("data-marks=")[1].split(">")[0]
    )


def test_the_headers_keep_it_out_of_other_sites_and_of_caches():
    headers = framing.build_headers("x")
    assert headers["X-Frame-Options"] == "SAMEORIGIN" and headers["Cache-Control"] == "no-store"
    assert headers["X-Content-Type-Options"] == "nosniff" and headers["Cross-Origin-Resource-Policy"] == "same-origin"


def test_the_reason_for_a_missing_page_is_shown_under_the_same_policy():
    response = framing.respond_with_failure("<b>gone</b>")
    assert b"&lt;b&gt;gone" in response.content and "default-src 'none'" in response.headers["Content-Security-Policy"]
