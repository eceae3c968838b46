"""Addresses of the workbench."""

from django.urls import URLPattern, include, path
from django.urls.resolvers import URLResolver

from annotations import views

_WORKBENCH: list[URLPattern] = [
    path("", views.workbench, name="workbench"),
    path("record-type/", views.record_type, name="workbench_record_type"),
    path("offered/", views.offered, name="workbench_offered"),
    path("state/", views.state, name="workbench_state"),
    path("warm/", views.warm, name="workbench_warm"),
    path("label/", views.label, name="workbench_label"),
    path("undo/", views.undo, name="workbench_undo"),
    path("redo/", views.redo, name="workbench_redo"),
    path("draft/", views.draft, name="workbench_draft"),
    path("advice/", views.advice, name="workbench_advice"),
    path("suggestions/", views.suggestions, name="workbench_suggestions"),
    path("agreement/", views.agreement, name="workbench_agreement"),
    path("coverage/", views.coverage, name="workbench_coverage"),
    path("without/", views.without, name="workbench_without"),
    path("place/", views.place, name="workbench_place"),
    path("tree/", views.page_tree, name="workbench_tree"),
    path("dimmed/", views.dimmed, name="workbench_dimmed"),
    path("looks/", views.looks, name="workbench_looks"),
    path("looks/load/", views.load_looks, name="workbench_load_looks"),
    path("looks/load/<int:run_id>/", views.looks_progress, name="workbench_looks_progress"),
    path("learn/", views.learn, name="workbench_learn"),
    path("learn/<int:run_id>/", views.learning_progress, name="workbench_learning"),
    path("publish/", views.publish, name="workbench_publish"),
]

urlpatterns: list[URLPattern | URLResolver] = [
    path("sites/<slug:slug>/templates/<int:number>/annotate/", include(_WORKBENCH)),
]
