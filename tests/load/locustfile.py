"""What the people do: editors mark pages in the workbench, operators browse. VERTEX_LOAD_PEOPLE names the file with their sessions."""

import json
import os
import random
from itertools import count
from pathlib import Path
from typing import Any

from locust import HttpUser, between, task

PEOPLE: dict[str, Any] = json.loads(Path(os.environ["VERTEX_LOAD_PEOPLE"]).read_text())
SITE, NUMBER = PEOPLE["site"], PEOPLE["number"]
WORKBENCH = f"/sites/{SITE}/templates/{NUMBER}/annotate/"
_turns = count()


class Person(HttpUser):
    """Somebody who is signed in."""

    abstract = True
    role = ""
    wait_time = between(2, 6)

    def on_start(self) -> None:
        """Take over one of the sessions that were made for this role."""
        sessions = PEOPLE[self.role]
        self.client.cookies.set("sessionid", sessions[next(_turns) % len(sessions)])

    def send(self, address: str, body: object, name: str) -> None:
        """Send JSON as the workbench does."""
        token = self.client.cookies.get("csrftoken") or ""
        self.client.post(address, json=body, headers={"X-CSRFToken": token, "Referer": self.host or ""}, name=name)


class Editor(Person):
    """Opens the workbench, marks titles and takes them back."""

    role = "editor"
    weight = 5

    def on_start(self) -> None:
        """Open the workbench once, which also gives the token against forged requests."""
        super().on_start()
        self.client.get(WORKBENCH, name="workbench")

    @task(2)
    def open_page(self) -> None:
        """Open a page in the workbench, with its frame."""
        page = random.choice(PEOPLE["pages"])
        self.client.get(f"{WORKBENCH}?page={page['pk']}", name="workbench")
        self.client.get(f"/frames/{page['pk']}/", name="frame")
        self.client.get(f"{WORKBENCH}state/", params={"page": page["pk"]}, name="state")

    @task(4)
    def mark(self) -> None:
        """Mark the title of a page, look at the draft, and undo."""
        page = random.choice(PEOPLE["pages"])
        change = {"attribute": PEOPLE["attribute"], "locations": [page["title"]]}
        self.send(f"{WORKBENCH}label/", {"page": page["pk"], "changes": [change]}, "label")
        self.client.get(f"{WORKBENCH}draft/", params={"page": page["pk"], "attribute": PEOPLE["attribute"]}, name="draft")


class Operator(Person):
    """Browses what the dashboard shows."""

    role = "operator"
    weight = 1

    @task
    def browse(self) -> None:
        """Open one of the screens that operators look at."""
        cluster = f"/sites/{SITE}/templates/{NUMBER}/"
        screens = ("/", "/sites/", f"/sites/{SITE}/", f"/sites/{SITE}/pages/", f"/sites/{SITE}/runs/", cluster, f"{cluster}records/", f"{cluster}changes/", f"{cluster}quality/", f"{cluster}rules/", "/breakages/", "/deliveries/", f"/sites/{SITE}/monitoring/")  # fmt: skip
        address = random.choice(screens)
        self.client.get(address, name=address)
