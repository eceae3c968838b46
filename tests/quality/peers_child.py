"""Runs one peer on one site, in the peers' own environment: `peers_child.py PEER SITE ANNOTATED`. Writes {"values", "trouble"} as JSON."""

import json
import logging
import re
import sys
import warnings
from pathlib import Path

from w3lib.encoding import html_to_unicode

HANDWRITTEN = {
    "job-dice": {
        "title": "//dt[.='Title:']/following-sibling::dd[1]//text()",
        "company": "//dt[.='Company:']/following-sibling::dd[1]//text()",
        "location": "//dt[.='Location:']/following-sibling::dd[1]//text()",
        "date_posted": "//dt[.='Date:']/following-sibling::dd[1]//text()",
    },
    "movie-imdb": {
        "title": "//h1[contains(@class, 'header')]/text()[1]",
        "director": "//h4[starts-with(normalize-space(), 'Director')]/following-sibling::a[starts-with(@href, '/name/')]/text()",
        "genre": "//h4[starts-with(normalize-space(), 'Genre')]/following-sibling::a[starts-with(@href, '/genre/')]/text()",
        "mpaa_rating": "//h4[contains(., 'Motion Picture Rating')]/following-sibling::text()[1]",
    },
    "restaurant-fodors": {
        "name": "substring-before(normalize-space(//h1), ' Review')",
        "address": "//li[span='Address:']/text()[normalize-space()][1]",
        "cuisine": "//li[span='Cuisine:']/a/text()",
        "phone": "//li[span='Phone:']/text()[normalize-space()][1]",
    },
}
"""XPaths by a person who looked at the pages."""


def clean(text):
    return re.sub(r"\s+", " ", text).strip()


class Site:
    """pages: {name: text}. marked: {attribute: {page: values}} of the first annotated pages."""

    def __init__(self, folder, annotated):
        self.name = folder.name
        self.pages = {file.stem: html_to_unicode(None, file.read_bytes())[1] for file in sorted((folder / "pages").glob("*.html"))}
        entries = json.loads((folder / "annotations.json").read_text())
        self.marked = {attribute: self._first(rows, annotated) for attribute, rows in entries.items()}

    @staticmethod
    def _first(rows, annotated):
        chosen = sorted(page for page in rows if rows[page])[:annotated]
        return {page: list(dict.fromkeys(clean(entry["value"]) for entry in rows[page])) for page in chosen}


def scrapely(site, attribute, marked):
    from scrapely import Scraper
    from scrapely.htmlpage import HtmlPage

    scraper = Scraper()
    for page, values in marked.items():
        scraper.train_from_htmlpage(HtmlPage(f"http://x.example/{page}", {}, site.pages[page]), {attribute: values})
    found = {}
    for name, text in site.pages.items():
        rows = scraper.scrape_page(HtmlPage(f"http://x.example/{name}", {}, text)) or []
        found[name] = [plain(value) for row in rows[:1] for value in row.get(attribute, [])]
    return found


def plain(markup):
    """scrapely returns markup; the text in it is the value."""
    from parsel import Selector

    return clean(" ".join(Selector(f"<x>{markup}</x>").xpath("//text()").getall()))


def autoscraper(site, attribute, marked):
    from autoscraper import AutoScraper

    scraper = AutoScraper()
    for page, values in marked.items():
        scraper.build(html=site.pages[page], wanted_dict={attribute: values}, update=True)
    several = any(len(values) > 1 for values in marked.values())
    get = scraper.get_result_similar if several else scraper.get_result_exact
    found = {name: get(html=text, group_by_alias=True).get(attribute, []) for name, text in site.pages.items()}
    return {name: [clean(value) for value in values if value] for name, values in found.items()}


def mlscraper(site, attribute, marked):
    from mlscraper.html import Page
    from mlscraper.samples import Sample, TrainingSet
    from mlscraper.training import train_scraper

    several = any(len(values) > 1 for values in marked.values())
    training = TrainingSet()
    for page, values in marked.items():
        training.add_sample(Sample(Page(site.pages[page]), {attribute: values if several else values[0]}))
    scraper = train_scraper(training)
    found = {}
    for name, text in site.pages.items():
        try:
            value = scraper.get(Page(text))[attribute]
        except Exception:  # noqa: BLE001 - the page lacks it; mlscraper raises whatever its selectors did
            value = []
        found[name] = [clean(str(each)) for each in (value if isinstance(value, list) else [value]) if each]
    return found


def parsel(site, attribute, marked):
    from parsel import Selector

    xpath = HANDWRITTEN[site.name][attribute]
    texts = {name: (clean(text) for text in Selector(page).xpath(xpath).getall()) for name, page in site.pages.items()}
    return {name: [text for text in found if text] for name, found in texts.items()}


def main():
    warnings.simplefilter("ignore")
    logging.disable(logging.CRITICAL)
    peer, folder, annotated = sys.argv[1], Path(sys.argv[2]), int(sys.argv[3])
    site, values, trouble = Site(folder, annotated), {}, []
    if peer == "parsel" and site.name not in HANDWRITTEN:
        print(json.dumps({"values": None, "trouble": []}))
        return
    for attribute, marked in site.marked.items():
        try:
            values[attribute] = globals()[peer](site, attribute, marked)
        except Exception as error:  # noqa: BLE001 - whatever a peer does not manage counts as nothing found
            trouble.append(f"{attribute}: {type(error).__name__}")
    print(json.dumps({"values": values, "trouble": trouble}))


if __name__ == "__main__":
    main()
