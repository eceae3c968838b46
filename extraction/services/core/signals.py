"""What services announce for others to act on. `extraction.pipeline` says what follows from each.

A service sends a signal inside its transaction; receivers start runs, which are sent when the transaction commits.
"""

from django.dispatch import Signal

rule_published = Signal()
"""A version of a rule went live. rule: the version. user: who published it, None for a repair that nobody looked at."""

repair_accepted = Signal()
"""A repair of a broken rule went live. breakage: what it repairs. user: who accepted it, None when nobody looked at it."""

pages_moved = Signal()
"""A person moved pages from one template to another. site. user."""
