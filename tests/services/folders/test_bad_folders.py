"""A folder that is wrong is refused before anything is stored, with the file and the line."""

import io
import os
import zipfile
from pathlib import Path
from typing import Any

import pytest

from extraction.models import DeliveryTarget, Site
from extraction.services.folders import storing, uploads
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
    (SITE, "name: Shops", "name: {a: b}", r"site\.yaml:2: 'name' must be a text, not keys and values"),
    (SITE, "every_hours: 12", "every_hours: 9999999999999999999", r"site\.yaml:\d+: 'every_hours' is too large: 9999999999999999999"),
    (SITE, 'exclude:\n    - "*/private/*"', "exclude: all", r"site\.yaml:\d+: 'exclude' must be a list, not 'all'"),
    (SITE, "checks:", "method: by_colour\nchecks:", r"site\.yaml:1: there is no clustering method 'by_colour'"),
    (SITE, "    - https://", "    - ftp://", r"site\.yaml:\d+: 'ftp://shops\.example/' is not the address of a web page"),
    (SITE, "    - https://", "    - https://[", r"site\.yaml:\d+: 'https://\[shops\.example/' is not the address of a web page"),
    (TYPE, "type: price", "type: prize", r"record_types/shop\.yaml:\d+: type: Value 'prize' is not a valid choice"),
    (TYPE, "- name: price", "- name: the price", r"record_types/shop\.yaml:\d+: 'the price' cannot be an attribute"),
    (TYPE, "- name: price", "- name: thing", r"record_types/shop\.yaml:\d+: the attribute 'thing' stands twice"),
    (TYPE, "kind: count", "kind: counts", r"record_types/shop\.yaml:\d+: there is no kind of quality rule 'counts'"),
    (TYPE, "name: Shop", "gone_after: 0\nname: Shop", r"shop\.yaml:1: 'gone_after' must be at least 1"),
    (TYPE, "list: offers", f"list: {'o' * 61}", r"shop\.yaml:\d+: the name of the list has more than 60 characters"),
    (TYPE, "hotkey: t", 'hotkey: "-"', r"shop\.yaml:\d+: '-' cannot be a shortcut; use a letter or a digit"),
    (TYPE, "lists:\n  - name: offers", "lists:\n  - name: bids", r"shop\.yaml:\d+: no attribute is in the list 'bids'"),
    (TYPE, "    attribute: price", "    attribute: cost", r"shop\.yaml:\d+: shop has no attribute 'cost'"),
    (TYPE, "kind: count", "kind: count\n    list: bids", r"shop\.yaml:\d+: shop has no list 'bids'"),
    (TYPE, "kind: count", "kind: count\n    replaces: count", r"shop\.yaml:\d+: only a rule of a template replaces another"),
    (TEMPLATE, rich_site.MASK, "3f.zz", r"template\.yaml:1: not a masked shingle vector: '3f\.zz'"),
    (TEMPLATE, "record_type: shop", "record_type: shoe", r"template\.yaml:1: the folder has no record_types/shoe\.yaml"),
    (TEMPLATE, "number: 1", "number: 0", r"template\.yaml:1: 'number' must be at least 1"),
    (TEMPLATE, "record_type: shop\n", "", r"template\.yaml:1: a template without a record type has no quality rules"),
    (TEMPLATE, "range price #2", "range price #9", r"template\.yaml:\d+: shop has no quality rule 'range price #9'"),
    (LABELS, "value: Shop 0", "value: Shop 9", r"labels\.yaml:\d+: shop: the page says 'Shop 0' at this place, not 'Shop 9'"),
    (LABELS, "attribute: shop", "attribute: shp", r"labels\.yaml:\d+: the record type 'shop' has no attribute 'shp'"),
    (LABELS, "absent: true", "absent: false", r"labels\.yaml:\d+: a mark has either a place"),
    (LABELS, "row: 1", "row: 0", r"labels\.yaml:\d+: thing needs a row from 1 to"),
    (LABELS, "text: 1", "text: first", r"labels\.yaml:\d+: "),
    (LABELS, "node: ", "node: 99999", r"labels\.yaml:\d+: shop: there is no such place on the page"),
    (LABELS, "absent: true", "absent: true\n        value: free", r"labels\.yaml:\d+: an attribute that is absent has no value"),
    (LABELS, "rows: 4", "rows: -4", r"labels\.yaml:\d+: the record type has no list 'offers', or the number of rows is wrong"),
    (LABELS, "example/0", "example/7", r"labels\.yaml:\d+: the content [0-9a-f]{12} of https://shops\.example/7 is not in pages\.yaml"),
    (RULE, "//h1/text()", "//h1[", r"rule\.yaml:\d+: it is not a rule that can be run"),
    (RULE, "//h1/text()", "document('file:///etc/passwd')", r"rule\.yaml:\d+: it is not a rule that can be run"),
    (RULE, "multiple: false", "multipel: false", r"rule\.yaml:\d+: "),
    (RULE, "    multiple: false\n", "    multiple: false\n    colour: red\n", r"rule\.yaml:\d+: 'colour' is not known in a rule"),
    ("pages.yaml", "template: 1", "template: 9", r"pages\.yaml:\d+: there is no template 9"),
    ("pages.yaml", 'sha256: "', 'sha256: "../', r"pages\.yaml:\d+: the folder has no pages/"),
    ("pages.yaml", "url: https://shops.example/0", 'url: ""', r"pages\.yaml:\d+: 'url' must have between 1 and 2,000 characters"),
    ("pages.yaml", "belongs_to: 1", "belongs_to: 4\n    not_in: [4]", r"pages\.yaml:\d+: the page belongs to template 4 and does not"),
    ("pages.yaml", "template: 1", f"type: {'x' * 201}", r"pages\.yaml:\d+: 'type' has more than 200 characters"),
    ("pages.yaml", "example/2", "example/8", r"corrections\.yaml:\d+: the page https://shops\.example/2 is not in pages\.yaml"),
    ("deliveries.yaml", "kind: sftp", "kind: ftp", r"deliveries\.yaml:\d+: kind: "),
    ("deliveries.yaml", "record_type: shop", "record_type: shoe", r"deliveries\.yaml:\d+: the folder has no record_types/shoe\.yaml"),
    ("corrections.yaml", "attribute: price", "attribute: prices", r"corrections\.yaml:\d+: 'shop' has no attribute 'prices'"),
    ("corrections.yaml", "+00:00", "", r"corrections\.yaml:\d+: 'at' must be a time with its zone"),
    ("corrections.yaml", 'at: "', 'at: "on ', r"corrections\.yaml:\d+: 'at' must be a time with its zone"),
    ("corrections.yaml", 'at: "', 'at: "0001-01-01T00:00:00+23:00" #', r"corrections\.yaml:\d+: 'at' must be a time with its zone"),
    ("corrections.yaml", "position: 3", "position: -1", r"corrections\.yaml:\d+: 'position' and 'alike' must be at least 0"),
    (
        "corrections.yaml",
        "        thing:\n          - Tea 2-3",
        "        thing: 7",
        r"corrections\.yaml:\d+: the texts of thing must be a list",
    ),
    ("corrections.yaml", "          - Tea 2-3", "          - 7", r"corrections\.yaml:\d+: the texts of thing must be"),
    ("corrections.yaml", "attribute: shop", "attribute: price", r"corrections\.yaml:\d+: price is in a list, so it needs a row"),
    ("corrections.yaml", "attribute: price", "attribute: shop", r"corrections\.yaml:\d+: shop is not in a list, so it has no row"),
    ("corrections.yaml", "kind: corrected", "kind: guessed", r"corrections\.yaml:\d+: the kind is 'guessed', none of corrected, "),
    (
        "corrections.yaml",
        "by: ada",
        "by: ada\n    state: review",
        r"corrections\.yaml:\d+: a correction has 'found' if its state is review",
    ),
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
        ({**files, SITE: b"- Shops\n"}, r"site\.yaml:1: format, name, slug, .* are expected here, not a list"),
        ({**files, RULE: b"origin: edited\n"}, r"rule\.yaml:1: the rule has no attributes"),
        ({**files, "pages.yaml": b"pages: all\n"}, r"pages\.yaml:1: the file must hold one list with the name 'pages'"),
        (
            {**files, "deliveries.yaml": b"deliveries:\n  - place: here\n"},
            r"deliveries\.yaml:2: 'place' must have keys and values, not 'here'",
        ),
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
    open_to_all = secret.replace(b":secret@", b"@").replace(b"host: x", b"table: books")
    folders.load({**files, "deliveries.yaml": open_to_all})
    assert DeliveryTarget.objects.get().read_place().url == "postgresql://me@db.example/books"


@pytest.mark.parametrize(
    ("path", "right", "wrong", "reason"),
    [
        ("deliveries.yaml", "host: sftp", "colour: red\n      host: sftp", "'colour' is not known in a delivery"),
        ("deliveries.yaml", "user: vertex", "user: [vertex]", "the delivery cannot be read"),
        ("deliveries.yaml", "host: sftp.example", 'endpoint: "https://[::1"', "endpoint: The address is not a web address"),
        ("joins.yaml", "page: shop", "page: shp", "there is no attribute 'shp' there"),
        ("corrections.yaml", "        thing:", "        thin:", "there is no attribute 'thin' in the list"),
        ("corrections.yaml", "raw: Tea & more", "text: Tea & more", "the values cannot be read"),
        (TYPE, "least: 0.5", "lest: 0.5", "'lest' is not a limit"),
        (TYPE, "allowed_fraction: 0.01", "allowed_fraction: 1.01", "'allowed_fraction' is from 0 to 1"),
        (TYPE, "weight: block", "weight: shout", "'weight' is note, warn or block"),
    ],
)
def test_what_only_the_import_can_tell_is_named_and_nothing_is_stored(path: str, right: str, wrong: str, reason: str) -> None:
    files = export(rich_site.shops().site)
    folders.empty()
    with pytest.raises(FolderError, match=reason) as caught:
        folders.load(edit(files, path, lambda text: text.replace(right, wrong, 1)))
    assert str(caught.value).startswith(f"{path}:") and not Site.objects.exists()


def test_a_content_that_is_larger_than_a_page_may_be_is_refused(settings: Any) -> None:
    files = export(rich_site.shops().site)
    settings.VERTEX_PAGE_MAX_BYTES = 100
    with pytest.raises(FolderError, match=r"\.page: it has \d+ bytes; at most 100 are read"):
        check(files)


def test_contents_that_no_page_names_are_ignored_and_said() -> None:
    files = export(rich_site.shops().site)
    assert check(files).notes == ()
    assert check({**files, f"pages/{'0' * 64}.page": b"x"}).notes == ("1 file with a content is not named in pages.yaml and is ignored.",)


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


def test_a_zip_file_with_too_many_files_or_with_others_beside_its_folder_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    files = {"shops/site.yaml": b"a: 1", "shops/pages.yaml": b"b: 1"}
    with (
        pytest.raises(FolderError, match="a file twice, or files beside the folder of the site"),
        storing.open_zip(zipped({**files, "a": b""})),
    ):
        pass
    monkeypatch.setattr(storing, "MAX_FILES", 1)
    with pytest.raises(FolderError, match="the zip file has 2 files; at most 1 are read"), storing.open_zip(zipped(files)):
        pass


def test_an_encrypted_zip_file_is_refused() -> None:
    data = bytearray(zipped({"site.yaml": b"a: 1"}).getvalue())
    data[data.index(b"PK\x01\x02") + 8] |= 1  # the flag in the list of contents, which no library here can set
    with pytest.raises(FolderError, match=r"site\.yaml: it is encrypted"), storing.open_zip(io.BytesIO(bytes(data))):
        pass


def test_a_file_of_a_zip_file_that_is_damaged_is_named() -> None:
    data = zipped({"site.yaml": b"format: 1"}).getvalue().replace(b"format: 1", b"format: 7")
    with storing.open_zip(io.BytesIO(data)) as folder, pytest.raises(FolderError, match=r"site\.yaml: it cannot be unpacked: Bad CRC"):
        folder.read("site.yaml")


def test_the_limits_of_a_folder_are_kept_also_if_a_file_grows_while_it_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("a", "b"):
        (tmp_path / name).write_bytes(b"x" * 600)
    folder = storing.DiskFolder(tmp_path)
    monkeypatch.setattr(storing, "MAX_FILE_BYTES", 599)
    with pytest.raises(FolderError, match="a: it has more than 599 bytes"):
        folder.read("a")
    monkeypatch.setattr(storing, "MAX_FILE_BYTES", 600)
    assert folder.read("a") == b"x" * 600
    monkeypatch.setattr(storing, "MAX_BYTES", 1199)
    with pytest.raises(FolderError, match="the folder has more than 1,199 bytes"):
        storing.DiskFolder(tmp_path)
    monkeypatch.setattr(storing, "MAX_FILES", 1)
    with pytest.raises(FolderError, match="the folder has more than 1 files"):
        storing.DiskFolder(tmp_path)


def test_what_is_no_plain_file_is_refused_and_what_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(FolderError, match="there is no folder"):
        storing.DiskFolder(tmp_path / "shops")
    with pytest.raises(FolderError, match="cannot be read: No such file"), storing.open_folder(tmp_path / "shops.zip"):
        pass
    with pytest.raises(FolderError, match=r"site\.yaml: it cannot be read: No such file"):
        storing.DiskFolder(tmp_path).read("site.yaml")
    os.mkfifo(tmp_path / "site.yaml")
    with pytest.raises(FolderError, match=r"site\.yaml: it is not a plain file"):
        storing.DiskFolder(tmp_path)


def test_a_zip_file_on_the_disk_is_a_folder_and_an_empty_folder_is_written_into(tmp_path: Path) -> None:
    files = {"site.yaml": b"format: 1\nname: Shops\nslug: shops\n", "record_types/shop.yaml": b"name: Shop\n"}
    (tmp_path / "shops.zip").write_bytes(zipped(files).getvalue())
    with storing.open_folder(tmp_path / "shops.zip") as folder:
        assert folder.paths == {path: len(data) for path, data in files.items()}
    (tmp_path / "empty").mkdir()
    assert storing.write_folder(tmp_path / "empty", files.items(), slug="shops") == storing.Written(2, sum(map(len, files.values())), 0)
    with pytest.raises(FolderError, match=r"shops\.zip is not a folder"):
        storing.write_folder(tmp_path / "shops.zip", files.items(), slug="shops")


def test_an_upload_that_was_deleted_meanwhile_is_named() -> None:
    with pytest.raises(FolderError, match="the uploaded file is no longer there; upload it again"), uploads.open_upload("uploads/gone"):
        pass
