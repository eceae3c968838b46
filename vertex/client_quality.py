"""The client's part for quality: rules, suggestions, and the verdicts on runs."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from vertex.client_connection import Connection, join_path
from vertex.client_rows import read_row


@dataclass(frozen=True, slots=True, kw_only=True)
class QualityRule:
    """A quality rule. site, template: the only template that it is for; None for all."""

    id: int
    record_type: str
    kind: str
    attribute: str
    list_name: str
    other: str
    limits: Mapping[str, Any]
    allowed_fraction: float
    weight: str
    enabled: bool
    text: str
    site: str | None
    template: int | None
    overrides: int | None
    basis: Mapping[str, Any] | None


@dataclass(frozen=True, slots=True, kw_only=True)
class TriedRule:
    """What a rule finds among the records that are there. complete: all records were looked at."""

    site: str
    template: int
    finding: str
    broken: bool
    checked: int
    failing: int
    unread: int
    undecided: int
    judged: int
    complete: bool
    faults: Sequence[Mapping[str, Any]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Suggestion:
    """A quality rule that the records suggest."""

    name: str
    text: str
    kind: str
    attribute: str
    list_name: str
    other: str
    limits: Mapping[str, Any]
    allowed_fraction: float
    weight: str
    basis: Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Suggestions:
    """The suggestions for a record type, and what they come from."""

    suggestions: Sequence[Suggestion]
    records: int
    complete: bool
    known: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Release:
    """The verdict on the records that a run extracted for a template. results are empty in lists."""

    id: int
    run: int
    site: str
    template: int
    state: str
    reasons: Sequence[str]
    counts: Mapping[str, int]
    base_run: int | None
    judged_at: datetime
    decided_by: str
    decided_at: datetime | None
    note: str
    results: Sequence[Mapping[str, Any]] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class QualityFailure:
    """A record that failed a rule in a run, as it was then."""

    result: int
    record: int | None
    page: int | None
    url: str | None
    list_name: str
    value: str
    reason: str


class QualityCalls(Connection):
    """Quality rules, and whether the records of runs are released. site and template name the only template that a rule is for."""

    def list_quality_rules(self, record_type: str) -> Iterator[QualityRule]:
        """Yield the quality rules of a record type, those of single templates included."""
        return self.list_all(join_path("record-types", record_type, "quality-rules"), QualityRule)

    def list_template_quality_rules(self, site: str, template: int) -> list[QualityRule]:
        """Return the rules by which the records of a template are judged."""
        found = self.request("GET", join_path("sites", site, "templates", template, "quality-rules"))
        return [read_row(QualityRule, each) for each in found]

    def create_quality_rule(
        self, record_type: str, kind: str, *, site: str = "", template: int | None = None, **fields: Any
    ) -> QualityRule:
        """Create a quality rule. fields: attribute, list_name, other, limits, allowed_fraction and weight."""
        path, query = join_path("record-types", record_type, "quality-rules"), {"site": site, "template": template}
        return read_row(QualityRule, self.request("POST", path, query=query, body={"kind": kind, **fields}))

    def change_quality_rule(self, rule_id: int, *, site: str = "", template: int | None = None, **fields: Any) -> QualityRule:
        """Change limits, other, allowed_fraction, weight or enabled of a quality rule."""
        query = {"site": site, "template": template}
        return read_row(QualityRule, self.request("PATCH", join_path("quality-rules", rule_id), query=query, body=fields))

    def delete_quality_rule(self, rule_id: int) -> None:
        """Delete a quality rule."""
        self.request("DELETE", join_path("quality-rules", rule_id))

    def try_quality_rule(self, record_type: str, kind: str, **fields: Any) -> TriedRule:
        """Judge the records that are there by a rule, without storing it. fields: those of a rule, site and template."""
        path = join_path("record-types", record_type, "quality-rules", "try")
        return read_row(TriedRule, self.request("POST", path, body={"kind": kind, **fields}))

    def suggest_quality_rules(self, record_type: str, *, site: str = "", template: int | None = None) -> Suggestions:
        """Return the rules that the records suggest."""
        path = join_path("record-types", record_type, "quality-rules", "suggestions")
        return read_row(Suggestions, self.request("GET", path, query={"site": site, "template": template}))

    def take_quality_rules(
        self, record_type: str, names: Sequence[str], *, weight: str | None = None, site: str = "", template: int | None = None
    ) -> list[QualityRule]:
        """Take over suggestions by their names."""
        path = join_path("record-types", record_type, "quality-rules", "suggestions")
        body = {"names": list(names), "weight": weight}
        found = self.request("POST", path, query={"site": site, "template": template}, body=body)
        return [read_row(QualityRule, each) for each in found]

    def list_releases(self, *, site: str = "", template: int | None = None, run: int | None = None, state: str = "") -> Iterator[Release]:
        """Yield the verdicts on runs, newest first. state: released, held or rejected."""
        return self.list_all("/releases", Release, {"site": site, "template": template, "run": run, "state": state})

    def get_release(self, release_id: int) -> Release:
        """Return a verdict with what each rule found."""
        return read_row(Release, self.request("GET", join_path("releases", release_id)))

    def list_failures(self, release_id: int, *, result: int | None = None) -> Iterator[QualityFailure]:
        """Yield the records of a run that failed. result: the id of what one rule found."""
        return self.list_all(join_path("releases", release_id, "failures"), QualityFailure, {"result": result})

    def release_run(self, release_id: int, *, note: str = "") -> Release:
        """Release the records of a held run."""
        return read_row(Release, self.request("POST", join_path("releases", release_id, "release"), body={"note": note}))

    def reject_run(self, release_id: int, *, note: str = "") -> Release:
        """Reject the records of a held run."""
        return read_row(Release, self.request("POST", join_path("releases", release_id, "reject"), body={"note": note}))
