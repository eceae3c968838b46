"""Sites are created, renamed and deleted; pages are uploaded and found."""

import io
import zipfile
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse

from extraction.forms.sites import SiteForm, SourceForm
from extraction.models import Page, Run, Site, Snapshot, Source
from extraction.services.core import stored_bytes
from extraction.services.sites import sites, sources
from extraction.views.sites import site_pages
from tests.services import factory
from tests.views.world import World


def archive(**pages: str) -> SimpleUploadedFile:
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as packed:
        for name, html in pages.items():
            packed.writestr(f"{name}.html", html)
    return SimpleUploadedFile("shop.zip", content.getvalue(), "application/zip")


def test_a_new_site_is_made_together_with_its_pages(signed_in: Any) -> None:
    data = {"name": "Süd & Nord", "address": "https://example.org"}
    answer = signed_in("editor").post(reverse("site_new_upload"), data | {"file": archive(a="<p>a page")})
    site = Site.objects.get()
    assert answer.headers["Location"] == Run.objects.get(site=site, kind=Run.Kind.IMPORT).get_absolute_url()
    assert site.created_by is not None
    assert (site.slug, site.created_by.username) == ("sud-nord", "editor")


@pytest.mark.parametrize(
    ("file", "reason"),
    [
        (None, "Choose a file first."),
        (SimpleUploadedFile("shop.txt", b"text"), "shop.txt is not an archive that Vertex can read."),
        (SimpleUploadedFile("shop.zip", b"text"), "shop.zip: it is not a zip, tar or WARC file."),
        (archive(), "shop.zip: no page was found in it."),
        (archive(a="text"), "shop.zip: no page was found in it; a.html: it contains no tags, so it is not an HTML or XML page."),
    ],
)
def test_a_wrong_file_makes_no_site(signed_in: Any, file: SimpleUploadedFile | None, reason: str) -> None:
    client = signed_in("editor")
    for accept in ("text/html", "application/json"):
        if file:
            file.seek(0)
        answer = client.post(reverse("site_new_upload"), {"name": "Shop"} | ({"file": file} if file else {}), headers={"accept": accept})
        assert (answer.status_code, Site.objects.count()) == (400, 0) and reason in answer.content.decode()


def test_hosts_in_names_stay_readable_in_addresses(db: None) -> None:
    assert [sites.create_site(name).slug for name in ("127.0.0.1", "shop.example.org", "A. Writer: books")] == [
        "127-0-0-1", "shop-example-org", "a-writer-books",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("field", "value", "said"),
    [
        ("include", "(((", "“(((” is not a pattern: “(((” is not a host. A path begins with /, as in /book/*."),
        ("page_limit", "0", "Give a whole number of at least 1."),
        ("concurrency", "65", "Give a whole number of at most 64."),
        ("delay_s", "soon", "This is not a number."),
        ("page_limit", "", "Give a whole number."),
    ],
)
def test_impossible_options_are_refused_in_plain_words(db: None, field: str, value: str, said: str) -> None:
    usual = {"addresses": "https://1.1.1.1/", "page_limit": "5", "delay_s": "1", "concurrency": "2", "rendered": "auto"}
    assert SourceForm(usual | {field: value}).errors.get(field) == [said]


@pytest.mark.parametrize("pattern", ["/book/*", "shop.example.org:8000/**", "*.example.org/a?b=*", "[::1]/x", "bücher.example/*"])
def test_patterns_of_addresses_are_stored(db: None, pattern: str) -> None:
    assert "include" not in SourceForm({"include": pattern}).errors


@pytest.mark.parametrize("names", [["Shop", "shop"], ["New", "new!"], ["!!!", "???"]])
def test_sites_with_similar_names_have_different_addresses(db: None, names: list[str]) -> None:
    slugs = [sites.create_site(name).slug for name in names]
    assert len(set(slugs)) == 2
    assert "new" not in slugs, "that is the address of the form"


@pytest.mark.parametrize("data", [{}, {"name": " "}, {"name": "Taken"}, {"name": "Good", "address": "no address"}, {"name": "n" * 121}])
def test_a_bad_site_is_not_made_and_says_why(signed_in: Any, data: dict[str, str]) -> None:
    client = signed_in("editor")
    sites.create_site("Taken")
    answer = client.post(reverse("site_new"), data)
    assert (answer.status_code, Site.objects.count()) == (400, 1)
    assert b"field-error" in answer.content


def test_a_name_is_escaped_and_shown_as_typed(signed_in: Any) -> None:
    client = signed_in("editor")
    sites.create_site("<script>alert(1)</script>")
    for name in ("home", "sites"):
        assert b"<script>alert" not in client.get(reverse(name)).content


def test_renaming_keeps_the_address_of_the_site(signed_in: Any, world: World) -> None:
    address = reverse("site_settings", args=[world.site.slug])
    assert signed_in("editor").post(address, {"name": "Other", "address": ""}).status_code == 302
    assert Site.objects.get(slug=world.site.slug).name == "Other"
    sites.create_site("Taken")
    answer = signed_in("editor").post(address, {"name": "Taken"})
    assert answer.status_code == 400
    assert '<h1 class="truncate" title="Other">' in answer.content.decode(), "what was not saved is not shown as the name"


def test_deleting_asks_for_the_name(signed_in: Any, world: World) -> None:
    address = reverse("site_delete", args=[world.site.slug])
    answer = signed_in("operator").post(address, {"typed": "books"})
    assert (answer.status_code, Site.objects.count()) == (400, 1)
    assert b"Nothing was deleted" in answer.content


def test_deleting_a_site_deletes_its_rows_and_leaves_stored_contents_for_a_while(signed_in: Any, world: World) -> None:
    sha256 = Snapshot.objects.values_list("sha256", flat=True)[0]
    signed_in("operator").post(reverse("site_delete", args=[world.site.slug]), {"typed": world.site.name})
    assert not Site.objects.exists()
    assert not Page.objects.exists()
    assert stored_bytes.get_bytes(sha256), "an import may need the same page at this moment"


def test_an_upload_starts_an_import(signed_in: Any, db: None, sent: list[int]) -> None:
    site = sites.create_site("Shop")
    answer = signed_in("editor").post(reverse("site_import", args=[site.slug]), {"file": archive(a="<p>a</p>")})
    run = Run.objects.get(kind=Run.Kind.IMPORT)
    assert answer.headers["Location"] == run.get_absolute_url()


def test_an_upload_by_script_gets_the_address_of_the_run(signed_in: Any, db: None, sent: list[int]) -> None:
    address = reverse("site_import", args=[sites.create_site("Shop").slug])
    client, json = signed_in("editor"), {"HTTP_ACCEPT": "application/json"}
    answer = client.post(address, {"file": archive(a="<p>a</p>")}, **json)
    assert (answer.status_code, answer.json()["location"]) == (201, Run.objects.get().get_absolute_url())
    answer = client.post(address, {"file": SimpleUploadedFile("notes.txt", b"x")}, **json)
    assert (answer.status_code, "notes.txt" in answer.json()["error"]) == (400, True)


@pytest.mark.parametrize("file", [None, SimpleUploadedFile("a.txt", b"x"), SimpleUploadedFile("a.zip", b"")])
def test_a_file_that_is_not_an_archive_is_refused_with_the_reason(signed_in: Any, db: None, sent: list[int], file: Any) -> None:
    answer = signed_in("editor").post(reverse("site_import", args=[sites.create_site("Shop").slug]), {"file": file} if file else {})
    assert answer.status_code == 400
    assert b'role="alert" data-error >' in answer.content
    assert not Run.objects.exists()


def test_too_large_an_upload_is_refused(signed_in: Any, db: None, settings: Any) -> None:
    settings.VERTEX_UPLOAD_MAX_BYTES = 10
    answer = signed_in("editor").post(reverse("site_import", args=[sites.create_site("Shop").slug]), {"file": archive(a="<p>a</p>")})
    assert answer.status_code == 400
    assert b"at most 10 are accepted" in answer.content


def test_templates_can_be_searched_for_again(signed_in: Any, world: World) -> None:
    client, address = signed_in("editor"), reverse("cluster_start", args=[world.site.slug])
    run = Run.objects.get(pk=client.post(address, {"threshold": "5"}).headers["Location"].split("/")[-2])
    assert (run.kind, run.parameters["threshold"]) == (Run.Kind.CLUSTER, 5)
    assert b"Books has 6 pages; with a minimum of 99,999,999,999" in client.post(address, {"threshold": "99999999999"}, follow=True).content
    assert client.post(address, {"threshold": "none"}).headers["Location"] == reverse("site_settings", args=[world.site.slug])


def test_pages_are_found_by_address_title_and_part(signed_in: Any, world: World) -> None:
    factory.snapshot(world.site, "empty.html", b" ", error="the page is empty")
    factory.snapshot(world.site, "lonely.html", b"<p>x</p>")
    client, address = signed_in("viewer"), reverse("site_pages", args=[world.site.slug])

    def urls(**asked: str) -> set[str]:
        return {page.url.rpartition("/")[2] for page in client.get(address, asked).context["pages"]}

    assert urls(part="unreadable") == {"empty.html"}
    assert urls(part="unclustered") == {"lonely.html"}
    assert urls(part="1") == set("012345")
    assert urls(q="BOOK/3") == {"3"}
    assert urls(q="nothing of the kind") == set()
    assert len(urls(part="<>", page="oops")) == 8


def test_a_text_that_is_too_short_for_the_index_is_sought_in_the_first_pages_and_the_list_says_so(
    signed_in: Any, world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    client, address = signed_in("viewer"), reverse("site_pages", args=[world.site.slug])
    said = "covers only its first 4 rows. Search for three characters or more to cover all of them."

    def ask(query: str) -> tuple[int, bool]:
        answer = client.get(address, {"q": query, "part": "1"})
        return answer.context["pages"].count, said in answer.content.decode()

    assert ask("k/") == (6, False), "the site has few pages, so all are looked through"
    monkeypatch.setattr(site_pages, "SHORT_LOOKED", 4)
    assert ask("k/") == (4, True)
    assert ask("ok/") == (6, False)
    assert ask("**") == (6, False), "a pattern covers all pages"
    monkeypatch.setattr(site_pages, "SHORT_LOOKED", 7)
    assert ask("k/") == (6, False)


def test_a_page_without_a_content_is_listed_and_cannot_be_moved(signed_in: Any, world: World) -> None:
    empty = Page.objects.create(site=world.site, url="https://shop.example/never-fetched")
    text = signed_in("editor").get(reverse("site_pages", args=[world.site.slug])).content.decode()
    assert "shop.example/never-fetched" in text
    assert f'value="{empty.pk}"' not in text and f'value="{world.page.pk}"' in text


def test_a_page_shows_its_values_and_leads_to_their_places(signed_in: Any, world: World) -> None:
    client, address = signed_in("viewer"), reverse("page", args=[world.site.slug, world.page.pk])
    text = client.get(address).content.decode()
    assert "Book 0" in text
    assert "?mark=" not in text
    text = client.get(address, {"value": "title.0"}).content.decode()
    assert "?mark=%5B%7B%22node%22" in text
    text = client.get(address, {"value": "title.7"}).content.decode()
    assert "note-suspect" in text
    assert "?mark=" not in text
    assert client.get(address, {"value": "x", "snapshot": "oops"}).status_code == 200


def test_a_page_of_another_site_is_not_found(signed_in: Any, world: World) -> None:
    other = sites.create_site("Other")
    assert signed_in("admin").get(reverse("page", args=[other.slug, world.page.pk])).status_code == 404


def test_a_name_that_differs_from_another_sites_by_case_alone_is_refused(signed_in: Any, world: World) -> None:
    client = signed_in("editor")
    answer = client.post(reverse("site_new_upload"), {"name": "BOOKS"})
    assert b"There is already a site with this name" in answer.content
    assert SiteForm({"name": "bOOks", "address": ""}, instance=world.site).is_valid(), "its own name may change its case"
    assert not SiteForm({"name": "bOOks", "address": ""}).is_valid()
    assert sources.find_free_name("https://books.example/") == "books.example"
    Site.objects.create(name="Books.Example", slug="books-example")
    assert sources.find_free_name("https://books.example/") == "books.example 2"


def test_the_address_of_an_uploaded_site_makes_it_fetchable(signed_in: Any, db: None) -> None:
    site = factory.site("Uploaded")
    client, settings_page = signed_in("editor"), reverse("site_settings", args=[site.slug])
    client.post(settings_page, {"name": "Uploaded", "address": "https://shop.example/"})
    assert sources.can_fetch(site)
    client.post(settings_page, {"name": "Uploaded", "address": "https://other.example/"})
    assert Source.objects.get(site=site).addresses == ["https://shop.example/"]


def test_a_site_whose_first_fetch_failed_says_why(signed_in: Any, db: None) -> None:
    site = factory.site()
    run = factory.run(site, Run.Kind.CRAWL, Run.State.FAILED, error="No page could be fetched.")
    text = signed_in("editor").get(site.get_absolute_url()).content.decode()
    assert "No page could be fetched." in text and run.get_absolute_url() in text
    factory.run(site, Run.Kind.CRAWL, Run.State.DONE)
    assert "No page could be fetched." not in signed_in("editor").get(site.get_absolute_url()).content.decode()
