"""`python -m tests.e2e.live_rule [SITE ADDRESS]`: annotates the demo's books in the product of VERTEX_VAR_DIR, learns their rule and
publishes it. SITE: its slug, where there are several; ADDRESS: where its pages are from, if not the demo's own address.
"""

import sys
import time
from dataclasses import replace

import django

django.setup()

from django.contrib.auth.models import User  # noqa: E402

from extraction import pipeline  # noqa: E402
from extraction.demo.bundled import annotations  # noqa: E402
from extraction.demo.site import BASE_URL  # noqa: E402
from extraction.management.commands.demo import annotate  # noqa: E402
from extraction.models import Run, Site  # noqa: E402
from extraction.services.learning import learn_rule  # noqa: E402
from extraction.services.rules import rules  # noqa: E402

if __name__ == "__main__":
    slug, address = sys.argv[1:] or ("", BASE_URL)
    site = Site.objects.get(slug=slug) if slug else Site.objects.get()
    editor = User.objects.get_or_create(username="editor")[0]
    bundle = annotations(base_url=address)[0]
    if slug:  # beside others, whose record types have other attributes
        bundle = replace(bundle, record_type=f"{bundle.record_type} of {site.name}")
    cluster = annotate(site, bundle, editor)
    learning = learn_rule.start_learning(cluster, editor)
    pipeline.execute_run(learning.pk)
    while Run.objects.unfinished().filter(pk=learning.pk).exists():  # a worker of the product was first
        time.sleep(0.2)
    rules.publish_rule(cluster.rules.get(), editor)
