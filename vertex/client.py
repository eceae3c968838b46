"""A client of the API: `from vertex.client import Vertex`.

It needs the package and no database, so a script can use it on any machine. docs/api.md has examples.

    with Vertex("https://vertex.example.org", token="vxa_…") as vertex:
        for record in vertex.list_records("books", 1):
            print(record.url, record.value("title"))
"""

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from vertex.client_administration import AdministrationCalls
from vertex.client_comments import CommentCalls
from vertex.client_connection import ROOT, RunFailed, VertexError, join_path
from vertex.client_corrections import CorrectionCalls
from vertex.client_deliveries import DeliveryCalls
from vertex.client_joins import JoinCalls
from vertex.client_lab import LabCalls
from vertex.client_quality import QualityCalls
from vertex.client_rows import (
    Breakage,
    Change,
    Check,
    FolderImport,
    Label,
    ListedSite,
    Page,
    Record,
    RecordType,
    Rule,
    Run,
    RunProblem,
    SearchTerm,
    Site,
    Template,
    read_row,
)
from vertex.client_schedules import ScheduleCalls
from vertex.client_sign_in import SignInCalls
from vertex.client_teams import TeamCalls
from vertex.client_upload import Upload

__all__ = ["ROOT", "RunFailed", "Vertex", "VertexError"]

POLL_S = 1.0
"""How often it is asked how far a run is."""


class Vertex(
    AdministrationCalls,
    CommentCalls,
    CorrectionCalls,
    DeliveryCalls,
    JoinCalls,
    LabCalls,
    QualityCalls,
    ScheduleCalls,
    SignInCalls,
    TeamCalls,
):
    """A server and a token. Lists are read in pages while they are used.

    A request that changes something carries a key, so that it is not done twice if it has to be sent again.
    """

    # Sites and pages

    def list_sites(self, query: str = "") -> Iterator[ListedSite]:
        """Yield the sites whose name contains a text. `get_site` gives the figures of one."""
        return self.list_all("/sites", ListedSite, {"q": query})

    def get_site(self, site: str) -> Site:
        """Return a site with its figures."""
        return read_row(Site, self.request("GET", join_path("sites", site)))

    def create_site(self, *, name: str = "", address: str = "", source: Mapping[str, Any] | None = None, team: str = "") -> Site:
        """Create a site. source: how it is fetched, as in docs/api.md. team: the slug of its team; empty for your oldest team."""
        body = {"name": name, "address": address, "source": source, "team": team}
        return read_row(Site, self.request("POST", "/sites", body=body))

    def delete_site(self, site: str, *, confirm: str) -> None:
        """Delete a site with all that belongs to it. confirm: its name."""
        self.request("DELETE", join_path("sites", site), query={"confirm": confirm})

    def get_source(self, site: str) -> dict[str, Any]:
        """Return how a site is fetched, by the names of docs/api.md. Without `whole`, a crawl takes a sample of the pages."""
        return dict(self.request("GET", join_path("sites", site, "source")))

    def change_source(self, site: str, **fields: Any) -> dict[str, Any]:
        """Change how a site is fetched."""
        return dict(self.request("PATCH", join_path("sites", site, "source"), body=fields))

    def list_pages(self, site: str, *, query: str = "", part: str = "") -> Iterator[Page]:
        """Yield the pages of a site. part: the number of a template, unreadable, partly, unclustered or gone."""
        return self.list_all(join_path("sites", site, "pages"), Page, {"q": query, "part": part})

    def delete_page(self, site: str, page_id: int) -> None:
        """Delete a page with its versions, marks and record."""
        self.request("DELETE", join_path("sites", site, "pages", page_id))

    def upload_archive(self, site: str, path: Path) -> Run:
        """Upload an archive of pages and start its import. The file is read while it is sent."""
        with path.open("rb") as file:
            return self._upload(site, Upload(file, name=path.name))

    def upload_page(self, site: str, url: str, path: Path) -> Run:
        """Upload the page at an address and start its import."""
        with path.open("rb") as file:
            return self._upload(site, Upload(file, name=path.name, fields={"url": url}, type_of_file="text/html"))

    def _upload(self, site: str, upload: Upload) -> Run:
        return read_row(Run, self.request("POST", join_path("sites", site, "uploads"), upload=upload))

    def download_picture(self, site: str, page_id: int, target: Path) -> int:
        """Write the picture of a page, a JPEG, to a file and return its size in bytes. Raises VertexError if there is none."""
        return self.download(join_path("sites", site, "pages", page_id, "picture"), target)

    # Sites as files

    def download_site_files(self, site: str, target: Path, *, pages: str = "marked") -> int:
        """Write the files of a site to a zip file and return its size in bytes. pages: marked, or all whose content is kept."""
        return self.download(join_path("sites", site, "files"), target, query={"pages": pages})

    def import_site_files(
        self, path: Path, *, into: str = "", prefer: str = "stop", delete: bool = False, dry_run: bool = False, team: str = ""
    ) -> FolderImport:
        """Import a zip file with the files of a site, or only say what would change. Raises VertexError.

        into: another site than the files name. prefer: stop, folder or installation, if both sides have changed.
        delete: remove what is only here. team: the slug of the team of a new site; your oldest one without it.
        """
        fields = {"prefer": prefer, "delete": str(delete).lower(), "dry_run": str(dry_run).lower(), "into": into, "team": team}
        with path.open("rb") as file:
            upload = Upload(file, name=path.name, fields=fields, type_of_file="application/zip")
            return read_row(FolderImport, self.request("POST", "/site-files", upload=upload))

    # Runs

    def list_runs(self, *, site: str = "", kind: str = "", state: str = "") -> Iterator[Run]:
        """Yield runs, newest first."""
        return self.list_all("/runs", Run, {"site": site, "kind": kind, "state": state})

    def get_run(self, run_id: int) -> Run:
        """Return a run with its progress."""
        return read_row(Run, self.request("GET", join_path("runs", run_id)))

    def list_problems(self, run_id: int) -> Iterator[RunProblem]:
        """Yield what a run could not use, and why."""
        return self.list_all(join_path("runs", run_id, "problems"), RunProblem)

    def list_search_terms(self, run_id: int, *, state: str = "") -> Iterator[SearchTerm]:
        """Yield the terms of the site's search in a crawl, and what the search said to each. state: such as nothing, for those in vain."""
        return self.list_all(join_path("runs", run_id, "search-terms"), SearchTerm, {"state": state})

    def cancel_run(self, run_id: int) -> Run:
        """Cancel a run."""
        return read_row(Run, self.request("POST", join_path("runs", run_id, "cancel")))

    def wait(self, run: Run, *, follow: bool = True, watch: Callable[[Run], object] | None = None, timeout_s: float | None = None) -> Run:
        """Wait until a run has ended and return it. Raises RunFailed if it failed or was cancelled.

        follow: also wait for the runs that follow it, such as the search for templates after an import, and return the last one.
        watch: called with the run each time that its progress is read.
        timeout_s: raise TimeoutError after so long.
        """
        last = time.monotonic() + timeout_s if timeout_s is not None else None
        while True:
            run = self.get_run(run.id)
            if watch is not None:
                watch(run)
            if run.finished and run.state != "done":
                raise RunFailed(run)
            if run.finished and not (follow and run.following):
                return run
            if run.finished and run.following:
                run = self.get_run(run.following)
                continue
            if last is not None and time.monotonic() > last:
                raise TimeoutError(f"run {run.id} has not ended within {timeout_s} seconds; it goes on")
            time.sleep(POLL_S)

    def start_crawl(self, site: str, mode: str = "pages") -> Run:
        """Start to fetch a site. mode: pages, renew or extract."""
        return read_row(Run, self.request("POST", join_path("sites", site, "crawls"), body={"mode": mode}))

    def find_templates(self, site: str, *, threshold: int | None = None) -> Run:
        """Start a search for the templates of a site."""
        return read_row(Run, self.request("POST", join_path("sites", site, "templates", "find"), body={"threshold": threshold}))

    def learn_rule(self, site: str, template: int) -> Run:
        """Start to learn the rule of a template from what is marked."""
        return read_row(Run, self.request("POST", join_path("sites", site, "templates", template, "learn")))

    def extract(self, site: str, template: int | None = None) -> Run:
        """Start to run the live rule of a template, or all of a site."""
        places = ("templates", template) if template is not None else ()
        return read_row(Run, self.request("POST", join_path("sites", site, *places, "extract")))

    def check(self, site: str) -> Run:
        """Start a check of a site's rules."""
        return read_row(Run, self.request("POST", join_path("sites", site, "check")))

    def refresh(self, site: str, template: int | None = None) -> Run:
        """Start to fetch what may have changed and renew its records."""
        return read_row(Run, self.request("POST", join_path("sites", site, "refresh"), query={"template": template}))

    # Templates, record types, labels and rules

    def list_templates(self, site: str, *, record_type: str = "") -> Iterator[Template]:
        """Yield the templates of a site."""
        return self.list_all(join_path("sites", site, "templates"), Template, {"record_type": record_type})

    def get_template(self, site: str, template: int) -> Template:
        """Return a template."""
        return read_row(Template, self.request("GET", join_path("sites", site, "templates", template)))

    def change_template(self, site: str, template: int, **fields: Any) -> Template:
        """Change a template's name, record_type (its slug) or ignored."""
        return read_row(Template, self.request("PATCH", join_path("sites", site, "templates", template), body=fields))

    def list_record_types(self) -> Iterator[RecordType]:
        """Yield the record types."""
        return self.list_all("/record-types", RecordType)

    def create_record_type(
        self, name: str, attributes: Iterable[Mapping[str, Any]], *, description: str = "", team: str = ""
    ) -> RecordType:
        """Create a record type.

        attributes: {name, type, multiple, mandatory, list} each; all but the name may be left out. type: text (the usual one), number,
            price, date, url, image or boolean.
        team: the slug of its team; empty for your oldest team.
        """
        body = {"name": name, "description": description, "attributes": [dict(each) for each in attributes], "team": team}
        return read_row(RecordType, self.request("POST", "/record-types", body=body))

    def list_labels(self, site: str, template: int) -> Iterator[Label]:
        """Yield what is marked on the pages of a template."""
        return self.list_all(join_path("sites", site, "templates", template, "labels"), Label)

    def mark(
        self, site: str, template: int, page_id: int, attribute: str, values: Sequence[str | Mapping[str, Any]] | None, *, row: int = 0
    ) -> list[Label]:
        """Say which values an attribute has on a page.

        values: each as its text, or as {text, occurrence, xpath}; None if the attribute is not on the page.
        row: the row of a list, from 1.
        """
        given = None if values is None else [{"text": each} if isinstance(each, str) else dict(each) for each in values]
        body = {"values": given, "absent": values is None, "row": row}
        found = self.request("PUT", join_path("sites", site, "templates", template, "pages", page_id, "labels", attribute), body=body)
        return [read_row(Label, each) for each in found]

    def list_rules(self, site: str, template: int) -> Iterator[Rule]:
        """Yield the versions of a template's rule, newest first."""
        return self.list_all(join_path("sites", site, "templates", template, "rules"), Rule)

    def get_rule(self, site: str, template: int, version: int) -> Rule:
        """Return a version with its definition and report."""
        return read_row(Rule, self.request("GET", join_path("sites", site, "templates", template, "rules", version)))

    def clean_up_rule(self, site: str, template: int, version: int, attribute: str, steps: Sequence[Mapping[str, Any]]) -> Rule:
        """Save a version with another clean-up of an attribute as a new draft. steps: {kind, text, by, pairs, pattern, keep} each."""
        address = join_path("sites", site, "templates", template, "rules", version, "clean-up")
        return read_row(Rule, self.request("POST", address, body={"attribute": attribute, "steps": [dict(each) for each in steps]}))

    def publish_rule(self, site: str, template: int, version: int, *, despite_doubts: bool = False) -> Rule:
        """Make a version the one that extracts records.

        despite_doubts: although values look wrong on pages that nobody marked. Otherwise that is an error with the status 409.
        """
        address = join_path("sites", site, "templates", template, "rules", version, "publish")
        return read_row(Rule, self.request("POST", address, body={"despite_doubts": despite_doubts}))

    def retire_rule(self, site: str, template: int, version: int) -> Rule:
        """Take the live version out of use."""
        return read_row(Rule, self.request("POST", join_path("sites", site, "templates", template, "rules", version, "retire")))

    # Records

    def list_records(self, site: str, template: int, **filters: Any) -> Iterator[Record]:
        """Yield the records of a template. filters: q, state, attribute, missing, part, extracted_after."""
        return self.list_all(join_path("sites", site, "templates", template, "records"), Record, filters)

    def list_type_records(self, record_type: str, **filters: Any) -> Iterator[Record]:
        """Yield the records of a record type on all sites. filters: state, extracted_after."""
        return self.list_all(join_path("record-types", record_type, "records"), Record, filters)

    def list_changes(self, site: str, template: int, **filters: Any) -> Iterator[Change]:
        """Yield the changes of a template's records, oldest first. filters: kind, cause, since."""
        return self.list_all(join_path("sites", site, "templates", template, "changes"), Change, filters)

    def export(self, site: str, template: int, target: Path, *, format: str = "csv", **options: Any) -> int:
        """Write the records of a template to a file and return its size in bytes.

        format: csv, jsonl, xlsx, parquet, sqlite or duckdb. options: list, columns, values, sort and the others of docs/api.md.
        """
        return self.download(join_path("sites", site, "templates", template, "export"), target, query={"format": format, **options})

    # Monitoring

    def list_checks(self, site: str, *, template: int | None = None) -> Iterator[Check]:
        """Yield the checks of a site, newest first."""
        return self.list_all(join_path("sites", site, "checks"), Check, {"template": template})

    def list_breakages(self, *, site: str = "", state: str = "open") -> Iterator[Breakage]:
        """Yield breakages, newest first. state: open, repaired, recovered, dismissed, or empty for all."""
        return self.list_all("/breakages", Breakage, {"site": site, "state": state})

    def accept_breakage(self, breakage_id: int, *, doubtful: bool = False) -> Breakage:
        """Publish the repair of a breakage. doubtful: also what is not proven."""
        return read_row(Breakage, self.request("POST", join_path("breakages", breakage_id, "accept"), body={"doubtful": doubtful}))

    def dismiss_breakage(self, breakage_id: int) -> Breakage:
        """Say that nothing is broken."""
        return read_row(Breakage, self.request("POST", join_path("breakages", breakage_id, "dismiss")))
