"""A folder that is wrong is refused before anything is stored, with the file and the line."""

import io
import zipfile
from pathlib import Path

import pytest

from extraction.models import Site
from extraction.services.folders import storing
from extraction.services.folders.errors import FolderError
from tests.services.folders import folders, rich_site
from tests.services.folders.folders import check, edit, export

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("sent")]

SITE, TYPE = "site.yaml", "record_types/shop.yaml"
TEMPLATE, LABELS, RULE = (f"templates/1-shop-page-no1/{name}.yaml" for name in ("template", "labels", "rule"))

WRONG = [
    (SITE, "name: Shops", "name: [Shops]", r"site\.yaml:2: 'name' must be a text, not a list"),
    (SITE, "name: Shops", "nmae: Shops", r"site\.yaml:2: 'nmae' is not known here; did you mean 'name'\?"),
    (SITE, "name: Shops\n", "", r"site\.yaml:1: 'name' is missing"),
    (SITE, "name: Shops", "name: 12", r"site\.yaml:2: 'name' must be a text, not 12; put it in quotes"),
    (SITE, "slug: shops", "slug: ../shops", r"site\.yaml:1: '\.\./shops' cannot be a slug"),
    (SITE, "slug: shops", "slug: new", r"site\.yaml:1: 'new' cannot be a slug"),
    (SITE, "format: 1", "format: 2", r"site\.yaml:1: the files are of format 2; this release reads format 1"),
    (SITE, "https://shops.example/", "file:///etc/passwd", r"site\.yaml:\d+: (address: Enter a valid URL|'file)"),
    (SITE, "every_hours: 12", "every_hours: 0", r"site\.yaml:\d+: every_hours: "),
    (SITE, "every_hours: 12", "every_hours: true", r"site\.yaml:\d+: 'every_hours' must be a whole number, not True"),
    (SITE, "delay_s: 1.5", "delay_s: -1", r"site\.yaml:\d+: delay_s: "),
    (SITE, '"06:30"', '"26:30"', r"site\.yaml:\d+: "),
    (SITE, "zone: Europe/Berlin", "zone: Europe/Atlantis", r"site\.yaml:\d+: .*is not a time zone"),
    (TYPE, "type: price", "type: prize", r"record_types/shop\.yaml:\d+: type: Value 'prize' is not a valid choice"),
    (TYPE, "- name: price", "- name: the price", r"record_types/shop\.yaml:\d+: 'the price' cannot be an attribute"),
    (TYPE, "- name: price", "- name: thing", r"record_types/shop\.yaml:\d+: the attribute 'thing' stands twice"),
    (TYPE, "kind: count", "kind: counts", r"record_types/shop\.yaml:\d+: there is no kind of quality rule 'counts'"),
    (TEMPLATE, rich_site.MASK, "3f.zz", r"template\.yaml:1: not a masked shingle vector: '3f\.zz'"),
    (TEMPLATE, "record_type: shop", "record_type: shoe", r"template\.yaml:1: there is no record_types/shoe\.yaml"),
    (LABELS, "value: Shop 0", "value: Shop 9", r"labels\.yaml:\d+: shop: the page says 'Shop 0' at this place, not 'Shop 9'"),
    (LABELS, "attribute: shop", "attribute: shp", r"labels\.yaml:\d+: the record type 'shop' has no attribute 'shp'"),
    (LABELS, "absent: true", "absent: false", r"labels\.yaml:\d+: a mark has either a place"),
    (LABELS, "row: 1", "row: 0", r"labels\.yaml:\d+: thing needs a row from 1 to"),
    (LABELS, "node: ", "node: 99999", r"labels\.yaml:\d+: shop: there is no such place on the page"),
    (RULE, "//h1/text()", "//h1[", r"rule\.yaml:\d+: it is not a rule that can be run"),
    (RULE, "//h1/text()", "document('file:///etc/passwd')", r"rule\.yaml:\d+: it is not a rule that can be run"),
    (RULE, "multiple: false", "multipel: false", r"rule\.yaml:\d+: "),
    (RULE, "    multiple: false\n", "    multiple: false\n    colour: red\n", r"rule\.yaml:\d+: 'colour' is not known in a rule"),
    ("pages.yaml", "template: 1", "template: 9", r"pages\.yaml:\d+: there is no template 9"),
    ("pages.yaml", 'sha256: "', 'sha256: "../', r"pages\.yaml:\d+: the folder has no pages/"),
    ("deliveries.yaml", "kind: sftp", "kind: ftp", r"deliveries\.yaml:\d+: kind: "),
    ("corrections.yaml", "attribute: price", "attribute: prices", r"corrections\.yaml:\d+: 'shop' has no attribute 'prices'"),
    ("corrections.yaml", "+00:00", "", r"corrections\.yaml:\d+: 'at' must be a time with its zone"),
]


def test_what_is_wrong_is_named_with_its_file_and_line() -> None:
    files = export(rich_site.shops().site)
    folders.empty()
    for path, right, wrong, reason in WRONG:
        with pytest.raises(FolderError, match=reason):
            check(edit(files, path, lambda text, a=right, b=wrong: text.replace(a, b, 1)))  # type: ignore[misc]
    assert not Site.objects.exists()


def test_files_that_are_missing_changed_or_strange_are_named() -> None:
    files = export(rich_site.shops().site)
    page = next(path for path in files if path.endswith(".page"))
    for changed, reason in (
        ({path: data for path, data in files.items() if path != SITE}, "there is no site.yaml"),
        ({path: data for path, data in files.items() if path != page}, r"pages\.yaml:\d+: the folder has no pages/"),
        ({**files, page: files[page] + b"\r\n"}, r"\.page: its bytes are not those that its name says"),
        ({**files, "record_type/book.yaml": b"name: Book"}, r"record_type/book\.yaml: a site has no such file"),
        ({path: data for path, data in files.items() if path != TEMPLATE}, r"templates/1-shop-page-no1: there is no template\.yaml"),
        ({**files, "templates/2/template.yaml": b"number: 1\n"}, r"template\.yaml:1: the template 1 is also in"),
        ({**files, "exported.yaml": b"parts: []\n"}, r"exported\.yaml:1: it does not hold what an export wrote"),
    ):
        with pytest.raises(FolderError, match=reason):
            check(changed)


def test_a_password_in_the_address_of_a_database_is_refused() -> None:
    files = export(rich_site.shops().site)
    folders.empty()
    secret = files["deliveries.yaml"].replace(b"kind: sftp", b"kind: sql")
    secret = secret.replace(b"host: sftp.example", b"url: postgresql://me:secret@db.example/books\n      host: x")
    with pytest.raises(FolderError, match="passwords do not belong in files"):
        folders.load({**files, "deliveries.yaml": secret})


def test_a_core_of_another_release_is_left_out_and_said() -> None:
    files = export(rich_site.shops().site)
    done = check({**files, "templates/1-shop-page-no1/core.bin": b"old"})
    assert done.files.templates[0].core is None and "core.bin of template 1 is left out" in done.notes[0]


def zipped(files: dict[str, bytes], prefix: str = "") -> io.BytesIO:
    found = io.BytesIO()
    with zipfile.ZipFile(found, "w") as archive:
        for path, data in files.items():
            archive.writestr(prefix + path, data)
    return found


@pytest.mark.parametrize("prefix", ["", "shops-main/"])
def test_a_zip_file_is_read_also_with_one_folder_around_the_files(prefix: str) -> None:
    files = export(rich_site.shops().site)
    with storing.open_zip(zipped(files, prefix)) as folder:
        assert {path: folder.read(path) for path in folder.paths} == files


@pytest.mark.parametrize("name", ["../site.yaml", "/site.yaml", "a/../../site.yaml", "C:\\site.yaml", "..\\site.yaml"])
def test_a_zip_file_that_leads_out_of_itself_is_refused(name: str) -> None:
    with pytest.raises(FolderError, match="leads out of it"), storing.open_zip(zipped({"site.yaml": b"a: 1", name: b"b: 1"})):
        pass


def test_links_and_bombs_in_a_zip_file_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    linked = io.BytesIO()
    with zipfile.ZipFile(linked, "w") as archive:
        info = zipfile.ZipInfo("site.yaml")
        info.external_attr = 0o120777 << 16
        archive.writestr(info, "/etc/passwd")
    with pytest.raises(FolderError, match="symbolic link"), storing.open_zip(linked):
        pass
    monkeypatch.setattr(storing, "MAX_FILE_BYTES", 1000)
    with (
        pytest.raises(FolderError, match=r"site\.yaml: it has 5,000 bytes; at most 1,000 are read"),
        storing.open_zip(zipped({"site.yaml": b"x" * 5000})),
    ):
        pass
    bomb = io.BytesIO()
    with zipfile.ZipFile(bomb, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("site.yaml", b" " * 100_000)
    monkeypatch.setattr(storing, "FREE_EXPANSION_BYTES", 10_000)
    with pytest.raises(FolderError, match="unpacks to 100,000 bytes, more than 200 times its size"), storing.open_zip(bomb):
        pass
    with pytest.raises(FolderError, match="not a zip file"), storing.open_zip(io.BytesIO(b"PK\x03\x04 nothing")):
        pass


def test_links_in_a_folder_are_refused(tmp_path: Path) -> None:
    (tmp_path / "site.yaml").symlink_to("/etc/passwd")
    with pytest.raises(FolderError, match=r"site\.yaml: it is a symbolic link"), storing.open_folder(tmp_path):
        pass
