"""Addresses of the dashboard."""

from django.contrib.auth.views import LoginView, LogoutView
from django.urls import URLPattern, include, path
from django.urls.resolvers import URLResolver

from extraction.forms.sign_in import SignInForm
from extraction.views import account, home
from extraction.views.core import frames, page_files, runs
from extraction.views.corrections import corrections
from extraction.views.deliveries import change_files, readers, targets
from extraction.views.intake import crawls, uploads
from extraction.views.joins import joined, joins
from extraction.views.lab import lab, wrapper
from extraction.views.monitoring import alerts, breakages, monitoring
from extraction.views.quality import releases
from extraction.views.quality import rules as quality_rules
from extraction.views.quality import suggested as suggested_rules
from extraction.views.records import bundles, exports, history, keys, records, value_list
from extraction.views.refresh import refresh
from extraction.views.rules import cleanups, rules
from extraction.views.schema import record_types
from extraction.views.sites import pages, sites
from extraction.views.suggestions import proposed, suggested, suggested_lists
from extraction.views.templates import clusters, placing

_RULES: list[URLPattern] = [
    path("", rules.list_rules, name="rules"),
    path("learn/", rules.start_learning, name="rule_learn"),
    path("<int:version>/", rules.show_rule, name="rule"),
    path("<int:version>/export/<str:form>/", rules.download_rule, name="rule_export"),
    path("<int:version>/preview/", rules.preview_xpath, name="rule_preview"),
    path("<int:version>/edit/", rules.edit_xpath, name="rule_edit"),
    path("<int:version>/clean-up/", cleanups.edit_cleanup, name="rule_cleanup"),
    path("<int:version>/clean-up/preview/", cleanups.preview_cleanup, name="rule_cleanup_preview"),
    path("<int:version>/publish/", rules.publish_rule, name="rule_publish"),
    path("<int:version>/against/<int:other>/", rules.show_difference, name="rule_difference"),
    path("<int:version>/retire/", rules.retire_rule, name="rule_retire"),
]

_CLUSTER: list[URLPattern | URLResolver] = [
    path("", clusters.cluster, name="cluster"),
    path("preview-<str:sha256>.png", page_files.serve_picture, name="cluster_picture"),
    path("shares/", clusters.shares, name="cluster_shares"),
    path("structure/", clusters.structure, name="cluster_structure"),
    path("rename/", clusters.rename, name="cluster_rename"),
    path("ignore/", clusters.ignore, name="cluster_ignore"),
    path("type/", clusters.set_type, name="cluster_type"),
    path("suggest/", suggested.suggested, name="cluster_suggest"),
    path("suggest/table/", suggested.table, name="cluster_suggest_table"),
    path("suggest/proposed/", proposed.proposed, name="cluster_suggest_proposed"),
    path("suggest/lists/", suggested_lists.lists, name="cluster_suggest_lists"),
    path("suggest/opinions/", wrapper.show_opinions, name="cluster_suggest_opinions"),
    path("suggest/wrapper/", wrapper.show_wrapper, name="cluster_wrapper"),
    path("suggest/wrapper/look/", wrapper.show_wrapper_content, name="cluster_wrapper_look"),
    path("extract/", rules.start_extraction, name="extract_start"),
    path("records/", records.list_records, name="records"),
    path("records/<int:record_id>/", history.show_record, name="tracked_record"),
    path("changes/", history.list_changes, name="changes"),
    path("quality/", releases.show_quality, name="quality"),
    path("quality/<int:release_id>/", releases.show_release, name="release"),
    path("quality/<int:release_id>/decide/", releases.decide, name="release_decide"),
    path("values/", value_list.show_values, name="value_list"),
    path("values/<int:page_id>/", corrections.show_values, name="record_values"),
    path("values/<int:page_id>/correct/", corrections.correct_value, name="correction_save"),
    path("corrections/", corrections.list_corrections, name="corrections"),
    path("corrections/<int:correction_id>/end/", corrections.end_correction, name="correction_end"),
    path("corrections/<int:correction_id>/keep/", corrections.keep_correction, name="correction_keep"),
    path("changes/download/", change_files.store_template_changes, name="changes_download"),
    path("records.csv", exports.download_csv, name="records_csv"),
    path("records/export/", exports.download_records, name="records_export"),
    path("records/export/figures/", exports.show_figures, name="records_export_figures"),
    path("rules/", include(_RULES)),
    path("refresh/", refresh.show_refreshes, name="cluster_refresh"),
    path("refresh/schedule/", refresh.change_schedule, name="cluster_refresh_schedule"),
    path("refresh/now/", refresh.refresh_now, name="cluster_refresh_now"),
    path("refresh/control/", refresh.control_schedule, name="cluster_refresh_control"),
]

_LAB: list[URLPattern] = [
    path("", lab.show_lab, name="site_lab"),
    path("now/", lab.show_comparison_progress, name="site_lab_now"),
    path("start/", lab.start_comparison, name="site_lab_start"),
    path("labels/", lab.update_labels, name="site_lab_labels"),
    path("<int:clustering_id>/", lab.show_clustering, name="site_lab_method"),
    path("<int:clustering_id>/shares/<int:place>/", lab.show_shares, name="site_lab_shares"),
    path("<int:clustering_id>/paths/", lab.export_paths, name="site_lab_paths"),
    path("<int:clustering_id>/adopt/", lab.adopt_clustering, name="site_lab_adopt"),
]

_JOINS: list[URLPattern | URLResolver] = [
    path("", joins.list_joins, name="site_joins"),
    path("proposals/", joins.propose, name="join_proposals"),
    path("new/", joins.create_join, name="join_new"),
    path("fields/", joins.show_fields, name="join_fields"),
    path("<int:join_id>/", joined.list_records, name="joined_records"),
    path("<int:join_id>/settings/", joins.edit_join, name="join_edit"),
    path("<int:join_id>/make/", joins.make_join, name="join_make"),
    path("<int:join_id>/delete/", joins.delete_join, name="join_delete"),
    path("<int:join_id>/records/<int:record_id>/", joined.show_record, name="joined_record"),
    path("<int:join_id>/export/", joined.download_records, name="joined_export"),
    path("<int:join_id>/export/figures/", joined.show_figures, name="joined_export_figures"),
]

_SITE: list[URLPattern | URLResolver] = [
    path("", clusters.site, name="site"),
    path("pages/", pages.list_pages, name="site_pages"),
    path("pages/place/", placing.place, name="site_place"),
    path("pages/<int:page_id>/", pages.show_page, name="page"),
    path("pages/<int:page_id>/delete/", pages.delete_page, name="page_delete"),
    path("pages/<int:page_id>/apart/", placing.apart, name="page_apart"),
    path("import/", uploads.upload_archive, name="site_import"),
    path("fetch/", crawls.start_crawl, name="crawl_start"),
    path("fetch/whole/", crawls.start_extracting_crawl, name="crawl_extract"),
    path("now/", crawls.show_activity, name="site_now"),
    path("source/", crawls.edit_source, name="source_edit"),
    path("pages.warc.gz", pages.download_warc, name="site_warc"),
    path("runs/", runs.list_runs, name="site_runs"),
    path("monitoring/", monitoring.monitoring, name="site_monitoring"),
    path("monitoring/check/", monitoring.check_now, name="site_check_now"),
    path("monitoring/settings/", monitoring.settings, name="site_monitor"),
    path("monitoring/<int:check_id>/", monitoring.check, name="site_check"),
    path("refresh/", refresh.show_refreshes, name="site_refresh"),
    path("refresh/schedule/", refresh.change_schedule, name="site_refresh_schedule"),
    path("refresh/now/", refresh.refresh_now, name="site_refresh_now"),
    path("refresh/control/", refresh.control_schedule, name="site_refresh_control"),
    path("settings/", sites.show_settings, name="site_settings"),
    path("delete/", sites.delete_site, name="site_delete"),
    path("bundle/", bundles.download_bundle, name="site_bundle"),
    path("joins/", include(_JOINS)),
    path("lab/", include(_LAB)),
    path("templates/find/", sites.start_clustering, name="cluster_start"),
    path("templates/merge/", clusters.merge, name="cluster_merge"),
    path("templates/same/", placing.same, name="cluster_same"),
    path("templates/<int:number>/", include(_CLUSTER)),
]

urlpatterns: list[URLPattern | URLResolver] = [
    path("", home.show_home, name="home"),
    path("sign-in/", LoginView.as_view(redirect_authenticated_user=True, authentication_form=SignInForm), name="login"),
    path("sign-out/", LogoutView.as_view(), name="logout"),
    path("password/", account.change_password, name="password_change"),
    path("sites/", sites.list_sites, name="sites"),
    path("sites/new/", sites.create_site, name="site_new"),
    path("sites/new/upload/", uploads.upload_new_site, name="site_new_upload"),
    path("sites/<slug:slug>/", include(_SITE)),
    path("frames/<int:snapshot_id>/", frames.show_frame, name="frame"),
    path("assets/<str:token>/<str:name>", page_files.serve_asset, name="asset"),
    path("runs/<int:run_id>/", runs.show_run, name="run"),
    path("runs/<int:run_id>/progress/", runs.show_progress, name="run_progress"),
    path("runs/<int:run_id>/cancel/", runs.cancel_run, name="run_cancel"),
    path("runs/<int:run_id>/absent/", uploads.mark_absent, name="run_mark_absent"),
    path("runs/<int:run_id>/pause/", crawls.pause_run, name="run_pause"),
    path("runs/<int:run_id>/resume/", crawls.resume_run, name="run_resume"),
    path("runs/<int:run_id>/addresses/", crawls.list_addresses, name="run_addresses"),
    path("breakages/", breakages.breakages, name="breakages"),
    path("breakages/<int:breakage_id>/", breakages.breakage, name="breakage"),
    path("breakages/<int:breakage_id>/effect/", breakages.effect, name="breakage_effect"),
    path("breakages/<int:breakage_id>/looks/", breakages.looks, name="breakage_looks"),
    path("breakages/<int:breakage_id>/looks/<int:run_id>/", breakages.looks_progress, name="breakage_looks_progress"),
    path("breakages/<int:breakage_id>/accept/", breakages.accept, name="breakage_accept"),
    path("breakages/<int:breakage_id>/dismiss/", breakages.dismiss, name="breakage_dismiss"),
    path("breakages/<int:breakage_id>/annotate/", breakages.annotate, name="breakage_annotate"),
    path("record-types/", record_types.list_record_types, name="record_types"),
    path("record-types/new/", record_types.create_record_type, name="record_type_new"),
    path("record-types/<slug:slug>/", record_types.show_record_type, name="record_type"),
    path("record-types/<slug:slug>/keys/", keys.edit_keys, name="record_type_keys"),
    path("record-types/<slug:slug>/quality/", quality_rules.list_rules, name="record_type_quality"),
    path("record-types/<slug:slug>/quality/new/", quality_rules.create_rule, name="record_type_quality_new"),
    path("record-types/<slug:slug>/quality/try/", quality_rules.try_rule, name="record_type_quality_try"),
    path("record-types/<slug:slug>/quality/suggestions/", suggested_rules.suggest_rules, name="record_type_quality_suggest"),
    path("quality-rules/<int:rule_id>/", quality_rules.edit_rule, name="quality_rule"),
    path("quality-rules/<int:rule_id>/delete/", quality_rules.delete_rule, name="quality_rule_delete"),
    path("quality-rules/<int:rule_id>/switch/", quality_rules.switch_rule, name="quality_rule_switch"),
    path("record-types/<slug:slug>/records/", exports.choose_type_records, name="record_type_records"),
    path("record-types/<slug:slug>/export/", exports.download_type_records, name="record_type_export"),
    path("record-types/<slug:slug>/export/figures/", exports.show_type_figures, name="record_type_export_figures"),
    path("record-types/<slug:slug>/changes/", change_files.store_type_changes, name="record_type_changes"),
    path("record-types/<slug:slug>/latest/", readers.show_readers, name="record_type_readers"),
    path("record-types/<slug:slug>/latest/tokens/", readers.create_token, name="record_type_token"),
    path("tokens/<int:token_id>/revoke/", readers.revoke_token, name="token_revoke"),
    path("data/<slug:slug>/latest.<str:suffix>", readers.serve_latest, name="latest_file"),
    path("data/<slug:slug>/changes.atom", readers.serve_feed, name="latest_feed"),
    path("data/<slug:slug>/schema.json", readers.serve_schema, name="latest_schema"),
    path("downloads/<str:etag>/", change_files.send_download, name="download"),
    path("deliveries/", targets.list_targets, name="deliveries"),
    path("deliveries/new/", targets.create_target, name="delivery_target_new"),
    path("deliveries/<int:target_id>/", targets.show_target, name="delivery_target"),
    path("deliveries/<int:target_id>/edit/", targets.edit_target, name="delivery_target_edit"),
    path("deliveries/<int:target_id>/preview/", targets.preview_target, name="delivery_target_preview"),
    path("deliveries/<int:target_id>/now/", targets.deliver_now, name="delivery_target_now"),
    path("deliveries/<int:target_id>/test/", targets.test_target, name="delivery_target_test"),
    path("deliveries/<int:target_id>/delete/", targets.delete_target, name="delivery_target_delete"),
    path("deliveries/sent/<int:delivery_id>/again/", targets.retry_delivery, name="delivery_again"),
    path("record-types/<slug:slug>/delete/", record_types.delete_record_type, name="record_type_delete"),
    path("settings/alerts/", alerts.alerts, name="alerts"),
    path("settings/alerts/new/", alerts.new, name="alert_channel_new"),
    path("settings/alerts/<int:channel_id>/", alerts.channel, name="alert_channel"),
    path("settings/alerts/<int:channel_id>/test/", alerts.test, name="alert_channel_test"),
    path("settings/alerts/<int:channel_id>/delete/", alerts.delete, name="alert_channel_delete"),
    path("settings/alerts/sent/<int:alert_id>/again/", alerts.again, name="alert_again"),
]
