"""Which template of an installation a template of a folder is, when both have grown apart.

Numbers tell templates apart only if both sites come from the same export. So a number alone counts only if nothing speaks against it.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace

from extraction.models import Cluster, Page, Site
from extraction.services.folders.documents import (
    ContentDocument,
    JoinDocument,
    PageDocument,
    SiteFiles,
    TemplateFiles,
)
from extraction.services.folders.entries import write_key
from extraction.services.templates.clusters import find_last_number

CHUNK = 500


def match_templates(files: SiteFiles, site: Site | None) -> dict[int, int]:
    """Return {number in the folder: number here}. Templates that are new here keep their number if it is free.

    A template is the one here with most of its pages, else one with a mask or the name of it, else the one with its number if nothing
    speaks against that.
    """
    numbers = [each.template.number for each in files.templates]
    if site is None:
        return {number: number for number in numbers}
    here = {each.number: each for each in Cluster.objects.filter(site=site)}
    homes = _count_homes(files, site)
    found: dict[int, int] = {}
    pairs = sorted(
        (-_relate(each, cluster, homes), each.template.number != cluster.number, each.template.number, cluster.number)
        for each in files.templates
        for cluster in here.values()
    )
    for against, other_number, number, candidate in pairs:
        related = against < 0 or (not other_number and _may_be(files, number, here[candidate]))
        if related and number not in found and candidate not in found.values():
            found[number] = candidate
    last = max([find_last_number(site), *here, *numbers], default=0)
    for number in numbers:
        if number not in found:
            free = number not in here and number not in found.values()
            last += not free
            found[number] = number if free else last
    return found


def renumber(files: SiteFiles, numbers: Mapping[int, int]) -> SiteFiles:
    """Return the files with the numbers that their templates have here."""
    if all(old == new for old, new in numbers.items()):
        return files
    return replace(
        files,
        templates=tuple(replace(each, template=replace(each.template, number=numbers[each.template.number])) for each in files.templates),
        pages=tuple(_renumber_page(each, numbers) for each in files.pages),
        joins=tuple(_renumber_join(each, numbers) for each in files.joins),
        base=_renumber_base(files.base, numbers),
    )


def _relate(files: TemplateFiles, cluster: Cluster, homes: Mapping[int, Counter[int]]) -> int:
    """Return how much says that a template of the folder is one of the installation: shared pages count most."""
    template = files.template
    shared = homes.get(template.number, Counter())
    most = shared and shared.most_common(1)[0][0] == cluster.number
    masks = bool(set(template.masks) & set(cluster.masks))
    named = bool(template.name) and template.name.casefold() == cluster.name.casefold()
    return 4 * bool(most) + 2 * masks + named


def _may_be(files: SiteFiles, number: int, cluster: Cluster) -> bool:
    """Return whether nothing speaks against a template of the same number.

    It has neither masks nor a name yet; or the folder was exported with it, and its pages are recognised in the same way.
    """
    if not cluster.masks and not cluster.name:
        return True
    template = next(each.template for each in files.templates if each.template.number == number)
    known = list(template.masks) == cluster.masks and list(template.url_patterns) == cluster.url_patterns
    return known and write_key(("template", str(number))) in files.base


def _count_homes(files: SiteFiles, site: Site) -> dict[int, Counter[int]]:
    """Return {number in the folder: how many of its pages are in each template here}."""
    theirs = {page.url: each.template for page in files.pages for each in page.contents if each.template is not None}
    urls = list(theirs)
    found: dict[int, Counter[int]] = {}
    for start in range(0, len(urls), CHUNK):
        rows = Page.objects.filter(site=site, url__in=urls[start : start + CHUNK]).exclude(cluster=None)
        for url, number in rows.values_list("url", "cluster__number"):
            found.setdefault(theirs[url], Counter())[number] += 1
    return found


def _renumber_page(page: PageDocument, numbers: Mapping[int, int]) -> PageDocument:
    contents: Sequence[ContentDocument] = page.contents
    return replace(
        page,
        belongs_to=None if page.belongs_to is None else numbers.get(page.belongs_to, page.belongs_to),
        not_in=tuple(sorted(numbers.get(each, each) for each in page.not_in)),
        contents=tuple(replace(each, template=None if each.template is None else numbers.get(each.template)) for each in contents),
    )


def _renumber_join(join: JoinDocument, numbers: Mapping[int, int]) -> JoinDocument:
    listings = tuple(replace(each, template=numbers.get(each.template or 0)) for each in join.listings)
    return replace(join, template=numbers.get(join.template or 0), listings=listings)


def _renumber_base(base: Mapping[str, str], numbers: Mapping[int, int]) -> dict[str, str]:
    found = {}
    for name, digest in base.items():
        parts = name.split(" / ")
        if parts[0] == "template" and len(parts) > 1 and parts[1].isdecimal():
            parts[1] = str(numbers.get(int(parts[1]), parts[1]))
        found[" / ".join(parts)] = digest
    return found
