"""The product's settings, with all files in a folder of the test run."""

import os
import tempfile

_var = tempfile.mkdtemp(prefix="vertex-tests-")
os.environ["VERTEX_VAR_DIR"] = _var
os.environ.setdefault("VERTEX_SECRET_KEY", "only-for-tests")
os.environ.setdefault("DJANGO_ALLOW_ASYNC_UNSAFE", "1")  # Playwright's synchronous API runs a loop in the test's thread

from vertex.settings import *  # noqa: E402, F403

PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
CELERY_BROKER_URL = "memory://"
CELERY_BROKER_TRANSPORT_OPTIONS = {}

# Not the documentation that `make docs` builds in the checkout: a screen must be the same whether somebody built it or not.
VERTEX_HELP_DIR = VAR_DIR / "no-documentation"  # noqa: F405
