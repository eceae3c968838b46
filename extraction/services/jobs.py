"""Which service does which kind of run."""

from extraction.models import Run
from extraction.services import (
    check_site,
    cluster_pages,
    crawl_site,
    extract_records,
    import_pages,
    lab,
    learn_rule,
    load_assets,
    reuse_rules,
    same_templates,
)
from extraction.services.runs import Job

JOBS: dict[str, Job] = {
    Run.Kind.IMPORT: import_pages.run,
    Run.Kind.CRAWL: crawl_site.run,
    Run.Kind.CLUSTER: cluster_pages.run,
    Run.Kind.COMPARE: same_templates.run,
    Run.Kind.LAB: lab.run,
    Run.Kind.ASSETS: load_assets.run,
    Run.Kind.LEARN: learn_rule.run,
    Run.Kind.EXTRACT: extract_records.run,
    Run.Kind.CHECK: check_site.run,
    Run.Kind.REUSE: reuse_rules.run,
}
