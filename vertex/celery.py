"""The Celery application. A message contains only the id of a run; the work to do is in the database."""

import os

from celery import Celery

from vertex import file_queue

file_queue.install()
os.environ.setdefault("DJANGO_SETTINGS_MODULE", "vertex.settings")

app = Celery("vertex")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks(["extraction"])
