"""The server loads styles and pictures of the sample pages once, including those that style sheets need."""

import threading
from collections.abc import Iterator, Sequence

import pytest

from extraction.algorithms.dom.references import NeededResource, ResourceKind
from extraction.demo.images import png
from extraction.demo.server import DemoServer
from extraction.models import Asset, Run, Site
from extraction.services.core.runs import JobError, Progress
from extraction.services.intake import assets, load_assets
from tests.services import factory

pytestmark = pytest.mark.django_db

WEB = {
    "https://shop.example/s.css": b"@import 'more.css'; a{b:url(deep.png)}",
    "https://shop.example/more.css": b"@import 's.css'; i{b:url(i.png)}",
    "https://shop.example/i.png": png(1),
    "https://cdn.example/c.png": png(2),
    "https://shop.example/bad.png": b"<html>",
}
PAGE = b"""<html><head><link rel=stylesheet href=/s.css></head><body><img src=/i.png><img src=//cdn.example/c.png><img src=/bad.png>
<img src=/none.png></body></html>"""


class Web:
    """Answer with WEB, and record the requests."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    def __call__(self, _site: Site, needed: Sequence[NeededResource]) -> Iterator[tuple[NeededResource, bytes]]:
        for need in needed:
            self.asked.append(need.url)
            if need.url in WEB:
                yield need, WEB[need.url]


def loading(site: Site, fetch=load_assets.fetch_assets) -> Run:
    run = load_assets.start_loading(site)
    factory.put(Run.objects.filter(pk=run.pk), Run.State.RUNNING)
    run.refresh_from_db()
    run.summary = load_assets.run_loading(run, Progress(run), fetch=fetch).as_json()
    factory.put(Run.objects.filter(pk=run.pk), Run.State.DONE)
    return run


@pytest.fixture
def site(sent) -> Site:
    made = factory.site("Shop")
    made.address = "https://shop.example/"
    made.save()
    cluster = factory.cluster(made)
    factory.samples(cluster, [factory.snapshot(made, "https://shop.example/1", PAGE, cluster=cluster)])
    return made


def test_files_of_sample_pages_and_of_their_style_sheets_are_loaded_once(site):
    web = Web()
    run = loading(site, web)
    assert sorted(web.asked) == sorted({*WEB, "https://shop.example/none.png", "https://shop.example/deep.png"})
    assert len(web.asked) == len(set(web.asked)) and run.summary == {"loaded": 4, "failed": 3}
    assert dict(run.problems.values_list("name", "reason")) == {
        "https://shop.example/bad.png": "it is not a picture that can be shown",
        "https://shop.example/none.png": load_assets.NOT_LOADED,
        "https://shop.example/deep.png": load_assets.NOT_LOADED,
    }


def test_stored_files_and_recent_failures_are_not_requested_again(site):
    loading(site, Web())
    again = Web()
    assert loading(site, again).summary == {"loaded": 0, "failed": 0} and again.asked == []


def test_a_killed_run_continues_where_it_stopped(site):
    def dies(_site: Site, needed: list[NeededResource]) -> Iterator[tuple[NeededResource, bytes]]:
        yield next((need, WEB[need.url]) for need in needed if need.url in WEB)
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        loading(site, dies)
    rest = Web()
    factory.put(Run.objects.all(), Run.State.DONE)
    loading(site, rest)
    assert Asset.objects.filter(error="").count() == 4 and "https://shop.example/s.css" not in rest.asked


def test_a_full_site_loads_no_more(site, monkeypatch):
    monkeypatch.setattr(assets, "MAX_SITE_ASSETS", 2)
    web = Web()
    loading(site, web)
    assert Asset.objects.exclude(sha256="").count() <= 2


def test_a_site_without_an_address_has_nothing_to_load_from(sent):
    bare = factory.site("Bare")
    with pytest.raises(JobError, match="no address"):
        load_assets.start_loading(bare)


def test_pages_without_addresses_need_nothing_from_the_web(site):
    local = factory.snapshot(site, "book/1.html", b"<img src=i.png><img src=http://a.example/i.png>")
    assert [need.url for need in load_assets.find_missing([local])] == ["http://a.example/i.png"]


def test_the_loading_process_fetches_from_permitted_hosts_only(sent, settings, transactional_db):
    with DemoServer() as server:
        threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
        host = server.address.removeprefix("http://")
        site = factory.site("Demo")
        site.address = server.address
        site.save()
        cluster = factory.cluster(site)
        page = f"<link rel=stylesheet href=/css/shop.css><img src='/img/logo.svg'><img src='http://127.0.0.1:1/x.png'><img src='http://{host}/none'>"
        factory.samples(cluster, [factory.snapshot(site, f"{server.address}/1", page.encode(), cluster=cluster)])
        refused = loading(site)
        assert refused.summary["loaded"] == 0, "the address is private and nobody permitted it"
        Asset.objects.all().delete()
        settings.VERTEX_CRAWL_PRIVATE_HOSTS = [host]
        run = loading(site)
        server.shutdown()
    found = dict(Asset.objects.filter(error="").values_list("url", "content_type"))
    assert found == {
        f"{server.address}/css/shop.css": "text/css",
        f"{server.address}/img/logo.svg": "image/svg+xml",
        f"{server.address}/img/band.png": "image/png",
    }
    assert run.summary == {"loaded": 3, "failed": 2}


def test_the_files_of_chosen_pages_or_of_one_template_are_loaded(site):
    cluster = factory.cluster(site, number=2)
    other = factory.snapshot(site, "https://shop.example/2", b"<img src=/other.png>", cluster=cluster)
    factory.samples(cluster, [other])

    def asked(**values) -> list[str]:
        web = Web()
        run = factory.run(site, Run.Kind.ASSETS, Run.State.RUNNING, **values)
        load_assets.run_loading(run, Progress(run), fetch=web)
        factory.put(Run.objects.filter(pk=run.pk), Run.State.DONE)
        Asset.objects.all().delete()
        return web.asked

    assert asked(cluster=cluster) == ["https://shop.example/other.png"]
    assert asked(parameters={"snapshots": [other.pk]}) == ["https://shop.example/other.png"]
    assert asked(parameters={"snapshots": []}) == []
    assert load_assets.find_missing([]) == []


def test_style_sheets_that_need_each_other_without_end_are_followed_so_deep(site, monkeypatch):
    deep = {f"https://shop.example/{n}.css": f"@import '{n + 1}.css'".encode() for n in range(50)}
    monkeypatch.setitem(WEB, "https://shop.example/s.css", b"@import '0.css'")
    for url, content in deep.items():
        monkeypatch.setitem(WEB, url, content)
    web = Web()
    loading(site, web)
    assert sum(url in deep for url in web.asked) == load_assets.MAX_DEPTH - 1


def test_a_file_that_fails_again_has_the_newer_reason_and_one_that_was_loaded_stays(site):
    need = NeededResource("https://shop.example/s.css", ResourceKind.STYLE)
    assets.note_failure(site, need, "it is too large")
    assets.note_failure(site, need, "")
    assert Asset.objects.get(url=need.url).error == "it could not be loaded"
    kept = assets.keep_asset(site, need, b"b{}", assets.Room.of(site))
    assert kept and assets.note_failure(site, need, "gone").error == ""
