"""Addresses of the dashboard. docs/addresses.md is not needed: this page is the list."""

from django.urls import URLPattern

urlpatterns: list[URLPattern] = []
