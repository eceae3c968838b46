"""The signals that services send. `extraction.pipeline` says what follows each of them.

A service sends a signal inside its transaction. Receivers start runs, which are sent when the transaction commits.
"""

from django.dispatch import Signal

rule_published = Signal()
"""A version of a rule was published.

rule: the version.
user: who published it, None for an automatic repair.
"""

repair_accepted = Signal()
"""A repair of a broken rule was published.

breakage: what it repairs.
user: who accepted it, None for an automatic repair.
"""

pages_moved = Signal()
"""A person moved pages from one template to another.

site: the site of the pages.
into: the template that they are in now, None for none.
user: who moved them.
"""

templates_merged = Signal()
"""A person merged templates of a site.

site: their site.
"""

schema_changed = Signal()
"""A person changed the attributes of a record type.

record_type: the record type.
"""

records_released = Signal()
"""The records that a run extracted for a template may be delivered.

run: the run that extracted them.
cluster: their template.
user: who released them, None if no rule objected.
"""

records_doubted = Signal()
"""The records that a run extracted for a template break a quality rule of which people are told.

release: the row that says whether they were released or are held back.
"""
