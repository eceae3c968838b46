"""A backup holds every row and every byte, and comes back as a whole or not at all."""

import gzip
import hashlib
import io
import json
import os
import re
import subprocess
import sys
import tarfile
import threading
from collections.abc import Callable, Iterator
from datetime import date, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any
from uuid import UUID

import boto3
import moto
import pytest
from django.contrib.auth.models import User
from django.core.files.base import ContentFile
from django.core.files.storage import FileSystemStorage, default_storage
from django.core.management import CommandError, call_command
from django.db import connection, connections, transaction
from django.db.backends.base.base import NO_DB_ALIAS
from django.utils import timezone
from storages.backends.s3 import S3Storage

from extraction.models import Page, PagePicture, Site, Team
from extraction.models.kept import checking, installing, searching
from extraction.services.core import stored_bytes
from extraction.services.core.backup import archive as archives
from extraction.services.core.backup import back_up as making
from extraction.services.core.backup import stored_files, tables
from extraction.services.core.backup.archive import MANIFEST, SUMS, BackupError, read_members, write_sum
from extraction.services.core.backup.back_up import back_up
from extraction.services.core.backup.restore import check_archive, restore
from extraction.services.sites import page_pictures
from extraction.services.sites.page_pictures import TakenPicture
from tests.services import factory
from tests.views import world as worlds

pytestmark = pytest.mark.django_db(transaction=True)

ELSEWHERE = {"django_migrations", "sqlite_sequence"}
"""Tables that are not restored: what migrations made is compared instead."""


@pytest.fixture(autouse=True)
def own_storage(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A storage that is empty. Tests may open no connections but the default one and the one that Django names NO_DB_ALIAS."""
    monkeypatch.setattr(making, "SNAPSHOT", NO_DB_ALIAS)
    monkeypatch.setattr(default_storage, "_wrapped", FileSystemStorage(location=tmp_path / "storage"))


def read_tables() -> dict[str, list[tuple[Any, ...]]]:
    """All rows of all tables."""
    return {table: list(model._base_manager.order_by("pk").values_list()) for table, model in tables.list_tables().items()}


def read_files() -> dict[str, bytes]:
    found = {}
    for name in stored_files.list_files():
        with default_storage.open(name) as file:
            found[name] = file.read()
    return found


def wipe() -> None:
    with transaction.atomic():
        installing.remove_triggers(connection)
        tables.delete_rows(connection)
    for name in list(read_files()):
        default_storage.delete(name)


def replace_bytes(path: Path, member: str) -> None:
    """Change a byte in the middle of a member."""
    with tarfile.open(path) as tar:
        info = tar.getmember(member)
    data = bytearray(path.read_bytes())
    data[info.offset_data + info.size // 2] ^= 1
    path.write_bytes(data)


@pytest.fixture
def archive(tmp_path: Path) -> Iterator[Path]:
    factory.shop(2)
    yield back_up(tmp_path / "backup.tar")[0]


def test_everything_comes_back_after_the_installation_was_wiped(tmp_path: Path, sent: list[int]) -> None:
    world = worlds.make()
    world.api_token()
    world.correction()
    Site.objects.update(created_at=timezone.now() - timedelta(days=400, microseconds=7))
    rows, files = read_tables(), read_files()
    assert len(files) > 3 and sum(map(bool, rows.values())) > 30
    path, manifest = back_up(tmp_path)
    assert path.stat().st_mode & 0o077 == 0
    assert manifest.rows == {table: len(found) for table, found in rows.items()} and manifest.files == len(files)
    wipe()
    restored = restore(path)
    assert read_tables() == rows
    assert read_files() == files
    assert restored.same_key and not restored.repaired
    assert not checking.find_drift(connection) and not searching.find_faults(connection)
    assert {name for name, _ in installing.list_triggers(connection)}
    factory.site("after")  # sequences go on behind the restored ids


def test_pictures_come_back_beside_their_snapshots(tmp_path: Path) -> None:
    cluster = factory.shop(3)
    snapshots = list(cluster.snapshots.select_related("page").order_by("pk"))
    taken = {
        (each.page.url, each.sha256): TakenPicture(f"picture {n}".encode() if n else None, "" if n else "the page did not end")
        for n, each in enumerate(snapshots)
    }
    with transaction.atomic():
        page_pictures.write_rows(page_pictures.keep_bytes(taken), {(each.page.url, each.sha256): each for each in snapshots})
    rows, files = read_tables(), read_files()
    assert PagePicture.objects.exclude(sha256="").count() == 2
    path, manifest = back_up(tmp_path)
    assert manifest.rows[PagePicture._meta.db_table] == 3
    wipe()
    assert not PagePicture.objects.exists()
    restore(path)
    assert (read_tables(), read_files()) == (rows, files)
    assert [page_pictures.read_picture(each) for each in snapshots[1:]] == [b"picture 1", b"picture 2"]


def test_the_tables_of_the_database_are_those_of_the_archive() -> None:
    with connection.cursor() as cursor:
        there = set(connection.introspection.table_names(cursor))
    search = {each for each in there if re.search("_search(_|$)", each)}
    assert there - search - ELSEWHERE == set(tables.list_tables())


@pytest.mark.parametrize("kind", ["database/extraction_page/", "storage/pages/", SUMS])
def test_a_damaged_archive_is_refused_by_the_name_of_its_member(archive: Path, kind: str) -> None:
    member = next(name for name, _ in read_members(archive) if name.startswith(kind))
    replace_bytes(archive, member)
    with pytest.raises(BackupError, match=f"{member} is damaged"):
        restore(archive, replace=True)
    assert Page.objects.count() == 2


def test_an_archive_that_was_cut_off_is_refused_wherever_it_ends(archive: Path, tmp_path: Path) -> None:
    data, cut = archive.read_bytes(), tmp_path / "cut.tar"
    with tarfile.open(archive) as tar:
        members = tar.getmembers()
    inside = [each.offset_data + each.size // 2 for each in members[:: len(members) // 8]]
    for end in (0, 100, *inside, members[-1].offset, members[-1].offset_data + 1):
        cut.write_bytes(data[:end])
        with pytest.raises(BackupError, match=r"cut\.tar"):
            check_archive(cut)


def test_a_filled_database_is_refused_until_it_may_be_replaced(archive: Path) -> None:
    rows = read_tables()
    User.objects.create(username="late")
    with pytest.raises(BackupError, match=r"not empty: auth_user \(1\)"):
        restore(archive)
    restore(archive, replace=True)
    assert read_tables() == rows


def test_an_archive_comes_back_on_a_machine_that_has_nothing_yet(archive: Path, tmp_path: Path) -> None:
    environment = {name: value for name, value in os.environ.items() if name != "VERTEX_DATABASE_URL"}
    environment |= {"VERTEX_VAR_DIR": str(tmp_path / "new"), "DJANGO_SETTINGS_MODULE": "vertex.settings"}
    command = [sys.executable, "-m", "vertex.command_line", "restore", str(archive)]
    done = subprocess.run(command, capture_output=True, text=True, env=environment, timeout=300)
    assert done.returncode == 0, done.stderr
    assert "Restored." in done.stdout


def test_teams_that_people_made_are_not_deleted_unasked(archive: Path) -> None:
    call_command("flush", interactive=False, verbosity=0)
    Team.objects.get_or_create(name="Main team", slug="main-team")
    Team.objects.create(name="Films", slug="films")
    with pytest.raises(BackupError, match=r"not empty: extraction_team \(1\)"):
        restore(archive)


def test_nothing_is_restored_if_the_storage_fails(archive: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    User.objects.create(username="late")
    rows, triggers = read_tables(), installing.list_triggers(connection)

    def fail(*_: Any) -> None:
        raise OSError("no space left")

    monkeypatch.setattr("extraction.services.core.stored_bytes.keep_stream", fail)
    with pytest.raises(BackupError, match="no space left"):
        restore(archive, replace=True)
    assert read_tables() == rows
    assert sorted(installing.list_triggers(connection)) == sorted(triggers)


def test_an_archive_of_another_version_is_refused(archive: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    known = making.list_migrations("default")
    monkeypatch.setattr(making, "list_migrations", lambda using: (*known, "extraction.9999_later"))
    with pytest.raises(BackupError, match="newer version"):
        restore(back_up(tmp_path / "newer.tar")[0], replace=True)
    monkeypatch.setattr(making, "list_migrations", lambda using: known[:-1])
    with pytest.raises(BackupError, match="older version"):
        restore(back_up(tmp_path / "older.tar")[0], replace=True)


def test_a_backup_is_of_one_moment_while_others_write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each writer's transaction adds a user and a site together, so any moment has the same number of both."""
    stop, wrote = threading.Event(), threading.Event()

    def write() -> None:
        try:
            for number in range(2_000):
                if stop.is_set():
                    break
                with transaction.atomic():
                    User.objects.create(username=f"u{number}")
                    Site.objects.create(name=f"s{number}", slug=f"s{number}")
                wrote.set()
        finally:
            connections.close_all()

    writer = threading.Thread(target=write)
    writer.start()
    try:
        assert wrote.wait(10)
        path, manifest = back_up(tmp_path)
        later = User.objects.count()
    finally:
        stop.set()
        writer.join()
    assert 0 < manifest.rows["auth_user"] == manifest.rows["extraction_site"]
    assert later > manifest.rows["auth_user"], "nobody wrote meanwhile"
    restore(path, replace=True)
    assert Site.objects.count() == manifest.rows["extraction_site"]


def test_a_large_table_has_several_members(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tables, "PART_BYTES", 300)
    factory.shop(12)
    rows = read_tables()
    path, _ = back_up(tmp_path)
    assert sum(name.startswith("database/extraction_page/") for name, _ in read_members(path)) > 2
    restore(path, replace=True)
    assert read_tables() == rows


def test_the_sums_are_those_that_sha256sum_reads(archive: Path) -> None:
    sums, written = dict[str, str](), dict[str, str]()
    for name, file in read_members(archive):
        content = file.read()
        if name == SUMS:
            written = {name: sha256 for sha256, _, name in (line.partition("  ") for line in content.decode().splitlines())}
        elif name != MANIFEST:
            sums[name] = hashlib.sha256(content).hexdigest()
    assert written == sums


def test_contents_that_go_to_the_bin_meanwhile_are_still_found(tmp_path: Path) -> None:
    names = [stored_bytes.put_bytes(text) for text in (b"one", b"two", b"three")]
    stored_bytes.throw_away(names[0])
    listed = stored_files.list_files()
    first = next(listed)
    assert first.startswith("pages/")
    for name in names[1:]:
        stored_bytes.throw_away(name)
    assert {f"bin/{name}.gz" for name in names} == set(listed) - {first}
    assert [name for name, _ in read_members(back_up(tmp_path / "later.tar")[0]) if name.startswith("storage/pages")] == []


def test_an_object_storage_is_backed_up_and_restored(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with moto.mock_aws():
        boto3.client("s3", region_name="us-east-1").create_bucket(Bucket="pages")
        storage = S3Storage(bucket_name="pages", region_name="us-east-1", access_key="a", secret_key="b", file_overwrite=True, location="x")
        monkeypatch.setattr(default_storage, "_wrapped", storage)
        names = [stored_bytes.put_bytes(text) for text in (b"one", b"two")]
        files = read_files()
        path, manifest = back_up(tmp_path)
        assert manifest.files == len(files) == 2
        for name in files:
            default_storage.delete(name)
        restore(path, replace=True)
        assert read_files() == files and stored_bytes.get_bytes(names[0]) == b"one"


def test_the_commands_say_what_they_did(archive: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    call_command("backup", str(tmp_path / "second.tar"))
    assert "2 files" in capsys.readouterr().out
    call_command("restore", str(tmp_path / "second.tar"), check=True)
    assert "is whole" in capsys.readouterr().out
    replace_bytes(archive, "database/extraction_site/000001.jsonl.gz")
    with pytest.raises(CommandError, match=r"extraction_site/000001\.jsonl\.gz is damaged"):
        call_command("restore", str(archive))


def rewrite(path: Path, change: Callable[[dict[str, bytes]], dict[str, bytes]], **manifest: Any) -> None:
    """Write an archive again with other members, as somebody does who writes right sums, too. manifest: its other values."""
    members = change({name: file.read() for name, file in read_members(path) if name not in (SUMS, MANIFEST)})
    with tarfile.open(path) as tar:
        old = tar.extractfile(MANIFEST)
        assert old is not None
        values = json.loads(old.read())
    sums = b"".join(write_sum(hashlib.sha256(data).hexdigest(), name) for name, data in members.items())
    values |= {"sums_sha256": hashlib.sha256(sums).hexdigest(), **manifest}
    with tarfile.open(path, "w") as tar:
        for name, data in {**members, SUMS: sums, MANIFEST: json.dumps(values).encode()}.items():
            info = tarfile.TarInfo(name)
            info.size = len(data)
            tar.addfile(info, io.BytesIO(data))


def pages_part(members: dict[str, bytes]) -> tuple[str, list[bytes]]:
    """Return the name and the lines of the member with the pages."""
    name = next(name for name in members if name.startswith("database/extraction_page/"))
    return name, gzip.decompress(members[name]).splitlines(keepends=True)


def without_a_page(members: dict[str, bytes]) -> dict[str, bytes]:
    name, lines = pages_part(members)
    return {**members, name: gzip.compress(b"".join(lines[:-1]))}


def with_another_column(members: dict[str, bytes]) -> dict[str, bytes]:
    name, lines = pages_part(members)
    return {**members, name: gzip.compress(b"".join([lines[0].replace(b'"url"', b'"address"'), *lines[1:]]))}


@pytest.mark.parametrize(
    ("change", "manifest", "reason"),
    [
        (lambda members: members, {"format": 99}, r"The archive has format 99; this version of Vertex reads format"),
        (lambda members: members, {"rows": {}}, r"The archive and this version of Vertex have different tables"),
        (lambda members: {**members, "notes/readme.txt": b"x"}, {}, r"notes/readme\.txt is not part of a backup"),
        (without_a_page, {}, r"The table extraction_page got 1 rows instead of 2; the database is as before"),
        (with_another_column, {}, r"The table extraction_page has other columns in the archive: id, .*address"),
    ],
    ids=["format", "tables", "member", "row", "column"],
)
def test_an_archive_that_somebody_wrote_otherwise_is_refused_and_changes_nothing(
    archive: Path, change: Any, manifest: dict[str, Any], reason: str
) -> None:
    rewrite(archive, change, **manifest)
    rows = read_tables()
    with pytest.raises(BackupError, match=reason):
        restore(archive, replace=True)
    assert read_tables() == rows


def test_what_is_not_named_in_the_sums_or_missing_from_the_archive_is_named(archive: Path) -> None:
    members = [name for name, _ in read_members(archive) if name not in (SUMS, MANIFEST)]
    last = members[-1]

    def sums_of(names: list[str]) -> io.BytesIO:
        return io.BytesIO(b"".join(write_sum("0" * 64, name) for name in names))

    for found, written, reason in (
        (members, members[:-1], f"{last} is not in {SUMS}"),
        (members[:-1], members, f"{last} is missing\\.$"),
        (members[1:], members, f"{members[0]} is missing; {members[1]} is in its place"),
    ):
        with pytest.raises(BackupError, match=reason):
            archives._compare_sums(sums_of(found), sums_of(written))
    archives._compare_sums(sums_of(members), sums_of(members))


def test_a_folder_in_an_archive_is_refused(archive: Path) -> None:
    with tarfile.open(archive, "a") as tar:
        info = tarfile.TarInfo("storage/pages")
        info.type = tarfile.DIRTYPE
        tar.addfile(info)
    with pytest.raises(BackupError, match=r"storage/pages is not a file\. No backup has such a member"):
        check_archive(archive)


def test_a_filled_storage_is_refused_until_it_may_be_added_to(archive: Path) -> None:
    with transaction.atomic():
        installing.remove_triggers(connection)
        tables.delete_rows(connection)
    with pytest.raises(BackupError, match=r"The storage is not empty; it has pages/"):
        restore(archive)
    restore(archive, replace=True)
    assert Page.objects.count() == 2


def test_files_that_are_half_written_or_no_part_of_the_data_are_left_out(archive: Path) -> None:
    before = list(stored_files.list_files())
    default_storage.save("pages/.half.gz", ContentFile(b"x"))
    for folder in stored_files.LEFT_OUT:
        default_storage.save(f"{folder}/a.txt", ContentFile(b"x"))
    assert list(stored_files.list_files()) == before


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (Decimal("1.50"), "1.50"),
        (UUID(int=7), "00000000-0000-0000-0000-000000000007"),
        (b"\x00\xff", "AP8="),
        (memoryview(b"ab"), "YWI="),
        (date(2026, 11, 29), "2026-11-29"),
    ],
)
def test_each_kind_of_value_has_one_way_to_be_written(value: Any, text: str) -> None:
    assert tables._write_value(value) == text
    with pytest.raises(TypeError, match="complex cannot be written to a backup"):
        tables._write_value(1j)
