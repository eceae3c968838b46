"""`python -m tests.e2e.live_rule`: annotates the demo's books in the product of VERTEX_VAR_DIR, learns their rule and publishes it."""

import django

django.setup()

from django.contrib.auth.models import User  # noqa: E402

from extraction.demo.bundled import annotations  # noqa: E402
from extraction.management.commands.demo import annotate  # noqa: E402
from extraction.models import Site  # noqa: E402
from extraction.services import jobs, learn_rule, rules, runs  # noqa: E402

if __name__ == "__main__":
    editor = User.objects.get_or_create(username="editor")[0]
    cluster = annotate(Site.objects.get(), annotations()[0], editor)
    runs.execute(learn_rule.start(cluster, editor).pk, jobs.JOBS)
    rules.publish(cluster.rules.get(), editor)
