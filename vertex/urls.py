"""The root URLs: the dashboard with sign-in, the workbench and Django's admin."""

from django.contrib import admin
from django.urls import include, path

handler403 = "extraction.views.errors.forbidden"
handler404 = "extraction.views.errors.not_found"
handler500 = "extraction.views.errors.broken"

urlpatterns = [
    path("", include("extraction.urls")),
    path("", include("annotations.urls")),
    path("admin/", admin.site.urls),
]
