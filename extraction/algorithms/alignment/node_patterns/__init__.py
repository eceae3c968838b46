"""Node extraction patterns (Reis, Golgher, da Silva & Laender, WWW 2004, section 4; docs/algorithms.md#rtdm).

A pattern is a tree like those of pages, but some of its leaves are wildcards. It is generalised over the pages of a cluster
(`generalise_pages`): each page is mapped to the pattern so far by a restricted top-down mapping, and where the two differ, the pattern
gets a wildcard. Matched with a page (`match_page`), the pattern gives the parts of the page that its wildcards match. On news sites this
tells the title and the body (`news`).

    pages     <p>Title: <b>A</b> by Ada</p>   <p>Title: <b>B</b></p>
    pattern   p[ "Title:" b[ . ] ? ]

    .  one subtree     ?  one or none     +  one or more siblings     *  any number of siblings
"""

from extraction.algorithms.alignment.node_patterns.patterns import Pattern, PatternMatch, generalise_pages, match_page

__all__ = ["Pattern", "PatternMatch", "generalise_pages", "match_page"]
