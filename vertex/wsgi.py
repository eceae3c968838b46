"""The WSGI entry point."""

import os

from django.core.wsgi import get_wsgi_application
from django.urls import get_resolver

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "vertex.settings")

application = get_wsgi_application()
_ = get_resolver().url_patterns  # the views are loaded now, not by the first request
