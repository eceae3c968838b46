"""Who may use the addresses of the workbench, and with which method."""

import pytest
from django.test import Client
from django.urls import reverse

from extraction.models import Snapshot
from tests.annotations.requests import address, page, post

pytestmark = pytest.mark.django_db


GETS = [
    "workbench",
    "workbench_state",
    "workbench_warm",
    "workbench_draft",
    "workbench_advice",
    "workbench_offered",
    "workbench_dimmed",
    "workbench_suggestions",
    "workbench_agreement",
    "workbench_coverage",
    "workbench_without",
    "workbench_place",
    "workbench_tree",
]


POSTS = ["workbench_label", "workbench_undo", "workbench_redo", "workbench_learn", "workbench_publish", "workbench_record_type"]


@pytest.mark.parametrize("name", GETS + POSTS)
def test_a_person_who_is_signed_out_is_sent_to_the_sign_in_page(client, shop, name):
    response = client.get(address(name))
    assert response.status_code == 302 and reverse("login") in response["Location"]


@pytest.mark.parametrize("name", GETS)
def test_a_viewer_may_not_annotate(signed_in, shop, name):
    assert signed_in("viewer").get(address(name)).status_code == 403


@pytest.mark.parametrize("name", POSTS)
def test_a_viewer_may_not_change_anything(signed_in, shop, name):
    assert post(signed_in("viewer"), name).status_code == 403


@pytest.mark.parametrize("name", GETS)
def test_reading_addresses_refuse_a_post(signed_in, shop, name):
    assert post(signed_in("editor"), name).status_code == 405


@pytest.mark.parametrize("name", POSTS)
def test_changing_addresses_refuse_a_get(signed_in, shop, name):
    assert signed_in("editor").get(address(name)).status_code == 405


@pytest.mark.parametrize("name", ["workbench", "workbench_state", "workbench_tree"])
def test_an_unknown_template_is_not_found(signed_in, shop, name):
    assert signed_in("editor").get(reverse(name, args=["books", 99])).status_code == 404


def test_a_change_without_the_csrf_token_is_refused(shop, person):
    client = Client(enforce_csrf_checks=True)
    client.force_login(person("editor"))
    assert post(client, "workbench_undo").status_code == 403
    token = client.get(address("workbench")).cookies["csrftoken"].value
    assert client.post(address("workbench_undo"), "{}", content_type="application/json", headers={"X-CSRFToken": token}).status_code == 200


def test_a_viewer_may_look_at_a_page_which_is_served_without_scripts(signed_in, shop):
    response = signed_in("viewer").get(reverse("frame", args=[page(shop).pk]))
    assert response["Content-Type"].startswith("application/xhtml+xml") and response["X-Frame-Options"] == "SAMEORIGIN"
    assert response["Content-Security-Policy"].startswith("sandbox allow-scripts; default-src 'none'")
    assert b'data-v="0"' in response.content


def test_a_page_is_framed_for_marking_or_as_a_preview(signed_in, shop):
    client, frame = signed_in("viewer"), reverse("frame", args=[page(shop).pk])
    assert b"<script" not in client.get(frame, {"preview": "1"}).content
    assert b"&quot;node&quot;: 4" in client.get(frame, {"mark": '[{"node": 4, "kind": "element"}]'}).content
    assert "cannot be shown" in client.get(frame, {"mark": "nonsense"}).content.decode()
    assert b"&quot;hue&quot;: 5" in client.get(frame, {"mark": '[{"node": 4, "kind": "element", "hue": 5}]'}).content
    assert "cannot be shown" in client.get(frame, {"mark": '[{"node": 4, "kind": "element", "hue": "x"}]'}).content.decode()
    assert "cannot be shown" in client.get(frame, {"mark": '[{"node": "x"}]'}).content.decode()


def test_a_frame_needs_a_role_a_page_and_a_get(client, signed_in, shop, person):
    frame = reverse("frame", args=[page(shop).pk])
    assert client.get(frame).status_code == 302
    viewer = signed_in("viewer")
    assert viewer.get(reverse("frame", args=[9_999])).status_code == 404 and viewer.post(frame).status_code == 405


def test_the_frame_of_a_page_whose_bytes_are_gone_says_so(signed_in, shop):
    Snapshot.objects.update(sha256="f" * 64)
    assert "bytes of the page are missing" in signed_in("viewer").get(reverse("frame", args=[page(shop).pk])).content.decode()
