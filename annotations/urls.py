"""Addresses of the workbench."""

from django.urls import URLPattern, include, path
from django.urls.resolvers import URLResolver

from annotations import views

_WORKBENCH: list[URLPattern] = [
    path("", views.show_workbench, name="workbench"),
    path("record-type/", views.choose_record_type, name="workbench_record_type"),
    path("offered/", views.offer_record_type, name="workbench_offered"),
    path("state/", views.describe_state, name="workbench_state"),
    path("warm/", views.load_pages, name="workbench_warm"),
    path("label/", views.change_labels, name="workbench_label"),
    path("undo/", views.undo_step, name="workbench_undo"),
    path("redo/", views.redo_step, name="workbench_redo"),
    path("draft/", views.describe_draft, name="workbench_draft"),
    path("advice/", views.recommend_pages, name="workbench_advice"),
    path("suggestions/", views.suggest_values, name="workbench_suggestions"),
    path("agreement/", views.measure_agreement, name="workbench_agreement"),
    path("coverage/", views.measure_coverage, name="workbench_coverage"),
    path("without/", views.list_titles, name="workbench_without"),
    path("place/", views.describe_place, name="workbench_place"),
    path("tree/", views.browse_tree, name="workbench_tree"),
    path("dimmed/", views.list_dimmed, name="workbench_dimmed"),
    path("looks/", views.count_missing_looks, name="workbench_looks"),
    path("looks/load/", views.load_looks, name="workbench_load_looks"),
    path("looks/load/<int:run_id>/", views.describe_looks_loading, name="workbench_looks_progress"),
    path("learn/", views.start_learning, name="workbench_learn"),
    path("learn/<int:run_id>/", views.describe_learning, name="workbench_learning"),
    path("publish/", views.publish_draft, name="workbench_publish"),
]

urlpatterns: list[URLPattern | URLResolver] = [
    path("sites/<slug:slug>/templates/<int:number>/annotate/", include(_WORKBENCH)),
]
