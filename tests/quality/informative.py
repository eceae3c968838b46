"""Greedy samples where template parts weigh nothing: the paths of pages without the text that the dashboard would dim.

Such an order is compared with the others by `python -m tests.quality.effort DATA --informative`.
"""

import copy

from lxml import etree

from extraction.algorithms.boilerplate import entropy, main_content, template_hash
from extraction.algorithms.boilerplate.blocks import split_blocks
from extraction.algorithms.sampling import greedy
from tests.quality.sites import Site


def dimmed(site: Site) -> dict[str, list[int]]:
    """{page: the elements that are dimmed on it}, told from all pages of the site."""
    hashed = {name: template_hash.hash_nodes(page.nodes) for name, page in site.pages.items()}
    held = {name: split_blocks(page.nodes) for name, page in site.pages.items()}
    found = entropy.discover_informative([[block.features for block in held[name]] for name in site.pages])
    counted = template_hash.count_hashes(hashed.values())
    low, high = template_hash.default_bounds(len(hashed))
    result = {}
    for name, page in hashed.items():
        informative = [entropy.measure_block(block.features, found.features) <= found.threshold for block in held[name]]
        template = template_hash.find_template_nodes(page, counted, low=low, high=high)
        result[name] = main_content.find_dimmed_elements(page, held[name], informative, template)
    return result


def order(site: Site, count: int) -> list[str]:
    """The pages in greedy order, at most so many."""
    names, gone = list(site.pages), dimmed(site)
    paths = [greedy.read_paths(without(site.pages[name].root, gone[name])) for name in names]
    return [names[choice.page_index] for choice in greedy.choose_pages(paths, k=count, fill=True)]


def without(root: etree._Element, nodes: list[int]) -> etree._Element:
    """A page without what is in some elements; the elements stay, so that the paths of the others are the same."""
    twin = copy.deepcopy(root)
    found = list(twin.iter(etree.Element))
    for node in nodes:
        tail = found[node].tail
        found[node].clear()
        found[node].tail = tail
    return twin
