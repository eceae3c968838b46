"""An import keeps the stylesheets and pictures that its pages need, however the archive names them."""

import io
import tarfile
import zipfile
from typing import Any

import pytest
from warcio.statusandheaders import StatusAndHeaders
from warcio.warcwriter import WARCWriter

from extraction.demo.images import png
from extraction.fetching.archives import Archive
from extraction.models import Asset, Run, Site
from extraction.services.core.runs import Progress
from extraction.services.intake import import_pages
from tests.services import factory

pytestmark = pytest.mark.django_db

HEAD = "<html><head><link rel=stylesheet href={css}></head><body><h1>One</h1><img src={img}>{more}</body></html>"
CSS = b"@import 'more.css'; body{background:url(../img/back.png)}"


def imported(archive: bytes, sent, tmp_path) -> Run:
    site = Site.objects.get_or_create(name="Shop", slug="shop")[0]
    path = tmp_path / "pages"
    path.write_bytes(archive)
    run = import_pages.start_import(site, path, name="pages")
    factory.put(Run.objects.filter(pk=run.pk), Run.State.RUNNING)
    run.refresh_from_db()
    run.summary = import_pages.run_import(run, Progress(run)).as_json()
    return run


def zipped(files: dict[str, bytes | str]) -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return made.getvalue()


def held() -> dict[str, str]:
    return dict(Asset.objects.filter(error="").values_list("url", "content_type"))


FILES = {"css/a.css": CSS, "css/more.css": b"i{color:red}", "img/i.png": png(1), "img/back.png": png(2), "img/other.png": png(3)}


def test_files_of_a_folder_without_addresses_are_found_relative_to_the_page(sent, tmp_path):
    page = HEAD.format(css="../css/a.css", img="/img/i.png", more="")
    run = imported(zipped({**FILES, "book/1.html": page}), sent, tmp_path)
    assert held() == {"css/a.css": "text/css", "css/more.css": "text/css", "img/i.png": "image/png", "img/back.png": "image/png"}
    assert run.summary["assets"] == 4 and run.summary["pages"] == 1 and run.summary["skipped"] == {"picture": 3, "style": 2}


def test_a_manifest_gives_the_addresses_and_files_stand_under_their_paths(sent, tmp_path):
    page = HEAD.format(css="/css/a.css?v=3", img="../img/i.png", more="")
    manifest = "file,url\n1.html,https://shop.example/book/1\n"
    imported(zipped({"manifest.csv": manifest, "1.html": page, **FILES}), sent, tmp_path)
    assert set(held()) == {
        "https://shop.example/css/a.css?v=3",
        "https://shop.example/css/more.css",
        "https://shop.example/img/i.png",
        "https://shop.example/img/back.png",
    }


def test_pages_saved_by_a_browser_have_their_files_beside_them(sent, tmp_path):
    page = HEAD.format(css='"One_files/a.css"', img='"One_files/i%20b.png"', more="")
    manifest = "file,url\nsaved/One.html,https://shop.example/book/1\n"
    files: dict[str, bytes | str] = {
        "manifest.csv": manifest,
        "saved/One.html": page,
        "saved/One_files/a.css": b"a{b:c}",
        "saved/One_files/i b.png": png(1),
    }
    imported(zipped(files), sent, tmp_path)
    assert set(held()) == {"https://shop.example/book/One_files/a.css", "https://shop.example/book/One_files/i%20b.png"}


def test_a_mirror_has_a_folder_for_each_host(sent, tmp_path):
    page = HEAD.format(css="//cdn.example/a.css", img="/i.png", more="")
    manifest = "file,url\nshop.example/1.html,https://shop.example/1\n"
    files: dict[str, bytes | str] = {
        "manifest.csv": manifest,
        "shop.example/1.html": page,
        "cdn.example/a.css": b"a{b:c}",
        "shop.example/i.png": png(1),
    }
    imported(zipped(files), sent, tmp_path)
    assert set(held()) == {"https://cdn.example/a.css", "https://shop.example/i.png"}


def test_files_in_a_tar_file_or_a_folder_are_found_as_in_a_zip(sent, tmp_path):
    page = HEAD.format(css="css/a.css", img="img/i.png", more="").encode()
    made = io.BytesIO()
    with tarfile.open(fileobj=made, mode="w:gz") as archive:
        for name, content in {**FILES, "1.html": page}.items():
            info = tarfile.TarInfo(name)
            info.size = len(content)
            archive.addfile(info, io.BytesIO(content))
    assert imported(made.getvalue(), sent, tmp_path).summary["assets"] == 4


def test_files_in_a_warc_are_found_by_address_in_any_order(sent, tmp_path):
    made = io.BytesIO()
    writer = WARCWriter(made, gzip=True)
    page = HEAD.format(css="/css/a.css", img="/i.png", more="").encode()
    answers = [
        ("/i.png", "image/png", png(1)),
        ("/css/a.css", "text/css", CSS),
        ("/img/back.png", "image/png", png(2)),
        ("/", "text/html", page),
    ]
    for path, kind, body in answers:
        headers = StatusAndHeaders("200 OK", [("Content-Type", kind)], protocol="HTTP/1.1")
        writer.write_record(
            writer.create_warc_record(f"https://w.example{path}", "response", payload=io.BytesIO(body), http_headers=headers)
        )
    run = imported(made.getvalue(), sent, tmp_path)
    assert set(held()) == {"https://w.example/i.png", "https://w.example/css/a.css", "https://w.example/img/back.png"}
    assert run.summary["assets"] == 3


def test_a_file_of_the_wrong_kind_is_reported_and_not_shown(sent, tmp_path):
    page = HEAD.format(css="a.css", img="i.png", more="<img src=../../../etc/passwd>")
    run = imported(zipped({"1.html": page, "a.css": "<html>not found", "i.png": b"<html><script>"}), sent, tmp_path)
    assert held() == {} and "assets" not in run.summary
    assert dict(Asset.objects.values_list("url", "error")) == {
        "a.css": "it is not a stylesheet",
        "i.png": "it is not a picture that can be shown",
    }


def test_pages_alone_are_read_once(sent, tmp_path, monkeypatch):
    opened: list[dict[str, Any]] = []

    def opening(*args: Any, **how: Any) -> Archive:
        opened.append(how)
        return Archive(*args, **how)

    monkeypatch.setattr(import_pages, "Archive", opening)
    imported(zipped({"1.html": HEAD.format(css="a.css", img="i.png", more="")}), sent, tmp_path)
    assert len(opened) == 1
