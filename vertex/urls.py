"""Addresses: the dashboard, the workbench, sign-in, the admin."""

from django.contrib import admin
from django.urls import include, path

urlpatterns = [
    path("", include("extraction.urls")),
    path("", include("annotations.urls")),
    path("admin/", admin.site.urls),
]
