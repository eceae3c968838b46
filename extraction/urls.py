"""Addresses of the dashboard."""

from django.contrib.auth.views import LoginView, LogoutView
from django.urls import URLPattern, include, path
from django.urls.resolvers import URLResolver

from extraction.forms.sign_in import SignInForm
from extraction.views import home
from extraction.views.core import frames, page_files, runs
from extraction.views.intake import crawls
from extraction.views.lab import lab, wrapper
from extraction.views.monitoring import alerts, breakages, monitoring
from extraction.views.records import records
from extraction.views.rules import rules
from extraction.views.schema import record_types
from extraction.views.sites import pages, sites
from extraction.views.suggestions import suggested, suggested_lists
from extraction.views.templates import clusters, placing

_RULES: list[URLPattern] = [
    path("", rules.rules, name="rules"),
    path("learn/", rules.learn, name="rule_learn"),
    path("<int:version>/", rules.rule, name="rule"),
    path("<int:version>/export/<str:form>/", rules.export, name="rule_export"),
    path("<int:version>/preview/", rules.preview, name="rule_preview"),
    path("<int:version>/edit/", rules.edit, name="rule_edit"),
    path("<int:version>/publish/", rules.publish, name="rule_publish"),
    path("<int:version>/against/<int:other>/", rules.difference, name="rule_difference"),
    path("<int:version>/retire/", rules.retire, name="rule_retire"),
]

_CLUSTER: list[URLPattern | URLResolver] = [
    path("", clusters.cluster, name="cluster"),
    path("preview-<str:sha256>.png", page_files.picture, name="cluster_picture"),
    path("shares/", clusters.shares, name="cluster_shares"),
    path("structure/", clusters.structure, name="cluster_structure"),
    path("rename/", clusters.rename, name="cluster_rename"),
    path("ignore/", clusters.ignore, name="cluster_ignore"),
    path("type/", clusters.set_type, name="cluster_type"),
    path("suggest/", suggested.suggested, name="cluster_suggest"),
    path("suggest/table/", suggested.table, name="cluster_suggest_table"),
    path("suggest/lists/", suggested_lists.lists, name="cluster_suggest_lists"),
    path("suggest/opinions/", wrapper.opinions, name="cluster_suggest_opinions"),
    path("suggest/wrapper/", wrapper.wrapper, name="cluster_wrapper"),
    path("suggest/wrapper/look/", wrapper.look, name="cluster_wrapper_look"),
    path("extract/", rules.extract, name="extract_start"),
    path("records/", records.records, name="records"),
    path("records.csv", records.csv, name="records_csv"),
    path("rules/", include(_RULES)),
]

_LAB: list[URLPattern] = [
    path("", lab.overview, name="site_lab"),
    path("now/", lab.now, name="site_lab_now"),
    path("start/", lab.start, name="site_lab_start"),
    path("labels/", lab.labels, name="site_lab_labels"),
    path("<int:clustering_id>/", lab.method, name="site_lab_method"),
    path("<int:clustering_id>/shares/<int:place>/", lab.shares, name="site_lab_shares"),
    path("<int:clustering_id>/adopt/", lab.adopt, name="site_lab_adopt"),
]

_SITE: list[URLPattern | URLResolver] = [
    path("", clusters.site, name="site"),
    path("pages/", pages.pages, name="site_pages"),
    path("pages/place/", placing.place, name="site_place"),
    path("pages/<int:page_id>/", pages.page, name="page"),
    path("pages/<int:page_id>/apart/", placing.apart, name="page_apart"),
    path("import/", pages.upload, name="site_import"),
    path("fetch/", crawls.start, name="crawl_start"),
    path("fetch/whole/", crawls.extract, name="crawl_extract"),
    path("now/", crawls.now, name="site_now"),
    path("source/", crawls.source, name="source_edit"),
    path("pages.warc.gz", pages.warc, name="site_warc"),
    path("runs/", runs.runs, name="site_runs"),
    path("monitoring/", monitoring.monitoring, name="site_monitoring"),
    path("monitoring/check/", monitoring.check_now, name="site_check_now"),
    path("monitoring/settings/", monitoring.settings, name="site_monitor"),
    path("monitoring/<int:check_id>/", monitoring.check, name="site_check"),
    path("settings/", sites.settings, name="site_settings"),
    path("delete/", sites.delete, name="site_delete"),
    path("lab/", include(_LAB)),
    path("templates/find/", sites.cluster_start, name="cluster_start"),
    path("templates/merge/", clusters.merge, name="cluster_merge"),
    path("templates/same/", placing.same, name="cluster_same"),
    path("templates/<int:number>/", include(_CLUSTER)),
]

urlpatterns: list[URLPattern | URLResolver] = [
    path("", home.home, name="home"),
    path("sign-in/", LoginView.as_view(redirect_authenticated_user=True, authentication_form=SignInForm), name="login"),
    path("sign-out/", LogoutView.as_view(), name="logout"),
    path("sites/", sites.sites, name="sites"),
    path("sites/new/", sites.new, name="site_new"),
    path("sites/new/upload/", sites.new_upload, name="site_new_upload"),
    path("sites/<slug:slug>/", include(_SITE)),
    path("frames/<int:snapshot_id>/", frames.frame, name="frame"),
    path("assets/<str:token>/<str:name>", page_files.asset, name="asset"),
    path("runs/<int:run_id>/", runs.run, name="run"),
    path("runs/<int:run_id>/progress/", runs.progress, name="run_progress"),
    path("runs/<int:run_id>/cancel/", runs.cancel, name="run_cancel"),
    path("runs/<int:run_id>/pause/", crawls.pause, name="run_pause"),
    path("runs/<int:run_id>/resume/", crawls.resume, name="run_resume"),
    path("runs/<int:run_id>/addresses/", crawls.addresses, name="run_addresses"),
    path("breakages/", breakages.breakages, name="breakages"),
    path("breakages/<int:breakage_id>/", breakages.breakage, name="breakage"),
    path("breakages/<int:breakage_id>/effect/", breakages.effect, name="breakage_effect"),
    path("breakages/<int:breakage_id>/looks/", breakages.looks, name="breakage_looks"),
    path("breakages/<int:breakage_id>/looks/<int:run_id>/", breakages.looks_progress, name="breakage_looks_progress"),
    path("breakages/<int:breakage_id>/accept/", breakages.accept, name="breakage_accept"),
    path("breakages/<int:breakage_id>/dismiss/", breakages.dismiss, name="breakage_dismiss"),
    path("breakages/<int:breakage_id>/annotate/", breakages.annotate, name="breakage_annotate"),
    path("record-types/", record_types.record_types, name="record_types"),
    path("record-types/new/", record_types.new, name="record_type_new"),
    path("record-types/<slug:slug>/", record_types.record_type, name="record_type"),
    path("record-types/<slug:slug>/delete/", record_types.delete, name="record_type_delete"),
    path("settings/alerts/", alerts.alerts, name="alerts"),
    path("settings/alerts/new/", alerts.new, name="alert_channel_new"),
    path("settings/alerts/<int:channel_id>/", alerts.channel, name="alert_channel"),
    path("settings/alerts/<int:channel_id>/test/", alerts.test, name="alert_channel_test"),
    path("settings/alerts/<int:channel_id>/delete/", alerts.delete, name="alert_channel_delete"),
    path("settings/alerts/sent/<int:alert_id>/again/", alerts.again, name="alert_again"),
]
