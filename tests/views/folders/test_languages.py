"""The import of a site's files is in the reader's language: what is wrong with the files, what would change, and what to do then."""

import io
import zipfile
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse
from django.utils import translation
from lxml import html

from extraction.models import Cluster, DeliveryTarget, Site
from extraction.models.api_token import ApiScope
from extraction.services.core.api_tokens import create_token
from extraction.services.folders.change_words import NAMED, WHOLE, describe_changes, describe_key, summarize_plan
from extraction.services.folders.comparing import Change, ChangeKind
from extraction.services.folders.entries import Key
from extraction.services.folders.errors import FolderError
from tests.services.folders import folders, rich_site
from tests.services.folders.test_bad_folders import WRONG
from tests.translations.catalogues import LANGUAGES
from tests.views.core.test_languages import find_english, find_shown

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("sent")]

each_language = pytest.mark.parametrize("language", LANGUAGES)

ERRORS = [
    (
        "site.yaml",
        "name: Shops",
        "name: [Shops]",
        "site.yaml:2: 'name' muss ein Text sein; gefunden: eine Liste.",
        "site.yaml:2: 'name' doit être un texte\u202f; trouvé\u00a0: une liste.",
    ),
    (
        "site.yaml",
        "name: Shops",
        "name: Shops\nname: Shops",
        "site.yaml:3: der Schlüssel 'name' steht zweimal da.",
        "site.yaml:3: la clé 'name' figure deux fois.",
    ),
    (
        "site.yaml",
        "zone: Europe/Berlin",
        "zone: Europe/Atlantis",
        "„Europe/Atlantis“ ist keine Zeitzone. Sie etwa als Europe/Berlin oder UTC angeben.",
        "«\u00a0Europe/Atlantis\u00a0» n’est pas un fuseau horaire. Écrivez-le comme Europe/Berlin ou UTC.",
    ),
    (
        "templates/1-shop-page-no1/labels.yaml",
        "value: Shop 0",
        "value: Shop 9",
        "shop: auf der Seite steht an dieser Stelle 'Shop 0', nicht 'Shop 9'.",
        "shop\u00a0: la page indique 'Shop 0' à cet endroit, et non 'Shop 9'.",
    ),
    (
        "templates/1-shop-page-no1/rule.yaml",
        "//h1/text()",
        "//h1[",
        "das ist keine Regel, die ausgeführt werden kann: „//h1[“ ist kein gültiger XPath: ",
        "ce n’est pas une règle qui peut être exécutée\u00a0: «\u00a0//h1[\u00a0» n’est pas un XPath valide\u00a0: ",
    ),
    (
        "corrections.yaml",
        "attribute: shop",
        "attribute: price",
        "price steht in einer Liste und braucht deshalb eine Zeile.",
        "price est dans une liste et a donc besoin d’une ligne.",
    ),
]


def pack(files: folders.Files) -> bytes:
    found = io.BytesIO()
    with zipfile.ZipFile(found, "w") as archive:
        for path, data in files.items():
            archive.writestr(path, data)
    return found.getvalue()


def send(client: Any, data: bytes, language: str, **fields: Any) -> Any:
    upload = {"file": SimpleUploadedFile("shops.zip", data), **fields}
    return client.post(reverse("site_files_upload"), upload, headers={"accept-language": language})


def read(answer: Any) -> str:
    """Return the text of a page."""
    return " ".join(html.fromstring(answer.content.decode()).text_content().split(" "))


def list_english(answer: Any, language: str) -> set[str]:
    english = find_english(language)
    return {text for text in find_shown(answer.content.decode()) if english.fullmatch(text)}


@each_language
def test_an_upload_with_a_mistake_says_so_in_the_language_of_the_reader(signed_in: Any, language: str) -> None:
    files = folders.export(rich_site.shops().site)
    client = signed_in("operator")
    for path, right, wrong, german, french in ERRORS:
        answer = send(client, pack(folders.edit(files, path, lambda text, a=right, b=wrong: text.replace(a, b, 1))), language)  # type: ignore[misc]
        assert answer.status_code == 400
        assert (german if language == "de" else french) in read(answer)
        assert list_english(answer, language) == set()
    assert ("ist keine Zip-Datei" if language == "de" else "n’est pas un fichier zip") in read(send(client, b"PK nothing", language))


@each_language
def test_each_mistake_in_the_files_is_told_in_another_language(language: str) -> None:
    files = folders.export(rich_site.shops().site)
    folders.empty()

    def explain(changed: folders.Files) -> str:
        with pytest.raises(FolderError) as caught:
            folders.check(changed)
        return caught.value.reason

    for path, right, wrong, _ in WRONG:
        changed = folders.edit(files, path, lambda text, a=right, b=wrong: text.replace(a, b, 1))  # type: ignore[misc]
        english = explain(changed)
        with translation.override(language):
            assert explain(changed) != english, (path, wrong)


@each_language
def test_a_difference_and_its_notes_are_in_the_language_of_the_reader(signed_in: Any, language: str) -> None:
    files = folders.export(rich_site.shops().site)
    files = folders.edit(files, "templates/4/template.yaml", lambda text: text + "name: Theirs\n")
    files = folders.edit(files, "site.yaml", lambda text: text.replace("every_hours: 12", "every_hours: 6", 1))
    files = {**files, f"pages/{'0' * 64}.page": b"x", f"pages/{'1' * 64}.page": b"x"}
    Cluster.objects.filter(number=4).update(name="Ours")
    client = signed_in("operator")
    shown = send(client, pack(files), language)
    page = read(shown)
    for text in (
        ("Vorlage 4", "wurde in den Dateien und hier geändert", "2 Dateien mit Inhalten sind in pages.yaml nicht genannt", "1 Konflikt.")
        if language == "de"
        else ("gabarit 4", "a changé dans les fichiers et ici", "2 fichiers de contenu ne sont pas nommés dans pages.yaml", "1 conflit.")
    ):
        assert text in page
    assert list_english(shown, language) == set()


@each_language
def test_what_is_to_be_done_after_an_import_is_in_the_language_of_the_reader(signed_in: Any, language: str) -> None:
    data = pack(folders.export(rich_site.shops().site))
    client = signed_in("operator")
    folders.empty()
    shown = send(client, data, language)
    assert ("Vorlage 1: ihre Regel" if language == "de" else "gabarit 1\u00a0: sa règle") in read(shown)
    assert list_english(shown, language) == set()
    token = {"token": shown.context["token"]}
    done = client.post(reverse("site_files_import"), token, follow=True, headers={"accept-language": language})
    name = DeliveryTarget.objects.first().name  # type: ignore[union-attr]
    said = f"Die Lieferung {name} ist ausgeschaltet" if language == "de" else f"La livraison {name} est désactivée"
    assert Site.objects.exists() and said in read(done)
    assert list_english(done, language) == set()
    again = send(client, data, language)
    assert ("Nichts ändert sich." if language == "de" else "Rien ne change.") in read(again)


KEYS: list[Key] = [
    *[(name,) for name in WHOLE],
    *[("record type", "shop", part, "price") for part in ("attribute", "list", "quality rule")],
    ("record type", "shop"),
    ("record type", "shop", "order"),
    *[("template", "1", *rest) for rest in ((), ("recognition",), ("refresh",), ("rule",), ("quality rule", "count"))],
    *[("template", "1", part, "https://shops.example/0", "0f" * 32, "price") for part in ("marks", "offered")],
    ("page", "https://shops.example/0"),
    ("join", "Shops and offers"),
    ("delivery", "Books"),
    ("correction", "https://shops.example/0", "shop", "price"),
    ("correction", "https://shops.example/0", "shop", "price", "0123456789abcdef"),
]


def test_each_part_of_a_site_has_a_name_and_each_kind_of_change_a_word_in_each_language() -> None:
    assert {(key[0], *key[2:3]) if key[0] in ("record type", "template") else key[:1] for key in KEYS} == {
        *NAMED,
        *((name,) for name in WHOLE),
    }
    for kind in ChangeKind:
        changes = [Change(kind, key) for key in KEYS]
        english = [(each.subject, each.text) for each in describe_changes(changes)]
        for language in LANGUAGES:
            with translation.override(language):
                told = [(each.subject, each.text) for each in describe_changes(changes)]
            for (subject, text), (other_subject, other_text) in zip(english, told, strict=True):
                assert other_subject != subject or subject.startswith("correction"), subject
                assert other_text != text or (language, text) == ("fr", "change")


def test_names_of_parts_are_whole_sentences_of_the_thing_they_name() -> None:
    english = [describe_key(key) for key in KEYS]
    assert "template 1: marks of price on https://shops.example/0" in english
    assert "correction of price on https://shops.example/0" in english and "%" not in "".join(english)
    several = [Change(ChangeKind.REMOVED, ("template", "1", "marks", f"https://shops.example/{n}", "0f" * 32, "price")) for n in range(3)]
    line = describe_changes(several)[0]
    assert (line.subject, line.text) == ("template 1: 3 marks on 3 pages", "are removed")
    with translation.override("de"):
        line = describe_changes(several)[0]
    assert (line.subject, line.text) == ("Vorlage 1: 3 Markierungen auf 3 Seiten", "werden entfernt")


@pytest.mark.parametrize(
    ("language", "said"),
    [
        ("en", "Nothing changes. 1 part that differs here stays as it is."),
        ("de", "Nichts ändert sich. 1 Teil, der hier anders ist, bleibt, wie er ist."),
        ("fr", "Rien ne change. 1 partie qui diffère ici reste telle quelle."),
    ],
)
def test_a_plan_is_summed_up_with_the_right_forms(language: str, said: str) -> None:
    site = rich_site.shops().site
    files = folders.export(site)
    Cluster.objects.filter(site=site, number=4).update(name="Ours")
    with translation.override(language):
        assert summarize_plan(folders.plan(files)) == said


def test_a_program_that_asks_for_german_is_answered_in_english(client: Any, person: Any) -> None:
    files = folders.export(rich_site.shops().site)
    secret = create_token(person("operator"), "script", list(ApiScope))
    headers = {"accept-language": "de", "authorization": f"Bearer {secret}"}

    def ask(changed: folders.Files) -> Any:
        upload = {"file": SimpleUploadedFile("shops.zip", pack(changed)), "dry_run": "true"}
        return client.post("/api/v1/site-files", upload, headers=headers)

    wrong = ask(folders.edit(files, "site.yaml", lambda text: text.replace("name: Shops", "name: [Shops]", 1)))
    assert wrong.status_code == 422 and "'name' must be a text, not a list" in wrong.content.decode()
    assert ask(files).json()["summary"] == "Nothing changes."
