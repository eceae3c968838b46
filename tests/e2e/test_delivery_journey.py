"""An operator sets up a folder and an S3 bucket, and the worker delivers the records there."""

import csv
import subprocess
import sys
from typing import TYPE_CHECKING

import boto3
import pytest
from moto.server import ThreadedMotoServer

from tests.e2e.conftest import ROOT, Dashboard, sign_in, unheard

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = pytest.mark.e2e

MAKE = "import django; django.setup(); from tests.views import world; world.make(name='Delivered', type_name='Delivered book')"


def test_records_are_delivered_to_a_folder_and_to_a_bucket(dashboard: Dashboard, page: "Page") -> None:
    subprocess.run([sys.executable, "-c", MAKE], cwd=ROOT, env=unheard(dashboard.folder), check=True)
    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    url = "http://{}:{}".format(*server.get_host_and_port())
    store = boto3.client("s3", endpoint_url=url, aws_access_key_id="ada", aws_secret_access_key="opensesame", region_name="us-east-1")
    store.create_bucket(Bucket="books")
    sign_in(page, "operator")
    page.goto("/deliveries/new/?type=delivered-book&kind=folder")
    page.get_by_label("Name", exact=True).fill("Shared folder")
    page.get_by_label("Folder", exact=True).fill("books")
    page.get_by_role("button", name="Save").click()
    page.get_by_role("button", name="Deliver now").click()
    page.get_by_text("6 lines").wait_for()
    with (dashboard.folder / "deliveries" / "books" / "delivered-book.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert len({row["record_id"] for row in rows}) == len(rows) == 6

    page.goto("/deliveries/new/?type=delivered-book&kind=s3")
    page.get_by_label("Name", exact=True).fill("Bucket")
    for label, text in {"Endpoint": url, "Bucket": "books", "User": "ada", "Secret key": "opensesame"}.items():
        page.get_by_label(label, exact=True).fill(text)
    page.get_by_role("button", name="Save").click()
    page.get_by_role("button", name="Send a test").click()
    page.get_by_text("The test of Bucket worked.").wait_for()
    page.get_by_role("button", name="Deliver now").click()
    page.get_by_text("6 lines").wait_for()
    assert {each["Key"] for each in store.list_objects_v2(Bucket="books")["Contents"]} >= {
        "delivered-book.csv",
        "delivered-book.schema.json",
    }
    assert "opensesame" not in page.content()
    server.stop()
