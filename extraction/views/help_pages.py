"""Which page of the documentation explains a screen: what `?` and *Help* lead to."""

from collections.abc import Mapping
from dataclasses import dataclass

from django.urls import reverse


@dataclass(frozen=True, slots=True)
class Topic:
    """A section of the documentation.

    title: what it is about.
    document: the file below docs/, without its ending.
    anchor: the section of it; empty for the whole page.
    """

    title: str
    document: str
    anchor: str = ""

    @property
    def url(self) -> str:
        """The address in the dashboard."""
        if self.document == "index":
            return reverse("help")
        place = self.document.removesuffix("/index")
        return reverse("help_page", kwargs={"place": f"{place}/"}) + (f"#{self.anchor}" if self.anchor else "")


START = Topic("Five-minute start", "start")

_EDITOR, _OPERATOR, _READER = "guides/editor", "guides/operator", "guides/data-user"

_SCREENS: Mapping[Topic, tuple[str, ...]] = {
    START: ("home", "help", "help_page", "login"),
    Topic("Adding a site", _EDITOR, "add-a-site"): ("sites", "site_new", "site_new_upload", "site_import"),
    Topic("Templates", _EDITOR, "templates"): ("site", "cluster", "site_pages", "page", "page_apart"),
    Topic("Record types", _EDITOR, "record-types"): (
        "record_types",
        "record_type",
        "record_type_new",
        "cluster_suggest",
        "workbench_record_type",
        "workbench_offered",
    ),
    Topic("Marking values", _EDITOR, "mark-values"): ("workbench",),
    Topic("Learning and publishing", _EDITOR, "learn-and-publish"): ("rules", "rule", "rule_difference", "rule_preview", "rule_edit"),
    Topic("Cleaning values up", _EDITOR, "clean-up-values"): ("rule_cleanup",),
    Topic("Correcting values", _EDITOR, "records-and-corrections"): ("corrections", "record_values", "value_list"),
    Topic("Joining lists and pages", _EDITOR, "join-lists-and-pages"): (
        "site_joins",
        "join_new",
        "join_edit",
        "joined_records",
        "joined_record",
    ),
    Topic("The structure lab", "algorithms", "the-structure-lab"): ("site_lab", "site_lab_method", "site_lab_adopt", "cluster_wrapper"),
    Topic("Runs", _OPERATOR, "runs"): ("site_runs", "run", "run_addresses", "run_search_terms"),
    Topic("Monitoring", _OPERATOR, "monitoring"): ("site_monitoring", "site_check"),
    Topic("Breakages", _OPERATOR, "breakages"): ("breakages", "breakage"),
    Topic("Refreshing records", _OPERATOR, "refresh-records"): ("site_refresh", "cluster_refresh"),
    Topic("Quality rules and held runs", _OPERATOR, "quality-rules-and-held-runs"): (
        "quality",
        "release",
        "record_type_quality",
        "record_type_quality_new",
        "record_type_quality_suggest",
        "quality_rule",
    ),
    Topic("Deliveries", "deliveries"): (
        "deliveries",
        "delivery_target",
        "delivery_target_new",
        "delivery_target_edit",
        "delivery_target_preview",
    ),
    Topic("Alerts", _OPERATOR, "alerts"): ("alerts", "alert_channel", "alert_channel_new"),
    Topic("Site settings", _OPERATOR, "site-settings"): ("site_settings",),
    Topic("Finding records", _READER, "find-records"): ("records",),
    Topic("What is new, changed and gone", _READER, "what-is-new-changed-and-gone"): (
        "changes",
        "tracked_record",
        "record_type_keys",
        "record_type_changes",
        "changes_download",
    ),
    Topic("Exporting records", _READER, "export"): ("record_type_records",),
    Topic("Latest files", _READER, "latest-files-and-a-feed"): ("record_type_readers",),
    Topic("The API", "api"): ("api_tokens", "api_reference"),
    Topic("Inviting people", "people", "invite-people"): ("people",),
    Topic("A second factor", "people", "a-second-factor"): ("factor_setup",),
    Topic("Teams", "people", "teams"): ("teams", "team"),
    Topic("What a person entered", "people", "what-a-person-entered"): ("person_entered",),
    Topic("Sessions and passwords", "people", "sessions-and-passwords"): ("account", "password_change", "sessions"),
    Topic("A site as files", "site-files", "import"): ("site_files_upload",),
    Topic("The audit log", "people", "audit-log"): ("audit_log", "audit_log_csv"),
    Topic("How pages are fetched", "fetching"): ("site_fetching", "site_sign_in"),
}

TOPICS: Mapping[str, Topic] = {name: topic for topic, names in _SCREENS.items() for name in names}
"""The topic of each screen, by the name of its address."""


def find_topic(url_name: str) -> Topic:
    """Return the topic of a screen. Parts of screens and addresses without one lead to the beginning."""
    return TOPICS.get(url_name, START)
